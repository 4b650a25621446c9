import { guard, type SqliteDatabase } from './file/database.ts';
import { refuseOlderInUse } from './file/exclusive.ts';
import { connectExplained } from './file/explained.ts';
import { openFile, refuseForeignFile, type Migration } from './file/schema.ts';

/**
 * Migrates a file, which may be empty, to the schema of this version, in one transaction; returns the
 * versions before and after. `connect` opens a connection, which is closed again. Throws an Error that says
 * why for a file of a newer version, one that is not event-query's, or an older one that another process has
 * open, and `unavailable` if the file cannot be written now.
 */
export function migrateSqlite(
  connect: () => SqliteDatabase,
  { busyTimeoutMs = 5000, before }: MigrateOptions = {},
): Migration {
  guard(() => refuseOlderInUse(connect, busyTimeoutMs));
  const { database } = connectExplained(connect);
  try {
    return guard(() => openFile(database, busyTimeoutMs, 'migrate', before));
  } finally {
    database.close();
  }
}

/** Options of a migration. */
export interface MigrateOptions {
  /** How long to wait for another process that writes, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * Runs before the schema of an older file changes, such as a backup with another connection. Nobody else
   * can write meanwhile. If it throws, the file stays as it is.
   */
  readonly before?: (migration: Migration) => void;
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
