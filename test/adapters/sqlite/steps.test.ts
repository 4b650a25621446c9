import { expect, it } from 'vitest';
import { collect } from '../../../src/internal.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { eventsFrom, fill, newFile, openStores, P_IS_3, queryOf, TENANT, tracing } from './fixtures.ts';

const MIB = 1_048_576;

/** The bytes that each statement of a kind has read, by the rows that it names and what they hold. */
function stepsOf(statements: readonly string[], bytesOfRow: (row: number) => number): number[] {
  return statements
    .filter((sql) => /json_group_array\((json_array\(events\.id, )?properties/.test(sql))
    .map((sql) => {
      const [, first, end] = /id >= ([\d.]+) AND events\.id < ([\d.]+)/.exec(sql)!;
      let bytes = 0;
      for (let id = Number(first); id < Number(end); id++) bytes += bytesOfRow(id % 2 ** 32);
      return bytes;
    });
}

/** A few small events, and large ones behind them. */
async function openSmallFirst(large: number) {
  const file = newFile();
  const statements: string[] = [];
  const stores = openStores(file, { connect: tracing(file, (sql) => statements.push(sql)) });
  await fill(stores, 32);
  await stores.events.append(
    TENANT,
    eventsFrom(32, large, () => 'x'.repeat(4000)),
  );
  return { stores, statements };
}
const bytesOfSmallFirst = (row: number) => (row < 32 ? 10 : 4000);

it('a column is read in steps of about a mebibyte, however suddenly events become large', async () => {
  const file = newFile();
  const statements: string[] = [];
  const stores = openStores(file, { connect: tracing(file, (sql) => statements.push(sql)) });
  await fill(stores, 20_000);
  const letters = (i: number) => (i < 26_000 ? 4000 : i < 26_200 ? 30_000 : 900_000);
  for (let i = 20_000; i < 26_220; i += 20) {
    await stores.events.append(
      TENANT,
      eventsFrom(i, 20, (at) => 'x'.repeat(letters(at))),
    );
  }
  const begins = queryOf({ property: 'properties.p', comparison: 'STARTS_WITH', value: 'xx' });
  expect(await stores.events.count(TENANT, begins)).toBe(6220);
  const steps = stepsOf(statements, (row) => (row < 20_000 ? 10 : letters(row)));
  expect(steps.length).toBeGreaterThan(20);
  // Of events below 4 KiB a step may have as many as the one before it had smaller ones, until it is learnt.
  expect(Math.max(...steps)).toBeLessThan(8.5 * MIB);
  // Two steps have both, and one has large ones behind those.
  expect(steps.filter((bytes) => bytes > 1.5 * MIB).length).toBeLessThanOrEqual(3);
  // A key that SQLite cannot be asked for is looked up in the whole properties, in the same steps.
  const odd = queryOf({ property: 'properties."q"', comparison: 'IS_NOT_NULL', value: null });
  expect(await stores.events.count(TENANT, odd)).toBe(0);
  expect(await stores.events.count(TENANT, P_IS_3)).toBe(4000);
});

it('an event that is larger than a step is read alone', async () => {
  const stores = openStores(newFile());
  const text = 'x'.repeat(1.2 * MIB);
  for (const i of [0, 1])
    await stores.events.append(
      TENANT,
      eventsFrom(i, 1, () => text),
    );
  const begins = queryOf({ property: 'properties.p', comparison: 'STARTS_WITH', value: 'xx' });
  expect(await stores.events.count(TENANT, begins)).toBe(2);
});

it('the first rows of a column tell little of those behind them', async () => {
  const { stores, statements } = await openSmallFirst(400);
  const begins = queryOf({ property: 'properties.p', comparison: 'STARTS_WITH', value: 'xx' });
  expect(await stores.events.count(TENANT, begins)).toBe(400);
  const steps = stepsOf(statements, bytesOfSmallFirst);
  expect(Math.max(...steps)).toBeLessThan(1.1 * MIB);
});

it('nothing is learnt of events that are passed over for a rare path', async () => {
  const { stores, statements } = await openSmallFirst(3000);
  const isThere = queryOf({ property: 'properties.q', comparison: 'IS_NOT_NULL', value: null });
  expect(await stores.events.count(TENANT, isThere)).toBe(0);
  expect(statements.filter((sql) => sql.includes('FILTER')).length).toBeGreaterThan(10);
  const steps = stepsOf(statements, bytesOfSmallFirst);
  expect(Math.max(...steps)).toBeLessThan(1.1 * MIB);
});

it('a page of large events is loaded a mebibyte at a time', async () => {
  const stores = openStores(newFile());
  for (let i = 0; i < 60; i += 10) {
    await stores.events.append(
      TENANT,
      eventsFrom(i, 10, () => 'x'.repeat(700_000)),
    );
  }
  await fill(stores, 100, 60);
  const page = await stores.events.query(TENANT, EVERYTHING, { offset: 0, size: 1000 });
  expect(page.length).toBe(160);
  expect(page.bytes).toBeGreaterThan(42_000_000);
  let pieces = 0;
  for await (const piece of page.pieces()) {
    pieces += 1;
    const bytes = piece.reduce((sum, { propertiesJson }) => sum + propertiesJson.length, 0);
    expect(bytes).toBeLessThan(1.5 * MIB);
  }
  expect(pieces).toBeGreaterThan(30);
  const all = await collect(await stores.events.query(TENANT, EVERYTHING, { offset: 0, size: 1000 }));
  expect(all.map(({ insertId }) => insertId)).toEqual(Array.from({ length: 160 }, (_, i) => `id-${159 - i}`));
});
