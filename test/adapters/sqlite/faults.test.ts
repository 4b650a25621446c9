import { chmodSync, closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import type { Tenant } from '../../../src/index.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { eventsFrom, fill, newFile, openRaw, openStores, P_IS_3, TENANT } from './fixtures.ts';
import { keyDocument, putDocuments, tenantDocument } from '../../support/documents.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const unavailableError = expect.objectContaining({ name: 'ApiError', status: 503 }) as unknown;

/** Drivers of one file that can be told how many pages it may have, as a full disk would. */
function limitedFile() {
  const file = newFile();
  const connections: Database.Database[] = [];
  const connect = () => {
    const database = new Database(file);
    connections.push(database);
    return database;
  };
  const setPagesMax = (pages: number) => {
    for (const connection of connections) connection.pragma(`max_page_count = ${pages}`);
  };
  return { file, connect, setPagesMax };
}

describe('a full disk', () => {
  it('is a 503 that stores nothing, and goes without a restart when there is room again', async () => {
    const { file, connect, setPagesMax } = limitedFile();
    const stores = openStores(file, { connect });
    await fill(stores, 1000);
    setPagesMax(1);
    const batch = eventsFrom(1000, 2000);
    await expect(stores.events.append(TENANT, batch)).rejects.toEqual(unavailableError);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(1000);
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(200);
    setPagesMax(1_000_000);
    expect(await stores.events.append(TENANT, batch)).toEqual({ duplicates: [], overNames: [] });
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(600);
    expect(openRaw(file).pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('keeps no query from answering that would have kept columns', async () => {
    const { file, connect, setPagesMax } = limitedFile();
    const stores = openStores(file, { connect });
    await fill(stores, 40_000);
    setPagesMax(1);
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(8000);
    expect(openRaw(file).prepare('SELECT count(*) FROM column_chunks').pluck().get()).toBe(0);
  });
});

describe('a damaged page of stored columns', () => {
  it('keeps no query from answering: the events are read', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 40_000);
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(8000);
    await stores.close();
    const raw = openRaw(file);
    const select = raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'column_chunks'").pluck();
    const page = (select.get() as number) - 1;
    const pageBytes = raw.pragma('page_size', { simple: true }) as number;
    raw.close();
    const opened = openSync(file, 'r+');
    writeSync(opened, Buffer.alloc(pageBytes), 0, pageBytes, page * pageBytes);
    closeSync(opened);
    expect(() => openRaw(file).prepare('SELECT * FROM column_chunks').all()).toThrow('malformed');
    expect(await openStores(file).events.count(TENANT, P_IS_3)).toBe(8000);
  });
});

describe('a file that another process has locked', () => {
  it('is a 503 for writers after the wait, and readers go on', async () => {
    const file = newFile();
    const stores = openStores(file, { busyTimeoutMs: 10 });
    await fill(stores, 10);
    const raw = openRaw(file);
    putDocuments(raw, tenantDocument('of a key', 'shop'), keyDocument('k', 'of a key'));
    raw.exec('BEGIN IMMEDIATE');
    await expect(stores.events.append(TENANT, eventsFrom(10, 1))).rejects.toEqual(unavailableError);
    await expect(recordsIn(stores.control).keys.touch('k', 1)).rejects.toEqual(unavailableError);
    await expect(
      stores.limits.take('k', requestWindows({ perMinute: 1, perDay: 1 }), REQUEST_COST),
    ).rejects.toEqual(unavailableError);
    await expect(recordsIn(stores.control).tenants.create(tenant('a'))).rejects.toEqual(unavailableError);
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(10);
    raw.exec('ROLLBACK');
    expect(await recordsIn(stores.control).tenants.create(tenant('a'))).toBe(true);
    expect(await stores.events.append(TENANT, eventsFrom(10, 1))).toEqual({ duplicates: [], overNames: [] });
  });
});

describe('a read-only file', () => {
  it('answers, and refuses to be written with a 503', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 40_000);
    await stores.close();
    chmodSync(file, 0o444);
    // A reader that may not write anything: file permissions do not hold a superuser back.
    const reader = openStores(file, { connect: () => readOnly(file) });
    expect(await reader.events.count(TENANT, P_IS_3)).toBe(8000);
    await expect(reader.events.append(TENANT, eventsFrom(50_000, 1))).rejects.toEqual(unavailableError);
    await expect(
      reader.limits.take('k', requestWindows({ perMinute: 1, perDay: 1 }), REQUEST_COST),
    ).rejects.toEqual(unavailableError);
  });
});

function readOnly(file: string): Database.Database {
  return new Database(file, { readonly: true });
}

describe('a batch that fails half way', () => {
  it('is stored not at all, and its rows are numbered anew', async () => {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 10);
    const broken = eventsFrom(10, 5).map((event, i) => (i === 3 ? { ...event, propertiesJson: '{' } : event));
    await expect(stores.events.append(TENANT, broken)).rejects.toThrow('malformed JSON');
    expect(await stores.events.count(TENANT, EVERYTHING)).toBe(10);
    await stores.events.append(TENANT, eventsFrom(10, 5));
    expect(await stores.events.count(TENANT, P_IS_3)).toBe(3);
  });
});

function tenant(alias: string): Tenant {
  return {
    id: TENANT,
    alias,
    name: alias,
    plan: 'scale',
    limits: null,
    ingestion: 'default',
    retentionDays: null,
    authStrategy: 'NONE',
    jwt: null,
    createdAt: 1,
  };
}
