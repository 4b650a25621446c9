import Database from 'better-sqlite3';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupSqlite, sqliteStores, wrongFileName } from '../../../../adapters/sqlite/index.ts';
import { serve } from '../../../../adapters/serve/index.ts';
import type { SqliteDatabase } from '../../../../adapters/sqlite/index.ts';
import { testResources } from '../../../support/resources.ts';
import { fill, newFile, openStores } from '../fixtures.ts';

const ENDS = [' ', '\t', '\r', '\n', '\r\n', '\u0000', '\u00a0', '\u200b', '\u202e', '\ufeff', '\u3000'];
/** Names that some driver opens as another file than the one of that name. */
const WRONG = [
  '',
  ...ENDS.flatMap((end) => [`e.db${end}`, `${end}e.db`]),
  ...[':memory:', ':MEMORY:', 'file:e.db', 'file:e.db?cache=shared', 'FILE:///e.db', 'file::memory:'],
];

type Driver = new (file: string) => SqliteDatabase;
/** The drivers of this version of Node: 22 and later have one of their own. */
const DRIVERS: readonly (readonly [string, Driver])[] = [
  ['better-sqlite3', Database],
  ...(await import(['node', 'sqlite'].join(':')).then(
    ({ DatabaseSync }: { DatabaseSync: Driver }) => [['node:sqlite', DatabaseSync] as const],
    () => [],
  )),
];

const modesOf = (file: string) =>
  readdirSync(dirname(file)).map((name) => [name, statSync(join(dirname(file), name)).mode & 0o777]);

describe('the name of a file', () => {
  it('is refused where a driver would open another one, with the reason', async () => {
    for (const name of WRONG) {
      expect.soft(wrongFileName(name), JSON.stringify(name)).toMatch(/^the (name|path) of a file/);
      for (const [, driver] of DRIVERS)
        await expect.soft(serve({ file: name, driver, port: 0 })).rejects.toThrow(/serve: file takes/);
    }
    for (const name of ['e.db', './e.db', '/a b/e.db', 'é.db', '.db', 'a:b.db', 'profile:x.db', "it's.db"])
      expect.soft(wrongFileName(name), name).toBeUndefined();
  });

  it('is looked at of a copy, and of what is copied', async () => {
    const file = newFile();
    await fill(openStores(file), 3);
    const connect = (name: string) => new Database(name) as unknown as SqliteDatabase;
    expect(() => backupSqlite(file, `${file}\r`, connect)).toThrow('control characters at its ends');
    expect(() => backupSqlite(`${file} `, `${file}.copy`, connect)).toThrow('blanks or control characters');
    expect(readdirSync(dirname(file)).filter((name) => !/^events\.db(-wal|-shm)?$/.test(name))).toEqual([]);
  });
});

describe.each(DRIVERS)('a file that an embedding program makes with %s', (_name, Driver) => {
  it('is for its owner only, with its log and what stands beside it', async () => {
    const file = newFile();
    const before = process.umask(0o022);
    try {
      const stores = sqliteStores({
        ...{ connect: () => new Driver(file), resources: testResources(), reserveBytes: 65_536 },
      });
      await fill(stores, 3);
      expect(modesOf(file).length).toBeGreaterThanOrEqual(3);
      expect(modesOf(file).filter(([, mode]) => mode !== 0o600)).toEqual([]);
      await stores.close();
      const served = newFile();
      const serving = await serve({ file: served, driver: Driver, port: 0 });
      expect(modesOf(served).filter(([, mode]) => mode !== 0o600)).toEqual([]);
      await serving.close();
    } finally {
      process.umask(before);
    }
  });

  it('keeps the mode that its owner has given it', async () => {
    const file = newFile();
    await fill(openStores(file), 3);
    chmodSync(file, 0o640);
    await fill(openStores(file, { connect: () => new Driver(file) }), 3, 3);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('is none where a database is in memory', () => {
    const connect = () => new Driver(':memory:');
    expect(() => sqliteStores({ connect, resources: testResources() })).toThrow('in memory is gone');
  });
});
