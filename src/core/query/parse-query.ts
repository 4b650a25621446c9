import { ApiError, invalid } from '../errors.ts';
import { isStorableText } from '../event/text.ts';
import { DAY_MS, parseDay } from '../event/time.ts';
import type { Condition } from '../filter/condition.ts';
import { parseFilterSet } from '../filter/parse-filter.ts';
import {
  countBodySchema,
  PAGE_SIZE_DEFAULT,
  queryBodySchema,
  type CountBody,
  type QueryBody,
} from './body.ts';
import { parseCursor } from './cursor.ts';
import type { EventQuery, Page } from './event-query.ts';
import { createValidator } from './validate.ts';

const validateQueryBody = createValidator(queryBodySchema);
const validateCountBody = createValidator(countBodySchema);

/** A query with the page that it asks for. */
export interface PagedQuery {
  readonly query: EventQuery;
  readonly page: Page;
}

/**
 * Reads the body of a query (SPEC, "Query request body"). Throws ApiError (400) for whatever it does not
 * understand.
 */
export function parseQueryBody(body: unknown): PagedQuery {
  const valid = validateQueryBody(body);
  const query = toEventQuery(valid);
  return { query, page: toPage(valid.pagination ?? {}, query) };
}

/**
 * Reads the body of a count (SPEC, "Count request body"). Throws ApiError (400) for whatever it does not
 * understand.
 */
export function parseCountBody(body: unknown): EventQuery {
  return toEventQuery(validateCountBody(body));
}

function toEventQuery(body: CountBody): EventQuery {
  const filters = parseFilterSet(body.filterSet ?? [], 'filterSet');
  return {
    from: body.after === undefined ? -Infinity : startOf(body.after),
    until: body.before === undefined ? Infinity : startOf(body.before) + DAY_MS,
    condition: body.event === undefined ? filters : { kind: 'all', of: [namedTest(body.event), filters] },
  };
}

function namedTest(event: string): Condition {
  if (!isStorableText(event)) throw invalid('event', 'must be well-formed Unicode without U+0000');
  return { kind: 'test', path: { root: 'eventName', segments: [] }, operator: 'EQUALS', operand: event };
}

function startOf(day: string): number {
  const start = parseDay(day);
  if (start === undefined) throw new ApiError('invalidDate');
  return start;
}

function toPage(pagination: NonNullable<QueryBody['pagination']>, query: EventQuery): Page {
  const { offset, size = PAGE_SIZE_DEFAULT, cursor } = pagination;
  if (cursor === undefined) return { offset: offset ?? 0, size };
  if (offset !== undefined) throw invalid('pagination', 'takes an offset or a cursor, not both');
  return { offset: 0, size, after: parseCursor(cursor, query, 'pagination.cursor') };
}
