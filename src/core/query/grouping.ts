import { invalid, type ApiError } from '../base/errors.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { TimeZone } from '../base/zone.ts';
import { compareCodePoints } from '../event/text.ts';
import { toIsoDay, toIsoInstant } from '../event/time.ts';
import { BUCKETS_MAX, cutTime, TIME_UNITS, type TimeUnit } from '../event/time-unit.ts';
import type { Scalar } from '../filter/operands.ts';
import type { FilterPath, Path } from '../filter/path.ts';
import { LATENESS_ROOT, toLatenessWords } from './lateness.ts';
import type { AskedMeasure, FigureName, MeasuredNumbers } from './measures.ts';

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
  /**
   * How many groups of another dimension have a cell for each bucket; absent where no number of buckets makes
   * too many cells.
   */
  readonly beside?: number;
}

/** What groups are made of besides time: the values at a path, or how late events arrived. */
export type GroupPath = FilterPath | Path<typeof LATENESS_ROOT>;

/** What groups are made of, and how many of them are returned. */
export interface Dimension {
  /** The path whose distinct scalars define the groups, or a series of time buckets. */
  readonly by: GroupPath | TimeSeries;
  /** How many groups to return, the first in their order; `Infinity` for all. */
  readonly size: number;
}

/** How to group matching events; the complete request. */
export interface Grouping extends Dimension {
  /** The path whose distinct scalars are counted in each group and overall. */
  readonly distinct?: FilterPath | undefined;
}

/** Which groups come first: those of which a figure is greatest, and last those of which it is null. */
export interface GroupOrder {
  /** The place of the measure among those of the request. */
  readonly measure: number;
  /** The name of a figure that it takes. */
  readonly take: FigureName;
}

/**
 * What to tell of matching events beyond a breakdown; the complete request. The answer has figures of all
 * events, of each group, of each cell of two dimensions, and of the rest outside of the groups.
 */
export interface MeasuredGrouping extends Pick<Grouping, 'distinct' | 'size'> {
  /** What groups are made of; undefined to answer for all events together. */
  readonly by: Dimension['by'] | undefined;
  /** The second dimension: each group is cut by its groups, which are those of all matching events. */
  readonly columns?: Dimension | undefined;
  /** What is taken of the numbers at some paths. */
  readonly measures: readonly AskedMeasure[];
  /** The order of the groups of `by`, which is a path; those with most events first where it is absent. */
  readonly orderBy?: GroupOrder | undefined;
}

/** What is told of some events: of a cell of two dimensions, a group, or the rest. */
export interface Told {
  /** How many matching events are in it. */
  readonly count: number;
  /** How many distinct scalars the `distinct` path has in it. */
  readonly distinct?: number;
  /** What was measured in it, in the order of the request. */
  readonly measures?: readonly MeasuredNumbers[];
}

/** What is told of a row: of a group, or of the rest outside of all groups. */
export interface GroupRow extends Told {
  /** With two dimensions: what is told of its events in each column, in their order. */
  readonly cells?: readonly Told[];
  /** With two dimensions: what is told of its events outside of all columns. */
  readonly rest?: Told;
}

/** One group of events. */
export interface Group extends GroupRow {
  /**
   * A scalar that is equal as `EQUALS` defines it and a valid operand for the path; for time, the start of
   * the bucket; for lateness, its words.
   */
  readonly key: Scalar;
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
  /** With two dimensions: the first groups of the second one, over all matching events. */
  readonly columns?: readonly Group[];
  /** With two dimensions: how many groups the second one has. */
  readonly columnsTotal?: number;
  /**
   * All events outside of the groups given, those without a value, with an array or with an object there
   * included: where two dimensions, measures or `rest` are asked for.
   */
  readonly rest?: GroupRow;
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

/** The series of time of a grouping: at most one of its dimensions is one. */
export function seriesOf(grouping: Grouping | MeasuredGrouping): TimeSeries | undefined {
  const { by, columns } = toMeasuring(grouping);
  for (const each of [by, columns?.by]) if (each !== undefined && 'unit' in each) return each;
  return undefined;
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
 * the matching events, undefined if none match. Throws ApiError (400) for more than 2,000 buckets, or
 * for too many cells.
 */
export function bucketsOf(
  { unit, zone, from, until, beside = 0 }: TimeSeries,
  events: Span | undefined,
): readonly number[] {
  const first = from === -Infinity ? events?.first : from;
  const last = until === Infinity ? events?.last : until - 1;
  if (first === undefined || last === undefined || last < first) return [];
  const starts = cutTime(unit, first, last, zone);
  if (starts === undefined) throw tooManyBuckets(unit);
  requireCells(beside, starts.length - 1, unit);
  return starts;
}

/** The most cells that two dimensions have. */
export const CELLS_MAX = 10_000;

/** Throws ApiError (400) for too many cells; `unit` is that of the others, if they are buckets of time. */
export function requireCells(groups: number, others: number, unit?: TimeUnit): void {
  if (groups * others <= CELLS_MAX) return;
  const fitting = Math.floor(CELLS_MAX / others);
  if (unit === undefined)
    throw invalid(
      'size',
      `${groups} rows and ${others} columns have more than ${CELLS_MAX} cells; ask for at most ` +
        `${fitting} rows, or ${Math.floor(CELLS_MAX / groups)} columns`,
    );
  throw invalid(
    'size',
    `${groups} groups and ${others} ${unit}s have more than ${CELLS_MAX} cells; ask for at most ` +
      `${fitting} groups, or for less time with after and before`,
  );
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
