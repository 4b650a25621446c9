import Database from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../adapters/sqlite/index.ts';
import { MIGRATIONS } from '../../../adapters/sqlite/file/migrations.ts';
import { eventsFrom, newFile, openRaw, openStores, P_IS_3, TENANT } from './fixtures.ts';

describe('a file', () => {
  it('of a newer schema is refused and left as it is', () => {
    const file = newFile();
    openStores(file);
    const raw = openRaw(file);
    raw.pragma('user_version = 99');
    expect(() => openStores(file)).toThrow(
      `newer event-query: its schema is version 99, and this one knows up to version ${MIGRATIONS.length}`,
    );
    expect(raw.pragma('user_version', { simple: true })).toBe(99);
  });

  it('that is no database is refused and left as it is', () => {
    const file = newFile();
    writeFileSync(file, 'Dear diary, '.repeat(1000));
    expect(() => openStores(file)).toThrow('The file is not a SQLite database.');
  });

  it('of another application is refused and left as it is', () => {
    const file = newFile();
    const raw = openRaw(file);
    raw.exec('CREATE TABLE notes (text TEXT)');
    expect(() => openStores(file)).toThrow('database of another application');
    expect(raw.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()).toBe(1);
    expect(raw.pragma('journal_mode', { simple: true })).toBe('delete');
  });

  it('that cannot be opened is unavailable', () => {
    const connect = () => new Database(newFile(), { fileMustExist: true });
    expect(() => openStores('', { connect })).toThrow(
      expect.objectContaining({ name: 'ApiError', status: 503 }),
    );
  });

  it('that is opened by several at once is migrated once', async () => {
    const file = newFile();
    const all = [openStores(file), openStores(file), openStores(file)];
    for (const stores of all) await stores.ready();
    expect(openRaw(file).pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
  });

  it('is in WAL mode, and what it holds outlives a close', async () => {
    const file = newFile();
    const stores = openStores(file);
    await stores.events.append(TENANT, eventsFrom(0, 10));
    await stores.close();
    expect(openRaw(file).pragma('journal_mode', { simple: true })).toBe('wal');
    expect(await openStores(file).events.count(TENANT, P_IS_3)).toBe(2);
  });
});

describe('a driver', () => {
  it('is any that has these methods', () => {
    // What node:sqlite declares, which this version of Node does not have: it fits because this compiles.
    interface StatementSync {
      run(...values: (null | number | bigint | string | NodeJS.ArrayBufferView)[]): {
        changes: number | bigint;
        lastInsertRowid: number | bigint;
      };
      get(
        ...values: (null | number | bigint | string | NodeJS.ArrayBufferView)[]
      ): Record<string, unknown> | undefined;
      all(...values: (null | number | bigint | string | NodeJS.ArrayBufferView)[]): Record<string, unknown>[];
      iterate(
        ...values: (null | number | bigint | string | NodeJS.ArrayBufferView)[]
      ): NodeJS.Iterator<Record<string, unknown>>;
    }
    interface DatabaseSync {
      prepare(sql: string): StatementSync;
      exec(sql: string): void;
      close(): void;
    }
    const fits: (database: DatabaseSync) => SqliteDatabase = (database) => database;
    expect(fits).toBeTypeOf('function');
  });

  it('may answer as node:sqlite does: bigint changes, bare rows, numeric error codes', async () => {
    const file = newFile();
    const connect = (): SqliteDatabase => {
      const database = new Database(file);
      const numbered = <T>(work: () => T): T => {
        try {
          return work();
        } catch (error) {
          throw Object.assign(new Error('database is locked'), { errcode: 517, cause: error });
        }
      };
      return {
        exec: (sql) => void numbered(() => database.exec(sql)),
        close: () => void database.close(),
        prepare: (sql) => {
          const statement = database.prepare(sql);
          const bare = (row: unknown) =>
            row === undefined ? row : Object.assign(Object.create(null) as object, row);
          return {
            run: (...values) => numbered(() => ({ changes: BigInt(statement.run(...values).changes) })),
            get: (...values) => numbered(() => bare(statement.get(...values))),
            all: (...values) => numbered(() => statement.all(...values).map(bare)),
            iterate: (...values) => statement.iterate(...values),
          };
        },
      };
    };
    const stores = openStores(file, { connect, busyTimeoutMs: 0 });
    expect(await stores.events.append(TENANT, [...eventsFrom(0, 10), ...eventsFrom(3, 2)])).toEqual({
      duplicates: [10, 11],
      overNames: [],
    });
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(2);
    openRaw(file).exec('BEGIN IMMEDIATE');
    await expect(stores.events.append(TENANT, eventsFrom(20, 1))).rejects.toMatchObject({ status: 503 });
  });
});
