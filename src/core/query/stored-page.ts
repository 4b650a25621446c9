import { aborted } from '../base/errors.ts';
import type { StoredEvent } from '../event/event.ts';
import type { EventStore } from './event-store.ts';
import type { Signal } from '../base/signal.ts';
import { PAGE_SIZE_MAX } from './body.ts';
import type { EventQuery, Page, Position, StoredPage } from './event-query.ts';

/** About how many bytes an event takes as JSON besides its properties. */
export const EVENT_OVERHEAD_BYTES = 256;

/** About how many bytes of a page are loaded at a time. */
export const PIECE_BYTES = 1_048_576;

/** How many events make up the next piece, given the sizes of their properties: at least one. */
export function countOfPiece(length: number, sizeAt: (i: number) => number): number {
  let bytes = 0;
  for (let count = 0; count < length; count++) {
    bytes += sizeAt(count);
    if (count > 0 && bytes > PIECE_BYTES) return count;
  }
  return length;
}

/** A page of events that are already in memory, for a store that has no better way. */
export function pageOf(events: readonly StoredEvent[]): StoredPage {
  let bytes = events.length * EVENT_OVERHEAD_BYTES;
  for (const { propertiesJson } of events) bytes += propertiesJson.length;
  return { length: events.length, last: events.at(-1), bytes, pieces: () => yieldOnce(events) };
}

/**
 * With a separate generator for each page, V8 would create a hidden class for each, which retains the page
 * until the next full garbage collection.
 */
// eslint-disable-next-line @typescript-eslint/require-await
async function* yieldOnce(events: readonly StoredEvent[]): AsyncGenerator<readonly StoredEvent[]> {
  if (events.length > 0) yield events;
}

/** All events of a page at once, for callers that know that they fit into memory. */
export async function collect(page: StoredPage): Promise<readonly StoredEvent[]> {
  let events: readonly StoredEvent[] = [];
  // Usually there is one piece, which is returned as it is.
  for await (const piece of page.pieces()) events = events.length === 0 ? piece : [...events, ...piece];
  return events;
}

/** An unbounded read. */
export interface Reading {
  /** The tenant whose events are read. */
  readonly tenantId: string;
  /** Selects the events. */
  readonly query: EventQuery;
  /** Only events after this position in the order of answers. */
  readonly after?: Position | undefined;
  /** Aborted when the reader stops. */
  readonly signal?: Signal | undefined;
}

/**
 * A page without an end: all matching events, newest first, in pieces of about a mebibyte or a single larger
 * event. It reads one page after another, so it needs no more memory than one of them and can continue after
 * any event. An event that arrives meanwhile appears in its place, unless the read has passed it.
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
