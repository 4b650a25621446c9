import { compareCodePoints } from '../event/text.ts';
import type { Condition } from '../filter/condition.ts';
import type { Scalar } from '../filter/operands.ts';
import type { FilterPath } from '../filter/path.ts';
import type { EventQuery } from './event-query.ts';
import { compareKeys } from './grouping.ts';

/** How many paths are compared at most. */
export const COMPARED_PATHS_MAX = 50;
/** The most rows that are returned. */
export const DIFFERENCES_SIZE_MAX = 100;
/** How many rows are returned without `size`. */
export const DIFFERENCES_SIZE_DEFAULT = 20;

/** The complete request for what differs between some events and the others of a query. */
export interface AskedCompare {
  /** Selects the events of both sets. */
  readonly query: EventQuery;
  /** Selects those of them that are compared with the others. */
  readonly selected: EventQuery;
  /** Selects the others. */
  readonly baseline: EventQuery;
  /** What the selected events meet, and the others do not. */
  readonly isSelected: Condition;
  /** The paths whose values are compared, each once; undefined for those that events have. */
  readonly paths: readonly FilterPath[] | undefined;
  /** The event name that the query is restricted to, if any. */
  readonly event: string | undefined;
  /** How many rows to return. */
  readonly size: number;
}

/** A value at a path, and how often events of each set have it. */
export interface Difference {
  /** The path as filters name it. */
  readonly path: string;
  /** As the key of a group of a breakdown; null for events without a value, or with null. */
  readonly value: Scalar | null;
  /** How many of the selected events have it. */
  readonly selected: number;
  /** How many events of the baseline have it. */
  readonly baseline: number;
  /** Its share of the selected events, 0 to 1; 0 of none. */
  readonly selectedShare: number;
  /** Its share of the events of the baseline. */
  readonly baselineShare: number;
  /** The share of the selected events less that of the baseline, rounded once: -1 to 1, never 0. */
  readonly difference: number;
}

/** What differs between the selected events and the baseline. */
export interface Differences {
  /** How many events are selected. */
  readonly selected: number;
  /** How many events are in the baseline. */
  readonly baseline: number;
  /** The paths whose values were compared, in the order in which they were asked for. */
  readonly paths: readonly string[];
  /** Whether events have more paths, which were not compared. */
  readonly more: boolean;
  /** The greatest differences first, whichever their signs; equal ones by path, then by value, null last. */
  readonly rows: readonly Difference[];
}

/** How many events there are in each set. */
export type SetCounts = Pick<Difference, 'selected' | 'baseline'>;

/** What a value says, from exact counts; undefined where the shares are equal. */
export function toDifference(
  path: string,
  value: Scalar | null,
  counts: SetCounts,
  totals: SetCounts,
): Difference | undefined {
  const selectedShare = shareOf(counts.selected, totals.selected);
  const baselineShare = shareOf(counts.baseline, totals.baseline);
  const of = totals.selected * totals.baseline;
  // Rounded once, equal differences are equal, so that their order is that of paths and values.
  const difference =
    of === 0
      ? selectedShare - baselineShare
      : (counts.selected * totals.baseline - counts.baseline * totals.selected) / of;
  if (difference === 0) return undefined;
  return { path, value, ...counts, selectedShare, baselineShare, difference };
}

function shareOf(count: number, total: number): number {
  return total === 0 ? 0 : count / total;
}

/** The order of rows: the greatest difference first, then by path and by value. It is total. */
export function compareDifferences(a: Difference, b: Difference): number {
  return (
    Math.abs(b.difference) - Math.abs(a.difference) ||
    compareCodePoints(a.path, b.path) ||
    compareValues(a.value, b.value)
  );
}

function compareValues(a: Scalar | null, b: Scalar | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareKeys(a, b);
}
