import type { ApiKey, KeySecret, KeyStore, Permission } from '../../src/index.ts';
import { prepareEmptyLog, promised, transact, type Connections } from './database.ts';
import type { FileWatch } from './file-watch.ts';

interface KeyRow {
  id: string;
  tenant_id: string;
  name: string;
  permissions: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

interface SecretRow {
  hash: string;
  created_at: number;
  expires_at: number | null;
}

/**
 * API keys in a SQLite file. `quick` is a connection whose commits survive a crash of the process but not a
 * loss of power: enough to note when a key was used.
 */
export function sqliteKeyStore({ durable: database, quick, cache }: Connections, watch: FileWatch): KeyStore {
  const insertKey = database.prepare(
    `INSERT INTO api_keys (id, tenant_id, name, permissions, created_at, expires_at, revoked_at, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertSecret = database.prepare(
    'INSERT INTO key_secrets (hash, key_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
  );
  const selectKey = database.prepare('SELECT * FROM api_keys WHERE id = ?');
  const selectByHash = database.prepare(
    'SELECT api_keys.* FROM key_secrets JOIN api_keys ON api_keys.id = key_id WHERE hash = ?',
  );
  const selectOfTenant = database.prepare('SELECT * FROM api_keys WHERE tenant_id = ? ORDER BY sequence');
  const selectSecrets = database.prepare('SELECT * FROM key_secrets WHERE key_id = ? ORDER BY sequence');
  const endOthers = database.prepare(
    'UPDATE key_secrets SET expires_at = ? WHERE key_id = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const revoke = database.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const touch = quick.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
  const removeSecrets = database.prepare(
    'DELETE FROM key_secrets WHERE key_id IN (SELECT id FROM api_keys WHERE tenant_id = ?)',
  );
  const removeKeys = database.prepare('DELETE FROM api_keys WHERE tenant_id = ?');

  const emptyLog = prepareEmptyLog(cache);

  const find = (row: unknown) =>
    row === undefined ? undefined : toKey(row as KeyRow, secretsOf(row as KeyRow));
  const secretsOf = ({ id }: KeyRow) => selectSecrets.all(id).map((row) => toSecret(row as SecretRow));
  const addSecret = (keyId: string, { hash, createdAt, expiresAt }: KeySecret) =>
    insertSecret.run(hash, keyId, createdAt, expiresAt);

  const findByHash = watch.remember((hash) => find(selectByHash.get(hash)));
  const write = <T>(work: () => T) => promised(() => watch.writing(() => transact(database, work)));

  return {
    create: (key) =>
      write(() => {
        const { id, tenantId, name, permissions, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
        insertKey.run(
          id,
          tenantId,
          name,
          JSON.stringify(permissions),
          createdAt,
          expiresAt,
          revokedAt,
          lastUsedAt,
        );
        for (const secret of key.secrets) addSecret(id, secret);
      }),
    findBySecretHash: (hash) => promised(() => findByHash(hash)),
    list: (tenantId) => promised(() => selectOfTenant.all(tenantId).map((row) => find(row)!)),
    addSecret: (keyId, secret, othersExpireAt) =>
      write(() => {
        const before = selectKey.get(keyId) as KeyRow | undefined;
        if (before?.revoked_at !== null) return undefined;
        endOthers.run(othersExpireAt, keyId, othersExpireAt);
        addSecret(keyId, secret);
        return find(before);
      }),
    revoke: (keyId, revokedAt) =>
      write(() => {
        revoke.run(revokedAt, keyId);
        return find(selectKey.get(keyId));
      }),
    touch: (keyId, usedAt) =>
      promised(() => {
        watch.writing(() => touch.run(usedAt, keyId));
      }),
    erase: (tenantId) =>
      write(() => {
        removeSecrets.run(tenantId);
        removeKeys.run(tenantId);
      }).then(emptyLog),
  };
}

function toSecret({ hash, created_at, expires_at }: SecretRow): KeySecret {
  return { hash, createdAt: created_at, expiresAt: expires_at };
}

function toKey(row: KeyRow, secrets: readonly KeySecret[]): ApiKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    permissions: JSON.parse(row.permissions) as Permission[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    secrets,
  };
}
