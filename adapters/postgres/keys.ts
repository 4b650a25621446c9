import { withSecret, type ApiKey, type KeySecret, type KeyStore } from '../../src/index.ts';
import { keepNote } from './admins.ts';
import { guarded, transact, type PostgresClient, type PostgresPool } from './database.ts';

/** API keys in PostgreSQL, each as one JSON value beside what it is found by. */
export function postgresKeyStore(pool: PostgresPool): KeyStore {
  /** Changes a key in one step, unless there is none or `change` leaves it. */
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
      await then?.(client, before!);
      return after;
    });
  return {
    create: (key, note) =>
      transact(pool, async (client) => {
        await client.query('insert into event_query.api_keys (id, tenant_id, key) values ($1, $2, $3)', [
          key.id,
          key.tenantId,
          JSON.stringify(key),
        ]);
        for (const secret of key.secrets) await addSecret(client, key.id, secret);
        await keepNote(client, note);
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
    addSecret: (keyId, secret, othersExpireAt, note) =>
      update(
        keyId,
        (key) => withSecret(key, secret, othersExpireAt),
        async (client) => {
          await addSecret(client, keyId, secret);
          await keepNote(client, note);
        },
      ),
    revoke: (keyId, revokedAt, note) =>
      update(
        keyId,
        (key) => ({ ...key, revokedAt: key.revokedAt ?? revokedAt }),
        async (client, before) => {
          if (before.revokedAt === null) await keepNote(client, note);
        },
      ),
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
type Then = (client: PostgresClient, before: ApiKey) => Promise<void>;

async function addSecret(client: PostgresClient, keyId: string, { hash }: KeySecret): Promise<void> {
  await client.query('insert into event_query.key_secrets values ($1, $2)', [hash, keyId]);
}
