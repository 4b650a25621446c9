import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
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

/** How long a change of a folder has to be past for another one to have another time on any disk. */
const TICK_MS = 1000;

/**
 * Makes what is asked behind each commit: what `findDisplaced` would say. While nothing was made, renamed or
 * removed in the folder, its own time of change says so, which takes one look instead of two.
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

/** Whether the same folder stands there, with the same names for the same files. */
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
    // The way to it is barred.
    return undefined;
  }
}
