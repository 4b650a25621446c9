import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStores, type SqliteDatabase, type SqliteOptions } from '../../adapters/sqlite/index.ts';
import type { Stores } from '../../src/index.ts';
import type { Fixture, SteerableClock } from './index.ts';

/** One store of a SQLite file of its own, which is removed at the end. */
export function sqliteFixture<Name extends keyof Stores>(
  name: Name,
  clock: SteerableClock = { now: () => Date.now() },
  options: Partial<SqliteOptions> = {},
): Fixture<Stores[Name]> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-conformance-'));
  const connect = () => new Database(join(folder, 'events.db')) as unknown as SqliteDatabase;
  const open = () => sqliteStores({ connect, clock, ...options });
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
