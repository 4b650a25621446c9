import { aborted } from '../base/errors.ts';
import type { StoredEvent } from '../event/event.ts';
import type { EventStore } from './event-store.ts';
import type { Signal } from '../base/signal.ts';
import { PAGE_SIZE_MAX } from './body.ts';
import type { EventQuery, Page, Position, StoredPage } from './event-query.ts';

/** What an event takes as JSON beside its properties, about. */
export const EVENT_OVERHEAD_BYTES = 256;

/** About how much of a page is loaded at a time. */
export const PIECE_BYTES = 1_048_576;

/** How many of the first events make a piece by the sizes of their properties: at least one. */
export function countOfPiece(length: number, sizeAt: (i: number) => number): number {
  let bytes = 0;
  for (let count = 0; count < length; count++) {
    bytes += sizeAt(count);
    if (count > 0 && bytes > PIECE_BYTES) return count;
  }
  return length;
}

/** A page of events that are in memory already, for a store that has no better way. */
export function pageOf(events: readonly StoredEvent[]): StoredPage {
  let bytes = events.length * EVENT_OVERHEAD_BYTES;
  for (const { propertiesJson } of events) bytes += propertiesJson.length;
  return { length: events.length, last: events.at(-1), bytes, pieces: () => yieldOnce(events) };
}

/**
 * A generator of its own for each page would leave V8 a hidden class for each, which holds the page until the
 * next full collection of garbage.
 */
// eslint-disable-next-line @typescript-eslint/require-await
async function* yieldOnce(events: readonly StoredEvent[]): AsyncGenerator<readonly StoredEvent[]> {
  if (events.length > 0) yield events;
}

/** All events of a page at once, for whoever knows that there is room for them. */
export async function collect(page: StoredPage): Promise<readonly StoredEvent[]> {
  let events: readonly StoredEvent[] = [];
  // Mostly there is one piece, and it is what was asked for.
  for await (const piece of page.pieces()) events = events.length === 0 ? piece : [...events, ...piece];
  return events;
}

/** What is read without an end. */
export interface Reading {
  /** Whose events. */
  readonly tenantId: string;
  /** Which of them. */
  readonly query: EventQuery;
  /** Only events behind this place in the order of answers. */
  readonly after?: Position | undefined;
  /** Aborted when nobody reads on. */
  readonly signal?: Signal | undefined;
}

/**
 * A page without an end: all events that match, newest first, about a mebibyte or one event at a time. It is
 * made of pages that go on behind each other, so that it is as flat as one of them, and goes on behind any
 * event. An event that arrives meanwhile comes where it belongs, unless that place was passed.
 */
export async function* piecesOf(
  store: Pick<EventStore, 'query'>,
  { tenantId, query, after, signal }: Reading,
): AsyncGenerator<readonly StoredEvent[], void> {
  let page: Page | undefined = { offset: 0, size: PAGE_SIZE_MAX, ...(after === undefined ? {} : { after }) };
  while (page !== undefined) {
    const found = await store.query(tenantId, query, page, signal);
    for await (const piece of found.pieces()) {
      if (signal?.aborted === true) throw aborted();
      yield piece;
    }
    const isLast = found.last === undefined || found.length < PAGE_SIZE_MAX;
    page = isLast ? undefined : { ...page, after: found.last };
  }
}

/** The same, event by event. */
export async function* eventsOf(
  store: Pick<EventStore, 'query'>,
  reading: Reading,
): AsyncGenerator<StoredEvent, void> {
  for await (const piece of piecesOf(store, reading)) yield* piece;
}
