import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStores } from '../../../adapters/sqlite/index.ts';
import { createRecentEvents } from '../../../adapters/sqlite/log/recent-events.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../../src/store-kit.ts';
import { testResources } from '../../support/resources.ts';

const ALL: EventQuery = { from: -Infinity, until: Infinity, condition: { kind: 'all', of: [] } };
const TENANT = '6c7a2f0e-7f0b-4c58-9a52-3f1f4f0c9a11';

function eventOf(number: number, letters = 2): StoredEvent {
  const propertiesJson = `{"a":"${'x'.repeat(letters)}"}`;
  return { eventName: 'n', userId: 'u', eventTs: number, insertId: String(number), propertiesJson };
}

describe('createRecentEvents', () => {
  it('forgets what was not read for longest, and keeps within its bytes', () => {
    const recent = createRecentEvents(1_000_000);
    const readTwice = (id: number) => {
      for (let times = 0; times < 2; times++) recent.note(id, eventOf(id, 1000));
    };
    readTwice(5000);
    for (let id = 0; id < 5000; id++) {
      readTwice(id);
      expect(recent.get(5000)).toBeDefined();
    }
    const kept = Array.from({ length: 5000 }, (_, id) => recent.get(id)).filter(
      (event) => event !== undefined,
    );
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length * 1000).toBeLessThan(1_000_000);
  });

  it('keeps nothing of a log that is read to its end once, and loses nothing by it', () => {
    const recent = createRecentEvents(1_000_000);
    for (const id of [7, 7]) recent.note(id, eventOf(id));
    for (let id = 10; id < 200_000; id++) recent.note(id, eventOf(id));
    const kept = Array.from({ length: 200_000 }, (_, id) => id).filter((id) => recent.get(id) !== undefined);
    expect(kept).toEqual([7]);
  });
});

describe('pages from events that were read lately', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'event-query-recent-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = () =>
    sqliteStores({
      connect: () => new Database(join(folder, 'events.db')),
      resources: testResources({ runtime: { now: () => 0 } }),
    });

  it('are the same as from the file, in order, whichever events are known already', async () => {
    const stores = open();
    const events = Array.from({ length: 300 }, (_, i) => eventOf(i));
    await stores.events.append(TENANT, events);
    const newest = [...events].reverse();
    for (const [offset, size] of [
      [100, 50],
      [0, 200],
      [90, 70],
      [0, 300],
      [299, 10],
    ] as const) {
      // prettier-ignore
      const page = await collect(await stores.events.query(TENANT, ALL, { offset, size }));
      expect(page).toEqual(newest.slice(offset, offset + size));
    }
    await stores.close();
  });

  it.each([
    [100_000_000, 2],
    [10_000_000, 3],
  ])('of %i bytes of memory are read from the file %i times', async (bytesMax, times) => {
    let reads = 0;
    const stores = sqliteStores({
      connect: () =>
        new Database(join(folder, 'events.db'), {
          verbose: (sql) => (reads += String(sql).includes('json(properties) AS') ? 1 : 0),
        }),
      resources: testResources({ memory: createMemoryBudget({ bytesMax }) }),
    });
    await stores.events.append(
      TENANT,
      Array.from({ length: 10 }, (_, i) => eventOf(i)),
    );
    for (let i = 0; i < 3; i++) await stores.events.query(TENANT, ALL, { offset: 0, size: 10 });
    expect(reads).toBe(times);
    await stores.close();
  });

  it('are gone when another process erases the tenant, and new ones begin anew', async () => {
    const [stores, other] = [open(), open()];
    await stores.events.append(TENANT, [eventOf(1), eventOf(2)]);
    expect(await collect(await stores.events.query(TENANT, ALL, { offset: 0, size: 10 }))).toHaveLength(2);
    await other.events.erase(TENANT);
    expect(await collect(await stores.events.query(TENANT, ALL, { offset: 0, size: 10 }))).toEqual([]);
    await other.events.append(TENANT, [eventOf(1, 5)]);
    expect(await collect(await stores.events.query(TENANT, ALL, { offset: 0, size: 10 }))).toEqual([
      eventOf(1, 5),
    ]);
    await stores.close();
    await other.close();
  });

  it('wait for the large ones before them that are still to be read', async () => {
    const stores = open();
    const events = Array.from({ length: 15 }, (_, i) => eventOf(i, i < 10 ? 10 : 900_000));
    await stores.events.append(TENANT, events);
    // What is read again is kept.
    for (let times = 0; times < 2; times++) {
      await collect(await stores.events.query(TENANT, ALL, { offset: 5, size: 10 }));
    }
    const page = await collect(await stores.events.query(TENANT, ALL, { offset: 0, size: 15 }));
    expect(page.map(({ insertId }) => insertId)).toEqual(events.map(({ insertId }) => insertId).reverse());
    await stores.close();
  });

  it('may hold more than is kept', async () => {
    const stores = open();
    const events = Array.from({ length: 80 }, (_, i) => eventOf(i, 900_000));
    await stores.events.append(TENANT, events);
    const page = await collect(await stores.events.query(TENANT, ALL, { offset: 0, size: 80 }));
    expect(page.map(({ insertId }) => insertId)).toEqual(events.map(({ insertId }) => insertId).reverse());
    await stores.close();
  });
});
