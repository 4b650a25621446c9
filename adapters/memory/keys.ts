import { withSecret, type ApiKey, type KeyStore } from '../../src/index.ts';

/** API keys in memory, oldest first. */
export function memoryKeyStore(): KeyStore {
  const keys = new Map<string, ApiKey>();
  /** Changes a key, unless there is none or `changed` leaves it. */
  const change = (id: string, changed: (key: ApiKey) => ApiKey | undefined) => {
    const before = keys.get(id);
    const after = before && changed(before);
    if (after !== undefined) keys.set(id, after);
    return Promise.resolve(after);
  };
  return {
    create: (key) => {
      keys.set(key.id, key);
      return Promise.resolve();
    },
    findBySecretHash: (hash) =>
      Promise.resolve(
        [...keys.values()].find(({ secrets }) => secrets.some((secret) => secret.hash === hash)),
      ),
    list: (tenantId) => Promise.resolve([...keys.values()].filter((key) => key.tenantId === tenantId)),
    addSecret: (keyId, secret, othersExpireAt) =>
      change(keyId, (key) => withSecret(key, secret, othersExpireAt)),
    revoke: (keyId, revokedAt) => change(keyId, (key) => ({ ...key, revokedAt: key.revokedAt ?? revokedAt })),
    touch: async (keyId, usedAt) => {
      await change(keyId, (key) => ({ ...key, lastUsedAt: usedAt }));
    },
    erase: (tenantId) => {
      for (const key of keys.values()) {
        if (key.tenantId === tenantId) keys.delete(key.id);
      }
      return Promise.resolve();
    },
  };
}
