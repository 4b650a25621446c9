import { ApiError, invalid } from '../base/errors.ts';
import { quote, quoteAny } from '../event/text.ts';
import type { Stores } from './stores.ts';
import type { JsonObject } from '../event/event.ts';
import type { Runtime } from '../base/runtime.ts';
import { toDetails, toNote, toNotedChanges, type Actor, type AuditAction, type AuditNote } from './audit.ts';
import {
  MILLISECONDS_MAX,
  parseKeyOptions,
  parseMilliseconds,
  parseTenantChanges,
  parseTenantOptions,
} from './admin-options.ts';
import { createSecret, DEAD_KEYS_MAX, isLive, LIVE_KEYS_MAX, type ApiKey } from './key.ts';
import { isAlias, type Tenant, type TenantChanges, type TenantOptions } from './tenant.ts';
import { checkPublicKey, type TokenVerifier } from './token.ts';

/** A key with its secret, which exists nowhere else and is shown this once. */
export interface IssuedKey {
  /** The key without its secret, as `listKeys` tells it from now on. */
  readonly key: ApiKey;
  /** What the client sends as `X-API-Key`, or behind `Chase`. */
  readonly secret: string;
  /** The ids of the tenant's other live keys of the same name: people take one for another. */
  readonly namesakes: readonly string[];
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
  /** All tenants, in the order of their aliases. */
  listTenants(): Promise<readonly Tenant[]>;
  /**
   * A plan that is given brings its limits with it, none where they are absent; limits alone are those of a
   * tenant on `custom`. The strategy JWT needs its settings, now or from before.
   */
  updateTenant(alias: string, changes: TenantChanges): Promise<Tenant>;
  /** Removes the tenant, its keys, their limits and its events. */
  deleteTenant(alias: string): Promise<void>;
  /**
   * The secret is in this answer only. `expiresAt` is in epoch milliseconds and lies in the future; absent
   * for ever. 409 where the tenant has 200 keys that open something; of its others the newest 200 are kept.
   */
  createKey(
    alias: string,
    options: { name: string; permissions: readonly string[]; expiresAt?: number },
  ): Promise<IssuedKey>;
  /** All keys of the tenant, those that were revoked among them. */
  listKeys(alias: string): Promise<readonly ApiKey[]>;
  /** Ends the key for good, from the next request on. */
  revokeKey(alias: string, keyId: string): Promise<ApiKey>;
  /** Gives the key a new secret; the old ones live on for `overlapMs` at most. */
  rotateKey(alias: string, keyId: string, overlapMs: number): Promise<IssuedKey>;
  /**
   * Fills the buckets of a tenant and its keys, or of one key: for those that a clock which was wrong once
   * keeps empty.
   */
  resetLimits(alias: string, keyId?: string): Promise<void>;
}

/** What the owner's operations work with. */
export interface AdminOptions {
  /** Where tenants, keys, limits and events are kept. */
  readonly stores: Stores;
  /** Time and chance. */
  readonly runtime: Runtime;
  /** Who changes, as the audit log says it. Default: the program. */
  readonly by?: Actor;
  /** Checks the public keys of tenants. Absent: they can name an address of keys only. */
  readonly tokens?: Pick<TokenVerifier, 'parsePublicKey'>;
}

const PROGRAM: Actor = { who: 'program', from: 'program' };

/**
 * Makes the owner's operations over a server's stores.
 *
 * @example
 * ```ts
 * import { createAdmin } from 'event-query';
 * import { memoryStores } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 *
 * const resources = nodeResources();
 * const admin = createAdmin({ stores: memoryStores({ resources }), runtime: resources.runtime });
 * await admin.createTenant({ alias: 'shop', plan: 'growth' });
 * const { key } = await admin.createKey('shop', { name: 'backend', permissions: ['query'] });
 * console.log(key.name, key.permissions);
 * // prints: backend [ 'query' ]
 * ```
 */
export function createAdmin({ stores, runtime, by = PROGRAM, tokens = {} }: AdminOptions): Admin {
  const { tenants, keys, limits, events } = stores;

  function note(
    action: AuditAction,
    { id, alias }: Pick<Tenant, 'id' | 'alias'>,
    details: JsonObject,
  ): AuditNote {
    return toNote(by, runtime, { action, tenantId: id, alias, details });
  }

  async function getTenant(alias: string): Promise<Tenant> {
    const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
    if (tenant === undefined) throw notFound(alias);
    return tenant;
  }

  async function getKey(alias: string, keyId: string): Promise<{ tenant: Tenant; key: ApiKey }> {
    const tenant = await getTenant(alias);
    const key = (await keys.list(tenant.id)).find(({ id }) => id === keyId);
    if (key === undefined) throw invalid('key', `the tenant ${quote(alias)} has no key ${quoteAny(keyId)}`);
    return { tenant, key };
  }

  /** Checks a public key that is given now: one of before stays as it was, good or bad. */
  async function checkKey(parsed: TenantChanges, { jwt }: TenantChanges): Promise<TenantChanges> {
    if (jwt === undefined || !parsed.jwt) return parsed;
    return { ...parsed, jwt: await checkPublicKey(parsed.jwt, tokens) };
  }

  /** Forgets the oldest keys that open nothing any more; the ids of live ones that are called as this one. */
  async function sweepKeys({ id: own, tenantId, name, createdAt }: ApiKey): Promise<readonly string[]> {
    const all = await keys.list(tenantId);
    const dead = all.filter((each) => !isLive(each, createdAt)).slice(0, -DEAD_KEYS_MAX);
    if (dead.length > 0) {
      const ids = dead.map(({ id }) => id);
      await keys.erase(tenantId, ids);
      await limits.erase(ids);
    }
    const namesakes = all.filter((each) => each.name === name && each.id !== own && isLive(each, createdAt));
    return namesakes.map(({ id }) => id);
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
      const { alias, plan, name } = tenant;
      if (!(await tenants.create(tenant, note('tenant.create', tenant, { alias, plan, name }))))
        throw new ApiError('conflict', [`the tenant ${quote(tenant.alias)}`]);
      return tenant;
    },
    updateTenant: async (alias, changes) => {
      const before = await getTenant(alias);
      const checked = await checkKey(parseTenantChanges(changes, before), changes);
      // What changes nothing leaves no note.
      if (Object.keys(checked).length === 0) return before;
      const noted = note('tenant.set', before, await toNotedChanges(checked, runtime));
      const after = await tenants.update(before.id, checked, noted);
      if (after === undefined) throw notFound(alias);
      return after;
    },
    deleteTenant: async (alias) => {
      const tenant = await getTenant(alias);
      const { id } = tenant;
      const counted = [id, ...(await keys.list(id)).map((key) => key.id)];
      await limits.erase(counted);
      await keys.erase(id);
      await events.drop(id);
      // The tenant goes last of what it has, so that a deletion that was cut short can be done again.
      await tenants.delete(id, note('tenant.delete', tenant, {}));
      // Requests that were let in before may have made a key or counted since; now none can follow.
      await keys.erase(id);
      await limits.erase(counted);
    },
    createKey: async (alias, options) => {
      const tenant = await getTenant(alias);
      const settings = parseKeyOptions(options);
      const { secret, record } = await newSecret();
      if (settings.expiresAt !== null && settings.expiresAt <= record.createdAt)
        throw invalid('expiry', 'lies in the past');
      const key: ApiKey = {
        id: runtime.uuid(),
        tenantId: tenant.id,
        ...settings,
        createdAt: record.createdAt,
        revokedAt: null,
        lastUsedAt: null,
        secrets: [record],
      };
      const noted = note('key.create', tenant, { id: key.id, ...toDetails(settings) });
      if (!(await keys.create(key, noted, LIVE_KEYS_MAX)))
        throw new ApiError('tooManyKeys', [String(LIVE_KEYS_MAX)]);
      if ((await tenants.findById(tenant.id)) !== undefined)
        return { key, secret, namesakes: await sweepKeys(key) };
      await keys.erase(tenant.id);
      throw notFound(alias);
    },
    listKeys: async (alias) => keys.list((await getTenant(alias)).id),
    revokeKey: async (alias, keyId) => {
      const { tenant, key } = await getKey(alias, keyId);
      const { id, name } = key;
      return (await keys.revoke(id, runtime.now(), note('key.revoke', tenant, { id, name }))) ?? key;
    },
    rotateKey: async (alias, keyId, overlapMs) => {
      const { tenant, key: before } = await getKey(alias, keyId);
      const { id, name } = before;
      const overlap = parseMilliseconds('overlap', overlapMs);
      const { secret, record } = await newSecret();
      const othersExpireAt = Math.min(record.createdAt + overlap, MILLISECONDS_MAX);
      const noted = note('key.rotate', tenant, { id, name, othersExpireAt });
      const key = await keys.addSecret(id, record, othersExpireAt, noted);
      if (key === undefined) throw invalid('key', `${quote(keyId)} is revoked; make a new key`);
      return { key, secret, namesakes: [] };
    },
    resetLimits: async (alias, keyId) => {
      const one = keyId === undefined ? undefined : await getKey(alias, keyId);
      const tenant = one?.tenant ?? (await getTenant(alias));
      const all = async () => [tenant.id, ...(await keys.list(tenant.id)).map(({ id }) => id)];
      await limits.erase(one === undefined ? await all() : [one.key.id]);
      const details = one === undefined ? {} : { id: one.key.id, name: one.key.name };
      await tenants.update(tenant.id, {}, note('limits.reset', tenant, details));
    },
  };
}

function notFound(alias: unknown): ApiError {
  return new ApiError('tenantNotFound', [quoteAny(alias)]);
}
