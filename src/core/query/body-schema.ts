import * as z from 'zod';
import { INCLUDABLE } from '../event/event.ts';
import { describes, entriesSchema, entrySchema, strict } from '../filter/filter-schema.ts';
import {
  BY_TWO_WORDS,
  BY_WORDS,
  GROUPS_SIZE_MAX,
  INSTANT_WORDS,
  ORDER_WORDS,
  PAGE_SIZE_MAX,
  TIME_ZONE_WORDS,
  type BreakdownBody,
  type CompareBody,
  type CountBody,
  type ExportBody,
  type ExportStart,
  type Pagination,
  type QueryBody,
  type RetentionBody,
  type SequenceBody,
  type TailBody,
  type TopBody,
  type UsersBody,
} from './body.ts';
import {
  FIGURE_WORDS,
  FIGURES_MAX,
  MEASURES_MAX,
  OF_WORDS,
  PERCENTILE_WORDS,
  type FigureName,
} from './measures.ts';
import { COMPARED_PATHS_MAX, DIFFERENCES_SIZE_MAX } from './compare.ts';
import { RANKED_WORDS, RANKING_ORDERS } from './ranking.ts';
import { PERIODS_MAX, RETENTION_UNITS } from './retention.ts';
import { HAVING_MAX } from './users.ts';
import { EXCLUSIONS_MAX, PERCENTILES_MAX, SAME_MAX, STEPS_MAX, WITHIN_WORDS } from './sequence.ts';

// The single definition of each body. The build reads it: `npm run validators` writes body-validators.ts from
// it, so that an embedding program loads neither zod nor a schema compiler. A description says what a
// rejected value should have been.

function size(max: number) {
  return z.number().int().min(1).max(max).describe(`takes a whole number from 1 to ${max}`).optional();
}

const cursor = z.string().describe('takes the X-Next-Cursor of the page before').optional();

/** Which page of what matches. */
const paginationSchema = describes<Pagination>()(
  strict({
    offset: z.number().int().min(0).describe('takes a whole number of 0 or more').optional(),
    size: size(PAGE_SIZE_MAX),
    cursor,
  }),
);

const day = z.string().describe('takes a date YYYY-MM-DD').optional();

const instant = z.string().describe(`takes ${INSTANT_WORDS}`).optional();

const bounds = {
  event: z.string().describe('takes the name of an event').optional(),
  after: day,
  before: day,
  from: instant,
  until: instant,
};

const restrictions = {
  ...bounds,
  timeZone: z.string().describe(`takes ${TIME_ZONE_WORDS}`).optional(),
  filterSet: entriesSchema.optional(),
};

const shown = {
  include: z
    .array(z.enum(INCLUDABLE).describe(`takes one of: ${INCLUDABLE.join(', ')}`))
    .max(INCLUDABLE.length)
    .describe(`takes an array of fields that events show besides the usual ones: ${INCLUDABLE.join(', ')}`)
    .optional(),
};

/** The body of a count. */
export const countBodySchema = describes<CountBody>()(strict(restrictions));
const tailBodySchema = describes<TailBody>()(strict({ ...restrictions, ...shown }));
/** The body of a query. */
export const queryBodySchema = describes<QueryBody>()(
  strict({ ...restrictions, pagination: paginationSchema.optional(), ...shown }),
);
const topBodySchema = describes<TopBody>()(
  strict({
    ...restrictions,
    of: z.string().describe(`takes ${RANKED_WORDS}`),
    order: z
      .enum(RANKING_ORDERS)
      .describe(`takes one of: ${RANKING_ORDERS.join(', ')}`)
      .optional(),
    size: size(PAGE_SIZE_MAX),
    ...shown,
  }),
);
const exportStartSchema = describes<ExportStart>()(
  strict({
    cursor,
    after: strict({
      eventTs: z.string().describe('takes the eventTs of an event that came'),
      insertId: z.string().describe('takes the insertId of an event that came'),
    }).optional(),
  }),
);

const exportBodySchema = describes<ExportBody>()(
  strict({ ...restrictions, pagination: exportStartSchema.optional(), ...shown }),
);
const figures = z
  .array(z.string().describe(`takes ${FIGURE_WORDS}`) as unknown as z.ZodType<FigureName, FigureName>)
  .min(1)
  .max(FIGURES_MAX)
  .describe(`takes an array of 1 to ${FIGURES_MAX} figures: ${FIGURE_WORDS}`);

const measures = z
  .array(strict({ of: z.string().describe(`takes ${OF_WORDS}`), take: figures }))
  .min(1)
  .max(MEASURES_MAX)
  .describe(`takes an array of 1 to ${MEASURES_MAX} objects {"of", "take"}`)
  .optional();

const distinct = z.string().describe('takes a property path such as userId or properties.plan');

/** One value, or an array of two. */
function oneOrTwo<T>(one: z.ZodType<T, T>, takes: string) {
  const two = z.array(one).min(2).max(2) as unknown as z.ZodType<[T, T], [T, T]>;
  return z.union([one, two]).describe(takes);
}

const groupsSize = z.number().int().min(1).max(GROUPS_SIZE_MAX);
const sizeWords = `takes a whole number from 1 to ${GROUPS_SIZE_MAX}`;

const breakdownBodySchema = describes<BreakdownBody>()(
  strict({
    ...restrictions,
    by: oneOrTwo(
      z.string().describe(`takes ${BY_WORDS}`),
      `takes ${BY_WORDS}, or ${BY_TWO_WORDS}`,
    ).optional(),
    distinct: distinct.optional(),
    measures,
    size: oneOrTwo(
      groupsSize.describe(sizeWords),
      `${sizeWords}, or an array of two: of rows and columns`,
    ).optional(),
    orderBy: strict({
      measure: z
        .number()
        .int()
        .min(0)
        .max(MEASURES_MAX - 1)
        .describe('takes the place of a measure, 0 for the first'),
      take: z.string().describe(`takes ${FIGURE_WORDS}`) as unknown as z.ZodType<FigureName, FigureName>,
    })
      .describe(`takes ${ORDER_WORDS}`)
      .optional(),
    rest: z.literal(true).describe('takes true').optional(),
  }),
);

const step = { event: restrictions.event, filterSet: restrictions.filterSet };

const attempts = {
  steps: z
    .array(strict(step))
    .min(1)
    .max(STEPS_MAX)
    .describe(`takes an array of 1 to ${STEPS_MAX} steps {"event", "filterSet"}`),
  within: z.string().describe(`takes ${WITHIN_WORDS}`).optional(),
  order: z.literal('strict').describe('takes "strict": each step is the very next event').optional(),
  without: z
    .array(
      strict({
        ...step,
        after: z.number().int().min(1).max(STEPS_MAX).describe('takes the number of the step before, from 1'),
      }),
    )
    .max(EXCLUSIONS_MAX)
    .describe(`takes an array of at most ${EXCLUSIONS_MAX} objects {"after", "event", "filterSet"}`)
    .optional(),
  same: z
    .array(distinct)
    .min(1)
    .max(SAME_MAX)
    .describe(`takes an array of 1 or ${SAME_MAX} property paths`)
    .optional(),
};

const sequenceBodySchema = describes<SequenceBody>()(
  strict({
    ...restrictions,
    ...attempts,
    distinct: distinct.optional(),
    by: z.string().describe(`takes ${BY_WORDS}`).optional(),
    size: size(GROUPS_SIZE_MAX),
    percentiles: z
      .array(
        z.string().describe(`takes ${PERCENTILE_WORDS}`) as unknown as z.ZodType<`p${number}`, `p${number}`>,
      )
      .max(PERCENTILES_MAX)
      .describe(`takes an array of at most ${PERCENTILES_MAX} percentiles`)
      .optional(),
  }),
);

const retentionBodySchema = describes<RetentionBody>()(
  strict({
    ...restrictions,
    steps: z
      .array(strict(step))
      .min(2)
      .max(2)
      .describe('takes an array of two steps {"event", "filterSet"}: the start, and the return'),
    unit: z.enum(RETENTION_UNITS).describe(`takes one of: ${RETENTION_UNITS.join(', ')}`),
    periods: size(PERIODS_MAX),
    periodsFrom: z.enum(['calendar', 'start']).describe('takes calendar or start').optional(),
    distinct: distinct.optional(),
  }),
);

const times = z.number().int().min(0).describe('takes a whole number of 0 or more').optional();
const stepNumber = z
  .number()
  .int()
  .min(1)
  .max(STEPS_MAX)
  .describe('takes the number of a step, from 1')
  .optional();

const usersBodySchema = describes<UsersBody>()(
  strict({
    ...restrictions,
    distinct: distinct.optional(),
    having: z
      .array(strict({ ...step, atLeast: times, atMost: times }))
      .max(HAVING_MAX)
      .describe(`takes an array of at most ${HAVING_MAX} objects {"event", "filterSet", "atLeast", "atMost"}`)
      .optional(),
    sequence: strict({ ...attempts, reached: stepNumber, stopped: stepNumber }).optional(),
    pagination: strict({ size: size(PAGE_SIZE_MAX), cursor }).optional(),
  }),
);

const compareBodySchema = describes<CompareBody>()(
  strict({
    ...restrictions,
    selected: strict({ ...bounds, filterSet: restrictions.filterSet }).describe(
      'takes an object that selects the events to compare, by from and until or by a filterSet',
    ),
    paths: z
      .array(distinct)
      .min(1)
      .max(COMPARED_PATHS_MAX)
      .describe(`takes an array of 1 to ${COMPARED_PATHS_MAX} property paths`)
      .optional(),
    size: size(DIFFERENCES_SIZE_MAX),
  }),
);

/** The bodies, and the entry of a `filterSet`, by the names that OpenAPI gives them. */
export const BODY_SCHEMAS = {
  FilterEntry: entrySchema,
  QueryBody: queryBodySchema,
  CountBody: countBodySchema,
  TopBody: topBodySchema,
  TailBody: tailBodySchema,
  ExportBody: exportBodySchema,
  BreakdownBody: breakdownBodySchema,
  SequenceBody: sequenceBodySchema,
  RetentionBody: retentionBodySchema,
  UsersBody: usersBodySchema,
  CompareBody: compareBodySchema,
} as const;
