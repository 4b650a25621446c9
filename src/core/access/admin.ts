import { ApiError, invalid } from '../base/errors.ts';
import { requireOptions } from '../base/options.ts';
import { quote, quoteAny } from '../event/text.ts';
import { withRecords, type StoresWithRecords } from './records.ts';
import type { Stores } from './stores.ts';
import type { JsonObject } from '../event/event.ts';
import type { CountBody } from '../query/body.ts';
import type { Runtime } from '../base/runtime.ts';
import type { AdminCredential } from './admin-credential.ts';
import { eraseEvents } from './erasing.ts';
import { erasingBy, type ErasingOperations } from './erasing-operations.ts';
import type { ErasureReceipt } from './erasure-receipt.ts';
import {
  toDetails,
  toAuditEntry,
  toAuditedChanges,
  type Actor,
  type AuditAction,
  type AuditEntry,
} from './audit.ts';
import { MILLISECONDS_MAX } from '../event/time.ts';
import {
  parseConfigEntry,
  parseKeyOptions,
  parseMarkOptions,
  parseMilliseconds,
  parseRestrictionChanges,
  parseTenantChanges,
  parseTenantOptions,
  parseUsageDays,
} from './admin-options.ts';
import { toldRefusals, type ToldRefusal } from './refusal.ts';
import {
  createSecret,
  ENDING_LENGTH,
  isPublicKey,
  LIVE_KEYS_MAX,
  withSecret,
  type ApiKey,
  type KeySecret,
} from './key.ts';
import type { FilterEntry } from '../filter/filter.ts';
import { onlyForWriteKeys, type KeyRestrictionsOptions } from './key-restrictions.ts';
import { marksFull, marksWithin, type Mark, type MarkOptions, type MarkRange } from './mark.ts';
import { configFull, type ConfigChange, type ConfigEntry } from './remote-config.ts';
import { isAlias, type Tenant, type TenantChanges, type TenantOptions } from './tenant.ts';
import { isOwner, rightsOf, type Caller } from './reach.ts';
import { usageOf, type TenantUsage } from './tenant-usage.ts';
import { checkPublicKey, type TokenCheck, type TokenVerifier } from './token.ts';
import { checkAddress, checkToken, type CheckedToken } from './token-check.ts';
import { listUsage, type UsageDay } from './usage.ts';

/** A key with its secret, which is shown only this once, unless it is that of a public write key. */
export interface IssuedKey {
  /** The key without its secret, as `listKeys` returns it from now on. */
  readonly key: ApiKey;
  /** The value that the client sends as `X-API-Key`, or after `Chase`; a page also as `?writeKey=`. */
  readonly secret: string;
  /** The ids of the tenant's other live keys with the same name, because people may confuse them. */
  readonly namesakes: readonly string[];
}

/**
 * The operations of a server's owner on tenants and keys. Every method throws ApiError if the operation is
 * not possible or a value violates its type: callers may be JavaScript.
 */
export interface Admin {
  /** Creates a tenant. 409 if the alias is taken. */
  createTenant(options: TenantOptions): Promise<Tenant>;
  /** The tenant with this alias. 404 if there is none. */
  getTenant(alias: string): Promise<Tenant>;
  /** All tenants, ordered by alias. */
  listTenants(): Promise<readonly Tenant[]>;
  /**
   * Changes a tenant. A new plan also sets its limits, to none if they are absent; limits alone apply to a
   * tenant on `custom`. The strategy JWT needs its settings, given now or earlier.
   */
  updateTenant(alias: string, changes: TenantChanges): Promise<Tenant>;
  /** Removes the tenant with all that belongs to it: its keys, their limits, its marks and its events. */
  deleteTenant(alias: string): Promise<void>;
  /**
   * Creates a key. Only this answer contains the secret. `expiresAt` is in epoch milliseconds and must lie in
   * the future; a key without it never expires. The permission `write` makes a public write key, which needs
   * `restrictions`; one with `query` alone may have a `filterSet`, and then reads only the events that match.
   * 409 if the tenant already has 200 live keys; of the others the newest 200 are kept.
   */
  createKey(
    alias: string,
    options: {
      name: string;
      permissions: readonly string[];
      restrictions?: KeyRestrictionsOptions | null;
      filterSet?: readonly FilterEntry[] | null;
      expiresAt?: number | null;
    },
  ): Promise<IssuedKey>;
  /** All keys of the tenant, including revoked ones. */
  listKeys(alias: string): Promise<readonly ApiKey[]>;
  /**
   * Changes some of the restrictions of a public write key, from the next request on. What was sent with it
   * stays counted.
   */
  updateKey(
    alias: string,
    keyId: string,
    changes: { readonly restrictions: Partial<KeyRestrictionsOptions> },
  ): Promise<ApiKey>;
  /** Revokes the key permanently, from the next request on. */
  revokeKey(alias: string, keyId: string): Promise<ApiKey>;
  /**
   * Gives the key a new secret; the old ones remain valid for at most `overlapMs`. `show` receives it before
   * it is stored: if it throws, as where it cannot be printed, the key stays as it is.
   */
  rotateKey(
    alias: string,
    keyId: string,
    overlapMs: number,
    show?: (issued: IssuedKey) => Promise<void>,
  ): Promise<IssuedKey>;
  /** The remote config of the tenant, by key ascending by code point. */
  listConfig(alias: string): Promise<readonly ConfigEntry[]>;
  /**
   * Sets one value of the remote config; returns all entries. 400 if the tenant has 200 keys, or 64 KiB of
   * keys and values.
   */
  setConfig(alias: string, key: string, value: string): Promise<readonly ConfigEntry[]>;
  /** Removes a key from the remote config; returns the other entries. 400 if there is no such key. */
  unsetConfig(alias: string, key: string): Promise<readonly ConfigEntry[]>;
  /** Adds a mark, such as a release, to what charts show. 400 if the tenant has 1,000 marks. */
  createMark(alias: string, options: MarkOptions): Promise<Mark>;
  /** The marks of the tenant, or those within a range, by time, then by id. */
  listMarks(alias: string, range?: MarkRange): Promise<readonly Mark[]>;
  /** Removes a mark. 400 if the tenant has none with this id. */
  deleteMark(alias: string, markId: string): Promise<void>;
  /**
   * Fills the buckets of a tenant and its keys, or of one key, in case a clock that was wrong once keeps them
   * empty.
   */
  resetLimits(alias: string, keyId?: string): Promise<void>;
  /**
   * Erases the events of the tenant that match, for good, and resolves to the receipt. The body has at least
   * one condition. The audit entry is written before, without filters: one may name who is forgotten.
   */
  eraseEvents(alias: string, body: CountBody): Promise<ErasureReceipt>;
  /**
   * Checks a token as the tenant's senders send it, with its settings or with others, and says why it is
   * refused. 501 if the program has no verifier.
   */
  checkToken(alias: string, asked: CheckedToken): Promise<TokenCheck>;
  /** The tokens that the tenant and its live keys have left. */
  usage(alias: string): Promise<TenantUsage>;
  /** How much the tenant was used on each of the last days, today last. */
  usageHistory(alias: string, days: number): Promise<readonly UsageDay[]>;
  /** What was refused of the tenant's senders and why, the latest first. */
  listRefusals(alias: string): Promise<readonly ToldRefusal[]>;
  /** Forgets what was refused so far. */
  clearRefusals(alias: string): Promise<void>;
}

/** The dependencies of the owner's operations. */
export interface AdminOptions {
  /** The stores of tenants, keys, limits and events. */
  readonly stores: Stores;
  /** Clock and randomness. */
  readonly runtime: Runtime;
  /** The actor that audit entries name. Default: the program. */
  readonly by?: Actor;
  /**
   * The credential of the actor, whose rights limit what only an owner may set. Which tenants it may change
   * is for the caller to check. Default: all rights.
   */
  readonly credential?: AdminCredential | undefined;
  /** Tells which events match, and erases them. Default: the store of events. */
  readonly operations?: ErasingOperations;
  /**
   * Checks the public keys of tenants, and tokens. Without it, tenants can only configure the address of a
   * key set.
   */
  readonly tokens?: Partial<TokenVerifier>;
}

/** Who changes something where a program does not say it. */
export const PROGRAM: Actor = { who: 'program', from: 'program' };

/**
 * Creates the owner's operations on a server's stores.
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
export function createAdmin(options: AdminOptions): Admin {
  requireOptions('createAdmin', options, ['stores', 'runtime']);
  return openAdmin({ ...options, stores: withRecords(options.stores) });
}

/** Creates the owner's operations on records that are open. */
export function openAdmin(options: AdminOptions & { readonly stores: StoresWithRecords }): Admin {
  const { stores, runtime, by = PROGRAM, tokens = {} } = options;
  const { operations = erasingBy(stores.events, runtime) } = options;
  const caller: Caller = { by, credential: options.credential };
  const { tenants, keys, marks, limits, events } = stores;

  function note(
    action: AuditAction,
    { id, alias }: Pick<Tenant, 'id' | 'alias'>,
    details: JsonObject,
  ): AuditEntry {
    return toAuditEntry(by, runtime, { action, tenantId: id, alias, details });
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

  /** Checks a public key only if it is new: an existing one is left as it is, valid or not. */
  async function checkKey(parsed: TenantChanges, { jwt }: TenantChanges): Promise<TenantChanges> {
    if (jwt === undefined || !parsed.jwt) return parsed;
    return { ...parsed, jwt: await checkPublicKey(parsed.jwt, tokens) };
  }

  async function changeConfig(
    { id, alias }: Tenant,
    change: ConfigChange,
    noted: AuditEntry,
  ): Promise<readonly ConfigEntry[]> {
    const after = await tenants.changeRemoteConfig(id, change, noted);
    if (after === undefined) throw notFound(alias);
    if (after === 'full') throw configFull(change.key);
    return after;
  }

  async function newSecret(key: Pick<ApiKey, 'permissions'>) {
    const secret = createSecret(runtime, key);
    const record: KeySecret = {
      hash: await runtime.sha256(secret),
      createdAt: runtime.now(),
      expiresAt: null,
      ending: secret.slice(-ENDING_LENGTH),
      ...(isPublicKey(key) ? { text: secret } : {}),
    };
    return { secret, record };
  }

  return {
    getTenant,
    listTenants: () => tenants.list(),
    createTenant: async (options) => {
      const parsed = parseTenantOptions(options);
      const jwt = parsed.jwt && (await checkPublicKey(parsed.jwt, tokens));
      const tenant: Tenant = { ...parsed, jwt, id: runtime.uuid(), createdAt: runtime.now() };
      const { alias, plan, name, authStrategy } = tenant;
      const details = { alias, plan, name, ...(authStrategy !== 'NONE' && { authStrategy }) };
      if (!(await tenants.create(tenant, note('tenant.create', tenant, details))))
        throw new ApiError('conflict', [`the tenant ${quote(tenant.alias)}`]);
      return tenant;
    },
    updateTenant: async (alias, changes) => {
      const before = await getTenant(alias);
      const parsed = parseTenantChanges(changes, before);
      checkRights(parsed, before, caller);
      const checked = await checkKey(parsed, changes);
      // Without a change there is no audit entry.
      if (Object.keys(checked).length === 0) return before;
      const noted = note('tenant.set', before, await toAuditedChanges(checked, runtime));
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
      // Requests admitted earlier may since have created a key.
      const since = (await keys.list(id)).map((key) => key.id);
      // The tenant is deleted last, so that an interrupted deletion can be repeated. All that belongs to it
      // goes with it, and from then on nothing can be added.
      await tenants.delete(id, note('tenant.delete', tenant, {}));
      await limits.erase([...counted, ...since]);
    },
    createKey: async (alias, options) => {
      const tenant = await getTenant(alias);
      const settings = parseKeyOptions(options);
      const { secret, record } = await newSecret(settings);
      if (settings.expiresAt !== null && settings.expiresAt <= record.createdAt)
        throw invalid('expiresAt', 'lies in the past');
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
      const added = await keys.create(key, noted);
      if (added === 'full') throw new ApiError('tooManyKeys', [String(LIVE_KEYS_MAX)]);
      if (added === 'noTenant') throw notFound(alias);
      if (added.removed.length > 0) await limits.erase(added.removed);
      return { key, secret, namesakes: added.namesakes };
    },
    listKeys: async (alias) => keys.list((await getTenant(alias)).id),
    updateKey: async (alias, keyId, given) => {
      const { tenant, key } = await getKey(alias, keyId);
      const { id, name } = key;
      if (key.restrictions === null) throw onlyForWriteKeys();
      const changes = parseRestrictionChanges((given as typeof given | null)?.restrictions);
      // Without a change there is no audit entry.
      if (Object.keys(changes).length === 0) return key;
      const noted = note('key.set', tenant, toDetails({ id, name, restrictions: changes }));
      const after = await keys.restrict(id, changes, noted);
      if (after === undefined) throw isRevoked(keyId);
      return after;
    },
    revokeKey: async (alias, keyId) => {
      const { tenant, key } = await getKey(alias, keyId);
      const { id, name } = key;
      return (await keys.revoke(id, runtime.now(), note('key.revoke', tenant, { id, name }))) ?? key;
    },
    rotateKey: async (alias, keyId, overlapMs, show) => {
      const { tenant, key: before } = await getKey(alias, keyId);
      const { id, name } = before;
      const overlap = parseMilliseconds('overlapMs', overlapMs);
      const { secret, record } = await newSecret(before);
      const othersExpireAt = Math.min(record.createdAt + overlap, MILLISECONDS_MAX);
      const planned = withSecret(before, record, othersExpireAt);
      if (planned === undefined) throw isRevoked(keyId);
      await show?.({ key: planned, secret, namesakes: [] });
      const noted = note('key.rotate', tenant, { id, name, othersExpireAt });
      const key = await keys.addSecret(id, record, othersExpireAt, noted);
      if (key === undefined) throw isRevoked(keyId);
      return { key, secret, namesakes: [] };
    },
    listConfig: async (alias) => tenants.remoteConfig((await getTenant(alias)).id),
    setConfig: async (alias, key, value) => {
      const tenant = await getTenant(alias);
      const change = parseConfigEntry({ key, value });
      return changeConfig(tenant, change, note('config.set', tenant, { ...change }));
    },
    unsetConfig: async (alias, key) => {
      const tenant = await getTenant(alias);
      const entries = await tenants.remoteConfig(tenant.id);
      if (!entries.some((entry) => entry.key === key))
        throw invalid('key', `the remote config of ${quote(alias)} has no ${quoteAny(key)}`);
      return changeConfig(tenant, { key, value: null }, note('config.unset', tenant, { key }));
    },
    createMark: async (alias, options) => {
      const tenant = await getTenant(alias);
      const said = parseMarkOptions(options, runtime.now());
      const mark: Mark = { id: runtime.uuid(), tenantId: tenant.id, ...said };
      const done = await marks.create(mark, note('mark.create', tenant, { id: mark.id, ...said }));
      if (done === 'full') throw marksFull();
      if (done === 'noTenant') throw notFound(alias);
      return mark;
    },
    listMarks: async (alias, range = {}) => marksWithin(await marks.list((await getTenant(alias)).id), range),
    deleteMark: async (alias, markId) => {
      const tenant = await getTenant(alias);
      const mark = (await marks.list(tenant.id)).find(({ id }) => id === markId);
      const noMark = () => invalid('id', `the tenant ${quote(alias)} has no mark ${quoteAny(markId)}`);
      if (mark === undefined) throw noMark();
      const { id, time, name, url } = mark;
      if (!(await marks.remove(id, note('mark.delete', tenant, { id, time, name, url })))) throw noMark();
    },
    resetLimits: async (alias, keyId) => {
      const one = keyId === undefined ? undefined : await getKey(alias, keyId);
      const tenant = one?.tenant ?? (await getTenant(alias));
      const all = async () => [tenant.id, ...(await keys.list(tenant.id)).map(({ id }) => id)];
      await limits.erase(one === undefined ? await all() : [one.key.id]);
      const details = one === undefined ? {} : { id: one.key.id, name: one.key.name };
      await tenants.update(tenant.id, {}, note('limits.reset', tenant, details));
    },
    eraseEvents: async (alias, body) =>
      eraseEvents({ stores, runtime, operations, by }, await getTenant(alias), body),
    checkToken: async (alias, asked) => checkToken(tokens, await getTenant(alias), asked, caller),
    usage: async (alias) => usageOf(stores, await getTenant(alias), runtime),
    usageHistory: async (alias, days) => {
      const { id } = await getTenant(alias);
      return listUsage(stores.usage, id, parseUsageDays(days), runtime.now());
    },
    listRefusals: async (alias) => {
      const { id } = await getTenant(alias);
      return toldRefusals(await stores.refusals.list(id));
    },
    clearRefusals: async (alias) => {
      const tenant = await getTenant(alias);
      await stores.refusals.erase(tenant.id, note('refusals.clear', tenant, {}));
    },
  };
}

/** The fields of a tenant that only an owner may change. */
const OWNERS_FIELDS = ['plan', 'limits', 'ingestion', 'retentionDays'] as const;

/** Refuses changes that are not the caller's to make. Throws ApiError 400, 403. */
function checkRights(changes: TenantChanges, before: Tenant, caller: Caller): void {
  const isOwners = OWNERS_FIELDS.some((name) => changes[name] !== undefined);
  if (isOwners && !isOwner(rightsOf(caller))) throw new ApiError('roleTooLow');
  checkAddress(changes.jwt, before, caller);
}

function isRevoked(keyId: string): ApiError {
  return invalid('key', `${quote(keyId)} is revoked; make a new key`);
}

function notFound(alias: unknown): ApiError {
  return new ApiError('tenantNotFound', [quoteAny(alias)]);
}
