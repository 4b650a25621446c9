import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type Window,
} from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';

interface BucketsRow {
  used: string;
  updated_at: number;
}

/** Prepares the reading of an id's buckets. */
export function prepareReadBuckets(database: SqliteDatabase) {
  const select = database.prepare('SELECT used, updated_at FROM buckets WHERE id = ?');
  return (id: string, now: number): Buckets => toBuckets(select.get(id), now);
}

/** Prepares the calculation of what a take would leave. */
export function prepareJudge(database: SqliteDatabase) {
  const read = prepareReadBuckets(database);
  return (id: string, windows: readonly Window[], cost: Cost, now: number) =>
    takeTokens(read(id, now), windows, cost, now);
}

/** Prepares the writes of buckets. */
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
    /** Writes buckets that were kept in memory. */
    keepBuckets: (id: string, buckets: Buckets): void => {
      upsert.run(id, JSON.stringify(buckets.used), buckets.updatedAt);
    },
    eraseBuckets: (ids: readonly string[]) => {
      for (const id of ids) remove.run(id);
    },
  };
}

function toBuckets(row: unknown, now: number): Buckets {
  if (row === undefined) return fullBuckets(now);
  const { used, updated_at } = row as BucketsRow;
  return { used: JSON.parse(used) as number[], updatedAt: updated_at };
}
