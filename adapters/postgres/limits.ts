import { fullBuckets, takeTokens, type Buckets, type RateLimiter, type Runtime } from '../../src/index.ts';
import { guarded, transact, type PostgresPool } from './database.ts';

/** The time by which limits are judged. */
export type Clock = Pick<Runtime, 'now'>;

/** Token buckets in PostgreSQL, shared by all processes that use it. */
export function postgresRateLimiter(pool: PostgresPool, clock: Clock): RateLimiter {
  const select = 'select used, updated_at from event_query.buckets where id = $1';
  return {
    async take(id, windows, cost) {
      if (cost === 0) {
        const { rows } = await guarded(() => pool.query(select, [id]));
        const now = clock.now();
        return takeTokens(toBuckets(rows[0], now), windows, cost, now).state;
      }
      return transact(pool, async (client) => {
        // The row is there and locked before the time is read, so that no process judges by an older time
        // than the one before it.
        const first = `insert into event_query.buckets values ($1, '{}', -1) on conflict (id) do nothing`;
        await client.query(first, [id]);
        const { rows } = await client.query(`${select} for update`, [id]);
        const now = clock.now();
        const { buckets, state } = takeTokens(toBuckets(rows[0], now), windows, cost, now);
        const update = 'update event_query.buckets set used = $2, updated_at = $3 where id = $1';
        await client.query(update, [id, buckets.used, buckets.updatedAt]);
        return state;
      });
    },
    erase: async (ids) => {
      await guarded(() => pool.query('delete from event_query.buckets where id = any($1)', [ids]));
    },
  };
}

/** A bucket that is only being made has no time yet. */
function toBuckets(row: Readonly<Record<string, unknown>> | undefined, now: number): Buckets {
  if (row === undefined || Number(row.updated_at) < 0) return fullBuckets(now);
  return { used: (row.used as readonly string[]).map(Number), updatedAt: Number(row.updated_at) };
}
