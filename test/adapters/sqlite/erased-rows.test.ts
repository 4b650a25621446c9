import { describe, expect, it } from 'vitest';
import {
  ERASED_ROWS,
  erasedFrom,
  listErased,
  prepareAreErased,
  prepareErasedRows,
  toErasedChunks,
} from '../../../adapters/sqlite/log/erased-rows.ts';
import { ROWS_PER_LOG } from '../../../adapters/sqlite/log/log-name.ts';
import { prepareEvents } from '../../../adapters/sqlite/log/pick-events.ts';
import { createRecentEvents } from '../../../adapters/sqlite/log/recent-events.ts';
import type { EventStore } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
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
  tracing,
} from './fixtures.ts';
import { countBits, NO_ERASED_ROWS, unionOf, type ErasedRows } from '../../../src/store-kit.ts';
import { bitmapsOf } from '../../core/columns/fixtures.ts';
import { testResources } from '../../support/resources.ts';

const erase = (events: EventStore, first: number, count: number) => {
  const value = eventsFrom(first, count).map(({ insertId }) => insertId);
  return events.erase(TENANT, queryOf({ property: 'insertId', comparison: 'IN', value }));
};

/** Events of a mebibyte each. */
const large = (count: number) =>
  eventsFrom(0, count).map((event) => ({
    ...event,
    propertiesJson: JSON.stringify({ p: 'x'.repeat(1_000_000) }),
  }));

it.each([0, 1, 3, 8, 9, 10])('the erased rows of a chunk are found from row %i on', (from) => {
  const rows = [9, 17, 63, 64, ERASED_ROWS - 1];
  const { bits } = toErasedChunks(bitmapsOf(rows))[0]!;
  expect([...erasedFrom(bits, from)]).toEqual(rows.filter((row) => row >= from));
});

it('the erased rows of a log are listed by their chunks', () => {
  const rows = [0, 7, 8, 17, ERASED_ROWS - 1, 2 * ERASED_ROWS, 2 * ERASED_ROWS + 63];
  expect(listErased(toErasedChunks(bitmapsOf(rows)))).toEqual(rows);
});

it('whether any of some rows was erased is told of each chunk of a log by its own bits', () => {
  const file = newFile();
  openStores(file);
  const raw = openRaw(file);
  const insert = raw.prepare(
    'INSERT INTO erased_rows (log, chunk, count, bits, swept) VALUES (?, ?, 1, ?, 0)',
  );
  for (const { chunk, bits } of toErasedChunks(bitmapsOf([9, ERASED_ROWS + 17]))) insert.run(1, chunk, bits);
  const areErased = prepareAreErased(raw);
  for (const row of [9, ERASED_ROWS + 17]) expect(areErased(1, [3, row])).toBe(true);
  expect(areErased(1, [17, ERASED_ROWS + 9, 3 * ERASED_ROWS + 9])).toBe(false);
  expect(areErased(2, [9])).toBe(false);
});

describe('a log of which some events were erased', () => {
  it('tells how many the others were when all go, and leaves no trace of which went before', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 20);
    expect([await erase(stores.events, 0, 3), await erase(stores.events, 10, 2)]).toEqual([3, 2]);
    expect(await stores.events.erase(TENANT)).toBe(15);
    for (const table of ['erased_rows', 'event_names', 'events', 'logs'])
      expect(openRaw(file).prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
  });

  it('is of one version: who asks for the one before is told', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 20);
    await erase(stores.events, 0, 3);
    const findErasedRows = prepareErasedRows(openRaw(file));
    const number = openRaw(file).prepare('SELECT number FROM logs').pluck().get() as number;
    const plain = ({ bitmaps }: ErasedRows) => bitmaps.map((bitmap) => bitmap && Uint8Array.from(bitmap));
    expect(plain(findErasedRows({ number, version: 1 }))).toEqual(bitmapsOf([0, 1, 2]));
    await erase(stores.events, 10, 2);
    const found = findErasedRows({ number, version: 2 });
    expect([plain(found), found.count]).toEqual([bitmapsOf([0, 1, 2, 10, 11]), 5]);
    // A bitmap never changes, so a join changes a copy. The `slice` of a Buffer would not be a copy.
    expect(unionOf(found.bitmaps[0]!, bitmapsOf([7])[0])).not.toEqual(found.bitmaps[0]);
    expect(countBits(found.bitmaps[0])).toBe(5);
    expect(() => findErasedRows({ number, version: 1 })).toThrow('erased');
    expect(findErasedRows({ number, version: 0 })).toEqual(NO_ERASED_ROWS);
  });

  it('tells who reads a page that some of it is gone', async () => {
    const file = newFile();
    await fill(openStores(file), 3);
    const raw = openRaw(file);
    const ids = raw.prepare('SELECT id FROM events ORDER BY id').pluck().all() as number[];
    raw.prepare('DELETE FROM events WHERE id = ?').run(ids[0]);
    const recent = createRecentEvents(1_000_000);
    expect(() => prepareEvents(raw, recent).events(ids)).toThrow('erased');
    expect(recent.get(ids[0]!)).toBeUndefined();
  });

  it('gives no event to who still reads a page from which it was erased, and all others', async () => {
    const stores = openStores(newFile());
    const events = eventsFrom(0, 300).map((event) => ({
      ...event,
      propertiesJson: JSON.stringify({ p: 'x'.repeat(10_000) }),
    }));
    await stores.events.append(TENANT, events);
    /** Begins to read all events, after the oldest were read lately. */
    const begin = async () => {
      await collect(await stores.events.query(TENANT, EVERYTHING, { offset: 250, size: 50 }));
      const page = await stores.events.query(TENANT, EVERYTHING, { offset: 0, size: 300 });
      const pieces = page.pieces()[Symbol.asyncIterator]();
      await pieces.next();
      return async () => {
        while ((await pieces.next()).done !== true);
      };
    };
    const [readOn, readOther] = [await begin(), await begin()];
    await erase(stores.events, 299, 1);
    await readOn();
    await erase(stores.events, 3, 1);
    await expect(readOther()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('tells of a page how large its own events are', async () => {
    const events = eventsFrom(50, 300, () => 'x'.repeat(10_000));
    const [some, whole] = [openStores(newFile()), openStores(newFile())];
    await fill(some, 50);
    for (const stores of [some, whole]) await stores.events.append(TENANT, events);
    await erase(some.events, 0, 50);
    const bytesOf = async ({ events: asked }: typeof some) =>
      (await asked.query(TENANT, EVERYTHING, { offset: 0, size: 300 })).bytes;
    expect(await bytesOf(some)).toBe(await bytesOf(whole));
  });

  it('gives back the memory of what was answered from it', async () => {
    const memory = createMemoryBudget({ bytesMax: 100_000_000 });
    const stores = openStores(newFile(), { resources: testResources({ memory }) });
    const before = memory.bytes;
    await fill(stores, 1000);
    await stores.events.count(TENANT, P_IS_3);
    expect(memory.bytes).toBeGreaterThan(before);
    await stores.events.erase(TENANT);
    expect(memory.bytes).toBe(before);
  });
});

describe('large events are removed a few at a time', () => {
  const COUNT = 12;

  async function open(removal: RegExp) {
    const file = newFile();
    let removals = 0;
    const connect = tracing(file, (sql) => (removals += removal.test(sql) ? 1 : 0));
    const stores = openStores(file, { connect });
    await stores.events.append(TENANT, large(COUNT));
    return { events: stores.events, steps: () => removals };
  }

  it('where they match a query', async () => {
    const { events, steps } = await open(/^UPDATE erased_rows SET swept/);
    expect(await events.erase(TENANT, EVERYTHING)).toBe(COUNT);
    expect(steps()).toBeGreaterThanOrEqual(3);
  });

  it('where all go', async () => {
    const { events, steps } = await open(/^DELETE FROM events WHERE id IN/);
    expect(await events.erase(TENANT)).toBe(COUNT);
    expect(steps()).toBeGreaterThanOrEqual(6);
  });
});

it('a log takes no more rows than it has numbers for', async () => {
  const file = newFile();
  const stores = openStores(file);
  await fill(stores, 1);
  openRaw(file)
    .prepare('UPDATE logs SET size = ?')
    .run(ROWS_PER_LOG - 1);
  await expect(stores.events.append(TENANT, eventsFrom(5, 2))).rejects.toThrow('no room');
  expect(await stores.events.append(TENANT, eventsFrom(5, 1))).toEqual({ duplicates: [], overNames: [] });
});
