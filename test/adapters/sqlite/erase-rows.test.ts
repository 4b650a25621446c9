import Database from 'better-sqlite3';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compactSqlite } from '../../../adapters/sqlite/index.ts';
import { toChunksId } from '../../../adapters/sqlite/log/log-name.ts';
import { prepareChunkWrites } from '../../../adapters/sqlite/writes/chunks.ts';
import type { EventStore } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import { parseCountBody, type StoredEvent } from '../../../src/store-kit.ts';
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

/** What stands in every text of an event of the user who goes. */
const MARK = 'do-not-find-me';
const ONE_USER = queryOf({ property: 'userId', comparison: 'EQUALS', value: MARK });

/** How often the mark stands in the files of a database. */
function findMarks(file: string): number {
  return [file, `${file}-wal`, `${file}-shm`]
    .filter((each) => existsSync(each))
    .reduce((sum, each) => sum + readFileSync(each).toString('latin1').split(MARK).length - 1, 0);
}

/** Events of which each tenth is the user's, some of these large. */
function mixed(count: number): StoredEvent[] {
  return eventsFrom(0, count).map((event, i) => {
    if (i % 10 !== 0) return event;
    const text = `${MARK}-${i}`.padEnd(i % 1000 === 0 ? 20_000 : 30, 'x');
    const propertiesJson = JSON.stringify({ p: text, [`${MARK}-key`]: i });
    return { ...event, userId: MARK, eventName: `${MARK}-name`, insertId: `${MARK}-${i}`, propertiesJson };
  });
}

async function store(events: EventStore, batch: readonly StoredEvent[]): Promise<void> {
  for (let from = 0; from < batch.length; from += 5000) {
    await events.append(TENANT, batch.slice(from, from + 5000));
  }
}

/** A file of which a user was decided to be erased, where nothing can be removed: as when a process dies. */
async function fileHalfErased(count: number, events = mixed(count)) {
  const file = newFile();
  let stuck = false;
  const connect = wrapping(file, {
    statement: (sql) => {
      if (stuck && sql.startsWith('DELETE FROM events')) throw new Error('The process ends here.');
    },
  });
  const stores = openStores(file, { connect });
  await store(stores.events, events);
  stuck = true;
  expect(await stores.events.erase(TENANT, ONE_USER)).toBe(count / 10);
  const rows = () => {
    const raw = new Database(file);
    const count = raw.prepare('SELECT count(*) FROM events').pluck().get();
    raw.close();
    return count;
  };
  return { file, stores, events, rows, goOn: () => (stuck = false) };
}

const waitUntil = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('a user who was erased', () => {
  it('leaves no byte in the file, nor in its log, after compact, which gives the space back', async () => {
    const file = newFile();
    const stores = openStores(file);
    await store(stores.events, mixed(70_000));
    for (const property of ['properties.p', 'userId', 'eventName'] as const) {
      await stores.events.count(TENANT, queryOf({ property, comparison: 'CONTAINS', value: 'me' }));
    }
    await stores.events.count(TENANT, parseCountBody({ after: '1970-01-01', before: '1970-01-02' }));
    expect(findMarks(file)).toBeGreaterThan(20_000);
    expect(await stores.events.erase(TENANT, ONE_USER)).toBe(7000);
    // A few copies may be left where SQLite moved rows from page to page.
    expect(findMarks(file)).toBeLessThan(200);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(63_000);
    expect(await stores.events.eventNames(TENANT)).toEqual(['name-0', 'name-1', 'name-2']);
    await stores.close();
    const { bytesBefore, bytesAfter } = await compactSqlite(() => openRaw(file));
    expect(bytesAfter).toBeLessThan(bytesBefore);
    expect(findMarks(file)).toBe(0);
    expect(await openStores(file).events.count(TENANT, EVERYTHING)).toBe(63_000);
  });

  it('is kept in no column that is saved too late', async () => {
    const file = newFile();
    const stores = openStores(file);
    await store(stores.events, mixed(100));
    await stores.events.erase(TENANT, ONE_USER);
    const chunks = prepareChunkWrites(openRaw(file));
    const chunk = { entries: JSON.stringify([MARK]), codes: new Uint8Array(1), checksum: 1 };
    const [before, now] = [0, 1].map((version) => toChunksId({ number: 1, version }));
    expect([
      chunks.saveChunk(before!, 'userId', 0, chunk),
      chunks.saveChunk(now!, 'userId', 0, chunk),
    ]).toEqual([false, true]);
  });
});

describe('a user whose erasure is decided, and whose events are not removed yet', () => {
  it('is seen by nobody, in this process or another', async () => {
    const { file, stores, events } = await fileHalfErased(3000);
    for (const { events: asked } of [stores, openStores(file)]) {
      expect(await asked.count(TENANT, EVERYTHING)).toBe(2700);
      expect(await asked.count(TENANT, ONE_USER)).toBe(0);
      expect(
        await asked.count(TENANT, queryOf({ property: 'properties.p', comparison: 'EQUALS', value: 3 })),
      ).toBe(600);
      expect(await asked.eventNames(TENANT)).toEqual(['name-0', 'name-1', 'name-2']);
      const page = await collect(await asked.query(TENANT, EVERYTHING, { offset: 0, size: 1000 }));
      const expected = events.filter(({ userId }) => userId !== MARK).reverse();
      expect(page.map(({ insertId }) => insertId)).toEqual(
        expected.slice(0, 1000).map(({ insertId }) => insertId),
      );
    }
  });

  it('takes no part in a step, however large the events are', async () => {
    const large = JSON.stringify({ p: 'x'.repeat(600_000) });
    const events = eventsFrom(0, 40).map((event, i) =>
      i < 4 ? { ...event, userId: MARK, propertiesJson: large } : event,
    );
    const { stores } = await fileHalfErased(40, events);
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(7);
  });

  it('is removed by the next process that opens the file', async () => {
    const { file, stores, rows } = await fileHalfErased(70_000);
    await stores.close();
    expect(rows()).toBe(70_000);
    expect(findMarks(file)).toBeGreaterThan(7000);
    const opened = openStores(file);
    await waitUntil(() => rows() === 63_000);
    expect(await opened.events.count(TENANT, EVERYTHING)).toBe(63_000);
    await opened.close();
    await compactSqlite(() => openRaw(file));
    expect(findMarks(file)).toBe(0);
  });

  it('may come back: the identities are free at once', async () => {
    const { stores, events, goOn, rows } = await fileHalfErased(3000);
    goOn();
    expect(await stores.events.append(TENANT, events)).toMatchObject({ duplicates: { length: 2700 } });
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(3000);
    expect(await stores.events.count(TENANT, ONE_USER)).toBe(300);
    expect(await stores.events.eventNames(TENANT)).toContain(`${MARK}-name`);
    expect(await stores.events.erase(TENANT, ONE_USER)).toBe(300);
    expect(rows()).toBe(2700);
  });
});

describe('an erasure', () => {
  it('is chosen anew where another came between', async () => {
    const file = newFile();
    let overtaken = false;
    const other = openStores(file);
    await fill(other, 100);
    const raw = openRaw(file);
    const connect = wrapping(file, {
      exec: (sql) => {
        // The decision is the first write of these stores.
        if (overtaken || !sql.startsWith('BEGIN')) return;
        overtaken = true;
        raw.exec(`DELETE FROM events WHERE id = 4294967296; UPDATE logs SET version = version + 1;
          INSERT INTO erased_rows VALUES (1, 0, 1, CAST(x'01' || zeroblob(4095) AS BLOB), 32768)`);
      },
    });
    const stores = openStores(file, { connect });
    expect(await stores.events.erase(TENANT, parseCountBody({ event: 'name-0' }))).toBe(33);
    expect(overtaken).toBe(true);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(66);
  });

  it('leaves no name of which all events go, after another one too', async () => {
    const stores = openStores(newFile());
    await fill(stores, 99);
    const user = queryOf({ property: 'userId', comparison: 'EQUALS', value: 'user-3' });
    expect(await stores.events.erase(TENANT, user)).toBe(14);
    await stores.events.erase(TENANT, parseCountBody({ event: 'name-0' }));
    expect(await stores.events.eventNames(TENANT)).toEqual(['name-1', 'name-2']);
  });

  /** Erases the events of a name while another process stores some before each transaction, in turn. */
  async function eraseBeside(name: string, batches: readonly (readonly StoredEvent[])[]) {
    const file = newFile();
    await fill(openStores(file), 99);
    const raw = openRaw(file);
    const insert = raw.prepare(
      `INSERT INTO events SELECT (SELECT number << 32 | size FROM logs), 1, ?, ?, ?, 'u', jsonb(?), NULL`,
    );
    const grow = raw.prepare('UPDATE logs SET size = size + 1');
    const nameIt = raw.prepare('INSERT OR IGNORE INTO event_names SELECT number, ? FROM logs');
    const left = [...batches];
    const addAll = raw.transaction((batch: readonly StoredEvent[]) => {
      for (const { eventTs, insertId, eventName, propertiesJson } of batch) {
        insert.run(eventTs, insertId, eventName, propertiesJson);
        grow.run();
        nameIt.run(eventName);
      }
    });
    const connect = wrapping(file, {
      exec: (sql) => {
        const batch = sql.startsWith('BEGIN') ? left.shift() : undefined;
        if (batch !== undefined) addAll(batch);
      },
    });
    const { events } = openStores(file, { connect });
    const query = parseCountBody({ event: name });
    const erased = await events.erase(TENANT, query);
    return { erased, left: left.length, events, query };
  }

  const later = (count: number, eventName: string, first = 0): StoredEvent[] =>
    eventsFrom(100_000 + first, count).map((event) => ({ ...event, eventName }));

  it('takes what another process stores until it is decided, and leaves the names that stay', async () => {
    const batch = [...later(2, 'name-0'), ...later(1, 'name-1', 10), ...later(1, 'came', 20)];
    const { erased, left, events, query } = await eraseBeside('name-0', [batch]);
    expect([erased, left]).toEqual([35, 0]);
    expect(await events.eventNames(TENANT)).toEqual(['came', 'name-1', 'name-2']);
    expect(await events.count(TENANT, query)).toBe(0);
  });

  it.each([1, 2, 4])('catches up with what is stored meanwhile, %i times', async (times) => {
    const batches = Array.from({ length: times }, (_, i) => [
      ...later(1500, 'name-0', i * 10_000),
      ...later(1500, 'name-1', i * 10_000 + 5000),
    ]);
    const { erased, left, events, query } = await eraseBeside('name-0', batches);
    expect(left).toBe(0);
    expect(erased).toBe(33 + 1500 * times);
    expect(await events.count(TENANT, query)).toBe(0);
    expect(await events.count(TENANT, parseCountBody({}))).toBe(66 + 1500 * times);
  });

  it('catches up with a few large events, too', async () => {
    const propertiesJson = JSON.stringify({ text: 'x'.repeat(900_000) });
    const large = later(3, 'name-0').map((event) => ({ ...event, propertiesJson }));
    const { erased, events, query } = await eraseBeside('name-0', [large]);
    expect(erased).toBe(36);
    expect(await events.count(TENANT, query)).toBe(0);
  });
});
