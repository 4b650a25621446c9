import type { EventStore } from '../../src/index.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { firstWrites } from './expected.ts';
import { newTenantId } from './runner.ts';

/**
 * Stores batches of a new tenant one after the other. After each it looks at the store, which has to hold
 * these events then.
 */
export async function afterEachBatch(
  store: EventStore,
  batches: readonly (readonly StoredEvent[])[],
  look: (tenantId: string, events: readonly StoredEvent[], batch: readonly StoredEvent[]) => Promise<void>,
): Promise<void> {
  const tenantId = newTenantId();
  for (const [i, batch] of batches.entries()) {
    await store.append(tenantId, batch);
    await look(tenantId, firstWrites(batches.slice(0, i + 1)), batch);
  }
}
