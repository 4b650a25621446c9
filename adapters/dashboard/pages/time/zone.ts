import { DAY_MS } from './unit.ts';

/** The zone of questions that name none. */
export const UTC = 'UTC';

/** The formats of zones, by their names: to make one takes a hundred times as long as to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    const two = '2-digit';
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ year: 'numeric', month: two, day: two, hour: two, minute: two, second: two },
    });
    formats.set(zone, format);
  }
  return format;
}

/** Whether a text names a time zone that this browser knows. */
export function isZone(name: string): boolean {
  // A browser also takes offsets such as +05:00, which are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of a zone show at an instant, as milliseconds of a clock in UTC that shows the same. */
export function toWall(zone: string, instant: number): number {
  if (zone === UTC) return instant;
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = part;
  const ms = ((instant % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/**
 * The first instant at which the clocks of a zone show a time. If they skip it, as in spring, it is the first
 * instant after the gap.
 */
export function toInstant(zone: string, wall: number): number {
  if (zone === UTC) return wall;
  // No zone is further from UTC than a day, so its offset at the time is one of these two.
  const candidates = [wall - DAY_MS, wall + DAY_MS]
    .map((near) => wall - (toWall(zone, near) - near))
    .sort((a, b) => a - b);
  const shown = candidates.find((instant) => toWall(zone, instant) === wall);
  if (shown !== undefined) return shown;
  let [before, after] = [candidates[0]! - 1, candidates[1]!];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (toWall(zone, middle) < wall) before = middle;
    else after = middle;
  }
  return after;
}

/** The length of a text with seconds. */
export const SECONDS_LENGTH = 19;

/** What the clocks of a zone show at an instant: `2026-05-18 09:30`, or as much of that as `length` says. */
export function textIn(zone: string, instant: number, length = 16): string {
  return new Date(toWall(zone, instant)).toISOString().slice(0, length).replace('T', ' ');
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The day of the week that the calendars of a zone show at an instant, such as `Tue`. */
export const weekdayIn = (zone: string, instant: number): string =>
  WEEKDAYS[new Date(toWall(zone, instant)).getUTCDay()]!;
