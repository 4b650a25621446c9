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
import { promised, toStoreError, transact, type SqliteDatabase } from './database.ts';

/** The time, epoch milliseconds. */
export type Clock = Pick<Runtime, 'now'>;

interface BucketsRow {
  used: string;
  updated_at: number;
}

/** A take that waits for the transaction of its turn. */
interface Waiting {
  readonly id: string;
  readonly windows: readonly Window[];
  readonly cost: Cost;
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
  const select = quick.prepare('SELECT used, updated_at FROM buckets WHERE id = ?');
  const upsert = quick.prepare('INSERT OR REPLACE INTO buckets (id, used, updated_at) VALUES (?, ?, ?)');
  const remove = quick.prepare('DELETE FROM buckets WHERE id = ?');
  let waiting: Waiting[] = [];

  /** Judges takes in the order in which they came, and keeps what they leave. */
  function judge(takes: readonly Waiting[]): BucketState[] {
    // The time is read behind the lock, so that no process judges by an older time than the one before it.
    const now = clock.now();
    const bucketsOf = new Map<string, Buckets>();
    const paid = new Set<string>();
    const states = takes.map(({ id, windows, cost }) => {
      const before = bucketsOf.get(id) ?? toBuckets(select.get(id), now);
      const { buckets, state } = takeTokens(before, windows, cost, now);
      bucketsOf.set(id, buckets);
      if (cost !== 0) paid.add(id);
      return state;
    });
    for (const id of paid) {
      const { used, updatedAt } = bucketsOf.get(id)!;
      upsert.run(id, JSON.stringify(used), updatedAt);
    }
    return states;
  }

  function settle(): void {
    const takes = waiting;
    waiting = [];
    try {
      // Who only looks waits for no lock, and needs no room on the disk.
      const pays = takes.some(({ cost }) => cost !== 0);
      const states = pays ? transact(quick, () => judge(takes)) : judge(takes);
      takes.forEach(({ resolve }, i) => resolve(states[i]!));
    } catch (error) {
      for (const { reject } of takes) reject(toStoreError(error));
    }
  }

  return {
    take: (id, windows, cost) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(settle);
        waiting.push({ id, windows, cost, resolve, reject });
      }),
    erase: (ids) =>
      promised(() =>
        transact(quick, () => {
          for (const id of ids) remove.run(id);
        }),
      ),
  };
}

function toBuckets(row: unknown, now: number): Buckets {
  if (row === undefined) return fullBuckets(now);
  const { used, updated_at } = row as BucketsRow;
  return { used: JSON.parse(used) as number[], updatedAt: updated_at };
}
