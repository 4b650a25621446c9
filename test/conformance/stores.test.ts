import { describe, expect, it } from 'vitest';
import {
  memoryEventStore,
  memoryKeyStore,
  memoryRateLimiter,
  memoryStores,
  memoryTenantStore,
} from '../../adapters/memory/index.ts';
import type { EventStore, Stores } from '../../src/index.ts';
import {
  testAdminStore,
  testEventStore,
  testKeyStore,
  testRateLimiter,
  testRefusalStore,
  testTenantStore,
  testUsageStore,
  testViewStore,
  type Noting,
  type RefusalsWithAudit,
  type ViewsWithAudit,
} from './index.ts';
import { sqliteFixture, sqliteStoresFixture } from './sqlite-fixture.ts';
import { testResources } from '../support/resources.ts';

const runner = { describe, it, expect };

/** A store that leaves out what it may. */
function requiredOf(store: EventStore): EventStore {
  const own = { ...store };
  delete own.breakdown;
  delete own.since;
  delete own.properties;
  return own;
}

testEventStore('memory', () => ({ store: memoryEventStore({ resources: testResources() }) }), runner, {
  bulkEvents: 40_000,
});
testEventStore(
  'memory, required methods only',
  () => ({ store: requiredOf(memoryEventStore({ resources: testResources() })) }),
  runner,
);
testTenantStore('memory', () => ({ store: memoryTenantStore() }), runner);
testKeyStore('memory', () => ({ store: memoryKeyStore() }), runner);
testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner);

testEventStore('sqlite', () => sqliteFixture('events'), runner, { bulkEvents: 40_000 });
testTenantStore('sqlite', () => sqliteFixture('tenants'), runner);
testKeyStore('sqlite', () => sqliteFixture('keys'), runner);
testRateLimiter('sqlite', (clock) => sqliteFixture('limits', clock), runner);

const noting = (stores: Stores) => stores as Noting;
const clock = { now: () => Date.now() };
testAdminStore(
  'memory',
  () => ({ store: noting(memoryStores({ resources: testResources({ runtime: clock }) })) }),
  runner,
);
testAdminStore('sqlite', () => sqliteStoresFixture(noting), runner);

const withAudit = (stores: Stores) => stores as RefusalsWithAudit;
testRefusalStore(
  'memory',
  () => ({ store: withAudit(memoryStores({ resources: testResources({ runtime: clock }) })) }),
  runner,
);
testRefusalStore('sqlite', () => sqliteStoresFixture(withAudit), runner);

const usageOf = (stores: Stores) => stores.usage!;
testUsageStore(
  'memory',
  () => ({ store: usageOf(memoryStores({ resources: testResources({ runtime: clock }) })) }),
  runner,
);
testUsageStore('sqlite', () => sqliteStoresFixture(usageOf), runner);

const withViews = (stores: Stores) => stores as ViewsWithAudit;
testViewStore(
  'memory',
  () => ({ store: withViews(memoryStores({ resources: testResources({ runtime: clock }) })) }),
  runner,
);
testViewStore('sqlite', () => sqliteStoresFixture(withViews), runner);
