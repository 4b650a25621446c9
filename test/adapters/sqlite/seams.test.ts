import { describe, expect, it } from 'vitest';
import { prepareChunks } from '../../../adapters/sqlite/chunks.ts';
import { toChunksId } from '../../../adapters/sqlite/log/log-name.ts';
import { createWriter } from '../../../adapters/sqlite/writer/writer.ts';
import { MINUTE_MS } from '../../../src/core/base/token-bucket.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import {
  eventsFrom,
  fill,
  newFile,
  openRaw,
  openStores,
  P_IS_3,
  queryOf,
  TENANT,
  wrapping,
} from './fixtures.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

/** Rows of a chunk; a log of a little more has one whole chunk. */
const CHUNK = 32_768;
const WINDOWS = [{ limit: 3, windowMs: MINUTE_MS }];

/** A driver after whose statements that begin so another connection tries to write, and what it got. */
function writingAfter(file: string, begin: string, sql: string) {
  const raw = openRaw(file);
  raw.pragma('busy_timeout = 0');
  const tries: unknown[] = [];
  const done = (ran: string) => {
    if (!ran.startsWith(begin)) return;
    try {
      raw.exec(sql);
      tries.push('written');
    } catch (error) {
      tries.push((error as { code?: unknown }).code);
    }
  };
  return { connect: wrapping(file, { done }), tries };
}

describe('what a lock is for', () => {
  it('a take holds the write lock from what it reads to what it writes', async () => {
    const file = newFile();
    openStores(file);
    // Between the look at the bucket and the taking of the token, another process would take one.
    const { connect, tries } = writingAfter(
      file,
      'SELECT used',
      "INSERT OR REPLACE INTO buckets VALUES ('k', '[60000]', 1)",
    );
    const { limits } = openStores(file, { connect, resources: testResources({ runtime: { now: () => 1 } }) });
    expect((await limits.take('k', WINDOWS, [1])).windows[0]!.remaining).toBe(2);
    expect(tries).toEqual(['SQLITE_BUSY']);
  });

  it('a batch numbers its rows behind the write lock', async () => {
    const file = newFile();
    openStores(file);
    const { connect, tries } = writingAfter(file, 'SELECT number, size', 'UPDATE logs SET size = size + 1');
    const { events } = openStores(file, { connect });
    await events.append(TENANT, eventsFrom(0, 5));
    expect(tries).toEqual(['SQLITE_BUSY']);
    expect(await events.count(TENANT, EVERYTHING)).toBe(5);
  });

  it('a query that would keep its columns waits for no other writer', async () => {
    const file = newFile();
    const stores = openStores(file, { busyTimeoutMs: 20_000 });
    await fill(stores, CHUNK);
    openRaw(file).exec('BEGIN IMMEDIATE');
    const began = performance.now();
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(6553);
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

describe('what is released', () => {
  it('a batch that fails half way leaves the lock, and no name behind', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 3);
    const broken = eventsFrom(3, 2).map((event, i) => ({
      ...event,
      eventName: 'new',
      propertiesJson: i === 1 ? '{' : '{}',
    }));
    await expect(stores.events.append(TENANT, broken)).rejects.toThrow('malformed JSON');
    expect(await stores.events.eventNames(TENANT)).toEqual(['name-0', 'name-1', 'name-2']);
    const raw = openRaw(file);
    raw.pragma('busy_timeout = 0');
    raw.exec('BEGIN IMMEDIATE; ROLLBACK');
    expect(await stores.events.append(TENANT, broken.slice(0, 1), { namesMax: 4 })).toEqual({
      duplicates: [],
      overNames: [],
    });
  });

  it('stores that cannot be opened leave no connection open', () => {
    const file = newFile();
    openStores(file);
    openRaw(file).pragma('user_version = 99');
    let [opened, closed] = [0, 0];
    const connect = () => {
      const database = openRaw(file);
      const close = database.close.bind(database);
      database.close = () => {
        closed += 1;
        return close();
      };
      opened += 1;
      return database;
    };
    expect(() => openStores(file, { connect })).toThrow('newer event-query');
    expect([opened, closed]).toEqual([1, 1]);
  });

  it('a log that is erased under a running question answers it no more', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, CHUNK * 2);
    const counting = stores.events.count(TENANT, P_IS_3);
    await new Promise((resolve) => setImmediate(resolve));
    // As another process begins to erase: the events are still there.
    openRaw(file).exec('UPDATE logs SET tenant_id = NULL');
    expect(await counting).toBe(0);
  });
});

describe('what comes in several steps', () => {
  it('names are listed to the last one', async () => {
    const stores = openStores(newFile());
    const names = Array.from({ length: 2500 }, (_, i) => `n-${String(i).padStart(5, '0')}`);
    const named = eventsFrom(0, 2500).map((event, i) => ({ ...event, eventName: names[i]! }));
    await stores.events.append(TENANT, named);
    expect(await stores.events.eventNames(TENANT)).toEqual(names);
  });

  it('rows that are gone never shift those behind them', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 1000);
    // As another process that sweeps a log which this one still believes in.
    openRaw(file).exec('DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT 10)');
    await expect(stores.events.count(TENANT, P_IS_3)).rejects.toMatchObject({ status: 503 });
  });
});

it('no question waits for its chunk while the writer is busy with others', async () => {
  const file = newFile();
  await openStores(file).ready();
  // A channel that carries its tasks and never comes back.
  const stuck = { carry: () => undefined, ready: () => Promise.resolve(), close: () => Promise.resolve() };
  const { memory, meter } = testResources();
  const writer = createWriter({ channel: stuck, memory, meter, changed: () => undefined });
  const chunks = prepareChunks(openRaw(file), writer)(toChunksId({ number: 1, version: 0 }));
  const saved = { entries: '[0,1]', codes: new Uint8Array(4), checksum: 1 };
  expect(await chunks.save('userId', 0, saved)).toBe(false);
});

describe('what the engine says', () => {
  it.each(['SQLITE_IOERR_WRITE', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_FULL', 'SQLITE_CANTOPEN_ISDIR'])(
    '%s is a 503, for readiness too',
    async (code) => {
      let broken = false;
      const connect = wrapping(newFile(), {
        statement: () => {
          if (broken) throw Object.assign(new Error('the disk is gone'), { code });
        },
      });
      const stores = openStores('', { connect });
      await stores.ready();
      broken = true;
      await expect(stores.ready()).rejects.toMatchObject({ status: 503 });
      await expect(stores.events.append(TENANT, eventsFrom(0, 1))).rejects.toMatchObject({ status: 503 });
      await expect(recordsIn(stores.control).tenants.list()).rejects.toMatchObject({ status: 503 });
      broken = false;
      await stores.ready();
    },
  );
});

describe('the room that columns take in the file', () => {
  /** The paths whose chunks are kept. */
  const pathsOf = (file: string) =>
    openRaw(file).prepare('SELECT DISTINCT path FROM column_chunks ORDER BY path').pluck().all();
  const about = (property: 'properties.p' | 'userId' | 'eventName') =>
    queryOf({ property, comparison: 'EQUALS', value: 'user-1' });

  it('has a bound: the paths go first that were used least lately, and answers stay', async () => {
    const file = newFile();
    const stores = openStores(file, { columnDiskBytesMax: 2.5 * CHUNK });
    await fill(stores, CHUNK);
    await stores.events.count(TENANT, about('userId'));
    await stores.events.count(TENANT, about('eventName'));
    expect(pathsOf(file)).toEqual(['eventName', 'userId']);
    await stores.events.count(TENANT, P_IS_3);
    expect(pathsOf(file)).toEqual(['eventName', 'properties.p']);
    await stores.close();
    const reopened = openStores(file, { columnDiskBytesMax: 2.5 * CHUNK });
    // What is loaded is used: now the other one is the oldest.
    await reopened.events.count(TENANT, about('eventName'));
    expect(await reopened.events.count(TENANT, about('userId'))).toBe(4681);
    expect(pathsOf(file)).toEqual(['eventName', 'userId']);
    const sums = openRaw(file)
      .prepare(
        `SELECT sum(bytes) FROM column_paths
         UNION SELECT sum(octet_length(entries) + length(codes)) FROM column_chunks`,
      )
      .pluck()
      .all() as number[];
    expect(sums).toHaveLength(1);
    expect(sums[0]).toBeLessThanOrEqual(2.5 * CHUNK);
  });

  it('costs no write where there is enough: which paths were used last does not matter then', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, CHUNK);
    for (const property of ['userId', 'eventName'] as const)
      await stores.events.count(TENANT, about(property));
    await stores.close();
    const used = () => openRaw(file).prepare('SELECT path, used FROM column_paths ORDER BY path').all();
    const before = used();
    const reopened = openStores(file);
    expect(await reopened.events.count(TENANT, about('userId'))).toBe(4681);
    await reopened.close();
    expect(used()).toEqual(before);
  });

  it('is counted once for a chunk that is written anew', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, CHUNK);
    await stores.events.count(TENANT, P_IS_3);
    await stores.close();
    const raw = openRaw(file);
    const bytes = () => raw.prepare('SELECT bytes FROM column_paths').pluck().all();
    const before = bytes();
    raw.exec('UPDATE column_chunks SET codes = zeroblob(32768)');
    expect(await openStores(file).events.count(TENANT, P_IS_3)).toBe(6553);
    const isAnew = raw.prepare('SELECT max(codes <> zeroblob(32768)) FROM column_chunks').pluck();
    await expect.poll(() => isAnew.get()).toBe(1);
    expect(bytes()).toEqual(before);
  });

  it('is not given to a path that no event has, nor to one that would take more than all may', async () => {
    const file = newFile();
    const stores = openStores(file, { columnDiskBytesMax: 1.5 * CHUNK });
    await fill(stores, CHUNK);
    await stores.events.count(TENANT, about('userId'));
    await stores.events.count(
      TENANT,
      queryOf({ property: 'properties.misspelt', comparison: 'EQUALS', value: 1 }),
    );
    // The order of events takes ten bytes a row.
    expect(await stores.events.count(TENANT, { ...P_IS_3, from: 1000, until: 9000 })).toBe(2);
    expect(pathsOf(file)).not.toContain('eventTs');
    expect(pathsOf(file)).toHaveLength(1);
  });
});
