import { createHash } from 'node:crypto';
import { unavailable, type Runtime } from '../../src/index.ts';
import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type GivenBack,
  type RateLimiter,
  type Window,
} from '../../src/store-kit.ts';
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
   * What a request gets while Redis is away: `local` counts in this process, from what Redis told last of the
   * buckets, full where it told nothing; `closed` refuses with 503; `open` admits without counting. Default
   * `local`.
   */
  readonly onFailure?: 'local' | 'closed' | 'open';
  /** Is told once when Redis goes away, and once when it is back. */
  readonly onChange?: (away: boolean, cause: unknown) => void;
  /**
   * How long a command may take before Redis counts as away, in milliseconds in which the event loop turns:
   * while it stands, no answer could be heard. Default 50.
   */
  readonly timeoutMs?: number;
  /** How long Redis is not asked again after it was away, in milliseconds. Default 1,000. */
  readonly retryMs?: number;
  /** What the names of all keys begin with. Default `event-query:limits:`. */
  readonly prefix?: string;
  /** Whether the buckets go by `clock`, for tests of time; by default they go by the clock of Redis. */
  readonly byOwnClock?: boolean;
}

/** What this process knows of the buckets of one id, by its own clock. */
interface KnownBuckets {
  readonly buckets: Buckets;
  /** When they will be full, so that nothing need be known of them. */
  readonly fullAt: number;
  /** After how many failures Redis told of them or was told; where it failed again since, it is told anew. */
  readonly toldAfter: number;
}

/** By this Redis knows the script once it has seen it. */
const SCRIPT_HASH = createHash('sha1').update(TAKE_SCRIPT).digest('hex');
/** How many turns of the event loop a command gets: it is sent in one, and answered in another. */
const TURNS = 5;
/** Redis was not told of what was taken here. */
const NEVER = -1;
/** How many ids with full buckets are let go when one comes. */
const SWEPT_AT_ONCE = 2;

/**
 * Token buckets in Redis, shared by all processes that use it: one command a take, by the clock of Redis.
 * Each id is one key, so that a cluster may spread them. What Redis forgets, a restart without persistence
 * for instance, begins with full buckets, but for what a process that noticed the absence knows.
 *
 * One process admits no more than one bucket, whether Redis is there, away, or taken for away: while it is
 * away, the process goes on with the buckets of which it was told last, and the first take of an id
 * afterwards brings them along, so that the bucket there is no fuller than here. An answer that comes after
 * Redis was found away is of no use, since the same tokens may have been taken here meanwhile. Several
 * processes do not see what the others take while Redis is away.
 *
 * @example
 * ```ts
 * import type { Resources, Stores } from 'event-query';
 * import { redisRateLimiter } from 'event-query/redis';
 * import { createClient } from 'redis';
 *
 * async function withSharedLimits(stores: Stores, url: string, resources: Resources): Promise<Stores> {
 *   const redis = createClient({ url, disableOfflineQueue: true });
 *   redis.on('error', () => undefined);
 *   await redis.connect();
 *   const send = (args: string[]) => redis.sendCommand(args);
 *   return { ...stores, limits: redisRateLimiter({ send, clock: resources.runtime }) };
 * }
 * console.log(typeof withSharedLimits);
 * // prints: function
 * ```
 */
export function redisRateLimiter(options: RedisLimiterOptions): RateLimiter {
  const { send, clock, onFailure = 'local', onChange, byOwnClock = false } = options;
  const { timeoutMs = 50, retryMs = 1000, prefix = 'event-query:limits:' } = options;
  // In the order in which they were taken from last, so that those that are full are found at the beginning.
  const known = new Map<string, KnownBuckets>();
  let failures = 0;
  let awaySince: number | undefined;
  /** By the clock of this process: nothing that was taken here is given back to Redis, by another clock. */
  let tookAloneAt = -Infinity;

  function keep(id: string, buckets: Buckets, { windows }: BucketState, toldAfter: number): void {
    if (onFailure !== 'local') return;
    const now = clock.now();
    let swept = 0;
    for (const [other, { fullAt }] of known) {
      if (fullAt > now || swept++ === SWEPT_AT_ONCE) break;
      known.delete(other);
    }
    known.delete(id);
    const fullAt = now + Math.max(...windows.map(({ fullInMs }) => fullInMs));
    if (fullAt > now) known.set(id, { buckets, fullAt, toldAfter });
  }

  /** What is used at least of each window, where Redis may not know it. */
  function usedAtLeast(id: string, windows: readonly Window[]): readonly number[] {
    const found = known.get(id);
    if (found === undefined || found.toldAfter === failures) return [];
    const nothing = windows.map(() => 0);
    return takeTokens(found.buckets, windows, nothing, clock.now()).buckets.used;
  }

  /** Runs the script, by its hash where Redis knows it. */
  async function run(key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await send(['EVALSHA', SCRIPT_HASH, '1', key, ...args]);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return send(['EVAL', TAKE_SCRIPT, '1', key, ...args]);
    }
  }

  /** Takes in Redis; undefined where it was found away before it answered. */
  async function takeShared(
    id: string,
    windows: readonly Window[],
    cost: Cost,
  ): Promise<BucketState | undefined> {
    const tokens = isGivenBack(cost) ? cost.tokens : cost;
    const terms = windows.flatMap(({ limit, windowMs, reserve = 0 }, i) => [
      ...[limit, windowMs, reserve],
      tokens === 0 ? 1 : tokens[i]!,
    ]);
    const act = isGivenBack(cost) ? String(cost.takenAt) : cost === 0 ? '0' : '1';
    const head = [byOwnClock ? String(clock.now()) : '', act, usedAtLeast(id, windows).join(' ')];
    const askedAfter = failures;
    const answer = await withinTurns(timeoutMs, run(prefix + id, [...head, ...terms.map(String)]));
    if (askedAfter !== failures) return undefined;
    const [now, updatedAt, used] = answer as [string, string, string];
    const before = { used: used.split(' ').map(Number), updatedAt: Number(updatedAt) };
    const { buckets, state } = takeTokens(before, windows, cost, Number(now));
    // Where the clock of Redis was set back, nothing comes back here either until it has caught up.
    const behindMs = buckets.updatedAt - Number(now);
    keep(id, { used: buckets.used, updatedAt: clock.now() + behindMs }, state, failures);
    return state;
  }

  function takeAlone(id: string, windows: readonly Window[], cost: Cost, cause: unknown): BucketState {
    if (onFailure === 'closed') throw unavailable(cause);
    const now = clock.now();
    tookAloneAt = Math.max(tookAloneAt, now);
    const before = known.get(id)?.buckets ?? fullBuckets(now);
    // What is given back may have been taken in Redis, by another clock.
    const { buckets, state } = takeTokens(before, windows, isGivenBack(cost) ? 0 : cost, now);
    keep(id, buckets, state, NEVER);
    return state;
  }

  function note(away: boolean, cause?: unknown): void {
    const before = awaySince !== undefined;
    awaySince = away ? performance.now() : undefined;
    if (away) failures += 1;
    if (before !== away) onChange?.(away, cause);
  }

  async function take(id: string, windows: readonly Window[], cost: Cost): Promise<BucketState> {
    const resting = awaySince !== undefined && performance.now() - awaySince < retryMs;
    if (resting) return takeAlone(id, windows, cost, undefined);
    const isForeign = isGivenBack(cost) && cost.takenAt <= tookAloneAt;
    try {
      const state = await takeShared(id, windows, isForeign ? 0 : cost);
      // What is taken here must be known before Redis is asked again: it may have been asked meanwhile.
      if (state === undefined) return await take(id, windows, cost);
      if (awaySince !== undefined) note(false);
      return state;
    } catch (error) {
      note(true, error);
      return takeAlone(id, windows, cost, error);
    }
  }

  return {
    take,
    async erase(ids) {
      for (const id of ids) known.delete(id);
      // One key a command: in a cluster they lie in different slots.
      const gone = Promise.all(ids.map((id) => send(['DEL', prefix + id])));
      await withinTurns(timeoutMs, gone).catch((error: unknown) => Promise.reject(unavailable(error)));
    },
  };
}

function isGivenBack(cost: Cost): cost is GivenBack {
  return typeof cost === 'object' && 'takenAt' in cost;
}

/**
 * The result of some work, or an error when it takes too long; the work itself goes on unheard. The time is
 * that of turns of the event loop, each with a look at what has come: a loop that stood for longer than all
 * of them could not have heard an answer, nor sent the question.
 */
function withinTurns<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    let isSettled = false;
    const turn = (left: number) => {
      if (isSettled) return;
      if (left === 0) reject(new Error(`Redis has not answered within ${ms} ms`));
      // An immediate runs after sockets were read, a timer before that.
      else timer = setTimeout(() => setImmediate(turn, left - 1), ms / TURNS);
    };
    turn(TURNS);
    const settle = () => {
      isSettled = true;
      clearTimeout(timer);
    };
    work.then(resolve, reject).finally(settle);
  });
}
