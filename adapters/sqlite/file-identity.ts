import { statSync } from 'node:fs';
import type { SqliteDatabase } from './database.ts';

/**
 * Which file a connection has open, so that it is noticed when another stands in its place, or none: what is
 * written to a file without a name is lost with the process. Plain data, which a thread can be given.
 */
export interface FileIdentity {
  /** Its absolute path. */
  readonly file: string;
  /** Device and number of the file, and of its write-ahead log, where the latest commits are. */
  readonly main: string;
  readonly log: string;
}

/** The absolute path of the file of a connection; empty for one that is in memory. */
export function fileOf(database: SqliteDatabase): string {
  const rows = database.prepare('PRAGMA database_list').all() as { name: string; file: string | null }[];
  return rows.find(({ name }) => name === 'main')?.file ?? '';
}

/** The identity of the file of a connection that has read it; undefined for one that is in memory. */
export function identify(database: SqliteDatabase): FileIdentity | undefined {
  const file = fileOf(database);
  return file === '' ? undefined : { file, main: numberOf(file), log: numberOf(`${file}-wal`) };
}

/** What stands in the place of a file that is not what was opened; undefined where it is. */
export function findDisplaced({ file, main, log }: FileIdentity): 'gone' | 'replaced' | undefined {
  const now = numberOf(file);
  if (now === main && (log === NOTHING || log === numberOf(`${file}-wal`))) return undefined;
  return now === NOTHING || now === main ? 'gone' : 'replaced';
}

const NOTHING = '';

function numberOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? NOTHING : `${found.dev}:${found.ino}`;
  } catch {
    // The way to it is barred.
    return NOTHING;
  }
}
