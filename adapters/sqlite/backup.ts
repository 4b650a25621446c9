import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { guard, type SqliteDatabase } from './file/database.ts';
import { connectExplained } from './file/explained.ts';
import { freeOf, isNoRoom } from './file/reserve.ts';
import { refuseForeignFile, refuseUnbegunFile, versionOf, type FileContents } from './file/schema.ts';
import { causeOf, isFull } from './file/trouble.ts';
import { removeLeftParts, toPartName } from './parts.ts';

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

/** Only the owner may read a copy: it holds events, and hashes of keys. */
const OWNER_ONLY = 0o600;

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
  refuseExisting(to);
  removeLeftParts(dirname(to));
  const part = toPartName(to);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    return sayFull(to, () => {
      withFile(from, connect, (database) => {
        database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
        requireRoom(database, to);
        closeSync(openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY));
        database.prepare('VACUUM INTO ?').run(part);
      });
      sync(part, 'r+');
      const contents = inspectSqlite(part, connect);
      const { size: bytes } = statSync(part);
      giveName(part, to);
      // The name lasts once its folder is synced. Windows cannot open a folder, and needs no such call.
      if (process.platform !== 'win32') sync(dirname(to), 'r');
      return { ...contents, bytes };
    });
  } finally {
    rmSync(part, { force: true });
  }
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

/** Runs `work`, which writes to the disk of `to`; where that is full, the error says so. */
function sayFull<T>(to: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isFull(causeOf(error)) && !isNoRoom(error)) throw error;
    throw new Error(
      `the disk of ${to} became full: free some room, or name a place on another disk; ` +
        'nothing is left of the copy',
      { cause: error },
    );
  }
}

/**
 * Gives a complete copy its name, unless that exists by now: a link is made or refused at once, where a
 * rename would replace what another process has put there.
 */
function giveName(part: string, to: string): void {
  try {
    linkSync(part, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseExisting(to);
    if (!NO_LINKS.includes(code)) throw error;
    refuseExisting(to);
    renameSync(part, to);
  }
}

/** The error codes of file systems without links, such as FAT. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

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
      .prepare('SELECT (SELECT count(*) FROM tenants) AS tenants, (SELECT count(*) FROM events) AS events')
      .get() as { tenants: number; events: number };
    return { schema: versionOf(database), ...counts };
  });
}

/** Works on a file of any schema that this version knows. */
function withFile<T>(file: string, connect: Connect, work: (database: SqliteDatabase) => T): T {
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

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Error(`${file} exists already; nothing was changed`);
}

/** Waits until a file, or a folder's entries, are on the disk. */
function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
