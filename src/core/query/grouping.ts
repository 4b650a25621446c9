import { invalid, type ApiError } from '../base/errors.ts';
import { compareCodePoints } from '../event/text.ts';
import { toIsoDay, toIsoInstant } from '../event/time.ts';
import { BUCKETS_MAX, cutTime, TIME_UNITS, type TimeUnit } from '../event/time-unit.ts';
import type { Scalar } from '../filter/operands.ts';
import type { FilterPath } from '../filter/path.ts';

/** Buckets of time, every one between two instants, those without an event too. */
export interface TimeSeries {
  /** How long a bucket is; each begins where a unit of UTC does. */
  readonly unit: TimeUnit;
  /** The first instant, epoch milliseconds; `-Infinity` for that of the first event that matches. */
  readonly from: number;
  /** The first instant behind the last; `Infinity` for the end of the last event that matches. */
  readonly until: number;
}

/** How matching events are put into groups, complete. */
export interface Grouping {
  /** The path whose distinct scalars are the groups, or the buckets of time that are. */
  readonly by: FilterPath | TimeSeries;
  /** The path whose distinct scalars are counted in each group and in the whole. */
  readonly distinct?: FilterPath | undefined;
  /** How many groups are given, the first of their order; `Infinity` for all. */
  readonly size: number;
}

/** One group of events. */
export interface Group {
  /** A scalar, equal as in `EQUALS` and a right operand at the path; of time the bucket's first instant. */
  readonly key: Scalar;
  /** How many of the events that match are in it. */
  readonly count: number;
  /** How many distinct scalars the path of `distinct` holds in the group. */
  readonly distinct?: number;
}

/** How the events that match fall into groups: every one is counted, and counted once. */
export interface Breakdown {
  /** How many events match. */
  readonly total: number;
  /** How many of them have nothing at the path, or null. */
  readonly missing: number;
  /** How many have an array there. */
  readonly arrays: number;
  /** How many have an object there. */
  readonly objects: number;
  /** How many groups there are. */
  readonly groupsTotal: number;
  /** The first groups: by count descending, then booleans, numbers and texts; of time ascending. */
  readonly groups: readonly Group[];
  /** How many distinct scalars the path of `distinct` holds in all matching events. */
  readonly distinct?: number;
}

/** The name of each kind of scalar in the order of groups. */
const KINDS = ['boolean', 'number', 'string'];

/** The order of groups that have as many events: booleans, then numbers, then texts by code point. */
export function compareKeys(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  if (typeof a === typeof b) return Number(a) - Number(b);
  return KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
}

/** Writes what stores keep at a path as filters name it: below parsing instants and days are numbers. */
export function toKey({ root }: FilterPath, value: Scalar): Scalar {
  if (root === 'eventTs') return toIsoInstant(value as number);
  return root === 'eventDate' ? toIsoDay(value as number) : value;
}

/** The breakdown of no event at all. */
export function emptyBreakdown({ by, distinct, size }: Grouping): Breakdown {
  const none = distinct === undefined ? {} : { distinct: 0 };
  const starts = 'unit' in by ? bucketsOf(by, undefined).slice(0, -1) : [];
  const groups = starts.slice(0, size).map((start) => ({ key: toIsoInstant(start), count: 0, ...none }));
  return { ...{ total: 0, missing: 0, arrays: 0, objects: 0, groupsTotal: starts.length, groups }, ...none };
}

/** A first and a last instant. */
export interface Span {
  /** In epoch milliseconds. */
  readonly first: number;
  /** In epoch milliseconds. */
  readonly last: number;
}

/**
 * The first instants of all buckets, and the end of the last; `events` are the first and the last that match,
 * undefined for none. Throws ApiError (400) for more than 2,000 buckets.
 */
export function bucketsOf({ unit, from, until }: TimeSeries, events: Span | undefined): readonly number[] {
  const first = from === -Infinity ? events?.first : from;
  const last = until === Infinity ? events?.last : until - 1;
  if (first === undefined || last === undefined || last < first) return [];
  const starts = cutTime(unit, first, last);
  if (starts === undefined) throw tooManyBuckets(unit);
  return starts;
}

function tooManyBuckets(unit: TimeUnit): ApiError {
  const coarser = TIME_UNITS[TIME_UNITS.indexOf(unit) + 1];
  const right = coarser === undefined ? 'ask for less time with after and before' : `use ${coarser}`;
  return invalid('by', `a ${unit} cuts this time into more than ${BUCKETS_MAX} buckets; ${right}`);
}
