import type { Includable } from '../event/event.ts';
import { TIME_UNITS, type TimeUnit } from '../event/time-unit.ts';
import type { FilterEntry } from '../filter/filter.ts';
import { LATENESS_ROOT } from './lateness.ts';
import type { GroupOrder } from './grouping.ts';
import type { MeasureBody } from './measures.ts';
import type { PeriodsFrom, RetentionUnit } from './retention.ts';
import type { RankingOrder } from './ranking.ts';

/** The largest page. */
export const PAGE_SIZE_MAX = 1000;
/** The page that a query without `size` gets. */
export const PAGE_SIZE_DEFAULT = 100;

/** Selects a page of the matching events. */
export interface Pagination {
  /** How many events to skip, 0 or more; past the end the page is empty. Excludes `cursor`. */
  readonly offset?: number | undefined;
  /** How many events the page has, 1 to 1000; 100 when absent. More is an error, never a clamp. */
  readonly size?: number | undefined;
  /**
   * Continues after the page that returned this cursor; it is valid for that query only. Excludes `offset`.
   */
  readonly cursor?: string | undefined;
}

/** What `from` and `until` take, for error messages. */
export const INSTANT_WORDS = 'a date-time with an offset, such as 2024-05-18T09:00:00Z';

/** What `timeZone` takes, for error messages. */
export const TIME_ZONE_WORDS = 'UTC, or the name of a time zone such as Europe/Berlin';

/** The body of a count: selects the events to count. An empty body selects all. */
export interface CountBody {
  /** Only events with this name. */
  readonly event?: string | undefined;
  /** Only events from this day on, `YYYY-MM-DD`. */
  readonly after?: string | undefined;
  /** Only events up to this day, inclusive, `YYYY-MM-DD`. */
  readonly before?: string | undefined;
  /** Only events from this instant on: ISO 8601 with an offset, as `2024-05-18T09:00:00+02:00`. */
  readonly from?: string | undefined;
  /** Only events before this instant, so that ranges which touch share no event. As `from`. */
  readonly until?: string | undefined;
  /** The time zone of days and of units of time, as `Europe/Berlin`; UTC when absent. */
  readonly timeZone?: string | undefined;
  /** Only events that every entry matches; at most 100 comparisons and 10 levels. */
  readonly filterSet?: readonly FilterEntry[] | undefined;
}

/** What the events of an answer show. */
export interface Including {
  /** Fields that events show in addition to those of every answer. */
  readonly include?: readonly Includable[] | undefined;
}

/** The body of a tail: selects the events to return, in the order of their arrival. */
export interface TailBody extends CountBody, Including {}

/** The body of a query: selects the events to return, newest first. An empty body selects all. */
export interface QueryBody extends CountBody, Including {
  /** The page to return; the first 100 events when absent. */
  readonly pagination?: Pagination | undefined;
}

/** The body of a top: selects the events to rank by the number that each has at a path. */
export interface TopBody extends CountBody, Including {
  /** The path of the numbers, below `properties`. Events without a JSON number there are left out. */
  readonly of: string;
  /** Which numbers come first; `largest` when absent. */
  readonly order?: RankingOrder | undefined;
  /** How many events to return, 1 to 1000; 100 when absent. */
  readonly size?: number | undefined;
}

/** Where an export continues. */
export interface ExportStart {
  /** Continues after a page of the same query: its `X-Next-Cursor`. Excludes `after`. */
  readonly cursor?: string | undefined;
  /** Continues after an event: the `eventTs` and `insertId` of the last complete line. */
  readonly after?: { readonly eventTs: string; readonly insertId: string } | undefined;
}

/**
 * The body of an export: selects the events to return, all of them, newest first. An empty body selects all.
 */
export interface ExportBody extends CountBody, Including {
  /** Where to continue; starts at the newest event when absent. */
  readonly pagination?: ExportStart | undefined;
}

/** The most groups that a breakdown by a path returns. */
export const GROUPS_SIZE_MAX = 1000;
/** How many groups a breakdown by a path without `size` returns. */
export const GROUPS_SIZE_DEFAULT = 100;

/** How many rows and columns a breakdown by two dimensions without `size` has of a path. */
export const CROSSED_SIZE_DEFAULT = 20;

/** What `by` takes, for error messages. */
export const BY_WORDS = `a property path, ${LATENESS_ROOT}, or a unit of time: ${TIME_UNITS.join(', ')}`;
/** What else it takes. */
export const BY_TWO_WORDS = 'an array of two of these';
/** What `orderBy` takes, for error messages. */
export const ORDER_WORDS = 'an object {"measure", "take"} with the place of a measure and one of its figures';

/** What groups are made of: a property path, a unit of time or `lateness`. */
export type ByBody = TimeUnit | (string & {});

/** The body of a breakdown: a count, and how to group the matching events. */
export interface BreakdownBody extends CountBody {
  /**
   * A property path, whose values define the groups, a unit of time (weeks begin on Monday), or
   * `lateness`: how long after its own time an event arrived. Two of these, at most one of them a unit of
   * time, make a table: the groups of the first are its rows, those of the second its columns. Absent,
   * `distinct` and `measures` are of all matching events.
   */
  readonly by?: ByBody | readonly [ByBody, ByBody] | undefined;
  /** A property path: the number of its distinct values is counted exactly, in each group and overall. */
  readonly distinct?: string | undefined;
  /** What is taken of the numbers at up to 5 paths, in each group and overall: exact sums, percentiles. */
  readonly measures?: readonly MeasureBody[] | undefined;
  /**
   * How many groups to return, 1 to 1000; when absent, 100 for a path and every bucket for time. With two
   * dimensions a number is that of rows, and an array that of rows and columns; when absent, 20 for a path.
   * Two dimensions have at most 10,000 cells.
   */
  readonly size?: number | readonly [number, number] | undefined;
  /** By which figure the groups of a path are ordered, the greatest first; by count when absent. */
  readonly orderBy?: GroupOrder | undefined;
  /** Asks for the rest outside of the groups, which two dimensions and `measures` have anyway. */
  readonly rest?: true | undefined;
}

/** One step of a sequence, or what may not happen between two: which events are meant; absent, all. */
export interface StepBody {
  /** Only events with this name. */
  readonly event?: string | undefined;
  /** Only events that every entry matches. All of a body take at most 100 comparisons together. */
  readonly filterSet?: readonly FilterEntry[] | undefined;
}

/** What ends an attempt at a sequence. */
export interface ExclusionBody extends StepBody {
  /** The number of the step behind which it may not happen before the next, from 1. */
  readonly after: number;
}

/**
 * The body of a sequence. `event` and `filterSet` select the events that it is about at all; `after`,
 * `before`, `from` and `until` are about where an attempt begins, and its later steps may be behind them.
 */
export interface SequenceBody extends CountBody {
  /** 1 to 10 steps, in order. */
  readonly steps: readonly StepBody[];
  /** How long after its first event an attempt may go on, such as `30s`, `12h`, `7d`; absent, any time. */
  readonly within?: string | undefined;
  /** `strict`: each step has to be the very next event of the value. */
  readonly order?: 'strict' | undefined;
  /** Up to 10 exclusions. */
  readonly without?: readonly ExclusionBody[] | undefined;
  /** 1 or 2 property paths whose values are the same in all events of an attempt. */
  readonly same?: readonly string[] | undefined;
  /** The property path whose distinct values are counted; `userId` when absent. */
  readonly distinct?: string | undefined;
  /** As `by` of a breakdown: read at the first event of the attempt that counts. */
  readonly by?: TimeUnit | (string & {}) | undefined;
  /** How many groups to return, as that of a breakdown. */
  readonly size?: number | undefined;
  /** Up to 10 percentiles of the times between steps, such as `p50`. */
  readonly percentiles?: readonly `p${number}`[] | undefined;
}

/** The body of a retention. `after`, `before`, `from` and `until` are about starts; returns may be later. */
export interface RetentionBody extends CountBody {
  /** Two steps: the start, and the return. */
  readonly steps: readonly StepBody[];
  /** The unit of cohorts and periods. */
  readonly unit: RetentionUnit;
  /** How many periods each cohort is followed, 1 to 100, that of the start included; 8 when absent. */
  readonly periods?: number | undefined;
  /**
   * `calendar` (when absent): a period is a unit of the calendar. `start`: it begins with the start of each
   * value, and a day has 24 hours.
   */
  readonly periodsFrom?: PeriodsFrom | undefined;
  /** The property path whose distinct values are counted; `userId` when absent. */
  readonly distinct?: string | undefined;
}

/** How often users have to have done something. */
export interface HavingBody extends StepBody {
  /** At least so many events of the user that match the body match this, too. */
  readonly atLeast?: number | undefined;
  /** At most so many; 0 for those who never did it. */
  readonly atMost?: number | undefined;
}

/** How far users have to have come in a sequence, whose keys are those of its own question. */
export interface ReachBody extends Pick<SequenceBody, 'steps' | 'within' | 'order' | 'without' | 'same'> {
  /** That step or further, from 1. One of this and `stopped`. */
  readonly reached?: number | undefined;
  /** Exactly to that step. */
  readonly stopped?: number | undefined;
}

/** The body of a question about users: the distinct values at a path, by what their events say. */
export interface UsersBody extends CountBody {
  /** The property path whose distinct values are the users; `userId` when absent. */
  readonly distinct?: string | undefined;
  /** Up to 10 conditions, all of which hold. */
  readonly having?: readonly HavingBody[] | undefined;
  /** How far they came in a sequence; its later steps may be behind the dates of the body. */
  readonly sequence?: ReachBody | undefined;
  /** Which page; the first 100 users when absent. */
  readonly pagination?: Omit<Pagination, 'offset'> | undefined;
}

/** The body of a question about what differs between the selected events and the others that match. */
export interface CompareBody extends CountBody {
  /**
   * The events to compare: those in a range of time, those that filters match, or both. Its days are those of
   * the zone of the body. The baseline are all others that match the body.
   */
  readonly selected: Omit<CountBody, 'timeZone'>;
  /**
   * 1 to 50 property paths whose values are compared; not `insertId`, `eventTs` and `receivedAt`, of which
   * hardly two events have the same. When absent: `eventName` and the paths below
   * `properties` at which most events have a string, a number or a boolean.
   */
  readonly paths?: readonly string[] | undefined;
  /** How many rows to return, 1 to 100; 20 when absent. */
  readonly size?: number | undefined;
}
