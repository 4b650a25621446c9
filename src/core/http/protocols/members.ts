import { ApiError, invalid, isApiError } from '../../base/errors.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { refuseRounded } from '../../event/exact-json.ts';
import type { ArrivingEvent, EventInput } from '../../event/parse-event.ts';
import { utf8Length } from '../../event/text.ts';
import {
  BATCH_EVENTS_MAX,
  elementsOf,
  findBatch,
  locate,
  membersOf,
  parseSpan,
  skipBlanks,
  type Batch,
  type TextRange,
} from '../batch.ts';
import { INGEST_BODY_BYTES_MAX, type BatchText } from '../request.ts';

/** Makes an event of a message, at once or later; `index` is its place. Throws ApiError (400). */
export type ToEvent = (message: unknown, index: number) => EventInput | Promise<EventInput>;

/** How a protocol writes several events as an object: an array of messages, and what they have in common. */
export interface Envelope<S> {
  /** The member of the object that holds the array. */
  readonly member: string;
  /** How many messages the array may hold. Default 2,000. */
  readonly eventsMax?: number;
  /** What each event gets of the members beside the array. It counts for each event, as its JSON. */
  readonly shared: (others: Readonly<Record<string, unknown>>) => S;
  /** Makes an event of a message. Throws ApiError (400). */
  readonly toEvent: (message: unknown, shared: S) => EventInput | Promise<EventInput>;
  /** Makes an event of an object without the member; absent where such a body is refused. */
  readonly alone?: ToEvent;
}

/** Finds the messages of an object that holds them in an array. Throws ApiError: 400, 413. */
export async function findEnvelope<S>(
  text: string,
  { member, eventsMax = BATCH_EVENTS_MAX, shared: share, toEvent, alone }: Envelope<S>,
  pacer: Pacer,
): Promise<Batch> {
  const takes = `an object with the array ${member}`;
  const place = await findMember(text, { member, takes }, pacer);
  if (place === undefined && alone !== undefined) return oneMessage(text, alone);
  if (place === undefined) throw invalid(member, 'takes an array of events, got nothing');
  const shared = share(readOthers(text, member, place));
  const { spans, bytes } = await locate(text, elementsOf(text, ...place), eventsMax, pacer);
  // What the events share becomes a part of each of them, so it counts for each.
  const all = bytes + spans.length * utf8Length(JSON.stringify(shared));
  if (all > INGEST_BODY_BYTES_MAX) throw new ApiError('bodyTooLarge', [INGEST_BODY_BYTES_MAX]);
  return toBatch(text, { spans, bytes: all }, (message) => toEvent(message, shared));
}

/** Finds the 1 to 2,000 messages of a body that is an array, or lines. Throws ApiError: 400. */
export async function findList({ text, type }: BatchText, toEvent: ToEvent, pacer: Pacer): Promise<Batch> {
  const found = await findBatch(text, type, pacer);
  return {
    ...{ length: found.length, bytes: found.bytes },
    *events() {
      let index = 0;
      for (const message of found.events()) yield eventOf(message, toEvent, index++);
    },
  };
}

/** A body that is one message, whole. `toEvent` throws ApiError (400). */
export function oneMessage(text: string, toEvent: ToEvent): Batch {
  return toBatch(text, { spans: [[0, text.length]], bytes: utf8Length(text) }, toEvent);
}

/**
 * The text of a member of an object, which others surround; undefined where it is absent or no text. It is
 * found without parsing what surrounds it. Throws ApiError (400) where the body is no object.
 */
export async function findText(text: string, member: string, pacer: Pacer): Promise<string | undefined> {
  const place = await findMember(text, { member, takes: 'an object' }, pacer);
  if (place === undefined || place[1] - place[0] > TEXT_LENGTH_MAX) return undefined;
  const value = parseSpan(text, place, 'json');
  return typeof value === 'string' ? value : undefined;
}

/** No text that is looked for by its member, such as a key, is longer. */
const TEXT_LENGTH_MAX = 1024;

/**
 * Where the value of the first member of a name is in a text; undefined where it has none. Throws ApiError
 * (400) for no object.
 */
async function findMember(
  text: string,
  { member, takes }: { readonly member: string; readonly takes: string },
  pacer: Pacer,
): Promise<TextRange | undefined> {
  const key = JSON.stringify(member);
  let found: TextRange | undefined;
  // It goes on behind the member, so that an object that does not end is refused.
  for (const range of membersOf(text, takes)) {
    const pause = pacer.yieldIfDue();
    if (pause !== undefined) await pause;
    if (range === undefined || found !== undefined) continue;
    const [from, to] = range;
    const keyAt = skipBlanks(text, from, to);
    const colonAt = skipBlanks(text, keyAt + key.length, to);
    if (text.startsWith(key, keyAt) && text[colonAt] === ':') found = [colonAt + 1, to];
  }
  return found;
}

/** What an object says besides the member at a place. Throws ApiError (400). */
function readOthers(text: string, member: string, [from, to]: TextRange): Readonly<Record<string, unknown>> {
  const others = parseOthers(`${text.slice(0, from)}null${text.slice(to)}`, member);
  if (others[member] !== null) throw invalid(member, 'stands in the body more than once');
  return others;
}

function parseOthers(text: string, member: string): Readonly<Record<string, unknown>> {
  let others: unknown;
  try {
    others = parseSpan(text, [0, text.length], 'json');
  } catch {
    // A position in this text is none in the body.
    throw new ApiError('notJson', [`beside the array ${member}`]);
  }
  const rounded = refuseRounded(text);
  if (rounded !== undefined) throw rounded;
  if (isApiError(others)) throw invalid('body', `holds too much beside the array ${member}`);
  return others as Readonly<Record<string, unknown>>;
}

function toBatch(
  text: string,
  { spans, bytes }: { readonly spans: readonly TextRange[]; readonly bytes: number },
  toEvent: ToEvent,
): Batch {
  return {
    length: spans.length,
    bytes,
    *events() {
      for (const [index, span] of spans.entries())
        yield eventOf(parseSpan(text, span, 'json'), toEvent, index);
    },
  };
}

/** The event that is made of a message, or why there is none. */
function eventOf(message: unknown, toEvent: ToEvent, index: number): ArrivingEvent {
  if (isApiError(message)) return message;
  try {
    return toEvent(message, index);
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
