import type { ApiKey } from '../../src/index.ts';
import { isLive, withRestrictions, withSecret, type AuditEntry, type KeyStore } from '../../src/store-kit.ts';
import { memoryAdminStore, type MemoryAdminStore } from './admins.ts';

/** API keys in memory, oldest first; changes are written to the audit log of the given store. */
export function memoryKeyStore({ note }: Pick<MemoryAdminStore, 'note'> = memoryAdminStore()): KeyStore {
  const keys = new Map<string, ApiKey>();
  /** Changes a key; does nothing when it does not exist or `changed` returns undefined. */
  const change = (id: string, changed: (key: ApiKey) => ApiKey | undefined, noted?: AuditEntry) => {
    const before = keys.get(id);
    const after = before && changed(before);
    if (after === undefined) return Promise.resolve(undefined);
    keys.set(id, after);
    if (after.revokedAt === null || before?.revokedAt === null) note(noted);
    return Promise.resolve(after);
  };
  return {
    create: (key, noted, liveMax = Infinity) => {
      const isCounted = (each: ApiKey) => each.tenantId === key.tenantId && isLive(each, key.createdAt);
      if ([...keys.values()].filter(isCounted).length >= liveMax) return Promise.resolve(false);
      keys.set(key.id, key);
      note(noted);
      return Promise.resolve(true);
    },
    findBySecretHash: (hash) =>
      Promise.resolve(
        [...keys.values()].find(({ secrets }) => secrets.some((secret) => secret.hash === hash)),
      ),
    list: (tenantId) => Promise.resolve([...keys.values()].filter((key) => key.tenantId === tenantId)),
    hasLive: (tenantId, permission, now) => {
      const isAsked = (key: ApiKey) =>
        key.tenantId === tenantId && key.permissions.includes(permission) && isLive(key, now);
      return Promise.resolve([...keys.values()].some(isAsked));
    },
    addSecret: (keyId, secret, othersExpireAt, noted) =>
      change(keyId, (key) => withSecret(key, secret, othersExpireAt), noted),
    restrict: (keyId, changes, noted) => change(keyId, (key) => withRestrictions(key, changes), noted),
    revoke: (keyId, revokedAt, noted) =>
      change(keyId, (key) => ({ ...key, revokedAt: key.revokedAt ?? revokedAt }), noted),
    touch: async (keyId, usedAt) => {
      await change(keyId, (key) => ({ ...key, lastUsedAt: usedAt }));
    },
    erase: (tenantId, ids) => {
      for (const key of keys.values()) {
        if (key.tenantId === tenantId && ids?.includes(key.id) !== false) keys.delete(key.id);
      }
      return Promise.resolve();
    },
  };
}
