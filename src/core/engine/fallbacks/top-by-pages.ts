import { createFirstOf } from '../../base/first-of.ts';
import type { Signal } from '../../base/signal.ts';
import { reserveOrThrow, type MemoryBudget } from '../../bounds/memory-budget.ts';
import type { StoredEvent } from '../../event/event.ts';
import { toEventView, valueBelow } from '../../filter/predicate.ts';
import type { EventQuery, StoredPage } from '../../query/event-query.ts';
import type { EventStore } from '../../query/event-store.ts';
import { compareRanked, type Ranking } from '../../query/ranking.ts';
import { EVENT_OVERHEAD_BYTES, eventsOf, pageOf } from '../../query/stored-page.ts';

/** An event with its number, and how many came before it in the order of pages. */
interface Ranked {
  readonly number: number;
  readonly place: number;
  readonly event: StoredEvent;
}

/**
 * The events with the first numbers at a path, of a store that can only answer pages. It reads every matching
 * event and keeps those of the answer.
 */
export async function topByPages(
  store: Pick<EventStore, 'query'>,
  asked: { readonly tenantId: string; readonly query: EventQuery; readonly ranking: Ranking },
  memory: MemoryBudget,
  signal: Signal | undefined,
): Promise<StoredPage> {
  const { of, order, size } = asked.ranking;
  const compare = compareRanked(order);
  const reservation = memory.reservation(asked.tenantId);
  try {
    const first = createFirstOf<Ranked>(size, (a, b) => compare(a.number, b.number) || a.place - b.place);
    let place = 0;
    for await (const event of eventsOf(store, { ...asked, signal })) {
      const number = valueBelow(toEventView(event).properties, of.segments);
      if (typeof number !== 'number') continue;
      reserveOrThrow(reservation, bytesOf(event));
      const left = first.add({ number, place, event });
      place += 1;
      if (left !== undefined) reservation.release(bytesOf(left.event));
    }
    return pageOf(first.sorted().map(({ event }) => event));
  } finally {
    reservation.release();
  }
}

/** About how many bytes an event takes, whose properties may have two for each character. */
function bytesOf({ propertiesJson }: StoredEvent): number {
  return EVENT_OVERHEAD_BYTES + propertiesJson.length * 2;
}
