import * as z from 'zod';
import { entriesSchema, strict } from '../filter/filter-schema.ts';

/** The largest page (SPEC, "Other limits"). */
export const PAGE_SIZE_MAX = 1000;
/** The page that a query without `size` gets. */
export const PAGE_SIZE_DEFAULT = 100;
const paginationSchema = strict({
  offset: z
    .number('takes a whole number of 0 or more')
    .int('takes a whole number of 0 or more')
    .min(0, 'takes a whole number of 0 or more')
    .optional(),
  size: z
    .number(`takes a whole number from 1 to ${PAGE_SIZE_MAX}`)
    .int(`takes a whole number from 1 to ${PAGE_SIZE_MAX}`)
    .min(1, `takes a whole number from 1 to ${PAGE_SIZE_MAX}`)
    .max(PAGE_SIZE_MAX, `takes a whole number from 1 to ${PAGE_SIZE_MAX}`)
    .optional(),
  cursor: z.string('takes the X-Next-Cursor of the page before').optional(),
});

const restrictions = {
  event: z.string('takes the name of an event').optional(),
  after: z.string().optional(),
  before: z.string().optional(),
  filterSet: entriesSchema.optional(),
};

/** The body of a count (SPEC, "Count request body"). */
export const countBodySchema = strict(restrictions);
/** The body of a query (SPEC, "Query request body"). */
export const queryBodySchema = strict({ ...restrictions, pagination: paginationSchema.optional() });

export type CountBody = z.input<typeof countBodySchema>;
export type QueryBody = z.input<typeof queryBodySchema>;
