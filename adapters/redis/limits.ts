import { createHash } from 'node:crypto';
import {
  fullBuckets,
  takeTokens,
  unavailable,
  type Buckets,
  type BucketState,
  type Cost,
  type RateLimiter,
  type Runtime,
  type Window,
} from '../../src/index.ts';
import { TAKE_SCRIPT } from './script.ts';

/**
 * Sends one command and resolves to its answer: `(args) => client.sendCommand(args)` for node-redis,
 * `([name, ...args]) => client.call(name, ...args)` for ioredis. The client must not queue commands while it
 * is not connected (`disableOfflineQueue`, `enableOfflineQueue: false`): a limit that waits is no limit.
 */
export type SendCommand = (args: [string, ...string[]]) => Promise<unknown>;

/** How limits are kept in Redis. */
export interface RedisLimiterOptions {
  /** How a command gets to Redis. */
  readonly send: SendCommand;
  /** The time of the buckets that are kept here while Redis is away. */
  readonly clock: Pick<Runtime, 'now'>;
  /**
   * What a request gets while Redis is away: `local` counts in this process, from full buckets and with the
   * whole limit for each process; `closed` refuses with 503; `open` admits without counting. Default `local`.
   */
  readonly onFailure?: 'local' | 'closed' | 'open';
  /** Is told once when Redis goes away, and once when it is back. */
  readonly onChange?: (away: boolean, cause: unknown) => void;
  /** How long a command may take before Redis counts as away, in milliseconds. Default 50. */
  readonly timeoutMs?: number;
  /** How long Redis is not asked again after it was away, in milliseconds. Default 1,000. */
  readonly retryMs?: number;
  /** What the names of all keys begin with. Default `event-query:limits:`. */
  readonly prefix?: string;
  /** Whether the buckets go by `clock`, for tests of time; by default they go by the clock of Redis. */
  readonly byOwnClock?: boolean;
}

/** By this Redis knows the script once it has seen it. */
const SCRIPT_HASH = createHash('sha1').update(TAKE_SCRIPT).digest('hex');

/**
 * Token buckets in Redis, shared by all processes that use it: one command a take, by the clock of Redis.
 * Each id is one key, so that a cluster may spread them. What Redis forgets, a restart without persistence
 * for instance, begins with full buckets.
 */
export function redisRateLimiter(options: RedisLimiterOptions): RateLimiter {
  const { send, clock, onFailure = 'local', onChange, byOwnClock = false } = options;
  const { timeoutMs = 50, retryMs = 1000, prefix = 'event-query:limits:' } = options;
  const local = new Map<string, Buckets>();
  let awaySince: number | undefined;

  /** Runs the script, by its hash where Redis knows it. */
  async function run(key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await send(['EVALSHA', SCRIPT_HASH, '1', key, ...args]);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return send(['EVAL', TAKE_SCRIPT, '1', key, ...args]);
    }
  }

  async function takeShared(id: string, windows: readonly Window[], cost: Cost): Promise<BucketState> {
    const givenBack = typeof cost === 'object' && 'takenAt' in cost;
    const tokens = givenBack ? cost.tokens : cost;
    const terms = windows.flatMap(({ limit, windowMs, reserve = 0 }, i) => [
      ...[limit, windowMs, reserve],
      tokens === 0 ? 1 : tokens[i]!,
    ]);
    const act = givenBack ? String(cost.takenAt) : cost === 0 ? '0' : '1';
    const head = [byOwnClock ? String(clock.now()) : '', act];
    const answer = await within(timeoutMs, run(prefix + id, [...head, ...terms.map(String)]));
    const [now, updatedAt, used] = answer as [string, string, string];
    const before =
      updatedAt === ''
        ? fullBuckets(Number(now))
        : { used: used.split(' ').map(Number), updatedAt: Number(updatedAt) };
    return takeTokens(before, windows, cost, Number(now)).state;
  }

  function takeAlone(id: string, windows: readonly Window[], cost: Cost, cause: unknown): BucketState {
    if (onFailure === 'closed') throw unavailable(cause);
    const now = clock.now();
    const { buckets, state } = takeTokens(local.get(id) ?? fullBuckets(now), windows, cost, now);
    // Where nothing is counted, each finds full buckets.
    if (onFailure === 'local') local.set(id, buckets);
    return state;
  }

  function note(away: boolean, cause?: unknown): void {
    const before = awaySince !== undefined;
    awaySince = away ? performance.now() : undefined;
    // What was counted here meanwhile is of no use to Redis, and must not grow for ever.
    if (!away) local.clear();
    if (before !== away) onChange?.(away, cause);
  }

  return {
    async take(id, windows, cost) {
      const resting = awaySince !== undefined && performance.now() - awaySince < retryMs;
      if (resting) return takeAlone(id, windows, cost, undefined);
      try {
        const state = await takeShared(id, windows, cost);
        if (awaySince !== undefined) note(false);
        return state;
      } catch (error) {
        note(true, error);
        return takeAlone(id, windows, cost, error);
      }
    },
    async erase(ids) {
      for (const id of ids) local.delete(id);
      // One key a command: in a cluster they lie in different slots.
      const gone = Promise.all(ids.map((id) => send(['DEL', prefix + id])));
      await within(timeoutMs, gone).catch((error: unknown) => Promise.reject(unavailable(error)));
    },
  };
}

/** The result of some work, or an error when it takes too long; the work itself goes on unheard. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis has not answered within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
