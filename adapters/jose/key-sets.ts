import type { ToFault } from './faults.ts';
import { fetchKeySet } from './fetch-key-set.ts';
import type { KeySet } from './key-set.ts';

/** How key sets are fetched and cached. Every field has a default. */
export interface KeySetOptions {
  /** The current time in epoch milliseconds; `Date.now`. */
  readonly now?: () => number;
  /** How long one fetch may take; 5 s. */
  readonly fetchTimeoutMs?: number;
  /**
   * How long fetched keys are used before they are fetched again; 10 min. A key that the endpoint has removed
   * is trusted no longer than that.
   */
  readonly freshMs?: number;
  /** How long fetched keys stay in use while the endpoint does not answer; 24 h. */
  readonly staleMs?: number;
  /** With cached keys, the least time between two fetches for an unknown key id or after a failure; 1 min. */
  readonly refetchMs?: number;
  /** Without cached keys, the least time between two fetches after a failure; 1 s. */
  readonly retryMs?: number;
  /** How many URLs are cached; 1,000. */
  readonly urlsMax?: number;
  /** How many bytes all cached key sets may have together; 8 MiB. The least recently used are evicted. */
  readonly bytesMax?: number;
  /** How many requests may wait for the keys of one URL; 50. Further ones get 503 with `Retry-After`. */
  readonly waitingMax?: number;
}

/** The key sets of JWKS endpoints. */
export interface KeySets {
  /**
   * Returns the result of `attempt` with the keys of a URL. When that is undefined, the keys are fetched
   * again, at most once a minute, and `attempt` gets the new ones. Throws ApiError `unavailable` when there
   * are no keys.
   */
  use<T>(url: string, attempt: (keys: KeySet) => Promise<T | undefined>): Promise<T | undefined>;
}

interface Entry {
  keys: KeySet | undefined;
  /** How many bytes count towards the limit: none once the entry is evicted. */
  bytes: number;
  fetchedAt: number;
  triedAt: number;
  failure: unknown;
  pending: Promise<void> | undefined;
  /** How many requests are waiting for the fetch. */
  waiting: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MEBIBYTE = 1_048_576;
const BUSY = 'too many requests wait for the keys of a JWKS endpoint';

/** Makes a cache of key sets, each fetched when it is first needed. */
export function createKeySets(options: KeySetOptions, toFault: ToFault): KeySets {
  const {
    now = Date.now,
    fetchTimeoutMs = 5 * SECOND_MS,
    freshMs = 10 * MINUTE_MS,
    staleMs = 24 * HOUR_MS,
    refetchMs = MINUTE_MS,
    retryMs = SECOND_MS,
    urlsMax = 1_000,
    bytesMax = 8 * MEBIBYTE,
    waitingMax = 50,
  } = options;
  let bytes = 0;
  const entries = createCache<Entry>(urlsMax, (entry) => {
    bytes -= entry.bytes;
    entry.bytes = 0;
  });
  /** Whether `ms` have passed since a moment; also true when the clock was set back to before it. */
  const hasPassed = (ms: number, since: number) => now() < since || now() - since >= ms;

  /** Caches fetched keys, and evicts others when all together exceed the limit. */
  function keep(url: string, entry: Entry, keys: KeySet): void {
    entry.keys = keys;
    // The entry was evicted and made again meanwhile: only the requests that wait for this fetch use it.
    if (entries.get(url, () => entry) !== entry) return;
    bytes += keys.bytes - entry.bytes;
    entry.bytes = keys.bytes;
    while (bytes > bytesMax && entries.dropOldest());
  }

  /**
   * Fetches the keys of a URL; concurrent calls share one fetch. After a failure the entry keeps the error
   * and its former keys.
   */
  function refresh(url: string, entry: Entry): Promise<void> {
    entry.triedAt = now();
    entry.pending ??= fetchKeySet(url, fetchTimeoutMs)
      .then(
        (keys) => {
          keep(url, entry, keys);
          entry.fetchedAt = now();
          entry.failure = undefined;
        },
        (error: unknown) => {
          entry.failure = error;
        },
      )
      .finally(() => {
        entry.pending = undefined;
      });
    return entry.pending;
  }

  /** Waits for a fetch, and starts one when none is under way; false when too many requests wait already. */
  async function wait(url: string, entry: Entry): Promise<boolean> {
    if (entry.waiting >= waitingMax) return false;
    entry.waiting += 1;
    try {
      await refresh(url, entry);
      return true;
    } finally {
      entry.waiting -= 1;
    }
  }

  async function currentKeys(url: string, entry: Entry): Promise<KeySet> {
    const due = entry.keys === undefined || hasPassed(freshMs, entry.fetchedAt);
    const waitMs = entry.keys === undefined ? retryMs : refetchMs;
    const rests = entry.failure !== undefined && !hasPassed(waitMs, entry.triedAt);
    if (due && !rests) await wait(url, entry);
    if (entry.keys === undefined || (entry.failure !== undefined && hasPassed(staleMs, entry.fetchedAt))) {
      throw toFault(url, entry.failure ?? new Error(BUSY), Math.ceil(waitMs / SECOND_MS));
    }
    return entry.keys;
  }

  return {
    use: async (url, attempt) => {
      const entry = entries.get(url, newEntry);
      const keys = await currentKeys(url, entry);
      const made = await attempt(keys);
      if (made !== undefined) return made;
      // The endpoint may have a new key by now, but invented tokens must not make us flood it.
      if (entry.pending === undefined && entry.keys === keys && !hasPassed(refetchMs, entry.triedAt))
        return undefined;
      if (entry.keys === keys && !(await wait(url, entry))) throw toFault(url, new Error(BUSY), 1);
      return entry.keys === keys ? undefined : attempt(entry.keys ?? keys);
    },
  };
}

function newEntry(): Entry {
  return {
    keys: undefined,
    bytes: 0,
    fetchedAt: 0,
    triedAt: 0,
    failure: undefined,
    pending: undefined,
    waiting: 0,
  };
}

/** A least recently used (LRU) cache. */
interface Cache<V> {
  /** Returns the value of a key, and makes it first when it is missing. */
  get(key: string, make: () => V): V;
  /** Evicts the least recently used value; false when the cache is empty. */
  dropOldest(): boolean;
}

/** Makes a cache of at most `entriesMax` values; `onDrop` receives each evicted value. */
function createCache<V>(entriesMax: number, onDrop: (value: V) => void): Cache<V> {
  const entries = new Map<string, V>();

  function dropOldest(): boolean {
    const oldest = entries.entries().next().value;
    if (oldest === undefined) return false;
    entries.delete(oldest[0]);
    onDrop(oldest[1]);
    return true;
  }

  return {
    get: (key, make) => {
      const value = entries.get(key) ?? make();
      // A Map iterates in insertion order, so reinserting an entry makes it the newest.
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > entriesMax) dropOldest();
      return value;
    },
    dropOldest,
  };
}
