import { existsSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { toChunksId } from '../../../adapters/sqlite/log/log-name.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { eventsWith } from '../../core/columns/fixtures.ts';
import { writtenByThread } from '../../support/writer-thread.ts';
import { newFile, openRaw, openStores, TENANT } from './fixtures.ts';

const ROWS = 34_000;
const values = Array.from({ length: ROWS }, (_, i) => ({ plan: i % 5 }));
const plan = parseCountBody({
  filterSet: [{ property: 'properties.p.plan', comparison: 'EQUALS', value: 2 }],
});
const user = parseCountBody({ filterSet: [{ property: 'userId', comparison: 'EQUALS', value: 'user-1' }] });

it.each([
  [true, 'inline'],
  [true, 'thread'],
  [false, 'inline'],
] as const)(
  'columns are made ahead, also of what an erasure has left: %s, %s',
  async (prepareColumns, writer) => {
    const file = newFile();
    const stores = openStores(file, { prepareColumns, ...(writer === 'thread' && writtenByThread(file)) });
    const { events } = stores;
    await events.append(TENANT, eventsWith(values));
    const raw = openRaw(file);
    const paths = (version: number) =>
      raw
        .prepare('SELECT DISTINCT path FROM column_chunks WHERE log = ? ORDER BY path')
        .pluck()
        .all(toChunksId({ number: 1, version }));
    const COMMON = ['eventName', 'eventTs', 'properties.p.plan', 'userId'];
    if (!prepareColumns) {
      expect(await events.count(TENANT, user)).toBeGreaterThan(0);
      expect(paths(0)).toEqual(['userId']);
      return;
    }
    const settled = { timeout: 50_000, interval: 50 };
    await vi.waitFor(() => expect(paths(0)).toEqual(COMMON), settled);
    expect(await events.count(TENANT, plan)).toBe(ROWS / 5);
    await events.append(TENANT, eventsWith(values, ROWS));
    const erased = await events.erase(TENANT, user);
    await vi.waitFor(() => expect(paths(1)).toEqual(COMMON), settled);
    expect(erased).toBeGreaterThan(9000);
    const left = raw
      .prepare(`SELECT count(*) FROM column_chunks WHERE instr(entries, '"user-1"') > 0`)
      .pluck();
    expect(left.get()).toBe(0);
    expect(await events.count(TENANT, user)).toBe(0);
    await stores.close();
  },
);

it('stores that are closed leave no connection of a reading thread behind', { timeout: 60_000 }, async () => {
  const file = newFile();
  const stores = openStores(file, { prepareColumns: true, ...writtenByThread(file) });
  await stores.events.append(TENANT, eventsWith(values));
  const raw = openRaw(file);
  const kept = () => raw.prepare('SELECT count(DISTINCT path) FROM column_chunks').pluck().get();
  await vi.waitFor(() => expect(kept()).toBe(4), { timeout: 50_000, interval: 50 });
  raw.close();
  await stores.close();
  // Who closes the last connection to a file removes its log.
  expect(existsSync(`${file}-wal`)).toBe(false);
});

it('events whose commit was long in coming have columns too', { timeout: 60_000 }, async () => {
  const file = newFile();
  const { events } = openStores(file, { prepareColumns: true, ...writtenByThread(file) });
  await events.append(TENANT, eventsWith(values.slice(0, 10)));
  const raw = openRaw(file);
  raw.exec('BEGIN IMMEDIATE');
  const appending = events.append(TENANT, eventsWith(values.slice(10), 10));
  // Longer than what is to be done for a tenant waits for more to come.
  await new Promise((resolve) => setTimeout(resolve, 1800));
  raw.exec('COMMIT');
  await appending;
  const kept = () => raw.prepare('SELECT count(DISTINCT path) FROM column_chunks').pluck().get();
  await vi.waitFor(() => expect(kept()).toBe(4), { timeout: 50_000, interval: 50 });
});
