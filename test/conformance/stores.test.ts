import { describe, expect, it } from 'vitest';
import {
  memoryEventStore,
  memoryKeyStore,
  memoryRateLimiter,
  memoryTenantStore,
} from '../../adapters/memory/index.ts';
import { createLedger, type EventStore } from '../../src/index.ts';
import { testEventStore, testKeyStore, testRateLimiter, testTenantStore } from './index.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

const runner = { describe, it, expect };

/** Columns are given up after a few values, and there is memory for a few of them. */
const scarce = () => ({ distinctMax: 5, ledger: createLedger({ bytesMax: 320_000, ownerShare: 1 }) });

/** A store that leaves out what it may. */
function requiredOf(store: EventStore): EventStore {
  const own = { ...store };
  delete own.breakdown;
  delete own.since;
  delete own.properties;
  return own;
}

testEventStore('memory', () => ({ store: memoryEventStore() }), runner, { bulkEvents: 40_000 });
testEventStore('memory, short of it', () => ({ store: memoryEventStore(scarce()) }), runner);
testEventStore('memory, required methods only', () => ({ store: requiredOf(memoryEventStore()) }), runner);
testTenantStore('memory', () => ({ store: memoryTenantStore() }), runner);
testKeyStore('memory', () => ({ store: memoryKeyStore() }), runner);
testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner);

testEventStore('sqlite', () => sqliteFixture('events'), runner, { bulkEvents: 40_000 });
testEventStore('sqlite, short of memory', () => sqliteFixture('events', undefined, scarce()), runner);
testTenantStore('sqlite', () => sqliteFixture('tenants'), runner);
testKeyStore('sqlite', () => sqliteFixture('keys'), runner);
testRateLimiter('sqlite', (clock) => sqliteFixture('limits', clock), runner);

const writer = 'thread';
testEventStore('sqlite, written by a thread', () => sqliteFixture('events', undefined, { writer }), runner);
testTenantStore('sqlite, written by a thread', () => sqliteFixture('tenants', undefined, { writer }), runner);
testKeyStore('sqlite, written by a thread', () => sqliteFixture('keys', undefined, { writer }), runner);
// Each of its restarts begins a thread.
testRateLimiter(
  'sqlite, written by a thread',
  (clock) => sqliteFixture('limits', clock, { writer }),
  runner,
  {
    numRuns: 10,
  },
);
