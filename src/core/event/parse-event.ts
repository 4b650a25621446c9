import { invalid, type ApiError } from '../base/errors.ts';
import { canonicalJson } from './canonical-json.ts';
import { EPOCH_MS_MIN, guessEpoch, isEpochText } from './epoch.ts';
import { EVENT_INPUT_FIELDS, INSERT_ID_PATTERN, NAME_LENGTH_MAX } from './event-fields.ts';
import { isEmptyList, type StoredEvent } from './event.ts';
import { codePointLength, describeValue, isStorableText, quote, utf8Length } from './text.ts';
import { DAY_MS, EVENT_TS_MAX, EVENT_TS_MIN, parseInstant, toIsoDay, toIsoInstant } from './time.ts';

/** The size limit of an event: the UTF-8 bytes of its fields, with its properties as canonical JSON. */
export const EVENT_BYTES_MAX = 1_048_576;
/** How far in the future an event may be when it arrives. */
export const FUTURE_MS_MAX = DAY_MS;
const EVENT_KEYS = Object.keys(EVENT_INPUT_FIELDS);

/** An event as a client sends it. */
export interface EventInput {
  /** What happened: 1 to 256 characters. */
  readonly eventName: string;
  /** Who did it: 1 to 256 characters. */
  readonly userId: string;
  /** ISO 8601 with an offset, epoch milliseconds, or in process a Date. Default: the server's clock. */
  readonly eventTs?: string | number | Date;
  /** 1 to 128 printable ASCII characters; requires an `eventTs`. Default: a UUID of version 7. */
  readonly insertId?: string;
  /** Any JSON object of at most 64 levels; an object typed by your own interface works. Default: `{}`. */
  readonly properties?: object;
  /** Exported events contain it. If present, it must be the UTC date of `eventTs`. */
  readonly eventDate?: string;
}

/**
 * An event of a batch, or the reason why it cannot be read. It is a promise where a runtime takes time for
 * the hash that its id is made of.
 */
export type ArrivingEvent = EventInput | ApiError | Promise<EventInput>;

/** Supplies what the server adds to an event. */
export interface EventSource {
  /** When the event arrives, by the server's clock: epoch milliseconds. */
  now(): number;
  /** The time of an event that has none. Default: `now()`. */
  newEventTs?(): number;
  /** An id for this event, greater than those of all earlier events in its batch. */
  newInsertId(event: EventContent): string;
}

/** The content of an event, without its time and id. */
export type EventContent = Pick<StoredEvent, 'eventName' | 'userId' | 'propertiesJson'>;

/**
 * Turns an event that a client sent into a stored event. It truncates and guesses nothing: it throws ApiError
 * (400), with a message that begins with the field, if the input breaks a rule of events or of canonical
 * JSON.
 */
export function parseEvent(input: unknown, source: EventSource): StoredEvent {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('event', `takes an object, got ${describeValue(input)}`);
  }
  const fields = input as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    if (key === 'receivedAt')
      throw invalid(key, 'is what the server’s clock says when the event arrives; leave it out');
    if (!EVENT_KEYS.includes(key))
      throw invalid(quote(key), `unknown key; use one of ${EVENT_KEYS.join(', ')}`);
  }
  const receivedAt = source.now();
  const told = fields.eventTs === undefined ? source.newEventTs?.() : fields.eventTs;
  const eventTs = parseEventTs(told, receivedAt);
  const eventName = parseName('eventName', fields.eventName);
  const userId = parseName('userId', fields.userId);
  const given = parseInsertId(fields.insertId, fields.eventTs);
  const propertiesJson = parseProperties(fields.properties);
  const insertId = given ?? source.newInsertId({ eventName, userId, propertiesJson });
  const event: StoredEvent = { eventName, userId, eventTs, insertId, propertiesJson, receivedAt };
  if (fields.eventDate !== undefined && fields.eventDate !== toIsoDay(eventTs)) {
    throw invalid('eventDate', `must be the UTC date of eventTs, ${toIsoDay(eventTs)}, or absent`);
  }
  checkSize(event);
  return event;
}

function parseName(field: 'eventName' | 'userId', value: unknown): string {
  const takes = `takes ${EVENT_INPUT_FIELDS[field].takes}`;
  if (typeof value !== 'string') throw invalid(field, `${takes}, got ${describeValue(value)}`);
  if (!isStorableText(value)) throw invalid(field, 'must be well-formed Unicode without U+0000');
  const length = value.length <= NAME_LENGTH_MAX ? value.length : codePointLength(value);
  if (length < 1 || length > NAME_LENGTH_MAX) throw invalid(field, `${takes}, got ${length}`);
  return value;
}

function parseEventTs(value: unknown, receivedAt: number): number {
  if (value === undefined) return receivedAt;
  const ms = readEventTs(value);
  if (ms === undefined || Number.isNaN(ms)) {
    throw invalid('eventTs', `takes ${EVENT_INPUT_FIELDS.eventTs.takes}, got ${describeValue(value)}`);
  }
  if (ms < EVENT_TS_MIN || ms > EVENT_TS_MAX) {
    throw invalid('eventTs', `must lie between 1970 and 2099, got ${describeValue(value)}`);
  }
  const latest = receivedAt + FUTURE_MS_MAX;
  if (ms > latest) {
    throw invalid(
      'eventTs',
      `must be at most 24 hours in the future (${toIsoInstant(latest)}), got ${describeValue(value)}`,
    );
  }
  return ms;
}

/** The epoch milliseconds of a time as a client sends it; fractions of one are dropped. */
function readEventTs(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  const isNumber = typeof value === 'number';
  if (typeof value === 'string' && !isEpochText(value)) return parseInstant(value);
  if (!isNumber && typeof value !== 'string') return undefined;
  if (isNumber && value >= EPOCH_MS_MIN && value <= EVENT_TS_MAX) return Math.floor(value);
  const guess = guessEpoch(value);
  if (guess !== undefined)
    throw invalid('eventTs', `${guess}; send milliseconds as a number, or an ISO 8601 date-time`);
  if (isNumber && value >= EVENT_TS_MIN && value < EPOCH_MS_MIN)
    throw invalid('eventTs', `a number is milliseconds from 1990 on, got ${value}; send ISO 8601`);
  return isNumber ? value : undefined;
}

function parseInsertId(value: unknown, eventTs: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !INSERT_ID_PATTERN.test(value)) {
    throw invalid('insertId', `takes ${EVENT_INPUT_FIELDS.insertId.takes}, got ${describeValue(value)}`);
  }
  if (eventTs === undefined) {
    throw invalid('insertId', 'needs an eventTs beside it: without one a retry could not be recognised');
  }
  return value;
}

function parseProperties(value: unknown): string {
  // PHP writes an empty map as an empty list.
  if (value === undefined || isEmptyList(value)) return '{}';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('properties', `takes ${EVENT_INPUT_FIELDS.properties.takes}, got ${describeValue(value)}`);
  }
  return canonicalJson(value, 'properties');
}

function checkSize(event: StoredEvent): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so short texts need no count.
  if (event.propertiesJson.length * 3 + 4096 <= EVENT_BYTES_MAX) return;
  const bytes = utf8Length(event.propertiesJson) + utf8Length(event.eventName) + utf8Length(event.userId);
  if (bytes > EVENT_BYTES_MAX) throw invalid('event', `takes at most ${EVENT_BYTES_MAX} bytes, got ${bytes}`);
}
