import type { ApiKey } from '../../../src/index.ts';
import {
  SECRETS_MAX,
  withRestrictions,
  type AuditEntry,
  type KeyRestrictions,
  type KeySecret,
  type Permission,
} from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { prepareAuditEntry } from './admins.ts';

interface KeyRow {
  id: string;
  tenant_id: string;
  name: string;
  permissions: string;
  restrictions: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

interface SecretRow {
  hash: string;
  created_at: number;
  expires_at: number | null;
  text: string | null;
}

/** Prepares the reading of a key with its secrets, from its row. */
export function prepareFindKey(database: SqliteDatabase): (row: unknown) => ApiKey | undefined {
  const selectSecrets = database.prepare('SELECT * FROM key_secrets WHERE key_id = ? ORDER BY sequence');
  return (row) => {
    if (row === undefined) return undefined;
    const secrets = selectSecrets.all((row as KeyRow).id);
    return toKey(
      row as KeyRow,
      secrets.map((secret) => toSecret(secret as SecretRow)),
    );
  };
}

/** Prepares the writes of keys. */
export function prepareKeyWrites(database: SqliteDatabase) {
  const note = prepareAuditEntry(database);
  const insertKey = database.prepare(
    `INSERT INTO api_keys
       (id, tenant_id, name, permissions, restrictions, created_at, expires_at, revoked_at, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertSecret = database.prepare(
    'INSERT INTO key_secrets (hash, key_id, created_at, expires_at, text) VALUES (?, ?, ?, ?, ?)',
  );
  const selectKey = database.prepare('SELECT * FROM api_keys WHERE id = ?');
  const endOthers = database.prepare(
    'UPDATE key_secrets SET expires_at = ? WHERE key_id = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const restrict = database.prepare('UPDATE api_keys SET restrictions = ? WHERE id = ?');
  const revoke = database.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const removeOldest = database.prepare(
    `DELETE FROM key_secrets WHERE sequence IN
       (SELECT sequence FROM key_secrets WHERE key_id = ? ORDER BY sequence DESC LIMIT -1 OFFSET ?)`,
  );
  const touch = database.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
  const countLive = database.prepare(
    `SELECT count(*) AS live FROM api_keys
     WHERE tenant_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
  );
  const asked = 'tenant_id = ? AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))';
  const removeSecrets = database.prepare(
    `DELETE FROM key_secrets WHERE key_id IN (SELECT id FROM api_keys WHERE ${asked})`,
  );
  const removeKeys = database.prepare(`DELETE FROM api_keys WHERE ${asked}`);
  const find = prepareFindKey(database);
  const addSecret = (keyId: string, { hash, createdAt, expiresAt, text }: KeySecret) =>
    insertSecret.run(hash, keyId, createdAt, expiresAt, text ?? null);
  return {
    createKey: (
      { permissions, restrictions, secrets, ...key }: ApiKey,
      noted?: AuditEntry,
      liveMax = Infinity,
    ) => {
      const { id, tenantId, name, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
      const { live } = countLive.get(tenantId, createdAt) as { live: number };
      if (live >= liveMax) return false;
      const allowed = JSON.stringify(permissions);
      const restricted = restrictions === null ? null : JSON.stringify(restrictions);
      insertKey.run(id, tenantId, name, allowed, restricted, createdAt, expiresAt, revokedAt, lastUsedAt);
      for (const secret of secrets) addSecret(id, secret);
      note(noted);
      return true;
    },
    addSecret: (keyId: string, secret: KeySecret, othersExpireAt: number, noted?: AuditEntry) => {
      const before = selectKey.get(keyId) as KeyRow | undefined;
      if (before?.revoked_at !== null) return undefined;
      endOthers.run(othersExpireAt, keyId, othersExpireAt);
      addSecret(keyId, secret);
      removeOldest.run(keyId, SECRETS_MAX);
      note(noted);
      return find(before);
    },
    restrictKey: (keyId: string, changes: Partial<KeyRestrictions>, noted?: AuditEntry) => {
      const before = find(selectKey.get(keyId));
      const after = before && withRestrictions(before, changes);
      if (after === undefined) return undefined;
      restrict.run(JSON.stringify(after.restrictions), keyId);
      note(noted);
      return after;
    },
    revokeKey: (keyId: string, revokedAt: number, noted?: AuditEntry) => {
      if (Number(revoke.run(revokedAt, keyId).changes) === 1) note(noted);
      return find(selectKey.get(keyId));
    },
    touchKey: (keyId: string, usedAt: number) => void touch.run(usedAt, keyId),
    eraseKeys: (tenantId: string, ids?: readonly string[]) => {
      const listed = ids === undefined ? null : JSON.stringify(ids);
      removeSecrets.run(tenantId, listed, listed);
      removeKeys.run(tenantId, listed, listed);
    },
  };
}

function toSecret({ hash, created_at, expires_at, text }: SecretRow): KeySecret {
  const secret = { hash, createdAt: created_at, expiresAt: expires_at };
  return text === null ? secret : { ...secret, text };
}

function toKey(row: KeyRow, secrets: readonly KeySecret[]): ApiKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    permissions: JSON.parse(row.permissions) as Permission[],
    restrictions: row.restrictions === null ? null : (JSON.parse(row.restrictions) as KeyRestrictions),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    secrets,
  };
}
