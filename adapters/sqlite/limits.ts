import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type RateLimiter,
  type Runtime,
  type Window,
} from '../../src/index.ts';
import { promised, type SqliteDatabase } from './database.ts';
import type { Writer } from './writer/writer.ts';

/** The time, epoch milliseconds. */
export type Clock = Pick<Runtime, 'now'>;

interface BucketsRow {
  used: string;
  updated_at: number;
}

/** Prepares the look at what a take would leave. */
function prepareJudge(database: SqliteDatabase) {
  const select = database.prepare('SELECT used, updated_at FROM buckets WHERE id = ?');
  return (id: string, windows: readonly Window[], cost: Cost, now: number) =>
    takeTokens(toBuckets(select.get(id), now), windows, cost, now);
}

/** Prepares what is written of buckets. */
export function prepareBucketWrites(database: SqliteDatabase) {
  const judge = prepareJudge(database);
  const upsert = database.prepare('INSERT OR REPLACE INTO buckets (id, used, updated_at) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM buckets WHERE id = ?');
  return {
    take: (id: string, windows: readonly Window[], cost: Cost, now: number): BucketState => {
      const { buckets, state } = judge(id, windows, cost, now);
      upsert.run(id, JSON.stringify(buckets.used), buckets.updatedAt);
      return state;
    },
    eraseBuckets: (ids: readonly string[]) => {
      for (const id of ids) remove.run(id);
    },
  };
}

/**
 * Token buckets in a SQLite file, shared by all processes that use it. A take is judged behind the lock, by
 * the time at which it was asked for: where another process has judged by a later one meanwhile, that one
 * holds, and no token comes back before its time.
 */
export function sqliteRateLimiter(database: SqliteDatabase, writer: Writer, clock: Clock): RateLimiter {
  const judge = prepareJudge(database);
  return {
    take: (id, windows, cost) =>
      // Who only looks waits for no lock, and needs no room on the disk.
      cost === 0
        ? promised(() => judge(id, windows, cost, clock.now()).state)
        : writer.run('take', [id, windows, cost, clock.now()]),
    erase: (ids) => writer.run('eraseBuckets', [ids]),
  };
}

function toBuckets(row: unknown, now: number): Buckets {
  if (row === undefined) return fullBuckets(now);
  const { used, updated_at } = row as BucketsRow;
  return { used: JSON.parse(used) as number[], updatedAt: updated_at };
}
