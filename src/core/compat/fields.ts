import { invalid } from '../base/errors.ts';
import { isEmptyList, isJsonObject } from '../event/event.ts';
import type { EventInput } from '../event/parse-event.ts';
import { INSERT_ID_PATTERN } from '../event/event-fields.ts';
import { describeValue } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';
import { msOfUuidV7 } from '../event/uuid-v7.ts';

/** The fields of a message as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The user of a message that names none. */
export const ANONYMOUS = 'anonymous';

/** An event made of a message, whose id is not made yet. */
export interface IdentifiedEvent {
  readonly event: EventInput;
  /**
   * What tells the event from others of its time, as one text: its id is made of the hash. Absent where the
   * sender gives no id or no time, so that nothing can recognise the event when it is sent again.
   */
  readonly identity?: string;
}

/** The prefix of an `insertId` made of an id that does not fit; imports make the same. */
export const HASHED_ID = 'id';

/** The id that a sender gave its event. */
export interface OwnId {
  readonly text: string;
  /** Whether an event can have it as it is. */
  readonly fits: boolean;
}

/** Reads such an id; undefined for none. Throws ApiError (400) for a number that may have lost digits. */
export function toOwnId(where: string, id: unknown): OwnId | undefined {
  if (id === undefined) return undefined;
  const text = typeof id === 'string' ? id : JSON.stringify(exactId(where, id));
  return { text, fits: INSERT_ID_PATTERN.test(text) };
}

/** An event with the id of its sender. One that does not fit identifies the event by its hash. */
export function withOwnId(event: EventInput, id: OwnId | undefined): IdentifiedEvent {
  if (id === undefined) return { event };
  return id.fits ? { event: { ...event, insertId: id.text } } : { event, identity: id.text };
}

/** Before this, no SDK made ids that hold a time. */
const ID_TIMES_FROM = Date.UTC(2020, 0, 1);
const SEGMENT_ID_PATTERN = /^ajs-next-(\d{13})-/;

/**
 * The epoch milliseconds at which an id was made with its event, where it says so: a UUID of version 7, or an
 * id of Segment's web SDK. Undefined for any other, and for one of a clock that was wrong.
 */
export function timeOfId(id: unknown, now: number): number | undefined {
  const [, digits] = (typeof id === 'string' ? SEGMENT_ID_PATTERN.exec(id) : null) ?? [];
  const ms = digits === undefined ? msOfUuidV7(id) : Number(digits);
  return ms !== undefined && ms >= ID_TIMES_FROM && ms <= now + DAY_MS ? ms : undefined;
}

/** The `insertId` that a SHA-256 makes; 128 bits of it are enough. `prefix` says whose rule it follows. */
export function toInsertId(prefix: string, sha256: string): string {
  return `${prefix}-${sha256.slice(0, 32)}`;
}

/** What a message holds as an object: none, null and an empty list, as which PHP writes one, are empty. */
export function toObject(value: unknown): unknown {
  return value === undefined || value === null || isEmptyList(value) ? {} : value;
}

/** SDKs send null or an empty text for what they do not know. */
export function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

/**
 * A number as a text, since older libraries send numbers. A larger one has lost digits and may be that of
 * somebody else, so it stays a number, which no event takes.
 */
export function toUserId(id: unknown): unknown {
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
}

/** Whether a value is an integer that JSON may have rounded: two ids may have become this one. */
export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** An id that identifies an event. Throws ApiError (400) for a number that may have lost digits. */
export function exactId(where: string, id: unknown): unknown {
  if (isRounded(id)) throw invalid(where, `takes a text, or a number below 2^53, got ${describeValue(id)}`);
  return id;
}

/** The fields of a message, and those of its request that it does not say itself. */
export function withShared(message: Fields, shared: Fields): Record<string, unknown> {
  const missing = Object.entries(shared).filter(
    ([key, value]) => value !== undefined && present(message[key]) === undefined,
  );
  return { ...message, ...Object.fromEntries(missing) };
}

/** The fields but some. */
export function without(fields: Fields, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

/** A key that no property of the sender has: its own must not be lost. */
export function freeKey(own: Fields, key: string): string {
  return Object.hasOwn(own, key) ? freeKey(own, `${key}_`) : key;
}

/** Adds below one key what a message says beside its properties, without what says nothing. */
export function withRest(own: Fields, key: string, rest: Fields): object {
  const said = Object.entries(rest).filter(([, value]) => !isNothing(value));
  if (said.length === 0) return own;
  return { ...own, [freeKey(own, key)]: Object.fromEntries(said) };
}

/** Whether a field says nothing: null, an empty text or an empty object. */
export function isNothing(value: unknown): boolean {
  if (present(value) === undefined) return true;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
