import stableStringify from 'fast-json-stable-stringify';
import { invalid } from '../base/errors.ts';
import { checksum } from '../event/checksum.ts';
import type { InstantRange } from '../filter/instants.ts';
import type { Scalar } from '../filter/operands.ts';
import type { EventQuery } from './event-query.ts';
import type { AskedAttempts } from './sequence.ts';
import type { AskedStreams } from './streams.ts';

/** How many conditions on what users did a body has at most. */
export const HAVING_MAX = 10;

/** How often a user has to have done something. */
export interface AskedHaving {
  /** The bit of the events that count. */
  readonly bit: number;
  readonly atLeast: number;
  readonly atMost: number;
}

/** How far users have to have come in a sequence. */
export interface AskedReach extends AskedAttempts {
  /** The fewest steps. */
  readonly least: number;
  /** The most steps. */
  readonly most: number;
}

/** The complete request for a page of users. */
export interface AskedUsers {
  /** Selects the events of all streams. */
  readonly query: EventQuery;
  /** The streams: the bits of the sequence come first, then those of `having`. */
  readonly streams: AskedStreams;
  /** The time of the events that are counted; those of a sequence may be behind it. */
  readonly range: InstantRange;
  readonly having: readonly AskedHaving[];
  /** Undefined if nothing is asked of a sequence. */
  readonly sequence: AskedReach | undefined;
  /** A hash of what all pages share, by which a cursor of another question is refused. */
  readonly fingerprint: string;
  readonly size: number;
  /** Only keys behind this one; undefined to begin with the first. */
  readonly after: Scalar | undefined;
}

/** A distinct value, and what its events say. */
export interface User {
  /** As the key of a group of a breakdown. */
  readonly key: Scalar;
  /** How many of its events match the body. */
  readonly count: number;
  /** When the first of them happened, ISO 8601. */
  readonly first: string;
  /** When the last of them happened. */
  readonly last: string;
  /** When each step of the sequence was taken, as far as it came; only where a sequence is asked for. */
  readonly at?: readonly string[];
}

/** A page of users. */
export interface UserPage {
  /** By key: booleans, numbers, then strings by code point; fewer than the size only on the last page. */
  readonly users: readonly User[];
  /** The `pagination.cursor` of the next page; undefined when this one was not full. */
  readonly nextCursor: string | undefined;
}

/** A question as far as all of its pages share it. */
type AllPages = Omit<AskedUsers, 'size' | 'after' | 'fingerprint'>;

/**
 * How many characters the key in a cursor has at most, as it is written. Any user ID fits, and the header of
 * a cursor fits with all others into the 4 KiB that proxies take by default.
 */
const WRITTEN_KEY_MAX = 3072;

/**
 * The cursor that continues behind a key. Its form is private: clients send back what they received. Throws
 * ApiError (400) for a key that is too long for a header.
 */
export function toUsersCursor({ fingerprint }: Pick<AskedUsers, 'fingerprint'>, key: Scalar): string {
  const written = encodeURIComponent(JSON.stringify(key));
  if (written.length <= WRITTEN_KEY_MAX) return `2.${fingerprint}.${written}`;
  throw invalid(
    'distinct',
    `a page ends with a value of ${String(key).length} characters, which is too long for a cursor; ask for ` +
      'another size, or leave such values out by a filter',
  );
}

/** The key that a cursor names. Throws ApiError (400) for no cursor, or one of another question. */
export function parseUsersCursor(text: string, fingerprint: string, where: string): Scalar {
  const [, of, written = ''] = /^2\.([0-9a-z]{1,11})\.(.+)$/s.exec(text) ?? [];
  const key = written.length > WRITTEN_KEY_MAX ? undefined : decode(written);
  if (key === undefined) throw invalid(where, 'takes the X-Next-Cursor of the page before, unchanged');
  if (of !== fingerprint)
    throw invalid(where, 'belongs to another question; send it with all that it came from, but for the size');
  return key;
}

function decode(written: string): Scalar | undefined {
  try {
    const key: unknown = JSON.parse(decodeURIComponent(written));
    return ['string', 'number', 'boolean'].includes(typeof key) ? (key as Scalar) : undefined;
  } catch {
    return undefined;
  }
}

/** A hash of what is asked, which guards against mix-ups, not against forgery. */
export function fingerprintOf(asked: AllPages): string {
  return checksum([stableStringify(asked)]).toString(36);
}
