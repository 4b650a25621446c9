import type { AuditEntry } from './audit.ts';
import type { ControlStore } from './control-store.ts';
import { change, put, readerOf, touch, type Decision, type Kept, type DocumentKind } from './decide.ts';
import {
  DEAD_KEYS_MAX,
  isLive,
  isPublicKey,
  LIVE_KEYS_MAX,
  withRestrictions,
  withSecret,
  type ApiKey,
  type KeySecret,
} from './key.ts';
import type { KeyRestrictions } from './key-restrictions.ts';
import { TENANT } from './tenant-records.ts';

/** How keys are kept: each is found by the hashes of its secrets. */
export const KEY: DocumentKind<ApiKey> = {
  kind: 'key',
  of: ({ id, tenantId, secrets }) => ({
    ...{ id, tenantId, group: tenantId },
    names: secrets.map(({ hash }) => hash),
  }),
};

/**
 * What is known of all keys of a tenant. It is written with each key that is added or ends, so of two servers
 * that add keys at once, one begins again and counts the key of the other.
 */
interface KeyRing {
  readonly tenantId: string;
  /** When the last live public write key expires: 0 if there is none, null if one never expires. */
  readonly writersUntil: number | null;
}

/** How the ring of a tenant is kept. */
export const RING: DocumentKind<KeyRing> = {
  kind: 'key-ring',
  of: ({ tenantId }) => ({ id: tenantId, tenantId }),
};

/** The ring and the keys of a tenant, as they were read. */
interface KeysOfTenant {
  readonly ring: Kept<KeyRing> | undefined;
  readonly keys: readonly Kept<ApiKey>[];
}

/** How many keys a tenant may have. */
interface KeyBounds {
  /** How many live ones it may have. */
  readonly liveMax: number;
  /** How many dead ones are kept: the newest. */
  readonly deadMax: number;
}

const BOUNDS: KeyBounds = { liveMax: LIVE_KEYS_MAX, deadMax: DEAD_KEYS_MAX };
/** A copy of keys leaves out none: it would come again with the next copy. */
const NO_BOUNDS: KeyBounds = { liveMax: Infinity, deadMax: Infinity };

/** What became of a new key. */
export interface AddedKey {
  /** The ids of the tenant's other live keys of the same name. */
  readonly namesakes: readonly string[];
  /** The ids of old dead keys that were removed. */
  readonly removed: readonly string[];
}

/** The document of the ring, with these keys. */
function putRing(tenantId: string, ring: Kept<KeyRing> | undefined, keys: readonly ApiKey[]) {
  const writers = keys.filter((key) => key.revokedAt === null && isPublicKey(key));
  const until = Math.max(0, ...writers.map(({ expiresAt }) => expiresAt ?? Infinity));
  return put(RING, { tenantId, writersUntil: until === Infinity ? null : until }, ring);
}

/**
 * Adds a key, and removes the oldest dead ones. A tenant has at most so many keys that are neither revoked
 * nor, when the new one is created, expired.
 */
function decideKey(
  key: ApiKey,
  { ring, keys }: KeysOfTenant,
  { liveMax, deadMax }: KeyBounds,
  entry: AuditEntry | undefined,
): Decision<AddedKey | 'full'> {
  const live = keys.filter(({ value }) => isLive(value, key.createdAt));
  if (live.length >= liveMax) return { answer: 'full' };
  const dead = keys.filter((each) => !live.includes(each));
  const removes = dead.slice(0, Math.max(0, dead.length - deadMax));
  const after = [...keys.map(({ value }) => value), key];
  return {
    puts: [putRing(key.tenantId, ring, after), put(KEY, key)],
    removes: removes.map(({ document }) => document),
    entry,
    answer: {
      namesakes: live.filter(({ value }) => value.name === key.name).map(({ value }) => value.id),
      removed: removes.map(({ value }) => value.id),
    },
  };
}

/** Revokes a key. One that is revoked already keeps its first time and gets no further audit entry. */
function decideRevocation(
  id: string,
  revokedAt: number,
  { ring, keys }: KeysOfTenant,
  entry: AuditEntry | undefined,
): Decision<ApiKey | undefined> {
  const before = keys.find(({ value }) => value.id === id);
  if (before?.value.revokedAt !== null) return { answer: before?.value };
  const answer = { ...before.value, revokedAt };
  const after = keys.map((each) => (each === before ? answer : each.value));
  return { puts: [putRing(answer.tenantId, ring, after), put(KEY, answer, before)], entry, answer };
}

/** The keys of a control store. Each change has its audit entry, if one is given. */
export type KeyRecords = ReturnType<typeof keysIn>;

/** Keeps keys in a control store, with hashes of their secrets, never the secrets. */
export function keysIn(control: ControlStore) {
  const { get, find, list } = readerOf(control, KEY);
  const { get: getRing } = readerOf(control, RING);

  /** Reads the ring first: a change after that has changed it, and the commit of who read it fails. */
  async function readAll(tenantId: string): Promise<KeysOfTenant> {
    const ring = await getRing(tenantId);
    return { ring, keys: await list(tenantId) };
  }

  /** Changes a key; does nothing if there is none or `changed` returns undefined. */
  const changeKey = (id: string, changed: (key: ApiKey) => ApiKey | undefined, entry?: AuditEntry) =>
    change(
      control,
      () => get(id),
      (before): Decision<ApiKey | undefined> => {
        const answer = before && changed(before.value);
        return answer === undefined ? { answer } : { puts: [put(KEY, answer, before)], entry, answer };
      },
    );

  const add = (
    key: ApiKey,
    entry: AuditEntry | undefined,
    bounds: KeyBounds,
  ): Promise<AddedKey | 'full' | 'noTenant'> =>
    change(
      control,
      async () => ({
        tenant: await control.get(TENANT.kind, key.tenantId),
        ...(await readAll(key.tenantId)),
      }),
      ({ tenant, ...all }): Decision<AddedKey | 'full' | 'noTenant'> =>
        tenant === undefined ? { answer: 'noTenant' } : decideKey(key, all, bounds, entry),
    );

  return {
    /**
     * Adds a key with a unique id and hashes: `full` if the tenant has no room for it, and `noTenant` if
     * there is no such tenant.
     */
    create: (key: ApiKey, entry?: AuditEntry) => add(key, entry, BOUNDS),
    /** Adds a key as it is in another place, however many the tenant has. */
    copy: (key: ApiKey, entry?: AuditEntry) => add(key, entry, NO_BOUNDS),
    /** The key with this secret hash, in any state: the caller checks expiry and revocation. */
    findBySecretHash: async (hash: string): Promise<ApiKey | undefined> => (await find(hash))?.value,
    /** The keys of a tenant, oldest first, revoked ones included. */
    list: async (tenantId: string): Promise<readonly ApiKey[]> =>
      (await list(tenantId)).map(({ value }) => value),
    /** Whether a tenant has a public write key that is neither revoked nor, at `now`, expired. */
    hasLiveWriteKey: async (tenantId: string, now: number): Promise<boolean> => {
      const until = (await getRing(tenantId))?.value.writersUntil;
      return until === null || (until !== undefined && now < until);
    },
    /**
     * Adds a secret to a key, as `withSecret` says. Returns the updated key, or undefined if there is none or
     * it is revoked.
     */
    addSecret: (id: string, secret: KeySecret, othersExpireAt: number, entry?: AuditEntry) =>
      changeKey(id, (key) => withSecret(key, secret, othersExpireAt), entry),
    /**
     * Changes some of the restrictions of a public write key, and keeps the others. Returns the updated key,
     * or undefined if there is none, it has no restrictions, or it is revoked.
     */
    restrict: (id: string, changes: Partial<KeyRestrictions>, entry?: AuditEntry) =>
      changeKey(id, (key) => withRestrictions(key, changes), entry),
    /** Revokes a key at once; returns the updated key, or undefined if there is none. */
    revoke: (id: string, revokedAt: number, entry?: AuditEntry): Promise<ApiKey | undefined> =>
      change(
        control,
        async () => {
          const key = await get(id);
          return key && readAll(key.value.tenantId);
        },
        (all) => (all === undefined ? { answer: undefined } : decideRevocation(id, revokedAt, all, entry)),
      ),
    /** Records that a key was used, as `touch` does. */
    touch: (id: string, usedAt: number): Promise<void> => touch(control, KEY, id, usedAt),
    /** Removes the keys of a tenant, with their secrets. */
    erase: (tenantId: string): Promise<void> =>
      change(
        control,
        () => readAll(tenantId),
        ({ ring, keys }) => ({
          ...(ring && { puts: [putRing(tenantId, ring, [])] }),
          removes: keys.map(({ document }) => document),
          erases: true,
          answer: undefined,
        }),
      ),
  };
}
