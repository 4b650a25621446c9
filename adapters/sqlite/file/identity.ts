import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteDatabase } from './database.ts';

/**
 * Identifies the file that a connection has open, to detect that it was replaced or deleted: data written to
 * a file without a name is lost with the process. It is plain data, which can be sent to a thread.
 */
export interface FileIdentity {
  /** The absolute path. */
  readonly file: string;
  /** Device and inode of the file, and of its write-ahead log, which contains the latest commits. */
  readonly main: string;
  readonly log: string;
}

/** The absolute path of a connection's file; empty for an in-memory database. */
export function fileOf(database: SqliteDatabase): string {
  const rows = database.prepare('PRAGMA database_list').all() as { name: string; file: string | null }[];
  return rows.find(({ name }) => name === 'main')?.file ?? '';
}

/** The identity of the file of a connection that has read it; undefined for an in-memory database. */
export function identify(database: SqliteDatabase): FileIdentity | undefined {
  const file = fileOf(database);
  return file === '' ? undefined : { file, main: numberOf(file), log: numberOf(`${file}-wal`) };
}

/** What has become of a file at its path; undefined if it is still the one that was opened. */
export function findDisplaced({ file, main, log }: FileIdentity): 'gone' | 'replaced' | undefined {
  const now = numberOf(file);
  if (now === main && (log === NOTHING || log === numberOf(`${file}-wal`))) return undefined;
  return now === NOTHING || now === main ? 'gone' : 'replaced';
}

/** How old a folder's last change must be for another change to get a different time on any disk. */
const TICK_MS = 1000;

/**
 * Creates the check after each commit, with the result of `findDisplaced`. While the folder's own
 * modification time shows that nothing in it was created, renamed or removed, one system call is enough
 * instead of two.
 */
export function watchPlace(identity: FileIdentity): () => 'gone' | 'replaced' | undefined {
  const folder = dirname(identity.file);
  let before: Stats | undefined;
  return () => {
    const now = statOf(folder);
    if (now !== undefined && before !== undefined && isUnchanged(before, now)) return undefined;
    const displaced = findDisplaced(identity);
    const isPast = now !== undefined && Date.now() - now.ctimeMs > TICK_MS;
    before = displaced === undefined && isPast ? now : undefined;
    return displaced;
  };
}

/** Whether the folder is the same and has the same entries for the same files. */
function isUnchanged(before: Stats, now: Stats): boolean {
  return before.ctimeMs === now.ctimeMs && before.ino === now.ino && before.dev === now.dev;
}

const NOTHING = '';

function numberOf(path: string): string {
  const found = statOf(path);
  return found === undefined ? NOTHING : `${found.dev}:${found.ino}`;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The path cannot be accessed.
    return undefined;
  }
}
