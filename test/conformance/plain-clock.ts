import type { TimeUnit } from '../../src/core/event/time-unit.ts';

// What the clock of a zone shows, and where its days and hours begin, by looking at minute after minute.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A plain clock. */
export interface PlainClock {
  /** What the clock shows minus UTC, in milliseconds. */
  offsetAt(instant: number): number;
  /** The first instant of the bucket of an instant. */
  startOf(unit: TimeUnit, instant: number): number;
  /** The first instant of the bucket after the one that begins here. */
  nextOf(unit: TimeUnit, start: number): number;
  /** An instant as the keys of answers write it. */
  toKey(instant: number): string;
}

const clocks = new Map<string, PlainClock>();

/** The clock of a zone. Its offsets have whole minutes, as those of all zones since 1972. */
export function plainClock(timeZone: string): PlainClock {
  const known = clocks.get(timeZone) ?? createPlainClock(timeZone);
  clocks.set(timeZone, known);
  return known;
}

function createPlainClock(timeZone: string): PlainClock {
  const look = createLook(timeZone);
  const days = new Map<number, number>();
  const looks = new Map<number, number>();

  function lookOnce(instant: number): number {
    const known = looks.get(instant) ?? look(instant);
    looks.set(instant, known);
    return known;
  }

  /** Clocks do not change twice in three days, so most minutes need no look of their own. */
  function offsetAt(asked: number): number {
    // Where no event can be, the clock stays as it is.
    const instant = Math.min(Math.max(asked, Date.UTC(1969, 10, 1)), Date.UTC(2100, 2, 1));
    const step = Math.floor(instant / (3 * DAY_MS)) * 3 * DAY_MS;
    const [one, other] = [lookOnce(step), lookOnce(step + 3 * DAY_MS)];
    return one === other ? one : look(instant);
  }

  /** The first minute at which the clock shows a date or a later one. */
  function startOfDate(date: number): number {
    // Before the earliest of these the clock cannot show it, by neither offset.
    const ahead = Math.max(offsetAt(date - DAY_MS), offsetAt(date + DAY_MS));
    let minute = days.get(date) ?? date - ahead;
    while (minute + offsetAt(minute) < date) minute += MINUTE_MS;
    days.set(date, minute);
    return minute;
  }

  function begins(minute: number, length: number): boolean {
    const [own, before] = [offsetAt(minute), offsetAt(minute - MINUTE_MS)];
    return (minute + own) % length === 0 || (own - before) % length !== 0;
  }

  function startOf(unit: TimeUnit, instant: number): number {
    if (unit === 'minute' || unit === 'hour') {
      let minute = Math.floor(instant / MINUTE_MS) * MINUTE_MS;
      while (!begins(minute, lengthOf(unit))) minute -= MINUTE_MS;
      return minute;
    }
    // The clock may show the day before once more.
    let date = firstDateOf(unit, Math.floor((instant + offsetAt(instant)) / DAY_MS + 1) * DAY_MS);
    while (startOfDate(date) > instant) date = firstDateOf(unit, date - DAY_MS);
    return startOfDate(date);
  }

  return {
    offsetAt,
    startOf,
    nextOf(unit, start) {
      let minute = start + MINUTE_MS;
      if (unit === 'minute' || unit === 'hour') {
        while (!begins(minute, lengthOf(unit))) minute += MINUTE_MS;
        return minute;
      }
      let date = Math.floor((start + offsetAt(start)) / DAY_MS) * DAY_MS;
      while (startOfDate(date) <= start || firstDateOf(unit, date) !== date) date += DAY_MS;
      minute = startOfDate(date);
      return minute;
    },
    toKey(instant) {
      const minutes = offsetAt(instant) / MINUTE_MS;
      const two = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, '0');
      const offset = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
      return new Date(instant + minutes * MINUTE_MS).toISOString().replace('Z', offset);
    },
  };
}

const lengthOf = (unit: 'minute' | 'hour') => (unit === 'minute' ? MINUTE_MS : 60 * MINUTE_MS);

/** The date with which the day, the week or the month of a date begins. */
function firstDateOf(unit: TimeUnit, date: number): number {
  const day = new Date(date);
  if (unit === 'week') return date - ((day.getUTCDay() + 6) % 7) * DAY_MS;
  return unit === 'month' ? date - (day.getUTCDate() - 1) * DAY_MS : date;
}

function createLook(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (instant) => {
    const second = Math.floor(instant / 1000) * 1000;
    const parts = format.formatToParts(second).map(({ type, value }) => [type, Number(value)] as const);
    const of = Object.fromEntries(parts) as Record<string, number>;
    return Date.UTC(of.year!, of.month! - 1, of.day, of.hour, of.minute, of.second) - second;
  };
}
