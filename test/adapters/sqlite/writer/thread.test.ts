import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Stores } from '../../../../src/index.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { EVERYTHING } from '../../../conformance/expected.ts';
import { bundleSources } from '../../../support/bundle.ts';
import { writtenByThread } from '../../../support/writer-thread.ts';
import { eventsFrom, fill, newFile, openRaw, openStores, P_IS_3, TENANT } from '../fixtures.ts';
import { testResources } from '../../../support/resources.ts';

const STORED = { duplicates: [], overNames: [] };
const unavailableError = expect.objectContaining({ code: 'unavailable', status: 503 }) as unknown;
const { resolve } = createRequire(import.meta.url);

/** The stores of a file that a thread writes. */
const openThreaded = (file: string, options: Parameters<typeof openStores>[1] = {}): Stores =>
  openStores(file, { ...writtenByThread(file), ...options });

/**
 * A driver whose thread does something when a statement begins or has ended, while there is a file `flag`
 * beside the database.
 */
function drivenBy(file: string, body: string) {
  const folder = dirname(file);
  const flag = join(folder, 'flag');
  const module = join(folder, 'driver.mjs');
  writeFileSync(
    module,
    `import Database from ${JSON.stringify(pathToFileURL(resolve('better-sqlite3')).href)};
     import { existsSync, rmSync } from 'node:fs';
     const flag = ${JSON.stringify(flag)};
     export default class extends Database {
       exec(sql) { return this.around(sql, () => super.exec(sql)); }
       around(sql, run) { const armed = existsSync(flag); ${body} }
     }`,
  );
  return {
    arm: () => writeFileSync(flag, ''),
    disarm: () => rmSync(flag),
    isArmed: () => existsSync(flag),
    options: writtenByThread(file, pathToFileURL(module)),
  };
}

describe('a writing thread', () => {
  it('stores in the order of arrival, dedupes across groups, and its stores read what it wrote', async () => {
    const file = newFile();
    const stores = openThreaded(file);
    const batches = Array.from({ length: 50 }, (_, i) => eventsFrom(i * 7, 10));
    const answers = await Promise.all(batches.map((batch) => stores.events.append(TENANT, batch)));
    expect(answers.map(({ duplicates }) => duplicates.length)).toEqual([0, ...Array<number>(49).fill(3)]);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(353);
    const ids = openRaw(file).prepare('SELECT insert_id FROM events ORDER BY id').pluck().all();
    expect(ids).toEqual(eventsFrom(0, 353).map(({ insertId }) => insertId));
  });

  it('tells one of a bad one among good ones, in the words of the operation', async () => {
    const stores = openThreaded(newFile());
    await stores.events.drop('gone');
    const broken = eventsFrom(5, 1).map((event) => ({ ...event, propertiesJson: '{' }));
    const answers = await Promise.allSettled([
      stores.events.append(TENANT, eventsFrom(0, 1)),
      stores.events.append(TENANT, broken),
      stores.events.append('gone', eventsFrom(0, 1)),
      stores.events.append(TENANT, eventsFrom(1, 1)),
    ]);
    expect(answers).toMatchObject([
      { value: STORED },
      { reason: { message: 'malformed JSON' } },
      { reason: { name: 'ApiError', code: 'tenantNotFound', status: 404 } },
      { value: STORED },
    ]);
  });

  it('waits for the lock of another process while the event loop answers', async () => {
    const file = newFile();
    const stores = openThreaded(file, { busyTimeoutMs: 1500 });
    await fill(stores, 10);
    const raw = openRaw(file);
    raw.exec('BEGIN IMMEDIATE');
    let settled = false;
    const appending = stores.events.append(TENANT, eventsFrom(10, 1)).finally(() => (settled = true));
    const looking = expect(appending).rejects.toEqual(unavailableError);
    let answers = 0;
    while (!settled) {
      expect(await stores.events.count(TENANT, P_IS_3)).toBe(2);
      answers += 1;
      await new Promise((done) => setTimeout(done, 5));
    }
    await looking;
    expect(answers).toBeGreaterThan(20);
    raw.exec('ROLLBACK');
    expect(await stores.events.append(TENANT, eventsFrom(10, 1))).toEqual(STORED);
  });

  it('keeps columns beside it, and no question waits for a lock because of them', async () => {
    const file = newFile();
    const stores = openThreaded(file, { busyTimeoutMs: 20_000 });
    await fill(stores, 32_768);
    const raw = openRaw(file);
    raw.exec('BEGIN IMMEDIATE');
    const appending = stores.events.append(TENANT, eventsFrom(40_000, 1));
    const began = performance.now();
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(6553);
    expect(performance.now() - began).toBeLessThan(15_000);
    raw.exec('ROLLBACK');
    expect(await appending).toEqual(STORED);
    await stores.close();
    expect(raw.prepare('SELECT count(*) FROM column_chunks').pluck().get()).toBe(1);
  });

  it('has a queue of bounded bytes: beyond it 503 with Retry-After', async () => {
    const file = newFile();
    const memory = createMemoryBudget({ bytesMax: 1_000_000 });
    const stores = openThreaded(file, { resources: testResources({ memory }), busyTimeoutMs: 5000 });
    await stores.ready();
    const raw = openRaw(file);
    raw.exec('BEGIN IMMEDIATE');
    const large = (i: number) => eventsFrom(i, 1, () => 'x'.repeat(100_000));
    const all = Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => stores.events.append(TENANT, large(i))),
    );
    await new Promise((done) => setTimeout(done, 50));
    raw.exec('ROLLBACK');
    const refused = (await all).filter((each) => each.status === 'rejected');
    expect(refused).toHaveLength(15);
    expect(refused[0]!.reason).toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '1' } });
    expect(memory.bytes).toBe(0);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(5);
  });

  it('writes what waits before the stores close', async () => {
    const file = newFile();
    const stores = openThreaded(file);
    const all = Array.from({ length: 30 }, (_, i) => stores.events.append(TENANT, eventsFrom(i * 100, 100)));
    const closing = stores.close();
    await expect(stores.events.append(TENANT, eventsFrom(0, 1))).rejects.toEqual(unavailableError);
    await closing;
    expect(await Promise.all(all)).toHaveLength(30);
    expect(openRaw(file).prepare('SELECT count(*) FROM events').pluck().get()).toBe(3000);
  });

  it('shares its file with another: each numbers its rows behind the lock', async () => {
    const file = newFile();
    const [one, two] = [openThreaded(file), openThreaded(file)];
    const appends = Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? one : two).events.append(TENANT, eventsFrom(i * 10, 15)),
    );
    const answers = await Promise.all(appends);
    const stored = answers.reduce((sum, { duplicates }) => sum + 15 - duplicates.length, 0);
    expect(stored).toBe(405);
    expect(await one.events.count(TENANT, EVERYTHING)).toBe(405);
    expect(await two.events.count(TENANT, EVERYTHING)).toBe(405);
    const raw = openRaw(file);
    expect(raw.prepare('SELECT max(id) - min(id) + 1 FROM events').pluck().get()).toBe(405);
  });
});

const DIES_BEFORE_COMMIT = "if (armed && sql === 'COMMIT') { rmSync(flag); process.exit(1); } return run();";

describe('a writing thread that dies', () => {
  it('in a transaction: who waits gets a 503, nothing half is stored, and another takes over', async () => {
    const file = newFile();
    const driver = drivenBy(file, DIES_BEFORE_COMMIT);
    const stores = openStores(file, driver.options);
    expect(await stores.events.append(TENANT, eventsFrom(0, 5))).toEqual(STORED);
    driver.arm();
    const answers = await Promise.allSettled([
      stores.events.append(TENANT, eventsFrom(5, 5)),
      stores.events.append(TENANT, eventsFrom(10, 5)),
    ]);
    for (const each of answers) expect(each).toMatchObject({ status: 'rejected', reason: unavailableError });
    expect(driver.isArmed()).toBe(false);
    await stores.ready();
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(5);
    expect(await stores.events.append(TENANT, eventsFrom(0, 15))).toEqual({
      duplicates: [0, 1, 2, 3, 4],
      overNames: [],
    });
    expect(openRaw(file).pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('after a commit: what has no answer may be stored, and a repeat of it is told as one', async () => {
    const file = newFile();
    const driver = drivenBy(
      file,
      "const got = run(); if (armed && sql === 'COMMIT') { rmSync(flag); process.exit(1); } return got;",
    );
    const stores = openStores(file, driver.options);
    await stores.ready();
    driver.arm();
    await expect(stores.events.append(TENANT, eventsFrom(0, 5))).rejects.toEqual(unavailableError);
    const again = await stores.events.append(TENANT, eventsFrom(0, 5));
    expect(again.duplicates).toEqual([0, 1, 2, 3, 4]);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(5);
  });

  it('before it can write is a 503 for all, readiness too, until one begins', async () => {
    const file = newFile();
    const driver = drivenBy(file, "if (armed) throw new Error('the disk is gone'); return run();");
    driver.arm();
    const stores = openStores(file, driver.options);
    await expect(stores.ready()).rejects.toEqual(unavailableError);
    await expect(stores.events.append(TENANT, eventsFrom(0, 1))).rejects.toEqual(unavailableError);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(0);
    driver.disarm();
    await expect
      .poll(() =>
        stores.ready().then(
          () => 'ready',
          () => 'not ready',
        ),
      )
      .toBe('ready');
    expect(await stores.events.append(TENANT, eventsFrom(0, 1))).toEqual(STORED);
  });

  it('is replaced again and again, and what was acknowledged stays', async () => {
    const file = newFile();
    const driver = drivenBy(file, DIES_BEFORE_COMMIT);
    const stores = openStores(file, driver.options);
    let acknowledged = 0;
    for (let round = 0; round < 5; round++) {
      expect(await stores.events.append(TENANT, eventsFrom(round * 10, 10))).toEqual(STORED);
      acknowledged += 10;
      driver.arm();
      await expect(stores.events.append(TENANT, eventsFrom(1000 + round, 1))).rejects.toEqual(
        unavailableError,
      );
      expect(await stores.events.count(TENANT, EVERYTHING)).toBe(acknowledged);
    }
  });
});

describe("writer: 'thread'", () => {
  it('keeps no process from its end that neither writes nor closes its stores', async () => {
    const file = newFile();
    const { entry, driver } = writtenByThread(file).thread;
    const folder = bundleSources({
      stores: 'adapters/sqlite/index.ts',
      resources: 'adapters/node-http/resources.ts',
    });
    const program = join(folder, 'never-closes.js');
    writeFileSync(
      program,
      `import Database from 'better-sqlite3';
       import { sqliteStores } from './stores.js';
       import { nodeResources } from './resources.js';
       const [file, driver, entry] = ${JSON.stringify([file, driver, entry.href])};
       const connect = () => new Database(file);
       const thread = { file, driver, entry: new URL(entry) };
       await sqliteStores({ connect, resources: nodeResources(), writer: 'thread', thread }).ready();
       process.stdout.write('ready');`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 20_000 });
    expect(stdout).toBe('ready');
  });

  it('needs to be told of a driver and a file', () => {
    expect(() => openStores(newFile(), { writer: 'thread' })).toThrow('needs thread: { driver, file }');
  });
});
