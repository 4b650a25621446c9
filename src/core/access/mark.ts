import { invalid, type ApiError } from '../base/errors.ts';
import { quoteAny } from '../event/text.ts';
import { EVENT_TS_MAX, EVENT_TS_MIN, parseInstant, toIsoInstant } from '../event/time.ts';
import { INSTANT_WORDS } from '../query/body.ts';
import { parseName } from './name.ts';

/** What happened at an instant, such as a release of the product. The chart of the dashboard shows it. */
export interface Mark {
  /** A UUID. */
  readonly id: string;
  /** The tenant that it belongs to. */
  readonly tenantId: string;
  /** The instant in UTC, such as `2026-05-18T09:00:00.000Z`. */
  readonly time: string;
  /** A word or a short line, such as the version that was released. */
  readonly name: string;
  /** The address of a page about it, by http or https; null for none. */
  readonly url: string | null;
}

/** What is said of a new mark. */
export interface MarkOptions {
  /** 1 to 100 characters. */
  readonly name: string;
  /** An instant with an offset within 1970 to 2099; now where it is absent. */
  readonly time?: string;
  /** The address of a page about it, by http or https, of at most 2,000 characters. */
  readonly url?: string | null;
}

/** Which marks are listed: those at or after an instant, and before another one. Both are optional. */
export interface MarkRange {
  /** An instant with an offset. */
  readonly from?: string;
  /** An instant with an offset. */
  readonly until?: string;
}

/** How many marks a tenant may have. */
export const MARKS_MAX = 1_000;
/** How long the name of a mark may be, in characters. */
export const MARK_NAME_LENGTH_MAX = 100;
/** How long the URL of a mark may be, in characters. */
export const MARK_URL_LENGTH_MAX = 2_000;
/** A URL that a page may link to. A browser writes any other character of a URL by these. */
export const MARK_URL_PATTERN = /^[hH][tT][tT][pP][sS]?:\/\/[A-Za-z0-9[][!-~]*$/;

/** What a new mark says, whose URL is one. Throws ApiError (400). */
export function toMark(
  { name, time, url = null }: MarkOptions,
  now: number,
): Pick<Mark, 'time' | 'name' | 'url'> {
  const instant = time === undefined ? now : toInstant('time', time);
  if (instant < EVENT_TS_MIN || instant > EVENT_TS_MAX)
    throw invalid('time', 'takes an instant within the years 1970 to 2099 in UTC');
  return { time: toIsoInstant(instant), name: parseName(name, MARK_NAME_LENGTH_MAX), url };
}

/** The marks within a range. Throws ApiError (400). */
export function marksWithin(marks: readonly Mark[], { from, until }: MarkRange): readonly Mark[] {
  const first = from === undefined ? -Infinity : toInstant('from', from);
  const end = until === undefined ? Infinity : toInstant('until', until);
  return marks.filter(({ time }) => {
    const instant = Date.parse(time);
    return instant >= first && instant < end;
  });
}

function toInstant(where: string, text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw invalid(where, `takes ${INSTANT_WORDS}, got ${quoteAny(text)}`);
  return instant;
}

/** The refusal of a mark for which there is no room. */
export function marksFull(): ApiError {
  return invalid('marks', `a tenant has at most ${MARKS_MAX}; delete the oldest ones first`);
}
