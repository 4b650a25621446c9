import { createHash } from 'node:crypto';
import { requireOptions, unavailable, type Runtime } from '../../src/index.ts';
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
 * is disconnected (`disableOfflineQueue`, `enableOfflineQueue: false`): requests would wait instead of being
 * limited.
 */
export type SendCommand = (args: [string, ...string[]]) => Promise<unknown>;

/** How the limiter uses Redis. */
export interface RedisLimiterOptions {
  /** Sends a command to Redis. */
  readonly send: SendCommand;
  /** The clock of the buckets that this process keeps while Redis is away. */
  readonly clock: Pick<Runtime, 'now'>;
  /**
   * How requests are limited while Redis is away: `local` counts in this process, starting from the last
   * known state of the buckets, or from full ones; `closed` refuses with 503; `open` admits without counting.
   * Default `local`.
   */
  readonly onFailure?: 'local' | 'closed' | 'open';
  /** Called once when Redis goes away, and once when it is back. */
  readonly onChange?: (away: boolean, cause: unknown) => void;
  /**
   * How long a command may take before Redis counts as away, in milliseconds. Time in which the event loop is
   * blocked does not count, since no answer can be read then. Default 50.
   */
  readonly timeoutMs?: number;
  /** How long no command is sent after Redis failed, in milliseconds. Default 1,000. */
  readonly retryMs?: number;
  /** The prefix of all keys. Default `event-query:limits:`. */
  readonly prefix?: string;
  /** Whether the buckets in Redis use `clock` too, for tests; by default they use the clock of Redis. */
  readonly byOwnClock?: boolean;
}

/** The last known buckets of one id, by the clock of this process. */
interface KnownBuckets {
  readonly buckets: Buckets;
  /** When the buckets will be full again: then the entry is no longer needed. */
  readonly fullAt: number;
  /**
   * The number of failures when this entry and Redis last agreed; after a further one they are merged again.
   */
  readonly toldAfter: number;
}

/** EVALSHA takes this hash once Redis has loaded the script. */
const SCRIPT_HASH = createHash('sha1').update(TAKE_SCRIPT).digest('hex');
/** The timeout is spread over this many turns of the event loop: one sends the command, a later one reads. */
const TURNS = 5;
/** A `toldAfter` that means: Redis does not know what was taken here. */
const NEVER = -1;
/** How many ids with full buckets are removed when one is added. */
const SWEPT_AT_ONCE = 2;

/**
 * Token buckets in Redis, shared by all processes that use it: one command per take, by the clock of Redis.
 * Each id is one key, so a cluster can spread them. Buckets that Redis has lost, for example in a restart
 * without persistence, start full, except for what a process knows that noticed the outage.
 *
 * One process never admits more than one bucket allows, whether Redis is up, away, or only believed to be
 * away. While it is away, the process continues with the last known buckets. The first take of an id
 * afterwards sends them along, so that the bucket in Redis is not fuller than the local one. An answer that
 * arrives after Redis was declared away is discarded, since the same tokens may have been taken locally
 * meanwhile. While Redis is away, processes do not see each other's takes.
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
  requireOptions('redisRateLimiter', options, ['clock'], {
    send: { such: '(args) => redis.sendCommand(args)', type: 'function' },
  });
  const { send, clock, onFailure = 'local', onChange, byOwnClock = false } = options;
  const { timeoutMs = 50, retryMs = 1000, prefix = 'event-query:limits:' } = options;
  // Ordered by the last take, so that full buckets are found at the front.
  const known = new Map<string, KnownBuckets>();
  let failures = 0;
  let awaySince: number | undefined;
  /** When this process last took locally, by its own clock: Redis must not be refunded for such takes. */
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

  /** The least use of each window that this process knows of; empty when Redis knows it too. */
  function usedAtLeast(id: string, windows: readonly Window[]): readonly number[] {
    const found = known.get(id);
    if (found === undefined || found.toldAfter === failures) return [];
    const nothing = windows.map(() => 0);
    return takeTokens(found.buckets, windows, nothing, clock.now()).buckets.used;
  }

  /** Runs the script by its hash, or sends the whole script when Redis does not know it. */
  async function run(key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await send(['EVALSHA', SCRIPT_HASH, '1', key, ...args]);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return send(['EVAL', TAKE_SCRIPT, '1', key, ...args]);
    }
  }

  /** Takes in Redis; undefined when Redis was declared away before this answer arrived. */
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
    // If the clock of Redis was set back, the local buckets do not refill either until it has caught up.
    const behindMs = buckets.updatedAt - Number(now);
    keep(id, { used: buckets.used, updatedAt: clock.now() + behindMs }, state, failures);
    return state;
  }

  function takeAlone(id: string, windows: readonly Window[], cost: Cost, cause: unknown): BucketState {
    if (onFailure === 'closed') throw unavailable(cause);
    const now = clock.now();
    tookAloneAt = Math.max(tookAloneAt, now);
    const before = known.get(id)?.buckets ?? fullBuckets(now);
    // A refund is not applied locally: its tokens may have been taken in Redis, by another clock.
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
      // Redis was declared away meanwhile, so this answer does not count: start again.
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
      // One key per command: in a cluster, keys lie in different slots.
      const gone = Promise.all(ids.map((id) => send(['DEL', prefix + id])));
      await withinTurns(timeoutMs, gone).catch((error: unknown) => Promise.reject(unavailable(error)));
    },
  };
}

function isGivenBack(cost: Cost): cost is GivenBack {
  return typeof cost === 'object' && 'takenAt' in cost;
}

/**
 * Resolves to the result of some work, or rejects when it takes too long; the work itself is not cancelled.
 * The timeout is split over several turns of the event loop, each of which polls the sockets: a blocked loop
 * can neither send the command nor read the answer, so its time must not count.
 */
function withinTurns<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    let isSettled = false;
    const turn = (left: number) => {
      if (isSettled) return;
      if (left === 0) reject(new Error(`Redis has not answered within ${ms} ms`));
      // An immediate runs after sockets are polled, a timer before.
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
