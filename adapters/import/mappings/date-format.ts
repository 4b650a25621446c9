import { invalid } from '../../../src/index.ts';
import { OPTION_WORDS, type OptionWords } from '../base/options.ts';

/** A time as a format reads it: its parts as ISO 8601 writes them. */
export interface WrittenTime {
  readonly date: string;
  readonly time: string;
  /** Undefined where it names no zone. */
  readonly offset?: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What the letters of a format stand for: a name, and what they match at a place of a text. */
const TOKENS: Readonly<Record<string, readonly [name: string, pattern: RegExp]>> = {
  YYYY: ['year', /\d{4}/y],
  YY: ['short', /\d{2}/y],
  MMM: ['word', /[A-Za-z]{3,9}\.?/y],
  ...Object.fromEntries(
    Object.entries({ M: 'month', D: 'day', H: 'hour', h: 'half', m: 'minute', s: 'second' }).flatMap(
      ([letter, name]) => [letter, letter + letter].map((token) => [token, [name, /\d{1,2}/y]] as const),
    ),
  ),
  S: ['fraction', /\d{1,9}/y],
  A: ['noon', /[AaPp]\.?[Mm]\.?/y],
  Z: ['offset', /(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)/y],
};
/** A day, a month or a part of a time that touches another number. */
const TWO_DIGITS = /\d{2}/y;
const BLANKS = /\s+/y;
const PART = /YYYY|YY|MMM|MM?|DD?|HH?|hh?|mm?|ss?|S+|A|Z|T|[[\]]|[^A-Za-z]|[A-Za-z]+/g;

/** What a format is made of, for people. */
const FORMAT_LETTERS = 'YYYY, YY, MMM, MM, DD, HH, hh, mm, ss, SSS, A, Z and [what may be missing]';
/** Each pair of brackets doubles the ways in which a time may be written. */
const BRACKETS_MAX = 5;

/** What stands at a place of a time: a part with a name, or what separates parts. */
type FormatPart = { readonly name?: string; readonly pattern: RegExp } | { readonly sign: string };

/**
 * Makes a reader of times as a format writes them: `DD.MM.YYYY HH:mm[:ss]`. A day, a month or an hour
 * may have one digit, unless another number touches it. Throws ApiError (400) for a format that says no date.
 */
export function compileDateFormat(
  format: string,
  { option }: OptionWords,
): (text: string) => WrittenTime | undefined {
  const parts = format.match(PART) ?? [];
  const wrong = (why: string) =>
    invalid(option('dateFormat'), `${why}; it takes ${FORMAT_LETTERS}, got "${format}"`);
  const names: string[] = [];
  for (const part of parts) {
    const [name] = tokenOf(part) ?? [];
    if (name === undefined && /^[A-SU-Za-z]/.test(part)) throw wrong(`does not know ${part}`);
    if (name === undefined) continue;
    if (names.includes(name)) throw wrong(`says the ${name} twice`);
    names.push(name);
  }
  const has = (...some: string[]) => some.some((name) => names.includes(name));
  if (!has('year', 'short') || !has('month', 'word') || !has('day'))
    throw wrong('needs a year, a month and a day');
  if (has('half') && !has('noon')) throw wrong('counts hours to 12 by hh: that needs A');
  if (parts.filter((part) => part === '[').length > BRACKETS_MAX)
    throw wrong(`has more than ${BRACKETS_MAX} pairs of brackets`);
  const spellings = withoutBrackets(parts)?.map(toFormatParts);
  if (spellings === undefined) throw wrong('has a bracket without another');
  return (text) => {
    for (const spelling of spellings) {
      const found = readParts(spelling, text);
      if (found !== undefined) return toWritten(found);
    }
    return undefined;
  };
}

function tokenOf(part: string): (typeof TOKENS)[string] | undefined {
  const letters = part.startsWith('S') ? 'S' : part;
  return Object.hasOwn(TOKENS, letters) ? TOKENS[letters] : undefined;
}

/** The ways to write a format: with what brackets hold, and without it. Undefined for one that is alone. */
function withoutBrackets(parts: readonly string[]): (readonly string[])[] | undefined {
  const close = parts.indexOf(']');
  const open = parts.slice(0, close === -1 ? parts.length : close).lastIndexOf('[');
  if (open === -1 && close === -1) return [parts];
  if (open === -1 || close === -1) return undefined;
  const [before, within, behind] = [
    parts.slice(0, open),
    parts.slice(open + 1, close),
    parts.slice(close + 1),
  ];
  const longer = withoutBrackets([...before, ...within, ...behind]);
  const shorter = withoutBrackets([...before, ...behind]);
  return longer && shorter && [...longer, ...shorter];
}

function toFormatParts(parts: readonly string[]): FormatPart[] {
  const isNumber = (part = '') => /^[YMDHhmsS]/.test(part) && part !== 'MMM';
  const isBlank = (part = '') => /^\s$/.test(part);
  return parts.flatMap((part, i): FormatPart[] => {
    if (isBlank(part)) return isBlank(parts[i - 1]) ? [] : [{ pattern: BLANKS }];
    const [name, pattern] = tokenOf(part) ?? [];
    if (name === undefined || pattern === undefined) return [{ sign: part }];
    const touches = isNumber(part) && (isNumber(parts[i - 1]) || isNumber(parts[i + 1]));
    const isShort = touches && !['YYYY', 'S'].some((each) => part.startsWith(each));
    return [{ name, pattern: isShort ? TWO_DIGITS : pattern }];
  });
}

/** The named parts of a text that is written so from its begin to its end. */
function readParts(parts: readonly FormatPart[], text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  let at = 0;
  for (const part of parts) {
    if ('sign' in part) {
      if (text[at] === part.sign) at += 1;
      // A short name of a month has taken the dot behind it.
      else if (at === 0 || text[at - 1] !== part.sign) return undefined;
      continue;
    }
    const { name, pattern } = part;
    pattern.lastIndex = at;
    const [written] = pattern.exec(text) ?? [];
    if (written === undefined) return undefined;
    if (name !== undefined) found[name] = written;
    at += written.length;
  }
  return at === text.length ? found : undefined;
}

function toWritten(found: Readonly<Record<string, string | undefined>>): WrittenTime | undefined {
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
    const read = known.get(format) ?? compileDateFormat(format, OPTION_WORDS);
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
