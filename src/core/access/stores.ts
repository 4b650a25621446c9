import type { BucketState, Cost, Window } from '../base/token-bucket.ts';
import type { EventStore } from '../query/event-store.ts';
import type { ControlStore } from './control-store.ts';

/** Keeps the token buckets of keys and tenants. */
export interface RateLimiter {
  /**
   * Takes the cost from all buckets of an id, one bucket for each window, or from none; a `cost` of 0 only
   * reads the state. The buckets survive a restart and are shared by all processes that use the same store;
   * their time never steps back. `takeTokens` documents the rest.
   */
  take(id: string, windows: readonly Window[], cost: Cost): Promise<BucketState>;
  /** Deletes the buckets of these ids. */
  erase(ids: readonly string[]): Promise<void>;
}

/** All stores of a server. Combine them by spread: `{ ...sqliteStores(…), limits: redisRateLimiter(…) }`. */
export interface Stores {
  /** The events of all tenants. */
  readonly events: EventStore;
  /** All that is no event: tenants, keys, credentials, saved views, counts, and the audit log. */
  readonly control: ControlStore;
  /** The usage of keys and tenants, for their limits. */
  readonly limits: RateLimiter;
  /** Resolves if the stores respond; throws otherwise. */
  ready(): Promise<void>;
  /** Releases the resources of the stores. */
  close(): Promise<void>;
}
