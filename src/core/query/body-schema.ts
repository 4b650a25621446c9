import * as z from 'zod';
import { TIME_UNITS } from '../event/time-unit.ts';
import { describes, entriesSchema, strict } from '../filter/filter-schema.ts';
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

const OFFSET_TAKES = 'takes a whole number of 0 or more';

function size(max: number) {
  const takes = `takes a whole number from 1 to ${max}`;
  return z.number(takes).int(takes).min(1, takes).max(max, takes).optional();
}

const cursor = z.string('takes the X-Next-Cursor of the page before').optional();

const paginationSchema = describes<Pagination>()(
  strict({
    offset: z.number(OFFSET_TAKES).int(OFFSET_TAKES).min(0, OFFSET_TAKES).optional(),
    size: size(PAGE_SIZE_MAX),
    cursor,
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
const exportStartSchema = describes<ExportStart>()(
  strict({
    cursor,
    after: strict({
      eventTs: z.string('takes the eventTs of an event that came'),
      insertId: z.string('takes the insertId of an event that came'),
    }).optional(),
  }),
);

/** The body of an export. */
export const exportBodySchema = describes<ExportBody>()(
  strict({ ...restrictions, pagination: exportStartSchema.optional() }),
);
/** The body of a breakdown. */
export const breakdownBodySchema = describes<BreakdownBody>()(
  strict({
    ...restrictions,
    by: z.string(`takes a property path or a unit of time: ${TIME_UNITS.join(', ')}`),
    distinct: z.string('takes a property path such as userId or properties.plan').optional(),
    size: size(GROUPS_SIZE_MAX),
  }),
);
