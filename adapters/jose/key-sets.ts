import { createCache } from './cache.ts';
import type { ToFault } from './faults.ts';
import { fetchKeySet } from './fetch-key-set.ts';
import type { KeySet } from './key-set.ts';

/** How key sets are fetched and kept. Every field has a default. */
export interface KeySetOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** How long one fetch may take; 5 s. */
  readonly fetchTimeoutMs?: number;
  /**
   * How long fetched keys are used before they are fetched again; 10 min. A key that was taken away dies by
   * then.
   */
  readonly freshMs?: number;
  /** How long fetched keys are used at most while the endpoint does not answer; 24 h. */
  readonly staleMs?: number;
  /** How long the next fetch waits, when there are keys: for an unknown key id, or after a failure; 1 min. */
  readonly refetchMs?: number;
  /** How long the next fetch waits after a failure when there are no keys; 1 s. */
  readonly retryMs?: number;
  /** How many addresses are kept; 1,000. */
  readonly urlsMax?: number;
  /** How many bytes their key sets may have in all; 8 MiB. Those that were used longest ago go. */
  readonly bytesMax?: number;
  /** How many requests may wait for the keys of one address; 50. The others are told to come again. */
  readonly waitingMax?: number;
}

/** The key sets of JWKS endpoints. */
export interface KeySets {
  /**
   * What `attempt` makes of the keys of an address; when it makes nothing of them, it gets those that are
   * fetched anew, at most once a minute. Throws ApiError `unavailable` when no keys can be had.
   */
  use<T>(url: string, attempt: (keys: KeySet) => Promise<T | undefined>): Promise<T | undefined>;
}

interface Entry {
  keys: KeySet | undefined;
  /** How many bytes are counted for it: none when it was forgotten. */
  bytes: number;
  fetchedAt: number;
  triedAt: number;
  failure: unknown;
  pending: Promise<void> | undefined;
  /** How many requests wait for the fetch. */
  waiting: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MEBIBYTE = 1_048_576;
const BUSY = 'too many requests wait for the keys of a JWKS endpoint';

/** Makes the key sets of all endpoints, each fetched when it is first asked for. */
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
  /** Whether a time has passed since a moment; a clock that stepped back behind it counts as passed. */
  const hasPassed = (ms: number, since: number) => now() < since || now() - since >= ms;

  /** Keeps what was fetched, in the place of others where that is too much for all of them. */
  function keep(url: string, entry: Entry, keys: KeySet): void {
    entry.keys = keys;
    // Where it was forgotten and begun anew meanwhile, only those who wait for this fetch use it.
    if (entries.get(url, () => entry) !== entry) return;
    bytes += keys.bytes - entry.bytes;
    entry.bytes = keys.bytes;
    while (bytes > bytesMax && entries.dropOldest());
  }

  /**
   * Fetches the keys of an address, once for all who ask meanwhile. A failure is kept, and the keys that
   * were there.
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

  /** Waits for a fetch, and begins one where none is under way. False when too many wait already. */
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
      // The endpoint may have got a new key since; but invented tokens must not make us flood it.
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
