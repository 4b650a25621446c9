import { invalid, type EventInput } from '../../../src/index.ts';
import {
  describeValue,
  freeKey,
  INSERT_ID_PATTERN,
  isNothing,
  isRounded,
} from '../../../src/transport-kit.ts';

/** The fields of a message as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An event made of a message, whose id is not made yet. */
export interface IdentifiedEvent {
  readonly event: EventInput;
  /**
   * What tells the event from others of its time, as one text: its id is made of the hash. Absent where the
   * sender gives no id or no time, so that nothing can recognise the event when it is sent again.
   */
  readonly identity?: string;
}

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
const DAY_MS = 86_400_000;
const SEGMENT_ID_PATTERN = /^ajs-next-(\d{13})-/;
const UUID_V7_PATTERN = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * The epoch milliseconds at which an id was made with its event, where it says so: a UUID of version 7, or an
 * id of Segment's web SDK. Undefined for any other, and for one of a clock that was wrong.
 */
export function timeOfId(id: unknown, now: number): number | undefined {
  if (typeof id !== 'string') return undefined;
  const [, digits] = SEGMENT_ID_PATTERN.exec(id) ?? [];
  const [, high, low] = UUID_V7_PATTERN.exec(id) ?? [];
  const ofUuid = high === undefined ? undefined : parseInt(`${high}${low}`, 16);
  const ms = digits === undefined ? ofUuid : Number(digits);
  return ms !== undefined && ms >= ID_TIMES_FROM && ms <= now + DAY_MS ? ms : undefined;
}

/** What a message holds as an object: none, null and an empty list, as which PHP writes one, are empty. */
export function toObject(value: unknown): unknown {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0) ? {} : value;
}

/** SDKs send null or an empty text for what they do not know. */
export function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

/**
 * A number as a text, since older libraries send numbers. A number that has lost digits may be the id of
 * another user, so it stays a number, and the event is refused.
 */
export function toUserId(id: unknown): unknown {
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
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

/** Adds below one key what a message says beside its properties, without what says nothing. */
export function withRest(own: Fields, key: string, rest: Fields): object {
  const said = Object.entries(rest).filter(([, value]) => !isNothing(value));
  if (said.length === 0) return own;
  return { ...own, [freeKey(own, key)]: Object.fromEntries(said) };
}
