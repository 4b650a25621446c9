import { errors, type CryptoKey, type JWSHeaderParameters, type LocalJWKSet } from 'jose';
import { unavailable } from '../../src/index.ts';
import { createCache } from './cache.ts';
import { fetchKeySet } from './fetch-key-set.ts';

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
}

/** The key sets of JWKS endpoints. */
export interface KeySets {
  /**
   * The key of a token's header. Throws ApiError `unavailable` when no keys can be had, an error of jose
   * when none fits.
   */
  find(url: string, header: JWSHeaderParameters): Promise<CryptoKey>;
}

interface Entry {
  keys: LocalJWKSet | undefined;
  fetchedAt: number;
  triedAt: number;
  failure: unknown;
  pending: Promise<void> | undefined;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Makes the key sets of all endpoints, each fetched when it is first asked for. */
export function createKeySets({
  now = Date.now,
  fetchTimeoutMs = 5 * SECOND_MS,
  freshMs = 10 * MINUTE_MS,
  staleMs = 24 * HOUR_MS,
  refetchMs = MINUTE_MS,
  retryMs = SECOND_MS,
  urlsMax = 1_000,
}: KeySetOptions = {}): KeySets {
  const entries = createCache<Entry>(urlsMax);
  /** Whether a time has passed since a moment; a clock that stepped back behind it counts as passed. */
  const hasPassed = (ms: number, since: number) => now() < since || now() - since >= ms;

  /**
   * Fetches the keys of an address, once for all who ask meanwhile. A failure is kept, and the keys that
   * were there.
   */
  function refresh(url: string, entry: Entry): Promise<void> {
    entry.triedAt = now();
    entry.pending ??= fetchKeySet(url, fetchTimeoutMs)
      .then(
        (keys) => {
          entry.keys = keys;
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

  async function currentKeys(url: string, entry: Entry): Promise<LocalJWKSet> {
    const due = entry.keys === undefined || hasPassed(freshMs, entry.fetchedAt);
    const waitMs = entry.keys === undefined ? retryMs : refetchMs;
    const rests = entry.failure !== undefined && !hasPassed(waitMs, entry.triedAt);
    if (due && !rests) await refresh(url, entry);
    if (entry.keys === undefined || (entry.failure !== undefined && hasPassed(staleMs, entry.fetchedAt))) {
      throw unavailable(entry.failure, Math.ceil(waitMs / SECOND_MS));
    }
    return entry.keys;
  }

  return {
    find: async (url, header) => {
      const none: Entry = {
        keys: undefined,
        fetchedAt: 0,
        triedAt: 0,
        failure: undefined,
        pending: undefined,
      };
      const entry = entries.get(url, () => none);
      const keys = await currentKeys(url, entry);
      try {
        return await keys(header);
      } catch (error) {
        // The endpoint may have got a new key since; but tokens with invented key ids must not make us
        // flood it.
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        if (entry.pending === undefined && !hasPassed(refetchMs, entry.triedAt)) throw error;
        await refresh(url, entry);
        return (entry.keys ?? keys)(header);
      }
    },
  };
}
