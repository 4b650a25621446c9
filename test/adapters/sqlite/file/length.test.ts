import { copyFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { identify } from '../../../../adapters/sqlite/file/identity.ts';
import { watchLength } from '../../../../adapters/sqlite/file/length.ts';
import { createRandom } from '../../../support/random.ts';
import { writtenByThread } from '../../../support/writer-thread.ts';
import { EVERYTHING } from '../../../conformance/expected.ts';
import { eventsFrom, fill, newFile, openRaw, openStores, TENANT } from '../fixtures.ts';

const PAGE_BYTES = 4096;
const unavailableError = expect.objectContaining({ name: 'ApiError', status: 503, logged: true }) as unknown;

/** A file in whose table each row takes a page, and which moves its log into itself only when told. */
function createFile() {
  const file = newFile();
  const writer = openRaw(file);
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
    CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)`);
  const insert = writer.prepare('INSERT INTO rows (text) VALUES (?)');
  const add = (rows: number) => {
    for (let i = 0; i < rows; i++) insert.run('x'.repeat(3000));
  };
  add(1);
  const reader = openRaw(file);
  reader.prepare('SELECT * FROM rows').all();
  const identity = identify(reader)!;
  return { file, writer, reader, identity, add };
}

const pagesOf = (file: string) => statSync(file).size / PAGE_BYTES;

describe('the pages that a file has lost', () => {
  it('are none while the log has those that the file lacks', () => {
    const { file, writer, reader, identity, add } = createFile();
    const look = watchLength(reader, identity);
    add(50);
    const pages = writer.pragma('page_count', { simple: true }) as number;
    expect(pagesOf(file)).toBeLessThan(pages - 50);
    expect(look()).toBe(0);
    writer.pragma('wal_checkpoint(TRUNCATE)');
    expect(pagesOf(file)).toBe(pages);
    expect(look()).toBe(0);
    add(5);
    writer.pragma('wal_checkpoint(PASSIVE)');
    writer.exec('DELETE FROM rows WHERE id > 10; VACUUM');
    expect(look()).toBe(0);
    writer.pragma('wal_checkpoint(PASSIVE)');
    expect(pagesOf(file)).toBeLessThan(pages);
    expect(look()).toBe(0);
  });

  it('are all that it was cut by, less those that its log may have', () => {
    const random = createRandom(7);
    for (let round = 0; round < 20; round++) {
      const { file, writer, reader, identity, add } = createFile();
      add(random.between(20, 60));
      writer.pragma('wal_checkpoint(TRUNCATE)');
      const pages = pagesOf(file);
      const inLog = random.between(0, 20);
      add(inLog);
      const bytes = random.between(PAGE_BYTES, statSync(file).size);
      truncateSync(file, bytes);
      const lost = pages - Math.floor(bytes / PAGE_BYTES);
      const frames = Math.floor(statSync(`${file}-wal`).size / (PAGE_BYTES + 24));
      expect(frames).toBeGreaterThanOrEqual(inLog);
      expect(watchLength(reader, identity)()).toBe(Math.max(0, lost - (frames - inLog)));
    }
  });

  it('are none of a file that grows and shrinks while others write, read and move its log', async () => {
    const { file, reader, identity } = createFile();
    const look = watchLength(reader, identity);
    const worker = new Worker(STRESS, { eval: true, workerData: { file, driver: DRIVER, steps: 600 } });
    let ended = false as boolean;
    const end = new Promise<number>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', resolve);
    }).finally(() => (ended = true));
    let [looks, short] = [0, 0];
    while (!ended) {
      for (let i = 0; i < 10; i++) {
        const missing = look();
        if (missing > 0) expect.fail(`${missing} pages are said to be lost after ${looks} looks`);
        if (statSync(file).size < (reader.pragma('page_count', { simple: true }) as number) * PAGE_BYTES)
          short += 1;
        looks += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await end).toBe(0);
    // Of these the file alone would have looked truncated.
    expect(short).toBeGreaterThan(10);
    expect(reader.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('are not counted of a file that was moved away, and are once it is back', () => {
    const { file, reader, identity, add } = createFile();
    add(100);
    openRaw(file).pragma('wal_checkpoint(TRUNCATE)');
    const look = watchLength(reader, identity);
    renameSync(file, `${file}-away`);
    expect(look()).toBe(0);
    copyFileSync(`${file}-away`, file);
    truncateSync(file, PAGE_BYTES);
    expect(look()).toBe(0);
    renameSync(`${file}-away`, file);
    expect(look()).toBe(0);
    truncateSync(file, 50 * PAGE_BYTES);
    expect(look()).toBeGreaterThan(50);
  });

  it('stay missing when the file is as long as before, with zeros in their places', () => {
    const { file, reader, identity, add } = createFile();
    add(100);
    openRaw(file).pragma('wal_checkpoint(TRUNCATE)');
    const { size } = statSync(file);
    const look = watchLength(reader, identity);
    truncateSync(file, size - 10 * PAGE_BYTES);
    expect(look()).toBe(10);
    truncateSync(file, size);
    expect(look()).toBe(10);
  });
});

const DRIVER = createRequire(import.meta.url).resolve('better-sqlite3');

/** Writes beside a reader of an older snapshot, and runs every kind of checkpoint. */
const STRESS = `
const { workerData: { file, driver, steps } } = require('node:worker_threads');
const Database = require(driver);
const [writer, other] = [new Database(file, { timeout: 0 }), new Database(file, { timeout: 0 })];
writer.pragma('synchronous = OFF');
let state = 1;
const below = (limit) => (state = (state * 48271) % 2147483647) % limit;
const insert = writer.prepare('INSERT INTO rows (text) VALUES (?)');
const remove = writer.prepare('DELETE FROM rows WHERE id IN (SELECT id FROM rows ORDER BY id DESC LIMIT ?)');
const grow = writer.transaction((rows) => {
  for (let i = 0; i < rows; i++) insert.run('z'.repeat(below(9000)));
});
const moves = [
  () => writer.pragma('wal_checkpoint(PASSIVE)'),
  () => writer.pragma('wal_checkpoint(TRUNCATE)'),
  () => writer.pragma('wal_checkpoint(RESTART)'),
  () => remove.run(below(200)),
  () => below(4) === 0 && writer.exec('VACUUM'),
  () => other.inTransaction || other.exec('BEGIN; SELECT count(*) FROM rows'),
  () => other.inTransaction && other.exec('COMMIT'),
  () => grow(below(40)),
];
for (let step = 0; step < steps; step++) {
  try {
    moves[Math.min(below(12), moves.length - 1)]();
  } catch (error) {
    // Whoever reads an old moment is in the way of some of them.
    if (!/SQLITE_(BUSY|LOCKED)/.test(error.code)) throw error;
  }
}
if (other.inTransaction) other.exec('COMMIT');
other.close();
writer.close();
`;

describe.each([
  ['in the thread that asks', () => ({})],
  ['in a thread of its own', writtenByThread],
])('a file that is written %s and truncated', (_, writing) => {
  it('is not ready and answers nothing, though its pages are cached; it is told once', async () => {
    const file = newFile();
    const told: (string | undefined)[] = [];
    const stores = openStores(file, { ...writing(file), onTrouble: (trouble) => told.push(trouble) });
    await fill(stores, 2000);
    openRaw(file).pragma('wal_checkpoint(TRUNCATE)');
    await stores.ready();
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(2000);
    truncateSync(file, 2 * PAGE_BYTES);
    // Nobody asks: it is noticed all the same.
    await expect.poll(() => told.length).toBe(1);
    for (let i = 0; i < 2; i++) {
      await expect(stores.ready()).rejects.toEqual(unavailableError);
      await expect(stores.events.count(TENANT, EVERYTHING)).rejects.toEqual(unavailableError);
      await expect(stores.events.append(TENANT, eventsFrom(2000, 1))).rejects.toEqual(unavailableError);
    }
    expect(told).toEqual([
      expect.stringMatching(
        /events\.db or its -wal was truncated, and at least \d+ pages are lost: stop what/,
      ),
    ]);
  });
});
