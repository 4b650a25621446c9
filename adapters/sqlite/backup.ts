import { dirname } from 'node:path';
import { guard, type SqliteDatabase } from './file/database.ts';
import { connectExplained } from './file/explained.ts';
import { checkFileName } from './file/name.ts';
import { writeNewFile } from './file/new-file.ts';
import { freeOf } from './file/reserve.ts';
import { refuseForeignFile, refuseUnbegunFile, versionOf, type FileContents } from './file/schema.ts';

/** A complete and verified copy. */
export interface Backup extends FileContents {
  /** The size of the copy. */
  readonly bytes: number;
}

/** Opens a connection to a file. */
export type Connect = (file: string) => SqliteDatabase;

/** Options of a copy. */
export interface BackupOptions {
  /** How long to wait for another process that has locked the file, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

/**
 * Copies a file of any schema to `to`, as it is at one moment, while other processes read and write it. The
 * copy gets its name when it is complete, synced and verified; until then it is `to` with an ending that
 * names this process, which is removed when copying fails. It also removes what killed backups have left in
 * that folder. Throws an Error if `to` exists, its disk is full, the file is not event-query's or is of a
 * newer version, or the copy is damaged.
 *
 * The copy is made by `VACUUM INTO`, which reads within one transaction: writers are not delayed, and they do
 * not delay it. SQLite's online backup would start again with every commit of another process, so that under
 * constant writes it never ends. `VACUUM INTO` also leaves out what was deleted, and every driver has it.
 */
export function backupSqlite(
  from: string,
  to: string,
  connect: Connect,
  { busyTimeoutMs = 5000 }: BackupOptions = {},
): Backup {
  return writeNewFile(to, (part) => {
    withFile(from, connect, (database) => {
      database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
      requireRoom(database, to);
      database.prepare('VACUUM INTO ?').run(part);
    });
    return inspectSqlite(part, connect);
  });
}

/** Throws an Error if the disk of a copy has less room than the data of the file takes. */
function requireRoom(database: SqliteDatabase, to: string): void {
  const { bytes } = database
    .prepare(
      `SELECT (page_count - freelist_count) * page_size AS bytes
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    .get() as { bytes: number };
  const free = freeOf(dirname(to));
  if (free < bytes)
    throw new Error(
      `the copy ${to} needs up to ${bytes} bytes, and its disk has ${free} bytes free: ` +
        'free some room, or name a place on another disk; nothing was changed',
    );
}

/**
 * Reads all of a file and returns what it holds. Throws an Error if it is damaged, empty, not event-query's,
 * or of a newer version.
 */
export function inspectSqlite(file: string, connect: Connect): FileContents {
  return withFile(file, connect, (database) => {
    const [found] = database.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[];
    if (found?.integrity_check !== 'ok')
      throw new Error(`${file} is damaged: ${String(found?.integrity_check).replaceAll('\n', ' ')}`);
    const counts = database
      .prepare(
        `SELECT (SELECT count(*) FROM documents WHERE kind = 'tenant') AS tenants,
           (SELECT count(*) FROM events) AS events`,
      )
      .get() as { tenants: number; events: number };
    return { schema: versionOf(database), ...counts };
  });
}

/** Works on a file of any schema that this version knows. */
function withFile<T>(file: string, connect: Connect, work: (database: SqliteDatabase) => T): T {
  checkFileName(file);
  const { database } = connectExplained(() => connect(file));
  try {
    return guard(() => {
      refuseForeignFile(database);
      refuseUnbegunFile(versionOf(database));
      return work(database);
    });
  } finally {
    database.close();
  }
}
