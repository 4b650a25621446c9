import { withSecret, type ApiKey, type KeySecret, type KeyStore } from '../../src/index.ts';
import { guarded, transact, type PostgresClient, type PostgresPool } from './database.ts';

/** API keys in PostgreSQL, each as one JSON value beside what it is found by. */
export function postgresKeyStore(pool: PostgresPool): KeyStore {
  /** Changes a key in one step, unless there is none or `change` leaves it. */
  const update = (id: string, change: (key: ApiKey) => ApiKey | undefined, then?: Then) =>
    transact(pool, async (client) => {
      const { rows } = await client.query('select key from event_query.api_keys where id = $1 for update', [
        id,
      ]);
      const after = rows[0] && change(rows[0].key as ApiKey);
      if (after === undefined) return undefined;
      await client.query('update event_query.api_keys set key = $2 where id = $1', [
        id,
        JSON.stringify(after),
      ]);
      await then?.(client);
      return after;
    });
  return {
    create: (key) =>
      transact(pool, async (client) => {
        await client.query('insert into event_query.api_keys (id, tenant_id, key) values ($1, $2, $3)', [
          key.id,
          key.tenantId,
          JSON.stringify(key),
        ]);
        for (const secret of key.secrets) await addSecret(client, key.id, secret);
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
    addSecret: (keyId, secret, othersExpireAt) =>
      update(
        keyId,
        (key) => withSecret(key, secret, othersExpireAt),
        (client) => addSecret(client, keyId, secret),
      ),
    revoke: (keyId, revokedAt) => update(keyId, (key) => ({ ...key, revokedAt: key.revokedAt ?? revokedAt })),
    touch: async (keyId, usedAt) => {
      await update(keyId, (key) => ({ ...key, lastUsedAt: usedAt }));
    },
    erase: (tenantId) =>
      transact(pool, async (client) => {
        await client.query(
          `delete from event_query.key_secrets using event_query.api_keys
           where key_id = id and tenant_id = $1`,
          [tenantId],
        );
        await client.query('delete from event_query.api_keys where tenant_id = $1', [tenantId]);
      }),
  };
}

/** What is done in the same transaction. */
type Then = (client: PostgresClient) => Promise<void>;

async function addSecret(client: PostgresClient, keyId: string, { hash }: KeySecret): Promise<void> {
  await client.query('insert into event_query.key_secrets values ($1, $2)', [hash, keyId]);
}
