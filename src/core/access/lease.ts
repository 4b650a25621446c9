import { MINUTE_MS, type BucketState, type Window } from '../base/token-bucket.ts';

/** How long leased tokens may be used: a hundredth of a minute. */
const LEASE_MS = MINUTE_MS / 100;
/** The largest share of each window's tokens that a block may have. */
const BLOCK_SHARE = 0.01;
/** Below this limit every request asks the store, and the answers are those of a single bucket. */
const LEASED_LIMIT_MIN = 600;

/**
 * The windows as a leasing process requests them; undefined if nothing is leased.
 *
 * A token that is used late must not add to those that the bucket has regained since. Let a bucket of `limit`
 * regain `rate = limit / windowMs` tokens per millisecond. Tokens that are used within T ms were taken at
 * most LEASE_MS earlier, hence within T + LEASE_MS. A process that leaves a reserve of `rate * LEASE_MS` gets
 * at most `(limit - rate * LEASE_MS) + rate * (T + LEASE_MS)` in that time, which is `limit + rate * T`: what
 * a bucket without leases admits in T. This holds for any number of processes, because every token comes from
 * the one bucket. A process that dies uses fewer.
 *
 * A process returns the unused tokens less those regained since (`GivenBack`). The bucket then has no more
 * than if they had never been taken: without that take it would have held at least as many until it was full,
 * and a full bucket can only have missed the tokens regained since. So the used tokens are takes from a
 * bucket that gave away nothing else, and the argument above holds for them.
 */
export function toLeasedWindows(windows: readonly Window[]): readonly Window[] | undefined {
  if (windows.some(({ limit, windowMs }) => limit < LEASED_LIMIT_MIN || windowMs < MINUTE_MS)) {
    return undefined;
  }
  return windows.map(({ limit, windowMs }) => ({
    limit,
    windowMs,
    reserve: Math.ceil((limit * LEASE_MS) / windowMs),
  }));
}

/** Whether windows equal the requested ones, with or without a reserve. */
export function isSameLimit(known: readonly Window[], windows: readonly Window[]): boolean {
  for (let i = 0; i < windows.length; i++) {
    if (known[i]?.limit !== windows[i]!.limit || known[i]?.windowMs !== windows[i]!.windowMs) return false;
  }
  return known.length === windows.length;
}

/** Tokens that a process has taken for future requests. */
export interface Lease {
  readonly windows: readonly Window[];
  /**
   * The cost of one request when the tokens were taken, and the number of such requests they were taken for.
   */
  readonly cost: readonly number[];
  readonly size: number;
  /** The tokens left of each window. */
  readonly left: number[];
  /** When it was requested, by the monotonic clock and by the wall clock. */
  readonly askedAt: Moment;
  /** The state that the take found, with the whole block taken. */
  readonly state: BucketState;
}

/**
 * The time by both clocks, in milliseconds: the monotonic one measures what passed here, the wall clock what
 * the store may see.
 */
export interface Moment {
  readonly elapsed: number;
  readonly wall: number;
}

/** How many requests of a cost a block may serve; less than 1 if the cost is too large to lease. */
export function blockMax(windows: readonly Window[], cost: readonly number[]): number {
  return fits(
    windows.map(({ limit }) => Math.floor(limit * BLOCK_SHARE)),
    cost,
  );
}

/** How many requests of a cost these tokens serve. */
export function fits(tokens: readonly number[], cost: readonly number[]): number {
  let most = Infinity;
  for (let i = 0; i < cost.length; i++) {
    if (cost[i]! > 0) most = Math.min(most, Math.floor(tokens[i]! / cost[i]!));
  }
  return most;
}

/** Whether the tokens of a lease may still be used. */
export function isCurrent({ askedAt }: Lease, now: Moment): boolean {
  const wallMs = now.wall - askedAt.wall;
  return now.elapsed - askedAt.elapsed <= LEASE_MS && wallMs >= 0 && wallMs <= LEASE_MS;
}

/**
 * The size of the next block: doubled if all requests of the last one were used in time, else as many as were
 * used.
 */
export function nextSize(lease: Lease | undefined, now: Moment): number {
  if (lease === undefined) return 1;
  if (isCurrent(lease, now)) return lease.size * 2;
  return Math.max(1, lease.size - fits(lease.left, lease.cost));
}

/** Takes the cost from a lease; returns false and takes nothing if the lease has too few tokens. */
export function spend({ left }: Lease, cost: readonly number[]): boolean {
  for (let i = 0; i < left.length; i++) if (cost[i]! > left[i]!) return false;
  for (let i = 0; i < left.length; i++) left[i]! -= cost[i]!;
  return true;
}

/**
 * The state that a request served from a lease reports: the store's state at the take, and what is left of
 * the lease.
 */
export function toState({ state, left, askedAt }: Lease, now: Moment): BucketState {
  const passedMs = Math.max(0, Math.floor(now.elapsed - askedAt.elapsed));
  const windows = state.windows.map(({ limit, windowMs, remaining, fullInMs }, i) => ({
    limit,
    windowMs,
    remaining: remaining + left[i]!,
    fullInMs: Math.max(0, fullInMs - passedMs),
  }));
  return { allowed: true, windows, retryAfterMs: 0, at: state.at + passedMs };
}
