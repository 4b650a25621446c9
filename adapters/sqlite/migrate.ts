import { guard, type SqliteDatabase } from './file/database.ts';
import { connectExplained } from './file/explained.ts';
import { openFile, refuseForeignFile, type Migration } from './file/schema.ts';

/**
 * Migrates a file, which may be empty, to the schema of this version, in one transaction; returns the
 * versions before and after. `connect` opens one connection, which is closed again. Throws an Error that says
 * why for a file of a newer version or one that is not event-query's, and `unavailable` if the file cannot be
 * written now.
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
 * Throws as `sqliteStores` would if a server could not open the file, whatever its schema; it writes nothing.
 */
export function checkSqlite(connect: () => SqliteDatabase): void {
  const { database } = connectExplained(connect);
  try {
    guard(() => refuseForeignFile(database));
  } finally {
    database.close();
  }
}
