import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { sqliteStores, type SqliteDatabase, type SqliteOptions } from '../../../adapters/sqlite/index.ts';
import type { FilterEntry, Stores } from '../../../src/index.ts';
import { parseCountBody, type EventQuery, type StoredEvent } from '../../../src/store-kit.ts';
import { testResources } from '../../support/resources.ts';

export const TENANT = '6c7a2f0e-7f0b-4c58-9a52-3f1f4f0c9a11';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A file that does not exist yet, in a folder that goes when the test ends. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-sqlite-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'events.db');
}

/** The stores of a file, which close when the test ends, unless they were closed before. */
export function openStores(file: string, options: Partial<SqliteOptions> = {}): Stores {
  const stores = sqliteStores({
    connect: () => new Database(file),
    resources: testResources(),
    ...options,
  });
  cleanUps.push(() => stores.close());
  return stores;
}

/** A connection of the test's own, past the stores. */
export function openRaw(file: string): Database.Database {
  const database = new Database(file);
  cleanUps.push(() => database.close());
  return database;
}

/** A driver that tells of each statement that runs. */
export function tracing(file: string, ran: (sql: string) => void): () => SqliteDatabase {
  return () => new Database(file, { verbose: (sql) => ran(String(sql)) });
}

/** What is done before a statement runs. It may throw what the engine would. */
export interface Hooks {
  exec?(sql: string): void;
  /** Before `run`, `get` or `all`, with the statement's text and what it was called with. */
  statement?(sql: string, values: readonly unknown[]): void;
  /** After it. */
  done?(sql: string): void;
}

/** A driver that lets a test act between the statements. */
export function wrapping(file: string, hooks: Hooks): () => SqliteDatabase {
  return () => {
    const database = new Database(file);
    const around = <T>(sql: string, values: readonly unknown[], work: () => T): T => {
      hooks.statement?.(sql, values);
      const result = work();
      hooks.done?.(sql);
      return result;
    };
    return {
      exec: (sql) => {
        hooks.exec?.(sql);
        return database.exec(sql);
      },
      close: () => database.close(),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          run: (...values) => around(sql, values, () => statement.run(...values)),
          get: (...values) => around(sql, values, () => statement.get(...values)),
          all: (...values) => around(sql, values, () => statement.all(...values)),
          iterate: (...values) => around(sql, values, () => statement.iterate(...values)),
        };
      },
    };
  };
}

/** Events a second apart, with `{"p": …}` as their properties. */
export function eventsFrom(
  first: number,
  count: number,
  p: (i: number) => unknown = (i) => i % 5,
): StoredEvent[] {
  return Array.from({ length: count }, (_, k) => ({
    eventName: `name-${(first + k) % 3}`,
    userId: `user-${(first + k) % 7}`,
    eventTs: (first + k) * 1000,
    insertId: `id-${first + k}`,
    propertiesJson: JSON.stringify({ p: p(first + k) }),
  }));
}

export async function fill(stores: Stores, count: number, first = 0): Promise<void> {
  for (let from = first; from < first + count; from += 5000) {
    await stores.events.append(TENANT, eventsFrom(from, Math.min(5000, first + count - from)));
  }
}

export function queryOf(...filterSet: FilterEntry[]): EventQuery {
  return parseCountBody({ filterSet });
}

export const P_IS_3 = queryOf({ property: 'properties.p', comparison: 'EQUALS', value: 3 });
export const PAGE = { offset: 0, size: 10 };
