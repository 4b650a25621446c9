import { guard, type SqliteDatabase } from './database.ts';
import { connectExplained } from './explained.ts';
import { openFile, refuseForeignFile, type Migration } from './schema.ts';

/**
 * Brings a file to the schema of this version, in one transaction, and tells from which; an empty file too.
 * `connect` opens one connection, which is closed again. Throws an Error that says why for a file of a newer
 * version or that is none of event-query's, and `unavailable` where the file cannot be written now.
 */
export function migrateSqlite(
  connect: () => SqliteDatabase,
  { busyTimeoutMs = 5000 }: { readonly busyTimeoutMs?: number } = {},
): Migration {
  const { database } = connectExplained(connect);
  try {
    return guard(() => openFile(database, busyTimeoutMs, 'migrate'));
  } finally {
    database.close();
  }
}

/**
 * Throws as `sqliteStores` would for a file that a server could not open, whatever its schema; nothing is
 * written.
 */
export function checkSqlite(connect: () => SqliteDatabase): void {
  const { database } = connectExplained(connect);
  try {
    guard(() => refuseForeignFile(database));
  } finally {
    database.close();
  }
}
