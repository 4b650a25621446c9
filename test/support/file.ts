import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sqliteStores } from '../../adapters/sqlite/index.ts';
import { recordsIn, type Records } from '../../src/core/access/records.ts';
import { createAdmin, type Admin } from '../../src/index.ts';
import type { Limits } from '../../src/store-kit.ts';
import { testResources } from './resources.ts';

/** A folder of its own for one test. */
export interface Folder {
  readonly path: string;
  /** A file in it. */
  file(name: string): string;
  remove(): void;
}

/** Makes an empty folder. */
export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'event-query-test-'));
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * Removes a folder that a program which was just killed had in use. Its other processes, as a browser has
 * some, may write there for a moment longer; what they wrote meanwhile is found by beginning again.
 */
export async function removeUsedFolder(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(100);
    }
  }
}

/** A tenant that a test sends to and asks. */
export interface TestTenant {
  readonly alias: string;
  /** A secret with both permissions. */
  readonly secret: string;
}

/** Does the owner's work on a file, without a server. */
export async function withAdmin<T>(db: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const resources = testResources();
  const { runtime } = resources;
  const stores = sqliteStores({
    connect: () => new Database(db),
    resources,
  });
  try {
    return await work(createAdmin({ stores, runtime }));
  } finally {
    await stores.close();
  }
}

/** Works with the records of a file, without a server. */
export async function withRecordsOf<T>(db: string, work: (records: Records) => Promise<T>): Promise<T> {
  const stores = sqliteStores({ connect: () => new Database(db), resources: testResources() });
  try {
    return await work(recordsIn(stores.control));
  } finally {
    await stores.close();
  }
}

/** Makes a tenant, without limits unless told, and a key. */
export function createTenant(db: string, alias: string, limits: Limits | null = null): Promise<TestTenant> {
  return withAdmin(db, async (admin) => {
    await admin.createTenant({ alias, plan: 'custom', limits });
    const { secret } = await admin.createKey(alias, { name: 'test', permissions: ['query', 'ingest'] });
    return { alias, secret };
  });
}

/**
 * Runs SQL on a file beside the server, as somebody with a SQLite shell could; the rows of the last
 * statement.
 */
export function runSql(db: string, sql: string, ...values: (string | number | Buffer)[]): unknown[] {
  const database = new Database(db);
  try {
    database.pragma('busy_timeout = 5000');
    const statement = database.prepare(sql);
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return [];
  } finally {
    database.close();
  }
}

/** Throws an Error when SQLite finds the file damaged. */
export function checkIntegrity(db: string): void {
  const [row] = runSql(db, 'PRAGMA integrity_check') as { integrity_check: string }[];
  if (row?.integrity_check !== 'ok') throw new Error(`integrity_check: ${JSON.stringify(row)}`);
}
