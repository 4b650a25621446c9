import type { AdminStore } from './admin-store.ts';
import type { ApiKey, KeySecret, Permission } from './key.ts';
import type { KeyRestrictions } from './key-restrictions.ts';
import type { AuditEntry } from './audit.ts';
import type { BucketState, Cost, Window } from '../base/token-bucket.ts';
import type { EventStore } from '../query/event-store.ts';
import type { Refusal } from './refusal.ts';
import type { RemoteConfigStore } from './remote-config.ts';
import type { ViewStore } from './saved-view.ts';
import type { Tenant, TenantChanges } from './tenant.ts';
import type { UsageStore } from './usage.ts';

/**
 * Stores tenants and their remote config. If a change has an audit entry, both are written in one transaction
 * or neither is. Without a change there is no entry.
 */
export interface TenantStore extends RemoteConfigStore {
  /** Adds a tenant; false when its alias is taken. */
  create(tenant: Tenant, entry?: AuditEntry): Promise<boolean>;
  /** The tenant with this UUID; undefined when there is none. */
  findById(id: string): Promise<Tenant | undefined>;
  /** The tenant that has this alias now; undefined if there is none. */
  findByAlias(alias: string): Promise<Tenant | undefined>;
  /** All tenants, or those of a page, by alias ascending. */
  list(page?: TenantPage): Promise<readonly Tenant[]>;
  /**
   * Changes the given fields atomically; returns the updated tenant, or undefined if there is none. Without
   * any field it only writes the audit entry.
   */
  update(id: string, changes: TenantChanges, entry?: AuditEntry): Promise<Tenant | undefined>;
  /** Removes the tenant; false if there was none. Its events and keys are removed by their own stores. */
  delete(id: string, entry?: AuditEntry): Promise<boolean>;
}

/** Selects tenants. */
export interface TenantPage {
  /** Only these; absent or null for all. */
  readonly ids?: readonly string[] | null;
  /** Only those whose alias follows this one, by code point. */
  readonly after?: string | undefined;
  /** The maximum number; the first ones are returned. */
  readonly size?: number;
}

/**
 * Stores API keys with hashes of their secrets, never the secrets. Audit entries are written as in a
 * `TenantStore`.
 */
export interface KeyStore {
  /**
   * Adds a key with a unique id and hashes. Returns false if the tenant already has `liveMax` keys that are
   * neither revoked nor, when this one was created, expired; concurrent calls cannot exceed the limit.
   */
  create(key: ApiKey, entry?: AuditEntry, liveMax?: number): Promise<boolean>;
  /** The key with this secret hash, in any state: the caller checks expiry and revocation. */
  findBySecretHash(hash: string): Promise<ApiKey | undefined>;
  /** The keys of a tenant, oldest first, revoked ones included. */
  list(tenantId: string): Promise<readonly ApiKey[]>;
  /** Whether a tenant has a key with this permission that is neither revoked nor, at `now`, expired. */
  hasLive(tenantId: string, permission: Permission, now: number): Promise<boolean>;
  /**
   * Adds a secret to a key. Its other secrets expire at `othersExpireAt` (epoch milliseconds) or earlier; of
   * more than ten the oldest are removed. Returns the updated key, or undefined if there is none or it is
   * revoked.
   */
  addSecret(
    id: string,
    secret: KeySecret,
    othersExpireAt: number,
    entry?: AuditEntry,
  ): Promise<ApiKey | undefined>;
  /**
   * Changes some of the restrictions of a public write key, and keeps the others. Returns the updated key, or
   * undefined if there is none, it has no restrictions, or it is revoked.
   */
  restrict(keyId: string, changes: Partial<KeyRestrictions>, entry?: AuditEntry): Promise<ApiKey | undefined>;
  /**
   * Revokes a key at once; returns the updated key, or undefined if there is none. A key that is already
   * revoked keeps its first time and gets no further audit entry.
   */
  revoke(keyId: string, revokedAt: number, entry?: AuditEntry): Promise<ApiKey | undefined>;
  /** Records that a key was used. A crash may lose this. */
  touch(keyId: string, usedAt: number): Promise<void>;
  /** Removes keys of a tenant, with their secrets: all, or those with these ids. */
  erase(tenantId: string, ids?: readonly string[]): Promise<void>;
}

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

/**
 * Keeps of each tenant what was refused, one row for each reason. The reasons are a fixed list, so the rows
 * of a tenant have a bound.
 */
export interface RefusalStore {
  /**
   * Adds refusals to a tenant's rows, all or none: counts are added, the first and the last time widened, and
   * an example replaces the one before it. Concurrent calls, of several processes too, lose no count.
   */
  add(tenantId: string, refusals: readonly Refusal[]): Promise<void>;
  /** The rows of a tenant, in any order. */
  list(tenantId: string): Promise<readonly Refusal[]>;
  /** Removes the examples of a tenant, and keeps the counts. */
  eraseExamples(tenantId: string): Promise<void>;
  /** Removes the rows of a tenant. The audit entry is written in the same transaction, if any. */
  erase(tenantId: string, entry?: AuditEntry): Promise<void>;
}

/** All stores of a server. Combine them by spread: `{ ...sqliteStores(…), limits: redisRateLimiter(…) }`. */
export interface Stores {
  /** The events of all tenants. */
  readonly events: EventStore;
  /** The tenants, with their settings. */
  readonly tenants: TenantStore;
  /** The API keys of all tenants. */
  readonly keys: KeyStore;
  /** The usage of keys and tenants, for their limits. */
  readonly limits: RateLimiter;
  /** Absent: administration over HTTP is disabled, and changes leave no audit entry. */
  readonly admins?: AdminStore | undefined;
  /** Questions that people have saved. Absent: none are kept. */
  readonly views?: ViewStore | undefined;
  /** What was refused of each tenant. Absent: it is not kept. */
  readonly refusals?: RefusalStore | undefined;
  /** How much tenants were used, by day. Absent: it is not kept. */
  readonly usage?: UsageStore | undefined;
  /** Resolves if the stores respond; throws otherwise. */
  ready(): Promise<void>;
  /** Releases the resources of the stores. */
  close(): Promise<void>;
}
