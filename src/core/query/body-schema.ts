import * as z from 'zod';
import { describes, entriesSchema, strict } from '../filter/filter-schema.ts';
import { PAGE_SIZE_MAX, type CountBody, type Pagination, type QueryBody } from './body.ts';

const OFFSET_TAKES = 'takes a whole number of 0 or more';
const SIZE_TAKES = `takes a whole number from 1 to ${PAGE_SIZE_MAX}`;

const paginationSchema = describes<Pagination>()(
  strict({
    offset: z.number(OFFSET_TAKES).int(OFFSET_TAKES).min(0, OFFSET_TAKES).optional(),
    size: z.number(SIZE_TAKES).int(SIZE_TAKES).min(1, SIZE_TAKES).max(PAGE_SIZE_MAX, SIZE_TAKES).optional(),
    cursor: z.string('takes the X-Next-Cursor of the page before').optional(),
  }),
);

const restrictions = {
  event: z.string('takes the name of an event').optional(),
  after: z.string().optional(),
  before: z.string().optional(),
  filterSet: entriesSchema.optional(),
};

/** The body of a count. */
export const countBodySchema = describes<CountBody>()(strict(restrictions));
/** The body of a query. */
export const queryBodySchema = describes<QueryBody>()(
  strict({ ...restrictions, pagination: paginationSchema.optional() }),
);
