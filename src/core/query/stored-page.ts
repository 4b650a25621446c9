import type { StoredEvent } from '../event/event.ts';
import type { StoredPage } from './event-query.ts';

/** What an event takes as JSON beside its properties, about. */
export const EVENT_OVERHEAD_BYTES = 256;

/** About how much of a page is loaded at a time. */
export const PIECE_BYTES = 1_048_576;

/** How many of the first events make a piece by the sizes of their properties: at least one. */
export function countOfPiece(sizes: Iterable<number>): number {
  let count = 0;
  let bytes = 0;
  for (const size of sizes) {
    bytes += size;
    if (count > 0 && bytes > PIECE_BYTES) break;
    count += 1;
  }
  return count;
}

/** A page of events that are in memory already, for a store that has no better way. */
export function pageOf(events: readonly StoredEvent[]): StoredPage {
  return {
    length: events.length,
    last: events.at(-1),
    bytes: events.reduce((sum, { propertiesJson }) => sum + propertiesJson.length + EVENT_OVERHEAD_BYTES, 0),
    // eslint-disable-next-line @typescript-eslint/require-await
    async *pieces() {
      if (events.length > 0) yield events;
    },
  };
}

/** All events of a page at once, for whoever knows that there is room for them. */
export async function collect(page: StoredPage): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const piece of page.pieces()) events.push(...piece);
  return events;
}
