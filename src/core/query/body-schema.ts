import * as z from 'zod';
import { TIME_UNITS } from '../event/time-unit.ts';
import { describes, entriesSchema, entrySchema, strict } from '../filter/filter-schema.ts';
import {
  GROUPS_SIZE_MAX,
  PAGE_SIZE_MAX,
  type BreakdownBody,
  type CountBody,
  type ExportBody,
  type ExportStart,
  type Pagination,
  type QueryBody,
} from './body.ts';

// The single definition of each body. The build reads it: `npm run validators` writes body-validators.ts from
// it, so that an embedding program loads neither zod nor a schema compiler. A description says what a
// rejected value should have been.

function size(max: number) {
  return z.number().int().min(1).max(max).describe(`takes a whole number from 1 to ${max}`).optional();
}

const cursor = z.string().describe('takes the X-Next-Cursor of the page before').optional();

/** Which page of what matches. */
export const paginationSchema = describes<Pagination>()(
  strict({
    offset: z.number().int().min(0).describe('takes a whole number of 0 or more').optional(),
    size: size(PAGE_SIZE_MAX),
    cursor,
  }),
);

const day = z.string().describe('takes a date YYYY-MM-DD').optional();

const restrictions = {
  event: z.string().describe('takes the name of an event').optional(),
  after: day,
  before: day,
  filterSet: entriesSchema.optional(),
};

const countBodySchema = describes<CountBody>()(strict(restrictions));
/** The body of a query. */
export const queryBodySchema = describes<QueryBody>()(
  strict({ ...restrictions, pagination: paginationSchema.optional() }),
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
  strict({ ...restrictions, pagination: exportStartSchema.optional() }),
);
const breakdownBodySchema = describes<BreakdownBody>()(
  strict({
    ...restrictions,
    by: z.string().describe(`takes a property path or a unit of time: ${TIME_UNITS.join(', ')}`),
    distinct: z.string().describe('takes a property path such as userId or properties.plan').optional(),
    size: size(GROUPS_SIZE_MAX),
  }),
);

/** The bodies, and the entry of a `filterSet`, by the names that OpenAPI gives them. */
export const BODY_SCHEMAS = {
  FilterEntry: entrySchema,
  QueryBody: queryBodySchema,
  CountBody: countBodySchema,
  ExportBody: exportBodySchema,
  BreakdownBody: breakdownBodySchema,
} as const;
