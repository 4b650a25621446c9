import type { Pacer } from '../bounds/scheduler.ts';
import { SEGMENT_PATHS, toSegmentEvent, type SegmentCall, type SegmentShared } from '../compat/segment.ts';
import { ApiError, invalid, isApiError } from '../base/errors.ts';
import type { EventInput } from '../event/parse-event.ts';
import { utf8Length } from '../event/text.ts';
import { elementsOf, locate, membersOf, parseSpan, skipBlanks, type Batch, type TextRange } from './batch.ts';
import { INGEST_BODY_BYTES_MAX } from './request.ts';

/** How many events Segment takes in a batch, so that none of its SDKs sends more. */
const SEGMENT_EVENTS_MAX = 2500;

const BATCH_KEY = '"batch"';

/**
 * Finds the events in the body of a call of Segment's tracking API: one message, or the messages of a batch.
 * `path` is the last segment of the path, a key of `SEGMENT_PATHS`. Throws ApiError: 400, 413.
 */
export async function findSegmentBatch(text: string, path: string, pacer: Pacer): Promise<Batch> {
  const call = SEGMENT_PATHS[path as keyof typeof SEGMENT_PATHS];
  if (call !== 'batch') {
    return toBatch(text, { spans: [[0, text.length]], bytes: utf8Length(text) }, {}, call);
  }
  const place = await findMessages(text, pacer);
  const shared = readShared(text, place);
  const { spans, bytes } = await locate(text, elementsOf(text, ...place), SEGMENT_EVENTS_MAX, pacer);
  // What the events share becomes a part of each of them, so it counts for each.
  const all = bytes + spans.length * utf8Length(JSON.stringify(shared));
  if (all > INGEST_BODY_BYTES_MAX) throw new ApiError('bodyTooLarge', [INGEST_BODY_BYTES_MAX]);
  return toBatch(text, { spans, bytes: all }, shared);
}

/** Where the value of the key `batch` is in a text. Throws ApiError (400) where there is none. */
async function findMessages(text: string, pacer: Pacer): Promise<TextRange> {
  let found: TextRange | undefined;
  for (const member of membersOf(text, 'an object with the array batch')) {
    const pause = pacer.yieldIfDue();
    if (pause !== undefined) await pause;
    if (member === undefined || found !== undefined) continue;
    const [from, to] = member;
    const keyAt = skipBlanks(text, from, to);
    const colonAt = skipBlanks(text, keyAt + BATCH_KEY.length, to);
    if (text.startsWith(BATCH_KEY, keyAt) && text[colonAt] === ':') found = [colonAt + 1, to];
  }
  if (found === undefined) throw invalid('batch', 'takes an array of events, got nothing');
  return found;
}

/** What a batch says besides its events. Throws ApiError (400). */
function readShared(text: string, [from, to]: TextRange): SegmentShared {
  const others = `${text.slice(0, from)}null${text.slice(to)}`;
  const { batch, context, integrations, sentAt } = parseOthers(others);
  if (batch !== null) throw invalid('batch', 'stands in the body more than once');
  return { context, integrations, sentAt };
}

function parseOthers(text: string): SegmentShared & { readonly batch?: unknown } {
  let envelope: unknown;
  try {
    envelope = parseSpan(text, [0, text.length], 'json');
  } catch {
    // A position in this text is none in the body.
    throw new ApiError('notJson', ['beside the array batch']);
  }
  if (isApiError(envelope)) throw invalid('body', 'holds too much beside the array batch');
  return envelope as SegmentShared;
}

function toBatch(
  text: string,
  { spans, bytes }: { readonly spans: readonly TextRange[]; readonly bytes: number },
  shared: SegmentShared,
  call?: SegmentCall,
): Batch {
  return {
    length: spans.length,
    bytes,
    *events() {
      for (const span of spans) yield read(parseSpan(text, span, 'json'), shared, call);
    },
  };
}

/** A message as an event, or the reason why it is none. */
function read(message: unknown, shared: SegmentShared, call: SegmentCall | undefined): EventInput | ApiError {
  if (isApiError(message)) return message;
  try {
    return toSegmentEvent(message, call, shared);
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
