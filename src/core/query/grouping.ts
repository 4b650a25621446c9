import { invalid, type ApiError } from '../base/errors.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { TimeZone } from '../base/zone.ts';
import { compareCodePoints } from '../event/text.ts';
import { toIsoDay, toIsoInstant } from '../event/time.ts';
import { BUCKETS_MAX, cutTime, TIME_UNITS, type TimeUnit } from '../event/time-unit.ts';
import type { Scalar } from '../filter/operands.ts';
import type { FilterPath, Path } from '../filter/path.ts';
import { LATENESS_ROOT, toLatenessWords } from './lateness.ts';
import { measuredOfNone, type AskedMeasure, type MeasuredNumbers } from './measures.ts';

/** Buckets of time that cover the whole span between two instants, including those without events. */
export interface TimeSeries {
  /** The length of a bucket; each starts at a boundary of that unit in the zone. */
  readonly unit: TimeUnit;
  /**
   * The time zone whose days and hours they are; UTC where it is absent. A store needs no zone of its own:
   * `bucketsOf` cuts by this one, and `toBucketKey` writes its keys.
   */
  readonly zone?: TimeZone;
  /** The first instant, epoch milliseconds; `-Infinity` for that of the first matching event. */
  readonly from: number;
  /** The first instant after the series; `Infinity` to end with the last matching event. */
  readonly until: number;
}

/** What groups are made of besides time: the values at a path, or how late events arrived. */
export type GroupPath = FilterPath | Path<typeof LATENESS_ROOT>;

/** How to group matching events; the complete request. */
export interface Grouping {
  /** The path whose distinct scalars define the groups, or a series of time buckets. */
  readonly by: GroupPath | TimeSeries;
  /** The path whose distinct scalars are counted in each group and overall. */
  readonly distinct?: FilterPath | undefined;
  /** How many groups to return, the first in their order; `Infinity` for all. */
  readonly size: number;
}

/** What to measure of matching events, in all and in each group; the complete request. */
export interface MeasuredGrouping extends Pick<Grouping, 'distinct' | 'size'> {
  /** What groups are made of; undefined to answer for all events together. */
  readonly by: Grouping['by'] | undefined;
  /** What is taken of the numbers at some paths. */
  readonly measures: readonly AskedMeasure[];
}

/** One group of events. */
export interface Group {
  /**
   * A scalar that is equal as `EQUALS` defines it and a valid operand for the path; for time, the start of
   * the bucket; for lateness, its words.
   */
  readonly key: Scalar;
  /** How many matching events are in it. */
  readonly count: number;
  /** How many distinct scalars the `distinct` path has in the group. */
  readonly distinct?: number;
  /** What was measured in the group, in the order of the request. */
  readonly measures?: readonly MeasuredNumbers[];
}

/** All matching events together. */
export interface Whole {
  /** How many events match. */
  readonly total: number;
  /** How many distinct scalars the `distinct` path has in all matching events. */
  readonly distinct?: number;
  /** What was measured in all matching events, in the order of the request. */
  readonly measures?: readonly MeasuredNumbers[];
}

/** The groups of the matching events, which count every event exactly once. */
export interface Breakdown extends Whole {
  /** How many of them have no value at the path, or null. */
  readonly missing: number;
  /** How many have an array there. */
  readonly arrays: number;
  /** How many have an object there. */
  readonly objects: number;
  /** How many groups there are. */
  readonly groupsTotal: number;
  /** The first groups: by count descending, then booleans, numbers and strings; for time, ascending. */
  readonly groups: readonly Group[];
}

/** The name of each kind of scalar in the order of groups. */
const KINDS = ['boolean', 'number', 'string'];

/** The order of groups with equal counts: booleans, then numbers, then strings by code point. */
export function compareKeys(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  if (typeof a === typeof b) return Number(a) - Number(b);
  return KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
}

/**
 * Converts a value that a store keeps at a path to the form that filters use: stores keep instants and days
 * as numbers, and lateness as the number of its step.
 */
export function toKey({ root }: GroupPath, value: Scalar): Scalar {
  switch (root) {
    case 'eventTs':
    case 'receivedAt':
      return toIsoInstant(value as number);
    case 'eventDate':
      return toIsoDay(value as number);
    case LATENESS_ROOT:
      return toLatenessWords(value as number);
    default:
      return value;
  }
}

/** The measuring that a breakdown is, if it measures nothing. */
export function toMeasuring(grouping: Grouping | MeasuredGrouping): MeasuredGrouping {
  return 'measures' in grouping ? grouping : { ...grouping, measures: [] };
}

/** The breakdown of zero events. */
export function emptyBreakdown<G extends Grouping | MeasuredGrouping>(
  grouping: G,
): G extends Grouping ? Breakdown : Breakdown | Whole {
  return breakdownOfNone(grouping) as Breakdown;
}

function breakdownOfNone(grouping: Grouping | MeasuredGrouping): Breakdown | Whole {
  const { by, distinct, size, measures } = toMeasuring(grouping);
  const none = {
    ...(distinct === undefined ? {} : { distinct: 0 }),
    ...(measures.length === 0 ? {} : { measures: measuredOfNone(measures) }),
  };
  if (by === undefined) return { total: 0, ...none };
  const keys = 'unit' in by ? keysOf(by) : [];
  const groups = keys.slice(0, size).map((key) => ({ key, count: 0, ...none }));
  return { ...{ total: 0, missing: 0, arrays: 0, objects: 0, groupsTotal: keys.length, groups }, ...none };
}

/** The keys of the buckets that a series has without events. */
function keysOf(series: TimeSeries): readonly string[] {
  const starts = bucketsOf(series, undefined).slice(0, -1);
  return starts.map((start) => toBucketKey(series, start));
}

/** The first and last instants of a span. */
export interface Span {
  /** In epoch milliseconds. */
  readonly first: number;
  /** In epoch milliseconds. */
  readonly last: number;
}

/**
 * The start of each bucket, followed by the end of the last one. `events` are the first and last instants of
 * the matching events, undefined if none match. Throws ApiError (400) for more than 2,000 buckets.
 */
export function bucketsOf(
  { unit, zone, from, until }: TimeSeries,
  events: Span | undefined,
): readonly number[] {
  const first = from === -Infinity ? events?.first : from;
  const last = until === Infinity ? events?.last : until - 1;
  if (first === undefined || last === undefined || last < first) return [];
  const starts = cutTime(unit, first, last, zone);
  if (starts === undefined) throw tooManyBuckets(unit);
  return starts;
}

/**
 * Reads the clock of a series in turns, over all of its time in which events can be, so that nobody waits for
 * those who cut it then. What was read before takes no time.
 */
export async function readClock({ zone, from, until }: TimeSeries, pacer: Pacer): Promise<void> {
  if (zone === undefined) return;
  for (let at = from; at < until; at = zone.pieceAt(at).until) await pacer.yieldIfDue();
}

/**
 * The key of a bucket: its first instant, written with the offset that the zone has then. An offset with
 * seconds cannot be written, nor a fifth digit of a year; then it is in UTC.
 */
export function toBucketKey({ zone }: Pick<TimeSeries, 'zone'>, start: number): string {
  if (zone === undefined) return toIsoInstant(start);
  const { offset } = zone.pieceAt(start);
  const shown = toIsoInstant(start + offset);
  if (offset % 60_000 !== 0 || shown.length !== KEY_LENGTH) return toIsoInstant(start);
  const sign = offset < 0 ? '-' : '+';
  return shown.slice(0, -1) + sign + toIsoInstant(Math.abs(offset)).slice(11, 16);
}

/** The length of an instant in UTC. */
const KEY_LENGTH = '2024-05-18T00:00:00.000Z'.length;

function tooManyBuckets(unit: TimeUnit): ApiError {
  const coarser = TIME_UNITS[TIME_UNITS.indexOf(unit) + 1];
  const right = coarser === undefined ? 'ask for less time with after and before' : `use ${coarser}`;
  return invalid('by', `a ${unit} cuts this time into more than ${BUCKETS_MAX} buckets; ${right}`);
}
