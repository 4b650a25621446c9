import { DAY_MS } from './time.ts';

/** How a unit divides time into buckets, in UTC. */
interface Cut {
  /** The first instant of the bucket that contains an instant, epoch milliseconds. */
  readonly startOf: (instant: number) => number;
  /** The first instant of the bucket after the one that begins here. */
  readonly next: (start: number) => number;
}

/** Buckets of equal length; one of them begins `shift` milliseconds after the epoch. */
function even(length: number, shift = 0): Cut {
  return {
    startOf: (instant) => Math.floor((instant - shift) / length) * length + shift,
    next: (start) => start + length,
  };
}

/** The epoch was a Thursday; a week began four days later. */
const MONDAY_MS = 4 * DAY_MS;

/** The units of time for buckets, from fine to coarse. Weeks begin on Monday. */
const CUTS = {
  minute: even(60_000),
  hour: even(3_600_000),
  day: even(DAY_MS),
  week: even(7 * DAY_MS, MONDAY_MS),
  month: { startOf: (instant) => monthOf(instant, 0), next: (start) => monthOf(start, 1) },
} as const satisfies Record<string, Cut>;

/** A unit of time. */
export type TimeUnit = keyof typeof CUTS;

/** The units of time, from fine to coarse. */
export const TIME_UNITS = Object.keys(CUTS) as readonly TimeUnit[];

/** The largest number of buckets. */
export const BUCKETS_MAX = 2000;

/** The first instant of the month of an instant, or of the month `later` months after it. */
function monthOf(instant: number, later: number): number {
  const date = new Date(instant);
  // Setting a Date avoids Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCHours(0, 0, 0, 0);
  date.setUTCMonth(date.getUTCMonth() + later, 1);
  return date.getTime();
}

/** The first instant of the bucket that contains an instant, epoch milliseconds. */
export function startOfBucket(unit: TimeUnit, instant: number): number {
  return CUTS[unit].startOf(instant);
}

/**
 * The first instants of all buckets from that of `first` to that of `last`, followed by the end of the last
 * one; undefined if there would be more than 2,000 buckets.
 */
export function cutTime(unit: TimeUnit, first: number, last: number): readonly number[] | undefined {
  const { startOf, next } = CUTS[unit];
  const starts = [startOf(first)];
  for (let start = starts[0]!; start <= last; starts.push(start)) {
    if (starts.length > BUCKETS_MAX) return undefined;
    start = next(start);
  }
  return starts;
}
