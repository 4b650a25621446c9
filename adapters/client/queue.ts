import type { EventInput } from '../../src/index.ts';
import { toExactJson } from './body.ts';

/** An event that waits, as the JSON that is sent. */
export interface QueuedEvent {
  readonly json: string;
  /** The size in UTF-8. */
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * Makes the function that gives an event its identity and turns it into JSON. It throws a TypeError for what
 * JSON cannot express.
 */
export function createIntake(): (event: EventInput) => QueuedEvent {
  let sender: string | undefined;
  let count = 0;

  /** An id that no other sender makes. Those of one sender ascend, so events of one time keep their order. */
  function newInsertId(): string {
    // Made at the first event: Workers have no randomness while a module loads. And `randomUUID` exists only
    // in pages of https.
    sender ??= Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) =>
      part.toString(16).padStart(8, '0'),
    ).join('');
    count += 1;
    return `${sender}-${String(count).padStart(10, '0')}`;
  }

  return (event) => {
    const given: unknown = event;
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new TypeError('event: takes an object');
    const { insertId, eventTs } = event;
    const identity = {
      // The sender makes no time for an id of the program: a repeated `append` would get another time, and be
      // another event. The server says so.
      eventTs: eventTs === undefined && insertId === undefined ? Date.now() : eventTs,
      insertId: insertId ?? newInsertId(),
    };
    const json = toExactJson({ ...event, ...identity }, onlyFinite);
    // A `toJSON` of the event may say so.
    if (json === undefined) throw new TypeError('event: is no JSON');
    return { json, bytes: encoder.encode(json).length };
  };
}

/** JSON would turn such a number into null without a word. */
function onlyFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${key}: numbers must be finite, got ${value}`);
  return value;
}

/** Events in the order in which they are sent, with a bound on their number and size. */
export interface Queue {
  readonly length: number;
  readonly bytes: number;
  /** Adds an event; false if it does not fit. */
  add(event: QueuedEvent): boolean;
  /** The first events from `from` on, that together fit into a body of `bytesMax` bytes; at least one. */
  batch(countMax: number, bytesMax: number, from?: number): readonly QueuedEvent[];
  /** Takes the first events out. */
  drop(count: number): void;
}

/** Makes a queue. */
export function createQueue(countMax: number, bytesMax: number): Queue {
  const events: QueuedEvent[] = [];
  let total = 0;
  return {
    get length() {
      return events.length;
    },
    get bytes() {
      return total;
    },
    add(event) {
      if (events.length >= countMax || total + event.bytes > bytesMax) return false;
      total += event.bytes;
      return events.push(event) > 0;
    },
    batch(most, bodyMax, from = 0) {
      let to = from;
      // Brackets and commas count too.
      for (let size = 1; to < events.length && to - from < most; to++) {
        size += events[to]!.bytes + 1;
        if (to > from && size > bodyMax) break;
      }
      return events.slice(from, to);
    },
    drop(count) {
      for (const { bytes } of events.splice(0, count)) total -= bytes;
    },
  };
}

/** The body of a batch. */
export function bodyOf(batch: readonly QueuedEvent[]): string {
  return `[${batch.map(({ json }) => json).join(',')}]`;
}

/** The size of this body in bytes. */
export function sizeOf(batch: readonly QueuedEvent[]): number {
  return batch.reduce((sum, { bytes }) => sum + bytes + 1, 1);
}

/** The event as it is sent. */
export function eventOf({ json }: QueuedEvent): EventInput {
  return JSON.parse(json) as EventInput;
}
