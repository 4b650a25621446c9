import type { RateLimiter, Runtime } from '../../src/index.ts';
import { promised, type SqliteDatabase } from './database.ts';
import type { Writer } from './writer/writer.ts';
import { prepareJudge } from './writes/buckets.ts';

/** The time, epoch milliseconds. */
export type Clock = Pick<Runtime, 'now'>;

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
