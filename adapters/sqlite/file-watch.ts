import type { SqliteDatabase } from './database.ts';
import type { FileState } from './file-state.ts';

/** How long an answer to "has the file changed?" may serve, within one turn of the event loop. */
const FRESH_MS_MAX = 1;

/** How many look-ups are remembered; beyond it all are forgotten. */
const REMEMBERED_MAX = 10_000;

/**
 * How often this process has written, to whichever file: two stores of one process see each other's writes at
 * once.
 */
let writes = 0;

/** Knows when the file has changed, by any process, so that what was read of it can be kept until then. */
export interface FileWatch {
  /**
   * Wraps a look-up so that it is done again only when the file has changed. Absent values are not
   * remembered, so that a flood of wrong keys displaces nothing.
   */
  remember<T>(find: (key: string) => T | undefined): (key: string) => T | undefined;
  /** Notes that this process has written what may be remembered: it is looked at anew from now on. */
  readonly changed: () => void;
}

/**
 * Watches a file through the connection that reads, since `PRAGMA data_version` tells of the commits of all
 * others. Where the same connection writes, that tells of other processes only, and `changed` of what this
 * one writes: the buckets change with every request, and nothing that is remembered depends on them. One
 * answer serves all requests of a turn of the event loop, for at most a millisecond: a request whose first
 * byte came after a change was committed is in a later turn, so it sees the change. Asking for each request
 * alone cost a tenth of a count over HTTP.
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

  /** How often the file was seen to have changed: another number whenever it may hold something else. */
  function current(): number {
    state?.check();
    const now = performance.now();
    if (fresh && writes === writesSeen && now - askedAt < FRESH_MS_MAX) return changes;
    if (!fresh) setImmediate(() => (fresh = false));
    const { data_version: version } = ask.get() as { data_version: number };
    // Who has written may have brought the file to a newer schema.
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
      const found = new Map<string, T>();
      let foundAt: number | undefined;
      return (key) => {
        const now = current();
        if (now !== foundAt || found.size >= REMEMBERED_MAX) found.clear();
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
