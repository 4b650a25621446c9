import { expect, it, vi } from 'vitest';
import { parseCountBody } from '../../../src/index.ts';
import { eventsWith } from '../../core/columns/fixtures.ts';
import { newFile, openRaw, openStores, TENANT } from './fixtures.ts';

const ROWS = 34_000;
const values = Array.from({ length: ROWS }, (_, i) => ({ plan: i % 5 }));
const plan = parseCountBody({
  filterSet: [{ property: 'properties.p.plan', comparison: 'EQUALS', value: 2 }],
});
const user = parseCountBody({ filterSet: [{ property: 'userId', comparison: 'EQUALS', value: 'user-1' }] });

it.each([true, false])(
  'columns are made ahead, also of what an erasure has left: %s',
  async (prepareColumns) => {
    const file = newFile();
    const stores = openStores(file, { prepareColumns });
    const { events } = stores;
    await events.append(TENANT, eventsWith(values));
    const raw = openRaw(file);
    const paths = (edition: number) =>
      raw
        .prepare('SELECT DISTINCT path FROM column_chunks WHERE log / 2097152 = ? ORDER BY path')
        .pluck()
        .all(edition);
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
    expect(await events.count(TENANT, user)).toBe(0);
    await stores.close();
  },
);
