import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type Clock,
  type Cost,
  type RateLimiter,
  type Window,
} from '../../src/store-kit.ts';
import { guarded, type PostgresPool } from './database.ts';

const LOOK = 'select used, updated_at from event_query.buckets where id = $1';
const TAKE = `select used_before as used, updated_before as updated_at
  from event_query.take_tokens($1, $2, $3, $4, $5, $6, $7)`;

/** Token buckets in PostgreSQL, shared by all processes that use it: one statement per take. */
export function postgresRateLimiter(pool: PostgresPool, clock: Clock): RateLimiter {
  const find = async (text: string, values: unknown[]) =>
    (await guarded(() => pool.query(text, values))).rows[0];
  return {
    async take(id, windows, cost) {
      const now = clock.now();
      const before = await (cost === 0 ? find(LOOK, [id]) : find(TAKE, [id, now, ...termsOf(windows, cost)]));
      return takeTokens(toBuckets(before, now), windows, cost, now).state;
    },
    erase: async (ids) => {
      await guarded(() => pool.query('delete from event_query.buckets where id = any($1)', [ids]));
    },
  };
}

/**
 * The parameters: when returned tokens were taken, else null; then the windows as columns, and the tokens of
 * each.
 */
function termsOf(windows: readonly Window[], cost: Exclude<Cost, 0>): unknown[] {
  const isReturn = 'takenAt' in cost;
  return [
    isReturn ? cost.takenAt : null,
    windows.map(({ limit }) => limit),
    windows.map(({ windowMs }) => windowMs),
    windows.map(({ reserve = 0 }) => reserve),
    isReturn ? cost.tokens : cost,
  ];
}

function toBuckets(row: Readonly<Record<string, unknown>> | undefined, now: number): Buckets {
  if (row === undefined) return fullBuckets(now);
  return { used: (row.used as readonly string[]).map(Number), updatedAt: Number(row.updated_at) };
}
