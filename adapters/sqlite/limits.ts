import { fullBuckets, takeTokens, type Buckets, type RateLimiter, type Runtime } from '../../src/index.ts';
import { promised, transact, type SqliteDatabase } from './database.ts';

/** The time, epoch milliseconds. */
export type Clock = Pick<Runtime, 'now'>;

interface BucketsRow {
  minute_used: number;
  day_used: number;
  updated_at: number;
}

/**
 * Token buckets in a SQLite file, shared by all processes that use it. `quick` is a connection whose commits
 * survive a crash of the process but not a loss of power, so that a request need not wait for the disk.
 */
export function sqliteRateLimiter(quick: SqliteDatabase, clock: Clock): RateLimiter {
  const select = quick.prepare('SELECT minute_used, day_used, updated_at FROM buckets WHERE key_id = ?');
  const upsert = quick.prepare(
    'INSERT OR REPLACE INTO buckets (key_id, minute_used, day_used, updated_at) VALUES (?, ?, ?, ?)',
  );
  const remove = quick.prepare('DELETE FROM buckets WHERE key_id = ?');
  return {
    take: (keyId, limits, cost) =>
      promised(() =>
        transact(quick, () => {
          // The time is read behind the lock, so that no process judges by an older time than the one before
          // it.
          const now = clock.now();
          const row = select.get(keyId) as BucketsRow | undefined;
          const { buckets, state } = takeTokens(
            row === undefined ? fullBuckets(now) : toBuckets(row),
            limits,
            cost,
            now,
          );
          upsert.run(keyId, buckets.minuteUsed, buckets.dayUsed, buckets.updatedAt);
          return state;
        }),
      ),
    erase: (keyIds) =>
      promised(() =>
        transact(quick, () => {
          for (const keyId of keyIds) remove.run(keyId);
        }),
      ),
  };
}

function toBuckets({ minute_used, day_used, updated_at }: BucketsRow): Buckets {
  return { minuteUsed: minute_used, dayUsed: day_used, updatedAt: updated_at };
}
