import { DAY_MS, HOUR_MS, LENGTHS, MINUTE_MS, type TimeRange, type Unit } from './unit.ts';
import { toInstant, toWall, UTC } from './zone.ts';

/** The most buckets of one answer. */
export const BUCKETS_MAX = 2000;
/** The most answers that a chart is made of. */
const ANSWERS_MAX = 24;

/** 1970 began on a Thursday, and a week begins on Monday. */
const MONDAY_MS = 4 * DAY_MS;

/** The time at which the bucket of a time begins, both as clocks show them. */
function floorWall(unit: Unit, wall: number): number {
  if (unit === 'month') {
    const date = new Date(wall);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
  const shift = unit === 'week' ? MONDAY_MS : 0;
  return Math.floor((wall - shift) / LENGTHS[unit]) * LENGTHS[unit] + shift;
}

/**
 * The first instant of the bucket that holds an instant. Minutes are those of UTC. Hours are counted from the
 * beginning of the day: clocks may show an hour twice, or change by half of one.
 */
export function startOf(unit: Unit, zone: string, instant: number): number {
  if (unit === 'minute' || zone === UTC) return floorWall(unit, instant);
  if (unit !== 'hour') return toInstant(zone, floorWall(unit, toWall(zone, instant)));
  const day = startOf('day', zone, instant);
  return instant - ((instant - day) % HOUR_MS);
}

/** The first instant after the bucket that begins at an instant. */
export function endOf(unit: Unit, zone: string, start: number): number {
  if (unit === 'minute') return start + MINUTE_MS;
  if (unit === 'hour') return Math.min(start + HOUR_MS, endOf('day', zone, startOf('day', zone, start)));
  // Clocks may skip the beginning of a bucket, so its time is looked for from the one before.
  return toInstant(zone, floorWall(unit, floorWall(unit, toWall(zone, start)) + LENGTHS[unit]));
}

/**
 * The first instants of the buckets that cover a range, and the first instant after the last of them;
 * undefined if there are more than one answer may hold.
 */
export function edgesOf(unit: Unit, zone: string, { from, until }: TimeRange): number[] | undefined {
  if ((until - from) / LENGTHS[unit] > BUCKETS_MAX) return undefined;
  const edges = [startOf(unit, zone, from)];
  while (edges.at(-1)! < until) {
    edges.push(endOf(unit, zone, edges.at(-1)!));
    if (edges.length > BUCKETS_MAX) return undefined;
  }
  return edges;
}

/** The questions that fill buckets: the unit to ask for, and the range of each question. */
export interface FillPlan {
  readonly by: Unit;
  /** The ranges of the questions; one that covers everything is the question itself. */
  readonly parts: readonly TimeRange[];
}

/**
 * How to fill the buckets between edges. The Query API counts by units in UTC. Other buckets are filled from
 * hours in UTC, or from minutes if an edge lies within an hour. Undefined if that takes too many answers.
 */
export function planOf(edges: readonly number[], unit: Unit): FillPlan | undefined {
  const [first = 0, last = 0] = [edges[0], edges.at(-1)];
  /** Whether the bucket in UTC that begins at an edge ends at the edge after it. */
  const isNext = (edge: number, i: number) =>
    i === edges.length - 1 || endOf(unit, UTC, edge) === edges[i + 1];
  if (edges.every((edge, i) => startOf(unit, UTC, edge) === edge && isNext(edge, i))) {
    return { by: unit, parts: [{ from: first, until: last }] };
  }
  const by = edges.every((edge) => edge % HOUR_MS === 0) ? 'hour' : 'minute';
  if (edges.some((edge) => edge % MINUTE_MS !== 0)) return undefined;
  const length = BUCKETS_MAX * LENGTHS[by];
  if (last - first > ANSWERS_MAX * length) return undefined;
  const parts: TimeRange[] = [];
  for (let from = first; from < last; from += length) {
    parts.push({ from, until: Math.min(from + length, last) });
  }
  return { by, parts };
}

/** A bucket of an answer: its first instant, and how many events it has. */
export interface CountedBucket {
  readonly key: unknown;
  readonly count: number;
}

/** The number of events between each edge and the next, from finer buckets. */
export function regroup(edges: readonly number[], groups: readonly CountedBucket[]): number[] {
  const counts = new Array<number>(edges.length - 1).fill(0);
  let at = 0;
  for (const { key, count } of groups) {
    if (count === 0) continue;
    const start = Date.parse(String(key));
    // The buckets of one answer ascend, and so do those of the answers.
    while (at < counts.length && start >= edges[at + 1]!) at += 1;
    if (at === counts.length || start < edges[at]!) throw new RangeError('an event outside of its range');
    counts[at]! += count;
  }
  return counts;
}

/**
 * The range of the same length before a range, and how much earlier it is; undefined for an open range. A
 * range that is not over yet is compared with as much of the range before. Whole days of a zone are compared
 * with as many whole days, however many hours these have.
 */
export function rangeBefore({ from, until }: TimeRange, zone: string, now: number): Earlier | undefined {
  if (!Number.isFinite(from) || !Number.isFinite(until) || until <= from) return undefined;
  const [wallFrom, wallUntil] = [toWall(zone, from), toWall(zone, until)];
  const isDays = wallFrom % DAY_MS === 0 && wallUntil % DAY_MS === 0;
  const length = isDays ? wallUntil - wallFrom : until - from;
  const earlier = (instant: number) =>
    isDays ? toInstant(zone, toWall(zone, instant) - length) : instant - length;
  const end = Math.max(from, Math.min(until, now));
  return { range: { from: earlier(from), until: earlier(end) }, earlier };
}

/** A range before another one. */
export interface Earlier {
  readonly range: TimeRange;
  /** The instant in the earlier range that answers to an instant in the later one. */
  readonly earlier: (instant: number) => number;
}
