import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStores, type SqliteDatabase, type SqliteOptions } from '../../adapters/sqlite/index.ts';
import type { EventStore, Stores } from '../../src/index.ts';
import { writtenByThread } from '../support/writer-thread.ts';
import type { Fixture, SteerableClock } from './index.ts';
import { testResources } from '../support/resources.ts';

/** One store of a SQLite file of its own, which is removed at the end. */
export function sqliteFixture<Name extends keyof Stores>(
  name: Name,
  clock?: SteerableClock,
  options?: Partial<SqliteOptions>,
): Fixture<Stores[Name]> {
  return sqliteStoresFixture((stores) => stores[name], clock, options);
}

/** What is picked of the stores of a SQLite file of its own, which is removed at the end. */
export function sqliteStoresFixture<Store>(
  pick: (stores: Stores) => Store,
  clock: SteerableClock = { now: () => Date.now() },
  { writer, ...options }: Partial<SqliteOptions> = {},
): Fixture<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-conformance-'));
  const file = join(folder, 'events.db');
  const connect = () => new Database(file) as unknown as SqliteDatabase;
  const thread = writer === 'thread' ? writtenByThread(file) : {};
  const open = () =>
    sqliteStores({ connect, resources: testResources({ runtime: clock }), ...options, ...thread });
  let stores = open();
  return {
    store: pick(stores),
    close: async () => {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
    reopen: async () => {
      await stores.close();
      stores = open();
      return pick(stores);
    },
  };
}

/** The events of a file of which one process stores them, and another answers and erases. */
export function twoProcesses({ writer }: Partial<SqliteOptions> = {}): Fixture<EventStore> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-conformance-'));
  const file = join(folder, 'events.db');
  const connect = () => new Database(file) as unknown as SqliteDatabase;
  const thread = writer === 'thread' ? writtenByThread(file) : {};
  const [storing, answering] = [1, 2].map(() =>
    sqliteStores({ connect, resources: testResources(), ...thread }),
  ) as [Stores, Stores];
  return {
    store: { ...answering.events, append: (...batch) => storing.events.append(...batch) },
    close: async () => {
      await Promise.all([storing.close(), answering.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}
