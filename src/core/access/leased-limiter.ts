import type { RateLimiter } from './stores.ts';
import type { Runtime } from '../base/runtime.ts';
import {
  blockMax,
  fits,
  isCurrent,
  isSameLimit,
  nextSize,
  spend,
  toLeasedWindows,
  toState,
  type Lease,
  type Moment,
} from './lease.ts';
import type { BucketState, Cost, Window } from '../base/token-bucket.ts';

/** The dependencies of a limiter that leases tokens. */
export interface LeaseOptions {
  /** The store of the tokens. Either all processes that share its buckets lease, or none does. */
  readonly limits: RateLimiter;
  /** The wall clock, which the store may see too: when it steps, leased tokens become invalid. */
  readonly clock: Pick<Runtime, 'now'>;
  /** A monotonic clock for durations, in milliseconds. */
  readonly elapsed: () => number;
}

/** A limiter that takes tokens in blocks if limits are high. */
export interface LeasedLimiter extends RateLimiter {
  /** Returns unused tokens to the store; afterwards nothing is leased. Call it before the process ends. */
  returnUnused(): Promise<void>;
}

/** A take that waits for tokens. */
interface WaitingTake {
  readonly cost: readonly number[];
  readonly resolve: (state: BucketState) => void;
  readonly reject: (error: unknown) => void;
}

/** The state of one id in this process. */
interface Holder {
  readonly id: string;
  /** The windows as the store is asked for them. */
  readonly windows: readonly Window[];
  lease: Lease | undefined;
  queue: WaitingTake[];
  /** Settles when no take waits any more. */
  fetching: Promise<void> | undefined;
}

/** How many ids are remembered, at some hundred bytes each; for other ids every request asks the store. */
const HOLDERS_MAX = 4096;
/** How many idle ids are dropped when a new one arrives. */
const SWEPT_AT_ONCE = 8;

/**
 * Takes tokens ahead, so that a request need not wait for the store. If all windows have 600 tokens or more,
 * it takes them in blocks of at most a hundredth of each window, no larger than recent use, and keeps them
 * for at most 0.6 s. However many processes lease, they never admit more in any period than a single bucket
 * would (`lease.ts` explains why); in return the last hundredth of a bucket stays unused. Takes that arrive
 * while a block is fetched share it. A process that dies loses its blocks, which admits nothing extra.
 * Requests for other windows go to the store unchanged.
 *
 * @example
 * ```ts
 * import { memoryRateLimiter } from 'event-query/memory';
 * import { leasedLimiter } from 'event-query/store-kit';
 *
 * const clock = { now: Date.now };
 * const elapsed = () => Number(process.hrtime.bigint()) / 1e6;
 * const limits = leasedLimiter({ limits: memoryRateLimiter(clock), clock, elapsed });
 * const { allowed } = await limits.take('a key', [{ limit: 6000, windowMs: 60_000 }], [1]);
 * console.log(allowed);
 * // prints: true
 * await limits.returnUnused();
 * ```
 */
export function leasedLimiter({ limits, clock, elapsed }: LeaseOptions): LeasedLimiter {
  // Ordered by last fetch, so that idle ids come first.
  const holders = new Map<string, Holder>();
  let stopped = false;
  const now = (): Moment => ({ elapsed: elapsed(), wall: clock.now() });

  async function giveBack(holder: Holder): Promise<void> {
    const { id, windows, lease } = holder;
    holder.lease = undefined;
    if (lease === undefined) return;
    const { left, state, askedAt } = lease;
    const passedMs = elapsed() - askedAt.elapsed;
    const isWorthIt = windows.some(({ limit, windowMs }, i) => left[i]! * windowMs > limit * passedMs);
    // Tokens that cannot be returned are lost.
    if (isWorthIt) await limits.take(id, windows, { tokens: left, takenAt: state.at }).catch(() => undefined);
  }

  /** Drops some ids that have been idle. */
  function sweep(): void {
    const moment = now();
    let swept = 0;
    for (const [id, holder] of holders) {
      const rests = holder.fetching === undefined && !(holder.lease && isCurrent(holder.lease, moment));
      if (!rests || swept++ === SWEPT_AT_ONCE) return;
      holders.delete(id);
      void giveBack(holder);
    }
  }

  function holderOf(id: string, windows: readonly Window[]): Holder | undefined {
    const known = holders.get(id);
    if (known !== undefined && isSameLimit(known.windows, windows)) return known;
    const leased = toLeasedWindows(windows);
    if (leased === undefined) return undefined;
    sweep();
    // Tokens leased under other windows cannot be counted in these, and are lost.
    const holder = { id, windows: leased, lease: undefined, queue: [], fetching: undefined };
    if (known !== undefined || holders.size < HOLDERS_MAX) holders.set(id, holder);
    return holder;
  }

  /**
   * Requests a block, then a smaller one if there are not enough tokens, and finally tokens for one request.
   */
  async function ask({ id, windows }: Holder, cost: readonly number[], wanted: number) {
    for (let size = wanted; ;) {
      const askedAt = now();
      const asked = cost.map((tokens) => tokens * size);
      const state = await limits.take(id, windows, asked);
      if (!state.allowed && size > 1) {
        const there = state.windows.map(({ remaining }) => remaining);
        size = size === wanted ? Math.max(1, Math.min(size - 1, fits(there, cost))) : 1;
        continue;
      }
      return { state, lease: { windows, cost, size, left: [...asked], askedAt, state } satisfies Lease };
    }
  }

  /** Requests tokens for the waiting takes, or for those expected, and serves the waiting ones. */
  async function fetch(holder: Holder): Promise<void> {
    const { cost } = holder.queue[0]!;
    const own = holder.queue.length;
    const size = Math.max(nextSize(holder.lease, now()), own);
    void giveBack(holder);
    const { state, lease } = await ask(holder, cost, Math.min(size, blockMax(holder.windows, cost)));
    if (!state.allowed) {
      // A take with a smaller cost may still succeed.
      const refused = (waiter: WaitingTake) => waiter.cost.every((tokens, i) => tokens >= cost[i]!);
      for (const { resolve } of holder.queue.filter(refused)) resolve(state);
      holder.queue = holder.queue.filter((waiter) => !refused(waiter));
      return;
    }
    holder.lease = lease;
    const arrivedAt = now();
    // The takes that caused the fetch are served however long it took: these tokens are theirs.
    for (let served = 0; holder.queue.length > 0; served++) {
      const waiter = holder.queue[0]!;
      if (served >= own && !isCurrent(lease, arrivedAt)) return;
      if (!spend(lease, waiter.cost)) return;
      holder.queue.shift();
      waiter.resolve(toState(lease, arrivedAt));
    }
  }

  async function serve(holder: Holder): Promise<void> {
    while (holder.queue.length > 0) {
      await fetch(holder).catch((error: unknown) => {
        for (const { reject } of holder.queue.splice(0)) reject(error);
      });
    }
    holder.fetching = undefined;
  }

  function wait(holder: Holder, cost: readonly number[]): Promise<BucketState> {
    return new Promise((resolve, reject) => {
      holder.queue.push({ cost, resolve, reject });
      if (holder.fetching !== undefined) return;
      if (holders.delete(holder.id)) holders.set(holder.id, holder);
      holder.fetching = serve(holder);
    });
  }

  /** The answer of this process without asking the store; undefined if it has to ask. */
  function takeHere({ lease, queue }: Holder, cost: Cost): BucketState | undefined {
    if (lease === undefined || queue.length > 0) return undefined;
    const moment = now();
    if (!isCurrent(lease, moment)) return undefined;
    if (cost === 0) return fits(lease.left, lease.cost) > 0 ? toState(lease, moment) : undefined;
    return isTaking(cost) && spend(lease, cost) ? toState(lease, moment) : undefined;
  }

  return {
    take(id, windows, cost) {
      const holder = holderOf(id, windows);
      if (holder === undefined) return limits.take(id, windows, cost);
      const state = takeHere(holder, cost);
      if (state !== undefined) return Promise.resolve(state);
      const isLeased = isTaking(cost) && !stopped && blockMax(holder.windows, cost) >= 1;
      if (!isLeased || cost.length === 0) return limits.take(id, holder.windows, cost);
      return wait(holder, cost);
    },
    erase(ids) {
      for (const id of ids) holders.delete(id);
      return limits.erase(ids);
    },
    async returnUnused() {
      stopped = true;
      const all = [...holders.values()];
      holders.clear();
      await Promise.all(all.map(async (holder) => (await holder.fetching, giveBack(holder))));
    },
  };
}

function isTaking(cost: Cost): cost is readonly number[] {
  return Array.isArray(cost);
}
