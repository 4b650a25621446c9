import {
  takeTokens,
  type Buckets,
  type BucketState,
  type Clock,
  type Cost,
  type RateLimiter,
  type Window,
} from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import { causeOf, isFull } from './file/trouble.ts';
import type { Writer } from './writer/writer.ts';
import { prepareJudge, prepareReadBuckets } from './writes/buckets.ts';

/** For how many ids buckets are kept in memory while the disk is full; requests of other ids are refused. */
const KEPT_MAX = 10_000;

/**
 * Token buckets in a SQLite file, shared by all processes that use it. A take is decided under the lock, by
 * the time at which it was requested: if another process has meanwhile used a later time, that time applies,
 * and no token is regained early. While the disk is full, each process keeps the buckets that it cannot write
 * in memory, so that queries are still answered; it writes them with the next take that succeeds.
 */
export function sqliteRateLimiter(database: SqliteDatabase, writer: Writer, clock: Clock): RateLimiter {
  const judge = prepareJudge(database);
  const read = prepareReadBuckets(database);
  const kept = new Map<string, Buckets>();

  function takeHere(id: string, windows: readonly Window[], cost: Cost, now: number): BucketState {
    const { buckets, state } = takeTokens(kept.get(id) ?? read(id, now), windows, cost, now);
    kept.set(id, buckets);
    return state;
  }

  async function take(id: string, windows: readonly Window[], cost: Cost): Promise<BucketState> {
    const now = clock.now();
    const before = kept.get(id);
    try {
      if (before !== undefined) await writer.run('keepBuckets', [id, before]);
      // Tokens taken from them meanwhile are written the next time.
      if (kept.get(id) === before) kept.delete(id);
      return await writer.run('take', [id, windows, cost, now]);
    } catch (error) {
      if (!isFull(causeOf(error)) || kept.size >= KEPT_MAX) throw error;
      return promised(() => takeHere(id, windows, cost, now));
    }
  }

  return {
    take: (id, windows, cost) => {
      if (cost !== 0) return take(id, windows, cost);
      // A read-only look waits for no lock and needs no disk space.
      const now = clock.now();
      const here = kept.get(id);
      if (here !== undefined) return Promise.resolve(takeTokens(here, windows, 0, now).state);
      return promised(() => judge(id, windows, cost, now).state);
    },
    erase: async (ids) => {
      for (const id of ids) kept.delete(id);
      await writer.run('eraseBuckets', [ids]);
    },
  };
}
