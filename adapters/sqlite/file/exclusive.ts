import type { SqliteDatabase } from './database.ts';
import { connectExplained } from './explained.ts';
import { resultOf } from './trouble.ts';
import { isCurrent, refuseForeignFile, versionOf } from './schema.ts';

/**
 * Locks the file until the connection, which must not have read yet, closes. Throws an Error if another
 * process has it open.
 */
export function takeForItself(database: SqliteDatabase, file: string): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  try {
    database.exec('BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    if (resultOf(error) !== 'SQLITE_BUSY') throw error;
    throw new Error(`another process has ${file} open: stop it first; nothing was changed`, { cause: error });
  }
}

/**
 * Throws an Error if a file is of an older schema and another process has it open: that one would go on to
 * read and write by the older schema.
 */
export function refuseOlderInUse(connect: () => SqliteDatabase, busyTimeoutMs: number): void {
  if (!isOlder(connect)) return;
  const { database, file } = connectExplained(connect);
  try {
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
    takeForItself(database, file);
  } catch (error) {
    // The other one may have migrated it meanwhile.
    if (isOlder(connect)) throw error;
  } finally {
    database.close();
  }
}

function isOlder(connect: () => SqliteDatabase): boolean {
  const { database } = connectExplained(connect);
  try {
    refuseForeignFile(database);
    const version = versionOf(database);
    return version > 0 && !isCurrent(version);
  } finally {
    database.close();
  }
}
