import { createBoundedMap } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from './database.ts';
import type { FileState } from './state.ts';

/** How long the result of a change check may be reused within one turn of the event loop. */
const FRESH_MS_MAX = 1;

/** How many lookups are remembered at most. */
const REMEMBERED_MAX = 10_000;

/**
 * How often this process has written, to any file: two stores of one process see each other's writes at once.
 */
let writes = 0;

/** Detects changes of the file by any process, so that lookups can be cached until then. */
export interface FileWatch {
  /**
   * Caches a lookup until the file changes. Missing values are not cached, so that a flood of wrong keys
   * evicts nothing.
   */
  remember<T>(find: (key: string) => T | undefined): (key: string) => T | undefined;
  /** Records that this process has changed cached data: the next lookup reads it again. */
  readonly changed: () => void;
}

/**
 * Watches a file through the reading connection: `PRAGMA data_version` changes with the commits of all
 * others. If the same connection also writes, it only shows other processes' commits, and `changed` reports
 * its own: buckets change with every request, and no cached value depends on them. One check serves all
 * requests of a turn of the event loop, for at most a millisecond. A request whose first byte arrived after a
 * commit is in a later turn, so it sees the change. A check for each request would cost a tenth of a count
 * over HTTP.
 */
export function createFileWatch(
  database: SqliteDatabase,
  state?: Pick<FileState, 'check' | 'checkSchema'>,
): FileWatch {
  const ask = database.prepare('PRAGMA data_version');
  let changes = 0;
  let fresh = false;
  let askedAt = 0;
  let writesSeen = 0;
  let versionSeen: number | undefined;

  /** A version number that differs whenever the file may have changed. */
  function current(): number {
    state?.check();
    const now = performance.now();
    if (fresh && writes === writesSeen && now - askedAt < FRESH_MS_MAX) return changes;
    if (!fresh) setImmediate(() => (fresh = false));
    const { data_version: version } = ask.get() as { data_version: number };
    // The process that wrote may have migrated the file to a newer schema.
    if (version !== versionSeen && versionSeen !== undefined) state?.checkSchema();
    if (version !== versionSeen || writes !== writesSeen) changes += 1;
    fresh = true;
    askedAt = now;
    versionSeen = version;
    writesSeen = writes;
    return changes;
  }

  return {
    remember: <T>(find: (key: string) => T | undefined) => {
      let found = createBoundedMap<string, T>(REMEMBERED_MAX);
      let foundAt: number | undefined;
      return (key) => {
        const now = current();
        if (now !== foundAt) found = createBoundedMap(REMEMBERED_MAX);
        foundAt = now;
        let value = found.get(key);
        if (value === undefined) {
          value = find(key);
          if (value !== undefined) found.set(key, value);
        }
        return value;
      };
    },
    changed: () => void (writes += 1),
  };
}
