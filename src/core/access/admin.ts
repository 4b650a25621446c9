import { ApiError, invalid } from '../errors.ts';
import { quote, quoteAny } from '../event/text.ts';
import type { Stores } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import {
  MILLISECONDS_MAX,
  parseKeyOptions,
  parseMilliseconds,
  parseTenantChanges,
  parseTenantOptions,
} from './admin-options.ts';
import { createSecret, type ApiKey } from './key.ts';
import { isAlias, type Tenant, type TenantChanges, type TenantOptions } from './tenant.ts';

/** A key with its secret, which exists nowhere else and is shown this once. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/**
 * What the owner of a server does to tenants and keys. Every method throws ApiError for what cannot be done,
 * and for values that its types do not allow: callers may be JavaScript.
 */
export interface Admin {
  /** 409 when the alias is taken. */
  createTenant(options: TenantOptions): Promise<Tenant>;
  /** 404 when there is none. */
  getTenant(alias: string): Promise<Tenant>;
  listTenants(): Promise<readonly Tenant[]>;
  /**
   * A plan that is given brings its limits with it, none where they are absent; limits alone are those of a
   * tenant on `custom`. The strategy JWT needs its settings, now or from before.
   */
  updateTenant(alias: string, changes: TenantChanges): Promise<Tenant>;
  /** Removes the tenant, its keys, their limits and its events. */
  deleteTenant(alias: string): Promise<void>;
  createKey(
    alias: string,
    options: { name: string; permissions: readonly string[]; expiresAt?: number },
  ): Promise<IssuedKey>;
  listKeys(alias: string): Promise<readonly ApiKey[]>;
  revokeKey(alias: string, keyId: string): Promise<ApiKey>;
  /** Gives the key a new secret; the old ones live on for `overlapMs` at most. */
  rotateKey(alias: string, keyId: string, overlapMs: number): Promise<IssuedKey>;
}

/** Makes the owner's operations over a server's stores. */
export function createAdmin({
  stores,
  runtime,
}: {
  readonly stores: Stores;
  readonly runtime: Runtime;
}): Admin {
  const { tenants, keys, limits, events } = stores;

  async function getTenant(alias: string): Promise<Tenant> {
    const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
    if (tenant === undefined) throw notFound(alias);
    return tenant;
  }

  async function getKey(alias: string, keyId: string): Promise<ApiKey> {
    const tenant = await getTenant(alias);
    const key = (await keys.list(tenant.id)).find(({ id }) => id === keyId);
    if (key === undefined) throw invalid('key', `the tenant ${quote(alias)} has no key ${quoteAny(keyId)}`);
    return key;
  }

  async function newSecret() {
    const secret = createSecret(runtime);
    return {
      secret,
      record: { hash: await runtime.sha256(secret), createdAt: runtime.now(), expiresAt: null },
    };
  }

  return {
    getTenant,
    listTenants: () => tenants.list(),
    createTenant: async (options) => {
      const tenant: Tenant = {
        ...parseTenantOptions(options),
        id: runtime.uuid(),
        authStrategy: 'NONE',
        jwt: null,
        createdAt: runtime.now(),
      };
      if (!(await tenants.create(tenant)))
        throw new ApiError('conflict', [`the tenant ${quote(tenant.alias)}`]);
      return tenant;
    },
    updateTenant: async (alias, changes) => {
      const before = await getTenant(alias);
      const after = await tenants.update(before.id, parseTenantChanges(changes, before));
      if (after === undefined) throw notFound(alias);
      return after;
    },
    deleteTenant: async (alias) => {
      const { id } = await getTenant(alias);
      const counted = [id, ...(await keys.list(id)).map((key) => key.id)];
      await limits.erase(counted);
      await keys.erase(id);
      await events.drop(id);
      // The tenant goes last of what it has, so that a deletion that was cut short can be done again.
      await tenants.delete(id);
      // Requests that were let in before may have made a key or counted since; now none can follow.
      await keys.erase(id);
      await limits.erase(counted);
    },
    createKey: async (alias, options) => {
      const tenant = await getTenant(alias);
      const settings = parseKeyOptions(options);
      const { secret, record } = await newSecret();
      const key: ApiKey = {
        id: runtime.uuid(),
        tenantId: tenant.id,
        ...settings,
        createdAt: record.createdAt,
        revokedAt: null,
        lastUsedAt: null,
        secrets: [record],
      };
      await keys.create(key);
      if ((await tenants.findById(tenant.id)) !== undefined) return { key, secret };
      await keys.erase(tenant.id);
      throw notFound(alias);
    },
    listKeys: async (alias) => keys.list((await getTenant(alias)).id),
    revokeKey: async (alias, keyId) => {
      const key = await getKey(alias, keyId);
      return (await keys.revoke(key.id, runtime.now())) ?? key;
    },
    rotateKey: async (alias, keyId, overlapMs) => {
      const { id } = await getKey(alias, keyId);
      const overlap = parseMilliseconds('overlap', overlapMs);
      const { secret, record } = await newSecret();
      const key = await keys.addSecret(id, record, Math.min(record.createdAt + overlap, MILLISECONDS_MAX));
      if (key === undefined) throw invalid('key', `${quote(keyId)} is revoked; make a new key`);
      return { key, secret };
    },
  };
}

function notFound(alias: unknown): ApiError {
  return new ApiError('tenantNotFound', [quoteAny(alias)]);
}
