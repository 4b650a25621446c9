import type { Refusal, RefusalStore } from '../../src/store-kit.ts';
import { storeAuditEntry } from './admins.ts';
import { guarded, transact, type PostgresPool } from './database.ts';

const ADD = `
  insert into event_query.refusals as known (tenant_id, reason, count, first_at, last_at, example)
  select $1, * from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
  on conflict (tenant_id, reason) do update set
    count = known.count + excluded.count,
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    example = case when excluded.last_at >= known.last_at
      then coalesce(excluded.example, known.example) else coalesce(known.example, excluded.example) end`;

/** Refusals in PostgreSQL. */
export function postgresRefusalStore(pool: PostgresPool): RefusalStore {
  return {
    add: (tenantId, refusals) =>
      guarded(async () => {
        // Servers that add to the same rows lock them in one order, so that they never wait for each other.
        const rows = [...refusals].sort((a, b) => (a.reason < b.reason ? -1 : 1));
        await pool.query(ADD, [
          tenantId,
          rows.map(({ reason }) => reason),
          rows.map(({ count }) => count),
          rows.map(({ firstAt }) => firstAt),
          rows.map(({ lastAt }) => lastAt),
          rows.map(({ example }) => example && JSON.stringify(example)),
        ]);
      }),
    list: (tenantId) =>
      guarded(async () => {
        const { rows } = await pool.query('select * from event_query.refusals where tenant_id = $1', [
          tenantId,
        ]);
        return rows.map(({ reason, count, first_at, last_at, example }) => ({
          ...{ reason: reason as Refusal['reason'], count: Number(count) },
          ...{ firstAt: Number(first_at), lastAt: Number(last_at) },
          example: typeof example === 'string' ? (JSON.parse(example) as Refusal['example']) : null,
        }));
      }),
    eraseExamples: (tenantId) =>
      guarded(async () => {
        await pool.query('update event_query.refusals set example = null where tenant_id = $1', [tenantId]);
      }),
    erase: (tenantId, entry) =>
      transact(pool, async (client) => {
        await client.query('delete from event_query.refusals where tenant_id = $1', [tenantId]);
        await storeAuditEntry(client, entry);
      }),
  };
}
