import type { AdminStore } from './admin-store.ts';
import type { ApiKey, KeySecret } from './key.ts';
import type { AuditNote } from './audit.ts';
import type { BucketState, Cost, Window } from '../base/token-bucket.ts';
import type { EventStore } from '../query/event-store.ts';
import type { Tenant, TenantChanges } from './tenant.ts';

/**
 * Where tenants are kept. A change that comes with a note keeps the note too, in one transaction: both are
 * there or none is. Where nothing is changed, nothing is noted.
 */
export interface TenantStore {
  /** Adds a tenant; false when its alias is taken. */
  create(tenant: Tenant, note?: AuditNote): Promise<boolean>;
  /** The tenant with this UUID; undefined when there is none. */
  findById(id: string): Promise<Tenant | undefined>;
  /** The tenant that is called so now; undefined when there is none. */
  findByAlias(alias: string): Promise<Tenant | undefined>;
  /** All tenants, or those of a page, by alias ascending. */
  list(page?: TenantPage): Promise<readonly Tenant[]>;
  /**
   * Changes the named fields in one step; the tenant as it is now, or undefined when there is none. Without a
   * field it keeps the note alone.
   */
  update(id: string, changes: TenantChanges, note?: AuditNote): Promise<Tenant | undefined>;
  /** Removes the tenant; false when there was none. Its events and keys are removed by their own stores. */
  delete(id: string, note?: AuditNote): Promise<boolean>;
}

/** Which tenants are asked for. */
export interface TenantPage {
  /** Only these; absent or null for all. */
  readonly ids?: readonly string[] | null;
  /** Only those whose alias comes behind this one, by code point. */
  readonly after?: string | undefined;
  /** At most so many, the first ones. */
  readonly size?: number;
}

/** Where API keys are kept: hashes of secrets, never the secrets. Notes are kept as by a `TenantStore`. */
export interface KeyStore {
  /**
   * Adds a key, whose id and hashes no other key has; false where the tenant has `liveMax` keys already that
   * are not revoked and, when this one was made, not expired: also of all who add one at once.
   */
  create(key: ApiKey, note?: AuditNote, liveMax?: number): Promise<boolean>;
  /** The key that has a secret with this hash, in any state: the caller judges expiry and revocation. */
  findBySecretHash(hash: string): Promise<ApiKey | undefined>;
  /** The keys of a tenant, oldest first, revoked ones included. */
  list(tenantId: string): Promise<readonly ApiKey[]>;
  /**
   * Adds a secret to a key and lets its others end at `othersExpireAt` (epoch milliseconds) where they would
   * live longer; of more than ten the oldest go. The key as it is now, or undefined when there is none or it
   * is revoked.
   */
  addSecret(
    id: string,
    secret: KeySecret,
    othersExpireAt: number,
    note?: AuditNote,
  ): Promise<ApiKey | undefined>;
  /**
   * Ends a key at once; the key as it is now, or undefined when there is none. A revoked key keeps its first
   * time, and nothing more is noted.
   */
  revoke(keyId: string, revokedAt: number, note?: AuditNote): Promise<ApiKey | undefined>;
  /** Notes that a key was used. Losing one on a crash is allowed. */
  touch(keyId: string, usedAt: number): Promise<void>;
  /** Removes keys of a tenant, with their secrets: every one, or those of these ids. */
  erase(tenantId: string, ids?: readonly string[]): Promise<void>;
}

/** Keeps the token buckets of keys and tenants. */
export interface RateLimiter {
  /**
   * Takes the cost from all buckets of an id, one bucket for each window, or from none; with `cost` 0 it only
   * looks. The buckets survive a restart and are shared by all processes that use the same store; their time
   * never steps back. `takeTokens` says the rest.
   */
  take(id: string, windows: readonly Window[], cost: Cost): Promise<BucketState>;
  /** Forgets the buckets of these ids. */
  erase(ids: readonly string[]): Promise<void>;
}

/** All that a server keeps. Stores mix by spread: `{ ...sqliteStores(…), limits: redisRateLimiter(…) }`. */
export interface Stores {
  /** The events of all tenants. */
  readonly events: EventStore;
  /** The tenants, with their settings. */
  readonly tenants: TenantStore;
  /** The API keys of all tenants. */
  readonly keys: KeyStore;
  /** What keys and tenants have used of their limits. */
  readonly limits: RateLimiter;
  /** Absent: nobody administers over HTTP, and changes leave no note. */
  readonly admins?: AdminStore | undefined;
  /** Resolves when the stores answer; throws otherwise. */
  ready(): Promise<void>;
  /** Releases what the stores hold. */
  close(): Promise<void>;
}
