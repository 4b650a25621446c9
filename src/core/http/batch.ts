import type { Pacer } from '../bounds/scheduler.ts';
import { ApiError, invalid } from '../base/errors.ts';
import { KEYS_MAX } from '../event/event-fields.ts';
import { refuseRounded } from '../event/exact-json.ts';
import { endOfString, hasTooManyKeys, LEVELS_MAX } from '../event/json-depth.ts';
import { parseJsonLine } from '../event/ndjson.ts';
import { EVENT_BYTES_MAX, type ArrivingEvent, type EventInput } from '../event/parse-event.ts';
import { describeValue, utf8Length } from '../event/text.ts';
import { parseJson, tooDeep, type BatchType } from './request.ts';

/** How many events a batch may hold. */
export const BATCH_EVENTS_MAX = 2000;

/**
 * The longest text of an event that is parsed, in characters. As common libraries write JSON, escapes make a
 * text at most three times as long as its content.
 */
const EVENT_TEXT_LENGTH_MAX = EVENT_BYTES_MAX * 3;

/** How many characters are scanned between two chances to yield. */
const STEP_LENGTH = 262_144;

/** A batch whose events are located but not yet parsed. */
export interface Batch {
  /** How many events it holds. */
  readonly length: number;
  /** The size of all events together, in UTF-8 bytes. */
  readonly bytes: number;
  /**
   * Parses the events one by one, in order. An event that cannot be read comes as an ApiError. Throws
   * ApiError (400).
   */
  events(): Iterable<ArrivingEvent>;
}

/** The start and end of a part of a text. */
export type TextRange = readonly [from: number, to: number];

/**
 * Finds the 1 to 2,000 events of a batch without parsing them, so that a text with millions of values is
 * refused before it uses much time and memory. Throws ApiError (400).
 */
export async function findBatch(text: string, type: BatchType, pacer: Pacer): Promise<Batch> {
  const found = type === 'json' ? elementsOf(text) : linesOf(text);
  const { spans, bytes } = await locate(text, found, BATCH_EVENTS_MAX, pacer);
  return {
    length: spans.length,
    bytes,
    *events() {
      // The engine checks the type of the value.
      for (const span of spans) yield parseSpan(text, span, type) as EventInput | ApiError;
    },
  };
}

/** Collects the places of 1 to `eventsMax` events, and their size in UTF-8 bytes. Throws ApiError (400). */
export async function locate(
  text: string,
  found: Iterable<TextRange | undefined>,
  eventsMax: number,
  pacer: Pacer,
): Promise<{ readonly spans: readonly TextRange[]; readonly bytes: number }> {
  const spans: TextRange[] = [];
  let bytes = 0;
  for (const span of found) {
    const pause = pacer.yieldIfDue();
    if (pause !== undefined) await pause;
    if (span === undefined) continue;
    if (spans.length >= eventsMax) throw wrongLength(eventsMax, 'more');
    const event = withoutBlanks(text, span);
    bytes += utf8Length(text.slice(...event));
    spans.push(event);
  }
  if (spans.length === 0) throw wrongLength(eventsMax, '0');
  return { spans, bytes };
}

function wrongLength(eventsMax: number, got: string): ApiError {
  return invalid('body', `takes 1 to ${eventsMax} events, got ${got}`);
}

/**
 * Parses one event of a text. Gives an ApiError where the event alone is at fault. Throws ApiError (400)
 * where the whole text is no JSON.
 */
export function parseSpan(text: string, [from, to]: TextRange, type: BatchType): unknown {
  if (to - from > EVENT_TEXT_LENGTH_MAX) {
    return invalid('event', `takes at most ${EVENT_BYTES_MAX} bytes, got ${to - from}`);
  }
  const part = text.slice(from, to);
  if (hasTooManyKeys(part)) return invalid('properties', `takes at most ${KEYS_MAX} keys`);
  if (type === 'ndjson') return parseJsonLine(part);
  const value = parseJson(part, from);
  return refuseRounded(part) ?? value;
}

/**
 * The lines of NDJSON that are not blank, one at a time: ten million line ends are a small body, but would be
 * a large array of strings. Gives undefined where the caller may yield.
 */
function* linesOf(text: string): Generator<TextRange | undefined> {
  let stepEnd = STEP_LENGTH;
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const to = newline === -1 ? text.length : newline;
    if (!isBlank(text, from, to)) yield [from, to];
    from = to + 1;
    if (from < stepEnd) continue;
    stepEnd = from + STEP_LENGTH;
    yield undefined;
  }
}

/**
 * The elements of a JSON array, one at a time. The array is a text, or the part of a text before `end`. Gives
 * undefined where the caller may yield. Throws ApiError (400) where the text is no array.
 */
export function elementsOf(text: string, begin = 0, end = text.length): Generator<TextRange | undefined> {
  return partsOf(text, beginOf('[', 'an array of events', text, begin, end), end, 0x5d);
}

/** The members of a JSON object, as `elementsOf` gives elements: each is a key, a colon and a value. */
export function membersOf(text: string, takes: string): Generator<TextRange | undefined> {
  return partsOf(text, beginOf('{', takes, text, 0, text.length), text.length, 0x7d);
}

/**
 * The parts of a JSON array or object from `begin`, behind its bracket, to `close`, the bracket that ends it
 * and the text before `end`. Only brackets, quotes and commas are checked.
 */
function* partsOf(text: string, begin: number, end: number, close: number): Generator<TextRange | undefined> {
  let from = begin;
  let levels = 0;
  let stepEnd = begin + STEP_LENGTH;
  for (let at = begin; at < end; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        levels += 1;
        if (levels > LEVELS_MAX) throw tooDeep();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        levels -= 1;
        if (levels >= 0) break;
        if (text.charCodeAt(at) !== close || !isBlank(text, at + 1, end)) throw notJson(at);
        // Only an empty list may lack a part here: after a comma one has to follow.
        if (!isBlank(text, from, at)) yield [from, at];
        else if (from > begin) throw notJson(at);
        return;
      case 0x2c: // ,
        if (levels > 0) break;
        if (isBlank(text, from, at)) throw notJson(at);
        yield [from, at];
        from = at + 1;
        break;
    }
    if (at < stepEnd) continue;
    stepEnd = at + STEP_LENGTH;
    yield undefined;
  }
  throw new ApiError('notJson', ['it ends too early']);
}

/** The position after the bracket that opens a text. Throws ApiError (400) for any other text. */
function beginOf(bracket: string, takes: string, text: string, begin: number, end: number): number {
  const at = skipBlanks(text, begin, end);
  if (text[at] === bracket) return at + 1;
  if (at === end) throw new ApiError('notJson', [`it is empty; send ${takes}`]);
  // The error describes a short body; parsing a long one to describe it would cost too much.
  const part = text.slice(begin, end);
  const got = part.length > DESCRIBED_LENGTH_MAX ? 'something else' : describeValue(parseJson(part, begin));
  throw invalid('body', `takes ${takes}, got ${got}`);
}

const DESCRIBED_LENGTH_MAX = 65_536;

function notJson(position: number): ApiError {
  return new ApiError('notJson', [`at position ${position}`]);
}

/** The position of the first character that is not blank; `end` if all are. */
export function skipBlanks(text: string, begin: number, end: number): number {
  let at = begin;
  while (at < end && isBlank(text, at, at + 1)) at += 1;
  return at;
}

/** A part of a text without the blanks around it: they are no bytes of an event. */
function withoutBlanks(text: string, [from, to]: TextRange): TextRange {
  let end = to;
  while (end > from && isBlank(text, end - 1, end)) end -= 1;
  return [skipBlanks(text, from, end), end];
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return false;
  }
  return true;
}
