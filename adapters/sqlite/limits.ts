import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Limits,
  type RateLimiter,
  type Runtime,
} from '../../src/index.ts';
import { promised, toStoreError, transact, type SqliteDatabase } from './database.ts';

/** The time, epoch milliseconds. */
export type Clock = Pick<Runtime, 'now'>;

interface BucketsRow {
  minute_used: number;
  day_used: number;
  updated_at: number;
}

/** A take that waits for the transaction of its turn. */
interface Waiting {
  readonly keyId: string;
  readonly limits: Limits;
  readonly cost: 0 | 1;
  readonly resolve: (state: BucketState) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Token buckets in a SQLite file, shared by all processes that use it. `quick` is a connection whose commits
 * survive a crash of the process but not a loss of power, so that a request need not wait for the disk. All
 * takes of a turn of the event loop share one transaction, and none is answered before its commit: many at
 * once cost little more than one.
 */
export function sqliteRateLimiter(quick: SqliteDatabase, clock: Clock): RateLimiter {
  const select = quick.prepare('SELECT minute_used, day_used, updated_at FROM buckets WHERE key_id = ?');
  const upsert = quick.prepare(
    'INSERT OR REPLACE INTO buckets (key_id, minute_used, day_used, updated_at) VALUES (?, ?, ?, ?)',
  );
  const remove = quick.prepare('DELETE FROM buckets WHERE key_id = ?');
  let waiting: Waiting[] = [];

  /** Judges takes in the order in which they came, and keeps what they leave. */
  function judge(takes: readonly Waiting[]): BucketState[] {
    // The time is read behind the lock, so that no process judges by an older time than the one before it.
    const now = clock.now();
    const bucketsOf = new Map<string, Buckets>();
    const states = takes.map(({ keyId, limits, cost }) => {
      const before = bucketsOf.get(keyId) ?? toBuckets(select.get(keyId), now);
      const { buckets, state } = takeTokens(before, limits, cost, now);
      bucketsOf.set(keyId, buckets);
      return state;
    });
    const paying = new Set(takes.filter(({ cost }) => cost > 0).map(({ keyId }) => keyId));
    for (const keyId of paying) {
      const { minuteUsed, dayUsed, updatedAt } = bucketsOf.get(keyId)!;
      upsert.run(keyId, minuteUsed, dayUsed, updatedAt);
    }
    return states;
  }

  function settle(): void {
    const takes = waiting;
    waiting = [];
    try {
      // Who only looks waits for no lock, and needs no room on the disk.
      const pays = takes.some(({ cost }) => cost > 0);
      const states = pays ? transact(quick, () => judge(takes)) : judge(takes);
      takes.forEach(({ resolve }, i) => resolve(states[i]!));
    } catch (error) {
      for (const { reject } of takes) reject(toStoreError(error));
    }
  }

  return {
    take: (keyId, limits, cost) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(settle);
        waiting.push({ keyId, limits, cost, resolve, reject });
      }),
    erase: (keyIds) =>
      promised(() =>
        transact(quick, () => {
          for (const keyId of keyIds) remove.run(keyId);
        }),
      ),
  };
}

function toBuckets(row: unknown, now: number): Buckets {
  if (row === undefined) return fullBuckets(now);
  const { minute_used, day_used, updated_at } = row as BucketsRow;
  return { minuteUsed: minute_used, dayUsed: day_used, updatedAt: updated_at };
}
