import { DAY_MS, LENGTHS, type TimeRange, type Unit } from './unit.ts';
import { toInstant, toWall } from './zone.ts';

/** 1970 began on a Thursday, and a week begins on Monday. */
const MONDAY_MS = 4 * DAY_MS;

/** The time at which the piece of a time begins, both as clocks show them. */
function floorWall(unit: Unit, wall: number): number {
  if (unit === 'month') {
    const date = new Date(wall);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
  const shift = unit === 'week' ? MONDAY_MS : 0;
  return Math.floor((wall - shift) / LENGTHS[unit]) * LENGTHS[unit] + shift;
}

/** The first instant of the day, week or month of a zone that an instant lies in. A week begins on Monday. */
export function startOf(unit: Unit, zone: string, instant: number): number {
  return toInstant(zone, floorWall(unit, toWall(zone, instant)));
}

/**
 * The first instant after the bucket that begins at an instant. An answer names the beginnings of its buckets
 * only, so this is where its last one ends.
 */
export function endOf(unit: Unit, zone: string, start: number): number {
  const wall = toWall(zone, start);
  let shown = floorWall(unit, wall);
  if (unit === 'minute' || unit === 'hour') return start + LENGTHS[unit] - (wall - shown);
  let end = start;
  // Clocks may skip the beginning of the next one, and so all of it.
  while (end <= start) {
    shown = floorWall(unit, shown + LENGTHS[unit]);
    end = toInstant(zone, shown);
  }
  return end;
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

/**
 * The same part of the day, week or month before the one that a range begins: this month until now goes with
 * the month before until the same day and time, and one that is over with a whole one. What the piece before
 * is too short for is its end.
 */
export function pieceBefore(unit: Unit, { from, until }: TimeRange, zone: string): Earlier {
  const start = startOf(unit, zone, from - 1);
  const length = toWall(zone, from) - toWall(zone, start);
  const earlier = (instant: number) => Math.min(from, toInstant(zone, toWall(zone, instant) - length));
  const isOver = startOf(unit, zone, until) === until;
  return { range: { from: start, until: isOver ? from : earlier(until) }, earlier };
}

/** A range before another one. */
export interface Earlier {
  readonly range: TimeRange;
  /** The instant in the earlier range that answers to an instant in the later one. */
  readonly earlier: (instant: number) => number;
}
