import { invalid } from '../../../../src/index.ts';

/** A time as `--date-format` reads it: its parts as ISO 8601 writes them. */
export interface WrittenTime {
  readonly date: string;
  readonly time: string;
  /** Undefined where it names no zone. */
  readonly offset?: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What the letters of a format stand for: a name, and what they match. */
const TOKENS: Readonly<Record<string, readonly [name: string, pattern: string]>> = {
  YYYY: ['year', '\\d{4}'],
  YY: ['short', '\\d{2}'],
  MMM: ['word', '[A-Za-z]{3,9}\\.?'],
  ...Object.fromEntries(
    Object.entries({ M: 'month', D: 'day', H: 'hour', h: 'half', m: 'minute', s: 'second' }).flatMap(
      ([letter, name]) => [letter, letter + letter].map((token) => [token, [name, '\\d{1,2}']] as const),
    ),
  ),
  S: ['fraction', '\\d{1,9}'],
  A: ['noon', '[AaPp]\\.?[Mm]\\.?'],
  Z: ['offset', '(?:Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?)'],
};
const PART = /YYYY|YY|MMM|MM?|DD?|HH?|hh?|mm?|ss?|S+|A|Z|T|[[\]]|[^A-Za-z]|[A-Za-z]+/g;

/** What a format is made of, for people. */
const FORMAT_LETTERS = 'YYYY, YY, MMM, MM, DD, HH, hh, mm, ss, SSS, A, Z and [what may be missing]';

/**
 * Makes a reader of times as a format writes them: `DD.MM.YYYY HH:mm[:ss]`. A day, a month or an hour
 * may have one digit, unless another number touches it. Throws ApiError (400) for a format that says no date.
 */
export function compileDateFormat(format: string): (text: string) => WrittenTime | undefined {
  const parts = format.match(PART) ?? [];
  const wrong = (why: string) =>
    invalid('--date-format', `${why}; it takes ${FORMAT_LETTERS}, got "${format}"`);
  const names: string[] = [];
  const isNumber = (part = '') => /^[YMDHhmsS]/.test(part) && part !== 'MMM';
  const source = parts.map((part, i) => {
    if (part === '[') return '(?:';
    if (part === ']') return ')?';
    const [name, pattern] = TOKENS[part.startsWith('S') ? 'S' : part] ?? [];
    if (name === undefined) {
      if (/^[A-SU-Za-z]/.test(part)) throw wrong(`does not know ${part}`);
      return /\s/.test(part) ? '\\s+' : part.replace(/[\\^$.*+?()|{}]/, '\\$&');
    }
    if (names.includes(name)) throw wrong(`says the ${name} twice`);
    names.push(name);
    const touches = isNumber(part) && (isNumber(parts[i - 1]) || isNumber(parts[i + 1]));
    return `(?<${name}>${touches && pattern === '\\d{1,2}' ? '\\d{2}' : pattern})`;
  });
  const has = (...some: string[]) => some.some((name) => names.includes(name));
  if (!has('year', 'short') || !has('month', 'word') || !has('day'))
    throw wrong('needs a year, a month and a day');
  if (has('half') && !has('noon')) throw wrong('counts hours to 12 by hh: that needs A');
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^${source.join('')}$`);
  } catch {
    throw wrong('has a bracket without another');
  }
  return (text) => toWritten(pattern.exec(text)?.groups);
}

function toWritten(found: Record<string, string | undefined> | undefined): WrittenTime | undefined {
  if (found === undefined) return undefined;
  const {
    year,
    short = '',
    month,
    word,
    day = '',
    hour,
    half,
    noon,
    minute,
    second,
    fraction,
    offset,
  } = found;
  const two = (text = '0') => text.padStart(2, '0');
  const named = word === undefined ? -1 : MONTHS.indexOf(word.slice(0, 3).toLowerCase());
  if (word !== undefined && named === -1) return undefined;
  let hours = hour ?? '0';
  if (half !== undefined) {
    if (Number(half) < 1 || Number(half) > 12) return undefined;
    hours = String((Number(half) % 12) + (/^p/i.test(noon ?? '') ? 12 : 0));
  }
  const full = year ?? `${Number(short) < 70 ? '20' : '19'}${short}`;
  const date = `${full}-${two(month ?? String(named + 1))}-${two(day)}`;
  const time = `${two(hours)}:${two(minute)}:${two(second)}${fraction === undefined ? '' : `.${fraction}`}`;
  if (offset === undefined) return { date, time };
  const [, hoursOff, minutesOff = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return { date, time, offset: hoursOff === undefined ? 'Z' : `${hoursOff}:${minutesOff}` };
}

/** How a column of times that are not ISO 8601 is written. */
export type FoundFormat = { readonly format: string } | { readonly either: readonly [string, string] };

/** What is written apart from day, month and year of a date. */
const CLOCKS = [
  '',
  ' HH:mm',
  ' HH:mm:ss',
  ' h:mm A',
  ' h:mm:ss A',
  'THH:mm:ss',
  ' HH:mm[:ss]',
  '[ HH:mm[:ss]]',
  ' h:mm[:ss] A',
];
const DATES = [
  'DD.MM.YYYY',
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'YYYY年M月D日',
  'D MMM YYYY',
  'DD-MMM-YYYY',
  'MMM D, YYYY',
  'DD.MM.YY',
];
/** Dates that only their cells can tell apart. */
const EITHER = [
  ['DD/MM/YYYY', 'MM/DD/YYYY'],
  ['DD-MM-YYYY', 'MM-DD-YYYY'],
  ['DD/MM/YY', 'MM/DD/YY'],
] as const;

/** The readers of the formats that are tried. */
const known = new Map<string, ReturnType<typeof compileDateFormat>>();

/** The format in which all of some times are written; two where day or month may come first. */
export function findDateFormat(
  texts: readonly string[],
  isDay: (date: string) => boolean,
): FoundFormat | undefined {
  if (texts.length === 0) return undefined;
  const fits = (format: string) => {
    const read = known.get(format) ?? compileDateFormat(format);
    known.set(format, read);
    return texts.every((text) => isDay(read(text.trim())?.date ?? ''));
  };
  for (const clock of CLOCKS) {
    const one = DATES.find((date) => fits(date + clock));
    if (one !== undefined) return { format: one + clock };
    for (const pair of EITHER) {
      const [first, second] = pair.map((date) => fits(date + clock));
      if (first === true && second === true) return { either: [pair[0] + clock, pair[1] + clock] };
      if (first === true || second === true) return { format: (first === true ? pair[0] : pair[1]) + clock };
    }
  }
  return undefined;
}
