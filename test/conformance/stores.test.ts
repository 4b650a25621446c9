import { describe, expect, it } from 'vitest';
import {
  memoryEventStore,
  memoryKeyStore,
  memoryRateLimiter,
  memoryTenantStore,
} from '../../adapters/memory/index.ts';
import type { EventStore } from '../../src/index.ts';
import { testEventStore, testKeyStore, testRateLimiter, testTenantStore } from './index.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

const runner = { describe, it, expect };

/** A store that leaves out what it may. */
function requiredOf(store: EventStore): EventStore {
  const own = { ...store };
  delete own.breakdown;
  delete own.since;
  delete own.properties;
  return own;
}

testEventStore('memory', () => ({ store: memoryEventStore() }), runner, { bulkEvents: 40_000 });
testEventStore('memory, required methods only', () => ({ store: requiredOf(memoryEventStore()) }), runner);
testTenantStore('memory', () => ({ store: memoryTenantStore() }), runner);
testKeyStore('memory', () => ({ store: memoryKeyStore() }), runner);
testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner);

testEventStore('sqlite', () => sqliteFixture('events'), runner, { bulkEvents: 40_000 });
testTenantStore('sqlite', () => sqliteFixture('tenants'), runner);
testKeyStore('sqlite', () => sqliteFixture('keys'), runner);
testRateLimiter('sqlite', (clock) => sqliteFixture('limits', clock), runner);
