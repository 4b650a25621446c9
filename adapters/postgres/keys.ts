import type { ApiKey } from '../../src/index.ts';
import { withRestrictions, withSecret, type KeySecret, type KeyStore } from '../../src/store-kit.ts';
import { storeAuditEntry } from './admins.ts';
import { guarded, transact, type PostgresClient, type PostgresPool } from './database.ts';

/** Whether a key is live at the time of the second parameter. */
const LIVE_AT_2 = `key->>'revokedAt' is null and coalesce((key->>'expiresAt')::bigint > $2, true)`;

/** API keys in PostgreSQL, each as one JSON value plus the columns for lookups. */
export function postgresKeyStore(pool: PostgresPool): KeyStore {
  /** Changes a key in one step, unless there is none or `change` returns nothing. */
  const update = (id: string, change: (key: ApiKey) => ApiKey | undefined, then?: Then) =>
    transact(pool, async (client) => {
      const { rows } = await client.query('select key from event_query.api_keys where id = $1 for update', [
        id,
      ]);
      const before = rows[0]?.key as ApiKey | undefined;
      const after = before && change(before);
      if (after === undefined) return undefined;
      await client.query('update event_query.api_keys set key = $2 where id = $1', [
        id,
        JSON.stringify(after),
      ]);
      await then?.(client, before!, after);
      return after;
    });
  return {
    create: (key, entry, liveMax) =>
      transact(pool, async (client) => {
        if (liveMax !== undefined && (await countLive(client, key)) >= liveMax) return false;
        await client.query('insert into event_query.api_keys (id, tenant_id, key) values ($1, $2, $3)', [
          key.id,
          key.tenantId,
          JSON.stringify(key),
        ]);
        for (const secret of key.secrets) await addSecret(client, key.id, secret);
        await storeAuditEntry(client, entry);
        return true;
      }),
    findBySecretHash: (hash) =>
      guarded(async () => {
        const text = `select key from event_query.api_keys join event_query.key_secrets on key_id = id
          where hash = $1`;
        return (await pool.query(text, [hash])).rows[0]?.key as ApiKey | undefined;
      }),
    list: (tenantId) =>
      guarded(async () => {
        const text = 'select key from event_query.api_keys where tenant_id = $1 order by sequence';
        return (await pool.query(text, [tenantId])).rows.map(({ key }) => key as ApiKey);
      }),
    hasLive: (tenantId, permission, now) =>
      guarded(async () => {
        const text = `select 1 from event_query.api_keys where tenant_id = $1 and ${LIVE_AT_2}
          and (key->'permissions')::jsonb ? $3 limit 1`;
        return (await pool.query(text, [tenantId, now, permission])).rows.length > 0;
      }),
    addSecret: (keyId, secret, othersExpireAt, entry) =>
      update(
        keyId,
        (key) => withSecret(key, secret, othersExpireAt),
        async (client, _before, after) => {
          await addSecret(client, keyId, secret);
          const gone = 'delete from event_query.key_secrets where key_id = $1 and hash <> all($2)';
          await client.query(gone, [keyId, after.secrets.map(({ hash }) => hash)]);
          await storeAuditEntry(client, entry);
        },
      ),
    restrict: (keyId, changes, entry) =>
      update(
        keyId,
        (key) => withRestrictions(key, changes),
        (client) => storeAuditEntry(client, entry),
      ),
    revoke: (keyId, revokedAt, entry) =>
      update(
        keyId,
        (key) => ({ ...key, revokedAt: key.revokedAt ?? revokedAt }),
        async (client, before) => {
          if (before.revokedAt === null) await storeAuditEntry(client, entry);
        },
      ),
    touch: async (keyId, usedAt) => {
      await update(keyId, (key) => ({ ...key, lastUsedAt: usedAt }));
    },
    erase: (tenantId, ids) =>
      transact(pool, async (client) => {
        const asked = 'tenant_id = $1 and ($2::text[] is null or id = any($2))';
        const secrets = 'delete from event_query.key_secrets using event_query.api_keys';
        await client.query(`${secrets} where key_id = id and ${asked}`, [tenantId, ids ?? null]);
        await client.query(`delete from event_query.api_keys where ${asked}`, [tenantId, ids ?? null]);
      }),
  };
}

/** Further work in the same transaction. */
type Then = (client: PostgresClient, before: ApiKey, after: ApiKey) => Promise<void>;

/** How many live keys the key's tenant has, under a lock that concurrent additions wait for. */
async function countLive(client: PostgresClient, { tenantId, createdAt }: ApiKey): Promise<number> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [tenantId]);
  const text = `select count(*) as live from event_query.api_keys where tenant_id = $1
    and ${LIVE_AT_2}`;
  return Number((await client.query(text, [tenantId, createdAt])).rows[0]?.live);
}

async function addSecret(client: PostgresClient, keyId: string, { hash }: KeySecret): Promise<void> {
  await client.query('insert into event_query.key_secrets values ($1, $2)', [hash, keyId]);
}
