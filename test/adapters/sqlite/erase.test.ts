import { readFileSync, existsSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compactSqlite } from '../../../adapters/sqlite/index.ts';
import type { Stores } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
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
import { recordsIn } from '../../../src/core/access/records.ts';
import { apiKey } from '../../support/api-key.ts';

/** What stands in every text of an event of the tenant that goes. */
const MARK = 'do-not-find-me';

/** Events whose every text bears the mark, small and large. */
function marked(first: number, count: number, letters = 40): StoredEvent[] {
  return eventsFrom(first, count, (i) => `${MARK}-${i}`.padEnd(letters, 'x')).map((event, i) => ({
    ...event,
    eventName: `${MARK}-name-${(first + i) % 3}`,
    userId: `${MARK}-user-${(first + i) % 7}`,
    insertId: `${MARK}-id-${first + i}`,
  }));
}

/** How often the mark stands in the files of a database. */
function findMarks(file: string): number {
  let found = 0;
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(each)) found += readFileSync(each).toString('latin1').split(MARK).length - 1;
  }
  return found;
}

/** Fills a file with a tenant that goes and one that stays, in turns, so that they share what they can. */
async function fillBoth(stores: Stores): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await stores.events.append(TENANT, marked(i * 5000, 5000));
    await stores.events.append('stays', eventsFrom(i * 500, 500));
  }
  await stores.events.append(TENANT, marked(50_000, 20, 300_000));
  for (const property of ['properties.p', 'userId', 'eventName'] as const) {
    await stores.events.count(TENANT, queryOf({ property, comparison: 'CONTAINS', value: 'me-1' }));
  }
}

describe('a tenant that was erased', () => {
  it('is erased in its place among what is stored for it, whoever waits for what', async () => {
    const { events } = openStores(newFile());
    const stored = [
      events.append(TENANT, eventsFrom(0, 2)),
      events.append(TENANT, eventsFrom(2, 2)),
      events.erase(TENANT),
      events.append(TENANT, eventsFrom(4, 3)),
    ];
    const answers = await Promise.all(stored);
    expect([answers[2], await events.count(TENANT, EVERYTHING)]).toEqual([4, 3]);
  });

  it('leaves nothing readable in the file, nor in its write-ahead log', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fillBoth(stores);
    expect(findMarks(file)).toBeGreaterThan(40_000);
    await stores.events.erase(TENANT);
    expect(findMarks(file)).toBe(0);
    expect(await stores.events.count('stays', P_IS_3)).toBe(800);
    const raw = openRaw(file);
    for (const table of ['event_names', 'column_chunks', 'column_paths', 'logs'] as const) {
      const others = raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
      expect([table, others]).toEqual([table, table === 'event_names' ? 3 : table === 'logs' ? 1 : 0]);
    }
  });

  it('leaves nothing in the write-ahead log either where others were reading just then', async () => {
    const file = newFile();
    const stores = openStores(file);
    await addTenant(stores, TENANT);
    await recordsIn(stores.control).keys.create(keyOf('k1', TENANT));
    await stores.events.append(TENANT, marked(0, 5000));
    for (const erase of [
      () => stores.events.erase(TENANT),
      () => recordsIn(stores.control).keys.erase(TENANT),
    ]) {
      const reading = openRaw(file).prepare('SELECT name FROM sqlite_schema').iterate();
      reading.next();
      const erased = erase();
      await new Promise((resolve) => setTimeout(resolve, 200));
      reading.return?.();
      await erased;
      expect(statSync(`${file}-wal`).size).toBe(0);
    }
    expect(findMarks(file)).toBe(0);
  });

  it('leaves nothing there either when the last try is the first that can', async () => {
    const file = newFile();
    const { tenants } = recordsIn(openStores(file).control);
    const settings = {
      plan: 'free',
      limits: null,
      ingestion: null,
      retentionDays: null,
      authStrategy: 'NONE',
      jwt: null,
    } as const;
    await tenants.create({ id: TENANT, alias: MARK, name: MARK, createdAt: 1, ...settings });
    const reading = openRaw(file).prepare('SELECT name FROM sqlite_schema').iterate();
    reading.next();
    // The last try comes later than all rests together.
    setTimeout(() => reading.return?.(), 600);
    await tenants.delete(TENANT);
    expect(findMarks(file)).toBe(0);
  });

  it('leaves nothing there where the disk failed just then, and no deletion fails for it', async () => {
    const file = newFile();
    let failures = 1;
    const connect = wrapping(file, {
      statement: (sql) => {
        if (sql.includes('wal_checkpoint') && failures-- > 0)
          throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
      },
    });
    const stores = openStores(file, { connect });
    await addTenant(stores, TENANT);
    await recordsIn(stores.control).keys.create(keyOf('k1', TENANT));
    await recordsIn(stores.control).keys.erase(TENANT);
    expect([failures, statSync(`${file}-wal`).size]).toEqual([-1, 0]);
    await recordsIn(stores.control).keys.create(keyOf('k2', TENANT));
    failures = Infinity;
    const erased = recordsIn(stores.control).keys.erase(TENANT);
    // Nobody empties the log of stores that close.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stores.close();
    await expect(erased).resolves.toBeUndefined();
  });

  it('waits for who reads no longer than a second', async () => {
    const file = newFile();
    const stores = openStores(file);
    await stores.events.append(TENANT, marked(0, 10));
    await stores.events.append('stays', eventsFrom(0, 10));
    const reading = openRaw(file).prepare('SELECT * FROM events').iterate();
    reading.next();
    expect(await stores.events.erase(TENANT)).toBe(10);
    expect(await stores.events.count('stays', EVERYTHING)).toBe(10);
    reading.return?.();
  });

  it('leaves no secret of its keys, and no key', async () => {
    const file = newFile();
    const stores = openStores(file);
    const { keys } = recordsIn(stores.control);
    for (const id of [TENANT, 'stays']) await addTenant(stores, id);
    for (const [id, tenantId] of [
      ['k1', TENANT],
      ['k2', TENANT],
      ['k3', 'stays'],
    ] as const) {
      await keys.create(keyOf(id, tenantId));
    }
    await keys.addSecret('k1', { hash: `${MARK}-k1-second`, createdAt: 2, expiresAt: null }, 10);
    await keys.erase(TENANT);
    const raw = openRaw(file);
    expect(raw.prepare("SELECT name FROM document_names WHERE kind = 'key'").pluck().all()).toEqual([
      `${MARK}-k3`,
    ]);
    expect(raw.prepare("SELECT id FROM documents WHERE kind = 'key'").pluck().all()).toEqual(['k3']);
    expect(await keys.findBySecretHash(`${MARK}-k1`)).toBeUndefined();
    // That of the other tenant stands in its document, twice, and in the table of names and its index.
    expect(findMarks(file)).toBe(4);
  });
});

async function addTenant({ control }: Stores, id: string): Promise<void> {
  await recordsIn(control).tenants.create({
    ...{ id, alias: `a-${id}`, name: id, plan: 'free', limits: null, ingestion: null, retentionDays: null },
    ...{ authStrategy: 'NONE', jwt: null, createdAt: 1 },
  });
}

const keyOf = (id: string, tenantId: string) =>
  apiKey({ id, tenantId, secrets: [{ hash: `${MARK}-${id}`, createdAt: 1, expiresAt: null }] });

describe('compactSqlite', () => {
  it('gives the space back, also what an older version has left, and changes no answer', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fillBoth(stores);
    await stores.close();
    // As the first version removed: without a trace in the tables, and with all of it in the file.
    const old = openRaw(file);
    old.pragma('secure_delete = OFF');
    old.exec(`DELETE FROM events WHERE log = 1; DELETE FROM logs WHERE number = 1; DELETE FROM event_names
      WHERE log = 1; DELETE FROM column_chunks; DELETE FROM column_paths`);
    old.close();
    expect(findMarks(file)).toBeGreaterThan(1000);
    const { bytesBefore, bytesAfter, logEmptied } = await compactSqlite(() => openRaw(file));
    expect(findMarks(file)).toBe(0);
    expect(logEmptied).toBe(true);
    expect(bytesAfter).toBeLessThan(bytesBefore / 5);
    const opened = openStores(file);
    expect(await opened.events.count('stays', P_IS_3)).toBe(800);
    await fill(opened, 10);
    expect(await opened.events.count(TENANT, EVERYTHING)).toBe(10);
  });

  it('fails where something that was erased cannot be removed', async () => {
    const file = newFile();
    const stores = openStores(file);
    await stores.events.append(TENANT, marked(0, 500));
    const raw = openRaw(file);
    raw.exec(`CREATE TRIGGER stuck BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'stuck'); END`);
    expect(await stores.events.erase(TENANT)).toBe(500);
    await stores.close();
    await expect(compactSqlite(() => openRaw(file))).rejects.toThrow('stuck');
    raw.exec('DROP TRIGGER stuck');
    await compactSqlite(() => openRaw(file));
    expect(findMarks(file)).toBe(0);
  });

  it('says so when another process reads, and refuses while one writes', async () => {
    const file = newFile();
    const stores = openStores(file);
    await stores.events.append(TENANT, marked(0, 500));
    const reader = openRaw(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    await stores.events.erase(TENANT);
    const options = { busyTimeoutMs: 10 };
    expect(await compactSqlite(() => openRaw(file), options)).toMatchObject({ logEmptied: false });
    reader.exec('COMMIT');
    reader.exec('BEGIN IMMEDIATE');
    await expect(compactSqlite(() => openRaw(file), options)).rejects.toMatchObject({ status: 503 });
    reader.exec('ROLLBACK');
    expect(await compactSqlite(() => openRaw(file), options)).toMatchObject({ logEmptied: true });
    expect(findMarks(file)).toBe(0);
  });
});
