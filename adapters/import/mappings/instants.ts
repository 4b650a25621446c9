import { invalid, isApiError, type ApiError } from '../../../src/index.ts';
import {
  guessEpoch,
  isEpochText,
  parseInstant,
  toEpochMs,
  toEventTs,
  type EpochUnit,
} from '../../../src/internal.ts';
import { readEpoch } from '../../../src/transport-kit.ts';
import { DAY_MS } from '../../../src/store-kit.ts';
import type { OptionWords } from '../base/options.ts';
import { findDateFormat, type WrittenTime } from './date-format.ts';

/** How times are read. */
export interface TimeOptions {
  /** The IANA zone of times that name none. */
  readonly timeZone?: string;
  /** What numbers count since 1970. Without it, the unit in which they lie between 1990 and 2099. */
  readonly epoch?: EpochUnit;
  /** Reads a time as the format says that the user names. */
  readonly dateFormat?: (text: string) => WrittenTime | undefined;
  /** Is told what was found, each line once. */
  readonly say: (line: string) => void;
  readonly words: OptionWords;
}

/** Reads times as other tools write them. */
export interface Instants {
  /**
   * The `eventTs` of a time: epoch milliseconds, or ISO 8601 before 1990; fractions of a millisecond are
   * dropped. `zone` is that of a time which names none. An ApiError says what is wrong.
   */
  read(value: unknown, zone: string | undefined): number | string | ApiError;
  /** Whether a time was read in the zone that the user named. */
  usedZone(): boolean;
}

/** The parts of ISO 8601 as databases write it: a blank or a T, an offset, `UTC` or nothing. */
const DATE = /^\d{4}-\d{2}-\d{2}/;
const CLOCK = /^[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?/;
const OFFSET = /^ ?(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)$/;

/** Makes a reader of times, which says once how numbers of each unit are read. */
export function createInstants({ timeZone, epoch, dateFormat, say, words }: TimeOptions): Instants {
  const told = new Set<string>();
  let hasUsedZone = false;
  const offsetAt = timeZone === undefined ? undefined : createOffsets(timeZone);

  function readNumber(value: number | string): number | ApiError {
    if (epoch !== undefined) {
      return toEpochMs(value, epoch) ?? invalid('eventTs', `is no time since 1970: ${value}`);
    }
    const found = readEpoch(value);
    if (found === undefined) {
      const guess = guessEpoch(value) ?? `is no time from 1990 on in any unit: ${value}`;
      const counts = `${words.option('epoch')} s, ms, us or ns`;
      return invalid('eventTs', `${guess}; write ISO 8601, or say what it counts by ${counts}`);
    }
    if (!told.has(found.unit)) {
      told.add(found.unit);
      say(`numbers such as ${value} are times in ${found.unit} since 1970`);
    }
    return found.ms;
  }

  function readLocal(date: string, time: string, zone: string | undefined): number | ApiError {
    const asUtc = parseInstant(`${date}T${time}Z`);
    if (asUtc === undefined) return invalid('eventTs', `is no time: ${date} ${time}`);
    if (offsetAt === undefined) {
      if (zone === 'UTC') return asUtc;
      return invalid(
        'eventTs',
        `has no time zone: ${date} ${time}; say ${words.option('timeZone')} UTC, or the zone it is of`,
      );
    }
    hasUsedZone = true;
    // The first of two equal times counts, when clocks are set back.
    const before = asUtc - offsetAt(asUtc - DAY_MS);
    if (before + offsetAt(before) === asUtc) return before;
    const after = asUtc - offsetAt(asUtc + DAY_MS);
    if (after + offsetAt(after) === asUtc) return after;
    return invalid('eventTs', `${date} ${time} does not exist in ${timeZone}: clocks are set forward there`);
  }

  function readText(text: string, zone: string | undefined): number | ApiError {
    const none = () => invalid('eventTs', `is no time: ${JSON.stringify(text.slice(0, 40))}`);
    const [date] = DATE.exec(text) ?? [];
    if (date === undefined)
      return invalid('eventTs', `is no time: ${JSON.stringify(text.slice(0, 40))}${hintOf(text, words)}`);
    const [clock = '', minutes = '00:00', seconds = '00', fraction] = CLOCK.exec(text.slice(10)) ?? [];
    const time = `${minutes}:${seconds}${fraction === undefined ? '' : `.${fraction}`}`;
    const rest = text.slice(date.length + clock.length);
    const [, offset] = OFFSET.exec(rest) ?? [];
    if (offset === undefined && rest !== '') return none();
    if (offset === undefined) return readLocal(date, time, zone);
    const full = /^[+-]\d{2}$/.test(offset) ? `${offset}:00` : offset.replace(/^(UTC|z)$/, 'Z');
    return parseInstant(`${date}T${time}${full}`) ?? none();
  }

  return {
    usedZone: () => hasUsedZone,
    read(value, zone) {
      if (typeof value !== 'number' && typeof value !== 'string')
        return invalid('eventTs', 'takes a time, as a text or a number');
      const text = typeof value === 'string' ? value.trim() : value;
      const written = typeof text === 'string' ? dateFormat?.(text) : undefined;
      if (written !== undefined) {
        const { date, time, offset } = written;
        const ms =
          offset === undefined ? readLocal(date, time, zone) : parseInstant(`${date}T${time}${offset}`);
        const read = ms ?? invalid('eventTs', `is no time: ${String(text).slice(0, 40)}`);
        return isApiError(read) ? read : toEventTs(read);
      }
      const found = typeof text === 'number' || isEpochText(text) ? readNumber(text) : readText(text, zone);
      return isApiError(found) ? found : toEventTs(found);
    },
  };
}

/** Whether a text is a time zone that this process knows. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;

/** The offset of a zone from UTC at an instant, in milliseconds; it changes at quarters of an hour only. */
function createOffsets(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    ...{ hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  let known = new Map<number, number>();
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS) * QUARTER_MS;
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const parts = Object.fromEntries(
      format.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter;
    // Files are sorted by time, more or less, so a small memory is enough.
    if (known.size >= 10_000) known = new Map();
    known.set(quarter, offset);
    return offset;
  };
}

/** Whether a time says more than its millisecond, as far as such times can be read. */
export function isFiner(time: unknown): boolean {
  const text = String(time).trim();
  const [, whole = '', fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole.length > 16) return !whole.endsWith('000000') || /[1-9]/.test(fraction);
  if (whole.length > 13) return !whole.endsWith('000') || /[1-9]/.test(fraction);
  if (whole.length > 10) return /[1-9]/.test(fraction);
  const [, digits = fraction] = /:\d{2}[.,](\d+)/.exec(text) ?? [];
  return /[1-9]/.test(digits.slice(3));
}

/** Whether a text is a day of the calendar. */
export function isDay(date: string): boolean {
  return parseInstant(`${date}T00:00:00Z`) !== undefined;
}

/** Which option reads a time that is no ISO 8601, if one does. */
function hintOf(text: string, { option }: OptionWords): string {
  const found = findDateFormat([text], isDay);
  if (found === undefined) return '';
  if ('format' in found) return `; ${option('dateFormat')} '${found.format}' reads it`;
  return `, which is ambiguous; say ${option('dateFormat')} '${found.either.join("' or '")}'`;
}
