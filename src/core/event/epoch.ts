import { DAY_MS, EVENT_TS_MAX, parseDay, parseInstant, toIsoInstant } from './time.ts';

/**
 * The first instant that a bare number may mean, in epoch milliseconds: 1990-01-01T00:00:00.000Z. A number
 * below counts something else than the milliseconds of an event, nearly always seconds.
 */
export const EPOCH_MS_MIN = Date.UTC(1990, 0, 1);

/** The units in which numbers count the time since 1970, by their names on the command line. */
const UNITS = {
  s: { name: 'seconds', perMs: 1e-3 },
  ms: { name: 'milliseconds', perMs: 1 },
  us: { name: 'microseconds', perMs: 1e3 },
  ns: { name: 'nanoseconds', perMs: 1e6 },
} as const;
/** One of the units of epoch numbers. */
export type EpochUnit = keyof typeof UNITS;
/** All of them. */
export const EPOCH_UNITS = Object.keys(UNITS) as EpochUnit[];

/** An instant, and the unit in which its number counts. */
export interface EpochInstant {
  /** Epoch milliseconds; fractions of one are dropped. */
  readonly ms: number;
  /** The name of that unit. */
  readonly unit: 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds';
}

const EPOCH_PATTERN = /^\d{1,19}(\.\d{1,9})?$/;

/** Whether a text is a number since 1970. */
export function isEpochText(text: string): boolean {
  return EPOCH_PATTERN.test(text);
}

/**
 * Reads a number since 1970, or its digits, in the unit in which it lies between 1990 and 2099: no number
 * does in two. Undefined for any other.
 */
export function readEpoch(value: number | string): EpochInstant | undefined {
  const size = Number(value);
  const unit = EPOCH_UNITS.find((each) => {
    const ms = size / UNITS[each].perMs;
    return ms >= EPOCH_MS_MIN && ms <= EVENT_TS_MAX;
  });
  const ms = unit && toEpochMs(value, unit);
  return ms === undefined ? undefined : { ms, unit: UNITS[unit!].name };
}

/** The epoch milliseconds of a number since 1970, or of its digits; undefined for one that is negative. */
export function toEpochMs(value: number | string, unit: EpochUnit): number | undefined {
  const digits = typeof value === 'number' ? toDigits(value) : value;
  if (!isEpochText(digits)) return undefined;
  // The digits are exact where the product of a double would not be.
  const [whole = '', fraction = ''] = digits.split('.');
  if (unit === 's') return Number(`${whole}${fraction.padEnd(3, '0').slice(0, 3)}`);
  return Number(whole.slice(0, Math.max(0, whole.length - Math.log10(UNITS[unit].perMs))));
}

/**
 * An instant that is meant, as the `eventTs` of an event says it: a number, or ISO 8601 where a number would
 * not be believed.
 */
export function toEventTs(ms: number): number | string {
  return ms < EPOCH_MS_MIN ? toIsoInstant(ms) : ms;
}

/** The digits of a number, which are few enough to need no exponent. */
function toDigits(value: number): string {
  return Number.isInteger(value) ? value.toFixed(0) : String(value);
}

/** What a number that is no time in milliseconds most likely counts; undefined where nothing fits. */
export function guessEpoch(value: number | string): string | undefined {
  const found = readEpoch(value);
  if (found !== undefined) return `looks like ${found.unit}: ${value} would be ${toIsoInstant(found.ms)}`;
  const digits = String(value);
  const [, day, clock = ''] = /^((?:19|20)\d{6})((?:\d{2}){0,3})$/.exec(digits) ?? [];
  const date = day?.replace(/^(....)(..)(..)$/, '$1-$2-$3');
  const time = clock.padEnd(6, '0').replace(/^(..)(..)(..)$/, '$1:$2:$3');
  if (date !== undefined && parseInstant(`${date}T${time}Z`) !== undefined)
    return `looks like a date: ${digits} would be ${clock === '' ? date : `${date}T${time}`}`;
  const days = Number(value);
  if (days >= SERIAL_MIN && days <= SERIAL_MAX) {
    // Excel counts days, whose doubles miss the second a little.
    const ms = Math.round((days * DAY_MS + SERIAL_EPOCH) / 1000) * 1000;
    return `looks like a serial date of Excel: ${digits} would be ${toIsoInstant(ms).slice(0, 19)}`;
  }
  return undefined;
}

/** The day 0 of Excel's calendar, from 1900-03-01 on. */
const SERIAL_EPOCH = parseDay('1899-12-30')!;
/** The serial dates of 1990-01-01 and of the end of 2099. */
const SERIAL_MIN = (EPOCH_MS_MIN - SERIAL_EPOCH) / DAY_MS;
const SERIAL_MAX = (EVENT_TS_MAX - SERIAL_EPOCH) / DAY_MS;
