import { ApiError, invalid } from '../errors.ts';
import { isStorableText, quote } from '../event/text.ts';
import type { Runtime, Stores } from '../ports.ts';
import { createSecret, parsePermissions, type ApiKey } from './key.ts';
import type { Plan } from './plan.ts';
import { isAlias, parseAlias, parseJwtSettings, type Tenant, type TenantChanges } from './tenant.ts';

/** A key with its secret, which exists nowhere else and is shown this once. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/**
 * What the owner of a server does to tenants and keys. Every method throws ApiError for what cannot be done.
 */
export interface Admin {
  /** 409 when the alias is taken. */
  createTenant(options: { alias: string; plan: Plan; name?: string }): Promise<Tenant>;
  /** 404 when there is none. */
  getTenant(alias: string): Promise<Tenant>;
  listTenants(): Promise<readonly Tenant[]>;
  /** The strategy JWT needs its settings, now or from before. */
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

const NAME_LENGTH_MAX = 256;

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
    if (tenant === undefined) throw new ApiError('tenantNotFound', [quote(alias)]);
    return tenant;
  }

  async function getKey(alias: string, keyId: string): Promise<ApiKey> {
    const tenant = await getTenant(alias);
    const key = (await keys.list(tenant.id)).find(({ id }) => id === keyId);
    if (key === undefined) throw invalid('key', `the tenant ${quote(alias)} has no key ${quote(keyId)}`);
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
    createTenant: async ({ alias, plan, name = alias }) => {
      const tenant: Tenant = {
        id: runtime.uuid(),
        alias: parseAlias(alias),
        name: parseName(name),
        plan,
        authStrategy: 'NONE',
        jwt: null,
        createdAt: runtime.now(),
      };
      if (!(await tenants.create(tenant))) throw new ApiError('conflict', [`the tenant ${quote(alias)}`]);
      return tenant;
    },
    updateTenant: async (alias, changes) => {
      const before = await getTenant(alias);
      const jwt = changes.jwt === undefined ? before.jwt : changes.jwt && parseJwtSettings(changes.jwt);
      if ((changes.authStrategy ?? before.authStrategy) === 'JWT' && jwt === null) {
        throw invalid('auth', 'JWT needs an issuer, an audience, and a public key or a JWKS address');
      }
      const after = await tenants.update(before.id, {
        ...changes,
        ...(changes.name === undefined ? {} : { name: parseName(changes.name) }),
        ...(changes.jwt === undefined ? {} : { jwt }),
      });
      if (after === undefined) throw new ApiError('tenantNotFound', [quote(alias)]);
      return after;
    },
    deleteTenant: async (alias) => {
      const { id } = await getTenant(alias);
      await limits.erase((await keys.list(id)).map((key) => key.id));
      await keys.erase(id);
      await events.erase(id);
      await tenants.delete(id);
      // Events may have come in between; now that the tenant is gone, none can follow.
      await events.erase(id);
    },
    createKey: async (alias, { name, permissions, expiresAt = null }) => {
      const tenant = await getTenant(alias);
      if (expiresAt !== null) checkMilliseconds('expiry', expiresAt);
      const { secret, record } = await newSecret();
      const key: ApiKey = {
        id: runtime.uuid(),
        tenantId: tenant.id,
        name: parseName(name),
        permissions: parsePermissions(permissions),
        createdAt: record.createdAt,
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        secrets: [record],
      };
      await keys.create(key);
      return { key, secret };
    },
    listKeys: async (alias) => keys.list((await getTenant(alias)).id),
    revokeKey: async (alias, keyId) => {
      const key = await getKey(alias, keyId);
      return (await keys.revoke(key.id, runtime.now())) ?? key;
    },
    rotateKey: async (alias, keyId, overlapMs) => {
      const { id } = await getKey(alias, keyId);
      checkMilliseconds('overlap', overlapMs);
      const { secret, record } = await newSecret();
      const key = await keys.addSecret(id, record, record.createdAt + overlapMs);
      if (key === undefined) throw invalid('key', `${quote(keyId)} is revoked; make a new key`);
      return { key, secret };
    },
  };
}

function parseName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > NAME_LENGTH_MAX) {
    throw invalid('name', `takes 1 to ${NAME_LENGTH_MAX} characters`);
  }
  if (!isStorableText(trimmed)) throw invalid('name', 'must be well-formed Unicode without U+0000');
  return trimmed;
}

/** Every comparison with NaN is false, so a key with such an expiry would never open. */
function checkMilliseconds(where: string, ms: number): void {
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw invalid(where, `takes whole milliseconds of 0 or more, got ${ms}`);
}
