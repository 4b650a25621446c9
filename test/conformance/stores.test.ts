import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  memoryEventStore,
  memoryKeyStore,
  memoryRateLimiter,
  memoryTenantStore,
} from '../../adapters/memory/index.ts';
import { sqliteStores, type SqliteDatabase } from '../../adapters/sqlite/index.ts';
import type { Stores } from '../../src/index.ts';
import {
  testEventStore,
  testKeyStore,
  testRateLimiter,
  testTenantStore,
  type Fixture,
  type SteerableClock,
} from './index.ts';

const runner = { describe, it, expect };

testEventStore('memory', () => ({ store: memoryEventStore() }), runner, { bulkEvents: 40_000 });
testTenantStore('memory', () => ({ store: memoryTenantStore() }), runner);
testKeyStore('memory', () => ({ store: memoryKeyStore() }), runner);
testRateLimiter('memory', (clock) => ({ store: memoryRateLimiter(clock) }), runner);

/** One store of a SQLite file of its own, which is removed at the end. */
function sqlite<Name extends keyof Stores>(
  name: Name,
  clock: SteerableClock = { now: () => Date.now() },
): Fixture<Stores[Name]> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-conformance-'));
  const connect = () => new Database(join(folder, 'events.db')) as unknown as SqliteDatabase;
  const open = () => sqliteStores({ connect, clock });
  let stores = open();
  return {
    store: stores[name],
    close: async () => {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
    reopen: async () => {
      await stores.close();
      stores = open();
      return stores[name];
    },
  };
}

testEventStore('sqlite', () => sqlite('events'), runner, { bulkEvents: 40_000 });
testTenantStore('sqlite', () => sqlite('tenants'), runner);
testKeyStore('sqlite', () => sqlite('keys'), runner);
testRateLimiter('sqlite', (clock) => sqlite('limits', clock), runner);
