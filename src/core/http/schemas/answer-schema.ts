import * as z from 'zod';
import type { IngestReport } from '../../engine/intake.ts';
import { INSERT_ID_PATTERN, NAME_LENGTH_MAX } from '../../event/event-fields.ts';
import type { Event } from '../../event/event.ts';
import type { EventInput } from '../../event/parse-event.ts';
import type { Explanation, PathIntoArray, TypeMismatch, UnknownPath } from '../../explain/explanation.ts';
import { QUESTION_NAMES, type AnswerBounds } from '../../explain/asked.ts';
import type { UnderstoodBody } from '../../explain/understood.ts';
import { describes, entriesSchema, scalarSchema, strict } from '../../filter/filter-schema.ts';
import {
  READ_FOR,
  type AnswerPlan,
  type PlannedPath,
  type PlannedStreams,
  type ReadPath,
} from '../../query/answer-plan.ts';
import type { Differences } from '../../query/compare.ts';
import type { Breakdown, Group, GroupRow, Told, Whole } from '../../query/grouping.ts';
import type { MeasuredNumbers } from '../../query/measures.ts';
import type { Retention } from '../../query/retention.ts';
import type { User } from '../../query/users.ts';
import type { Sequence, StepTimes } from '../../query/sequence.ts';
import { WEB_SDK_SCHEMAS } from './web-sdk-schema.ts';
import { JSON_TYPES, type Properties, type Property } from '../../query/properties.ts';

// The one description of the answers of the Query API and ingestion, and of an event as clients send it.
// `npm run validators` writes from it, at build time, the JSON Schemas that OpenAPI shows.

/** A whole number of 0 or more. */
export const whole = z.int().min(0);
/** An object whose fields the sender chooses. */
export const anyObject = z.looseObject({}) as unknown as z.ZodType<object, object>;
const date = z.string().meta({ format: 'date' });

const eventName = z.string().min(1).max(NAME_LENGTH_MAX);
/** An event as JSON, which has no Date. */
type EventInputJson = Omit<EventInput, 'eventTs'> & {
  readonly eventTs?: string | number;
};

const eventInputSchema = describes<EventInputJson>()(
  strict({
    eventName,
    userId: eventName,
    eventTs: z
      .union([z.string(), z.number()])
      .describe('ISO 8601 with an offset, or epoch milliseconds')
      .exactOptional(),
    insertId: z.string().regex(INSERT_ID_PATTERN).exactOptional(),
    properties: anyObject.exactOptional(),
    eventDate: date.exactOptional(),
  }),
);

const eventSchema = describes<Event<object>>()(
  z.object({
    eventName: z.string(),
    userId: z.string(),
    eventTs: z.string().meta({ format: 'date-time' }),
    properties: anyObject,
    eventDate: date,
    insertId: z.string(),
    receivedAt: z.string().nullable().meta({ format: 'date-time' }).exactOptional(),
  }),
);

const ingestReportSchema = describes<IngestReport>()(
  z.object({
    accepted: whole,
    duplicates: whole,
    rejected: z.array(z.object({ index: whole, error: z.string() })),
    dryRun: z.literal(true).exactOptional(),
  }),
);

const figure = z.number().nullable();
const end = z.union([z.number(), z.string()]).nullable();
const figures = z
  .looseObject({
    numbers: whole.exactOptional(),
    others: whole.exactOptional(),
    sum: figure.exactOptional(),
    avg: figure.exactOptional(),
    min: end.exactOptional(),
    max: end.exactOptional(),
  })
  .describe('the figures that were asked for, by their names: percentiles too, such as p95');
const measuredSchema = figures as unknown as z.ZodType<MeasuredNumbers, MeasuredNumbers>;

const figureFields = {
  distinct: whole.exactOptional(),
  measures: z.array(measuredSchema).exactOptional(),
};
const wholeFields = { total: whole, ...figureFields };

const toldFields = { count: whole, ...figureFields };
const toldSchema = describes<Told>()(z.object(toldFields));
const rowFields = {
  ...toldFields,
  cells: z.array(toldSchema).exactOptional(),
  rest: toldSchema.exactOptional(),
};
const groupsSchema = z.array(describes<Group>()(z.object({ key: scalarSchema, ...rowFields })));

const breakdownSchema = describes<Breakdown>()(
  z.object({
    ...wholeFields,
    missing: whole,
    arrays: whole,
    objects: whole,
    groupsTotal: whole,
    groups: groupsSchema,
    columns: groupsSchema.exactOptional(),
    columnsTotal: whole.exactOptional(),
    rest: describes<GroupRow>()(z.object(rowFields)).exactOptional(),
  }),
);

const stepTimesSchema = z
  .looseObject({})
  .describe('a time in milliseconds for each percentile, by its name; null if nobody reached the step');
const stepTimes = stepTimesSchema as unknown as z.ZodType<StepTimes, StepTimes>;
const counts = z.array(whole).describe('how many reached each step');

const sequenceSchema = describes<Sequence>()(
  z.object({
    steps: z.array(
      z.object({
        count: whole,
        sinceStart: stepTimes.exactOptional(),
        sincePrevious: stepTimes.exactOptional(),
      }),
    ),
    missing: whole,
    groupsTotal: whole.exactOptional(),
    groups: z.array(z.object({ key: scalarSchema, counts })).exactOptional(),
    rest: z.object({ counts }).exactOptional(),
  }),
);
const retentionSchema = describes<Retention>()(
  z.object({
    total: whole,
    missing: whole,
    cohorts: z.array(
      z.object({
        key: z.string(),
        count: whole,
        periods: z.array(z.object({ count: whole, orLater: whole })),
      }),
    ),
  }),
);
const instant = z.string().meta({ format: 'date-time' });
const userSchema = describes<User>()(
  z.object({
    key: scalarSchema,
    count: whole,
    first: instant,
    last: instant,
    at: z.array(instant).describe('when each step of the sequence was taken').exactOptional(),
  }),
);
const share = z.number().min(0).max(1);
const differencesSchema = describes<Differences>()(
  z.object({
    selected: whole,
    baseline: whole,
    paths: z.array(z.string()),
    more: z.boolean(),
    rows: z.array(
      z.object({
        path: z.string(),
        value: scalarSchema.nullable(),
        selected: whole,
        baseline: whole,
        selectedShare: share,
        baselineShare: share,
        difference: z.number().min(-1).max(1),
      }),
    ),
  }),
);
const wholeSchema = describes<Whole>()(z.object(wholeFields));

const typesSchema = z.partialRecord(z.enum(JSON_TYPES), whole);

const propertySchema = describes<Property>()(
  z.object({
    path: z.string(),
    types: typesSchema,
    rest: whole.exactOptional(),
    arraysOfObjects: whole.exactOptional(),
    examples: z.array(scalarSchema),
  }),
);

const typeMismatchSchema = describes<TypeMismatch>()(
  z.object({
    path: z.string(),
    types: typesSchema,
    examples: z.array(scalarSchema),
    compared: z.array(z.enum(JSON_TYPES)),
  }),
);

const propertiesSchema = describes<Properties>()(
  z.object({ properties: z.array(propertySchema), more: z.boolean(), rest: whole.exactOptional() }),
);

const readPathFields = { path: z.string(), for: z.array(z.enum(READ_FOR)) };

const plannedPathSchema = describes<PlannedPath>()(
  z.object({
    ...readPathFields,
    from: z.enum(['column', 'order', 'hashes', 'events', 'index']),
    read: whole,
    inTime: whole.exactOptional(),
  }),
);

const answerPlanSchema = describes<AnswerPlan>()(
  z.discriminatedUnion('by', [
    z.object({
      by: z.literal('columns'),
      events: whole,
      paths: z.array(plannedPathSchema),
      streams: describes<PlannedStreams>()(
        z.object({ values: whole, events: whole, parts: whole }),
      ).exactOptional(),
    }),
    z.object({
      by: z.enum(['sql', 'pages', 'store']),
      paths: z.array(describes<ReadPath>()(z.object(readPathFields))),
    }),
  ]),
);

const boundsSchema = describes<AnswerBounds>()(
  z.object({
    events: whole.exactOptional(),
    users: whole.exactOptional(),
    groups: whole.exactOptional(),
    columns: whole.exactOptional(),
    cells: whole.exactOptional(),
    rows: whole.exactOptional(),
    cohorts: whole.exactOptional(),
    periods: whole.exactOptional(),
  }),
);

const understoodSchema = z
  .looseObject({ filterSet: entriesSchema })
  .describe('the body of the question as the server understood it') as unknown as z.ZodType<
  UnderstoodBody,
  UnderstoodBody
>;

const explanationSchema = describes<Explanation>()(
  z.object({
    question: z.enum(QUESTION_NAMES),
    body: understoodSchema,
    unknownPaths: z.array(
      describes<UnknownPath>()(z.object({ path: z.string(), nearest: z.array(z.string()) })),
    ),
    pathsIntoArrays: z
      .array(describes<PathIntoArray>()(z.object({ path: z.string(), array: z.string(), events: whole })))
      .exactOptional(),
    typeMismatches: z.array(describes<TypeMismatch>()(typeMismatchSchema)).exactOptional(),
    more: z.boolean(),
    plan: answerPlanSchema,
    pieces: whole.exactOptional(),
    atMost: boundsSchema.exactOptional(),
    timeZone: z.string().exactOptional(),
    timeZoneData: z.string().exactOptional(),
  }),
);

/** The schemas of answers and of events, by their names in OpenAPI. Request bodies have their own schemas. */
export const ANSWER_SCHEMAS = {
  Event: eventSchema,
  EventInput: eventInputSchema,
  IngestReport: ingestReportSchema,
  ...WEB_SDK_SCHEMAS,
  Count: z.object({ count: whole }),
  Breakdown: z.union([breakdownSchema, wholeSchema]),
  Sequence: sequenceSchema,
  Retention: retentionSchema,
  User: userSchema,
  Differences: differencesSchema,
  Properties: propertiesSchema,
  Explanation: explanationSchema,
  Error: strict({ error: z.string() }),
} as const;
