import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { EventStore } from '../../query/event-store.ts';
import type { Signal } from '../../base/signal.ts';
import { parseCountBody } from '../../query/parse-query.ts';
import type { Properties } from '../../query/properties.ts';
import { eventsOf } from '../../query/stored-page.ts';
import { createPropertyTable } from '../../columns/properties/property-table.ts';

/**
 * The properties of a tenant's events of one name, or of all events. It reads each of these events. The
 * result is reserved in the memory budget as it grows.
 */
export async function propertiesByPages(
  store: Pick<EventStore, 'query'>,
  { tenantId, event }: { readonly tenantId: string; readonly event: string | undefined },
  memory: MemoryBudget,
  signal: Signal | undefined,
): Promise<Properties> {
  const reservation = memory.reservation(tenantId);
  try {
    const table = createPropertyTable(reservation);
    const query = parseCountBody(event === undefined ? {} : { event });
    for await (const stored of eventsOf(store, { tenantId, query, signal })) table.add(stored);
    return table.answer(event);
  } finally {
    reservation.release();
  }
}
