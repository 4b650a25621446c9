import { fullBuckets, takeTokens, type Buckets, type RateLimiter, type Runtime } from '../../src/index.ts';
import { guarded, type PostgresPool } from './database.ts';

/** The time by which limits are judged. */
export type Clock = Pick<Runtime, 'now'>;

/** Token buckets in PostgreSQL, shared by all processes that use it: one statement a take. */
export function postgresRateLimiter(pool: PostgresPool, clock: Clock): RateLimiter {
  const find = async (text: string, values: unknown[]) =>
    (await guarded(() => pool.query(text, values))).rows[0];
  return {
    async take(id, windows, cost) {
      const now = clock.now();
      const before =
        cost === 0
          ? await find('select used, updated_at from event_query.buckets where id = $1', [id])
          : await find(
              `select used_before as used, updated_before as updated_at
               from event_query.take_tokens($1, $2, $3, $4, $5)`,
              [id, now, windows.map(({ limit }) => limit), windows.map(({ windowMs }) => windowMs), cost],
            );
      return takeTokens(toBuckets(before, now), windows, cost, now).state;
    },
    erase: async (ids) => {
      await guarded(() => pool.query('delete from event_query.buckets where id = any($1)', [ids]));
    },
  };
}

function toBuckets(row: Readonly<Record<string, unknown>> | undefined, now: number): Buckets {
  if (row === undefined) return fullBuckets(now);
  return { used: (row.used as readonly string[]).map(Number), updatedAt: Number(row.updated_at) };
}
