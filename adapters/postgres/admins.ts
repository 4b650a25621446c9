import type { AdminStore, AuditEntry, AdminCredential } from '../../src/store-kit.ts';
import { guarded, transact, type PostgresClient, type PostgresPool } from './database.ts';

/**
 * An arbitrary key of the advisory lock under which audit entries get their numbers, held until they are
 * committed.
 */
const NOTES_LOCK = 0x65766e74;

/**
 * Writes an audit entry, if any, as the last statement of a client's transaction. Later writers wait until
 * the transaction ends, so a reader that has read the entries up to a number misses none below it.
 */
export async function storeAuditEntry(client: PostgresClient, entry: AuditEntry | undefined): Promise<void> {
  if (entry === undefined) return;
  await client.query('select pg_advisory_xact_lock($1)', [NOTES_LOCK]);
  const insert = 'insert into event_query.audit (tenant_id, id, note) values ($1, $2, $3)';
  await client.query(insert, [entry.tenantId, entry.id, JSON.stringify(entry)]);
}

/** The credentials and the audit log in PostgreSQL. */
export function postgresAdminStore(pool: PostgresPool): AdminStore {
  const read = async (text: string, ...values: unknown[]): Promise<AdminCredential[]> => {
    const { rows } = await guarded(() =>
      pool.query(`select credential from event_query.credentials ${text}`, values),
    );
    return rows.map(({ credential }) => credential as AdminCredential);
  };
  const numberOf = async (id: string): Promise<number | undefined> => {
    const { rows } = await pool.query('select number from event_query.audit where id = $1', [id]);
    return rows[0] && Number(rows[0].number);
  };
  return {
    create: (credential, entry) =>
      transact(pool, async (client) => {
        await client.query(
          `delete from event_query.credentials
           where credential->>'kind' <> 'key' and (credential->>'expiresAt')::bigint <= $1`,
          [credential.createdAt],
        );
        // A text that jsonb rejects must fail here: once stored, it would break every query that reads all
        // rows.
        const insert =
          'insert into event_query.credentials (id, hash, credential) values ($1, $2, $3::jsonb::json)';
        await client.query(insert, [credential.id, credential.hash, JSON.stringify(credential)]);
        await storeAuditEntry(client, entry);
      }),
    findByHash: async (hash) => (await read('where hash = $1', hash))[0],
    list: () => read('order by sequence'),
    touch: (id, usedAt) =>
      guarded(async () => {
        const set = `(credential::jsonb || jsonb_build_object('lastUsedAt', $2::bigint))::json`;
        await pool.query(`update event_query.credentials set credential = ${set} where id = $1`, [
          id,
          usedAt,
        ]);
      }),
    renew: async (id, version, { name, role, tenantIds, viewedIds, identity }) => {
      const changes = JSON.stringify({ name, role, tenantIds, viewedIds, identity });
      const text = `update event_query.credentials set credential = (credential::jsonb || $3::jsonb)::json
        where id = $1 and (credential->'identity'->>'version')::bigint = $2 returning credential`;
      const { rows } = await guarded(() => pool.query(text, [id, version, changes]));
      return rows[0] && (rows[0].credential as AdminCredential);
    },
    remove: (id, entry) =>
      transact(pool, async (client) => {
        const { rows } = await client.query(
          'delete from event_query.credentials where id = $1 returning credential',
          [id],
        );
        if (rows[0] === undefined) return undefined;
        await storeAuditEntry(client, entry);
        return rows[0].credential as AdminCredential;
      }),
    audit: ({ before, size, tenantIds }) =>
      guarded(async () => {
        const end = before === undefined ? Number.MAX_SAFE_INTEGER : await numberOf(before);
        if (end === undefined) return undefined;
        const text = `select note from event_query.audit
          where number < $1 and ($3::text[] is null or tenant_id = any($3)) order by number desc limit $2`;
        const { rows } = await pool.query(text, [end, size, tenantIds]);
        return rows.map(({ note }) => note as AuditEntry);
      }),
    trimAudit: (notesMax) =>
      guarded(async () => {
        const text = `delete from event_query.audit where number in (select number from (
          select number, row_number() over (partition by tenant_id order by number desc) as place
          from event_query.audit) as placed where place > $1)`;
        await pool.query(text, [notesMax]);
      }),
    spend: (id, until, now) =>
      transact(pool, async (client) => {
        await client.query('delete from event_query.spent where until <= $1', [now]);
        const insert = 'insert into event_query.spent values ($1, $2) on conflict (id) do nothing';
        return (await client.query(insert, [id, until])).rowCount === 1;
      }),
  };
}
