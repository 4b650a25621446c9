import type { StoredEvent } from '../event/event.ts';
import type { StoredPage } from './event-query.ts';

/** What an event takes as JSON beside its texts. */
const EVENT_OVERHEAD_BYTES = 128;

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
