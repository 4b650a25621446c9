import type { Ledger } from '../../bounds/ledger.ts';
import type { EventStore } from '../../query/event-store.ts';
import type { Signal } from '../../base/signal.ts';
import { parseCountBody } from '../../query/parse-query.ts';
import type { Properties } from '../../query/properties.ts';
import { eventsOf } from '../../query/stored-page.ts';
import { createPropertyTable } from './property-table.ts';

/**
 * The properties of a tenant's events of one name, or of all, each of which is read; booked in the ledger as
 * what is put together grows.
 */
export async function propertiesByPages(
  store: Pick<EventStore, 'query'>,
  { tenantId, event }: { readonly tenantId: string; readonly event: string | undefined },
  ledger: Ledger,
  signal: Signal | undefined,
): Promise<Properties> {
  const account = ledger.account(tenantId);
  try {
    const table = createPropertyTable(account);
    const query = parseCountBody(event === undefined ? {} : { event });
    for await (const stored of eventsOf(store, { tenantId, query, signal })) table.add(stored);
    return table.answer(event);
  } finally {
    account.release();
  }
}
