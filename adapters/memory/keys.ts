import type { ApiKey, KeyStore } from '../../src/index.ts';

/** API keys in memory, oldest first. */
export function memoryKeyStore(): KeyStore {
  const keys = new Map<string, ApiKey>();
  const change = (id: string, changes: (key: ApiKey) => Partial<ApiKey> | undefined) => {
    const before = keys.get(id);
    const changed = before && changes(before);
    if (before === undefined || changed === undefined) return Promise.resolve(undefined);
    const after = { ...before, ...changed };
    keys.set(id, after);
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
      change(keyId, (key) => {
        if (key.revokedAt !== null) return undefined;
        const others = key.secrets.map((other) => ({
          ...other,
          expiresAt: Math.min(other.expiresAt ?? Infinity, othersExpireAt),
        }));
        return { secrets: [...others, secret] };
      }),
    revoke: (keyId, revokedAt) => change(keyId, (key) => ({ revokedAt: key.revokedAt ?? revokedAt })),
    touch: async (keyId, usedAt) => {
      await change(keyId, () => ({ lastUsedAt: usedAt }));
    },
    erase: (tenantId) => {
      for (const key of keys.values()) {
        if (key.tenantId === tenantId) keys.delete(key.id);
      }
      return Promise.resolve();
    },
  };
}
