import type { TimeUnit } from '../event/time-unit.ts';
import type { FilterEntry } from '../filter/filter.ts';

/** The largest page. */
export const PAGE_SIZE_MAX = 1000;
/** The page that a query without `size` gets. */
export const PAGE_SIZE_DEFAULT = 100;

/** Which of the matching events a query answers with. */
export interface Pagination {
  /** How many events to skip, 0 or more; past the end the page is empty. Not beside `cursor`. */
  readonly offset?: number | undefined;
  /** How many events the page has, 1 to 1000; 100 when absent. More is an error, never a clamp. */
  readonly size?: number | undefined;
  /** Continues behind the page that this cursor came with; it belongs to one query. Not beside `offset`. */
  readonly cursor?: string | undefined;
}

/** The body of a count: which events are counted. An empty body restricts nothing. */
export interface CountBody {
  /** Only events with this name. */
  readonly event?: string | undefined;
  /** Only events from this UTC day on, `YYYY-MM-DD`. */
  readonly after?: string | undefined;
  /** Only events up to this UTC day, inclusive, `YYYY-MM-DD`. */
  readonly before?: string | undefined;
  /** Only events that every entry matches; at most 100 comparisons and 10 levels. */
  readonly filterSet?: readonly FilterEntry[] | undefined;
}

/** The body of a query: which events are answered, newest first. An empty body restricts nothing. */
export interface QueryBody extends CountBody {
  /** Which page of them; the first 100 when absent. */
  readonly pagination?: Pagination | undefined;
}

/** Where an export goes on. */
export interface ExportStart {
  /** Behind a page of the same query: its `X-Next-Cursor`. Not beside `after`. */
  readonly cursor?: string | undefined;
  /** Behind an event: what the last line that came whole says of itself. */
  readonly after?: { readonly eventTs: string; readonly insertId: string } | undefined;
}

/** The body of an export: which events leave, newest first, all of them. An empty body restricts nothing. */
export interface ExportBody extends CountBody {
  /** Where to go on; from the newest event on when absent. */
  readonly pagination?: ExportStart | undefined;
}

/** The most groups that a breakdown by a path answers with. */
export const GROUPS_SIZE_MAX = 1000;
/** The groups that a breakdown by a path without `size` gets. */
export const GROUPS_SIZE_DEFAULT = 100;

/** The body of a breakdown: a count, and how what matches is put into groups. */
export interface BreakdownBody extends CountBody {
  /** A property path, whose values are the groups, or a unit of time in UTC; weeks begin on Monday. */
  readonly by: TimeUnit | (string & {});
  /** A property path: how many distinct values it holds in each group and in all, exactly. */
  readonly distinct?: string | undefined;
  /** How many groups, 1 to 1000; 100 of a path when absent, every bucket of time. */
  readonly size?: number | undefined;
}
