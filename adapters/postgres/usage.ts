import { USAGE_DAYS_MAX, type UsageDay, type UsageStore } from '../../src/store-kit.ts';
import { guarded, transact, type PostgresPool } from './database.ts';

const ADD = `
  insert into event_query.usage_days as known
    (tenant_id, day, requests, refused, limited, events, rejected, bytes)
  select $1, * from unnest(
    $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
  on conflict (tenant_id, day) do update set
    requests = known.requests + excluded.requests,
    refused = known.refused + excluded.refused,
    limited = known.limited + excluded.limited,
    events = known.events + excluded.events,
    rejected = known.rejected + excluded.rejected,
    bytes = known.bytes + excluded.bytes`;

const TRIM = `
  delete from event_query.usage_days where tenant_id = $1 and day <= (
    select day from event_query.usage_days where tenant_id = $1
    order by day desc limit 1 offset ${USAGE_DAYS_MAX})`;

/** How much tenants were used, in PostgreSQL. */
export function postgresUsageStore(pool: PostgresPool): UsageStore {
  return {
    add: (tenantId, days) =>
      transact(pool, async (client) => {
        // Servers that add to the same rows lock them in one order, so that they never wait for each other.
        const rows = [...days].sort((a, b) => (a.day < b.day ? -1 : 1));
        const column = (name: keyof UsageDay) => rows.map((row) => row[name]);
        await client.query(ADD, [
          ...[tenantId, column('day'), column('requests'), column('refused'), column('limited')],
          ...[column('events'), column('rejected'), column('bytes')],
        ]);
        await client.query(TRIM, [tenantId]);
      }),
    list: (tenantId, from) =>
      guarded(async () => {
        const { rows } = await pool.query(
          'select * from event_query.usage_days where tenant_id = $1 and day >= $2 order by day',
          [tenantId, from],
        );
        return rows.map(({ day, requests, refused, limited, events, rejected, bytes }) => ({
          ...{ day: day as string, requests: Number(requests), refused: Number(refused) },
          ...{ limited: Number(limited), events: Number(events), rejected: Number(rejected) },
          bytes: Number(bytes),
        }));
      }),
    erase: (tenantId) =>
      guarded(async () => {
        await pool.query('delete from event_query.usage_days where tenant_id = $1', [tenantId]);
      }),
  };
}
