import { UTC, type TimeZone } from '../base/zone.ts';
import { DAY_MS } from './time.ts';

/** How a unit divides time into buckets: where the bucket of an instant begins, and the one after it. */
interface Cut {
  /** The first instant of the bucket that contains an instant, epoch milliseconds. */
  readonly startOf: (instant: number, zone: TimeZone) => number;
  /** The first instant of the bucket after the one that begins here. */
  readonly next: (start: number, zone: TimeZone) => number;
}

/** Divides what a clock shows, as milliseconds of the time that it shows as if that were UTC. */
interface Calendar {
  readonly floor: (shown: number) => number;
  readonly next: (shown: number) => number;
}

/**
 * Buckets of a calendar: each begins at the first instant at which the clock of the zone shows its beginning
 * or later. So each is one piece of time: what is skipped is no bucket, one whose beginning is skipped begins
 * when the clock jumps, and a clock that goes back across midnight lengthens the day that has begun.
 */
function ofCalendar({ floor, next }: Calendar): Cut {
  return {
    startOf(instant, zone) {
      let shown = floor(instant + zone.pieceAt(instant).offset);
      while (firstAt(zone, next(shown)) <= instant) shown = next(shown);
      return firstAt(zone, shown);
    },
    next(start, zone) {
      let shown = floor(start + zone.pieceAt(start).offset);
      let instant = start;
      while (instant <= start) {
        shown = next(shown);
        instant = firstAt(zone, shown);
      }
      return instant;
    },
  };
}

/**
 * Buckets of elapsed time: each begins where the clock of the zone shows a multiple of its length, or where
 * an offset changes by a part of it. So an hour that the clock shows twice is two buckets.
 */
function ofLength(length: number): Cut {
  const floor = (instant: number, offset: number) =>
    Math.floor((instant + offset) / length) * length - offset;
  const isShift = (one: number, other: number) => (one - other) % length !== 0;
  return {
    startOf(instant, zone) {
      let piece = zone.pieceAt(instant);
      const start = floor(instant, piece.offset);
      while (start < piece.from) {
        const before = zone.pieceAt(piece.from - 1);
        if (isShift(piece.offset, before.offset)) return piece.from;
        piece = before;
      }
      return start;
    },
    next(start, zone) {
      let piece = zone.pieceAt(start);
      const next = floor(start, piece.offset) + length;
      while (next > piece.until) {
        const after = zone.pieceAt(piece.until);
        if (isShift(piece.offset, after.offset)) return piece.until;
        piece = after;
      }
      return next;
    },
  };
}

/** Parts of equal length; one of them begins `shift` milliseconds after the epoch. */
function even(length: number, shift = 0): Calendar {
  return {
    floor: (shown) => Math.floor((shown - shift) / length) * length + shift,
    next: (shown) => shown + length,
  };
}

/** The epoch was a Thursday; a week began four days later. */
const MONDAY_MS = 4 * DAY_MS;

/** The units of time for buckets, from fine to coarse. Weeks begin on Monday. */
const CUTS = {
  minute: ofLength(60_000),
  hour: ofLength(3_600_000),
  day: ofCalendar(even(DAY_MS)),
  week: ofCalendar(even(7 * DAY_MS, MONDAY_MS)),
  month: ofCalendar({ floor: (shown) => monthOf(shown, 0), next: (shown) => monthOf(shown, 1) }),
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

/**
 * The first instant at which the clock of a zone shows a time or a later one. The time is given in
 * milliseconds as if it were UTC.
 */
export function firstAt(zone: TimeZone, shown: number): number {
  // No clock is two days ahead of UTC, nor was one set back so far.
  let piece = zone.pieceAt(shown - 2 * DAY_MS);
  for (;;) {
    const instant = Math.max(piece.from, shown - piece.offset);
    if (instant < piece.until) return instant;
    piece = zone.pieceAt(piece.until);
  }
}

/** The first instant of the bucket that contains an instant, epoch milliseconds. */
export function startOfBucket(unit: TimeUnit, instant: number, zone = UTC): number {
  return CUTS[unit].startOf(instant, zone);
}

/**
 * The first instants of all buckets from that of `first` to that of `last`, followed by the end of the last
 * one; undefined if there would be more than 2,000 buckets.
 */
export function cutTime(
  unit: TimeUnit,
  first: number,
  last: number,
  zone = UTC,
): readonly number[] | undefined {
  const { startOf, next } = CUTS[unit];
  const starts = [startOf(first, zone)];
  for (let start = starts[0]!; start <= last; starts.push(start)) {
    if (starts.length > BUCKETS_MAX) return undefined;
    start = next(start, zone);
  }
  return starts;
}
