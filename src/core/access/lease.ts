import { MINUTE_MS, type BucketState, type Window } from '../base/token-bucket.ts';

/** How long tokens may be used after they were taken: a hundredth of a minute. */
const LEASE_MS = MINUTE_MS / 100;
/** A block has at most this part of the tokens of each window. */
const BLOCK_SHARE = 0.01;
/** Below it each request asks the store, and the answers are those of one bucket. */
const LEASED_LIMIT_MIN = 600;

/**
 * The windows as a process that leases has to ask for them, or undefined where nothing is leased.
 *
 * A token that is used late must not join those that have come back since. Say a bucket of `limit` gives
 * `rate = limit / windowMs` back each millisecond. Tokens that are used in a stretch of T ms were taken at
 * most LEASE_MS before it, hence in a stretch of T + LEASE_MS. Whoever leaves a reserve of `rate * LEASE_MS`
 * gets at most `(limit - rate * LEASE_MS) + rate * (T + LEASE_MS)` in that, which is `limit + rate * T`: what
 * a bucket without leases admits in T. That holds for any number of processes, since each token was taken
 * from the one bucket. A process that dies uses less.
 *
 * What is given back without having been used, less what has come back since (`GivenBack`), is no more than
 * the bucket would hold had it never been taken: without that take it had at least as much until it was full,
 * and full it can only have missed what came back since. So the tokens that were used are takes of a bucket
 * that gave nothing else away, and the above holds for them.
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

/** Whether windows are those that were asked for, with a reserve or without. */
export function isSameLimit(known: readonly Window[], windows: readonly Window[]): boolean {
  for (let i = 0; i < windows.length; i++) {
    if (known[i]?.limit !== windows[i]!.limit || known[i]?.windowMs !== windows[i]!.windowMs) return false;
  }
  return known.length === windows.length;
}

/** Tokens that a process has taken for requests to come. */
export interface Lease {
  readonly windows: readonly Window[];
  /** What one request cost when it was taken, and for how many such it was taken. */
  readonly cost: readonly number[];
  readonly size: number;
  /** What is left of each window. */
  readonly left: number[];
  /** When it was asked for: by the clock for durations, and by the one on the wall. */
  readonly askedAt: Moment;
  /** What the take found, the whole block taken. */
  readonly state: BucketState;
}

/** The time by both clocks, in milliseconds: one shows what passed here, the other what the store may see. */
export interface Moment {
  readonly elapsed: number;
  readonly wall: number;
}

/** How many requests of a cost a block may serve; less than 1 for one that is too large to lease for. */
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
export function isLive({ askedAt }: Lease, now: Moment): boolean {
  const wallMs = now.wall - askedAt.wall;
  return now.elapsed - askedAt.elapsed <= LEASE_MS && wallMs >= 0 && wallMs <= LEASE_MS;
}

/** For how many requests to ask next: twice as many when all were used in time, else as many as were. */
export function nextSize(lease: Lease | undefined, now: Moment): number {
  if (lease === undefined) return 1;
  if (isLive(lease, now)) return lease.size * 2;
  return Math.max(1, lease.size - fits(lease.left, lease.cost));
}

/** Takes the cost from a lease; false, and nothing is taken, where it is not there. */
export function spend({ left }: Lease, cost: readonly number[]): boolean {
  for (let i = 0; i < left.length; i++) if (cost[i]! > left[i]!) return false;
  for (let i = 0; i < left.length; i++) left[i]! -= cost[i]!;
  return true;
}

/** What a request is told that was served from a lease: of the store as it was, and of what is left here. */
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
