/** One window of a limit: a bucket of `limit` tokens that refills evenly within `windowMs` milliseconds. */
export interface Window {
  /** How many tokens a full bucket has. */
  readonly limit: number;
  /** How many milliseconds an empty bucket takes to refill. */
  readonly windowMs: number;
  /** How many tokens a take has to leave in the bucket. Default 0. */
  readonly reserve?: number;
}

/**
 * The buckets of a key or a tenant as a store keeps them, one for each window. `used` is the amount missing
 * from a full bucket. Its unit is the token divided by `windowMs`, so each millisecond refills `limit` units,
 * every number here is an integer, and rounding never adds or removes a token.
 */
export interface Buckets {
  /** The amount missing from each bucket, in the order of the windows; an absent one is full. */
  readonly used: readonly number[];
  /** The latest time at which the buckets were used, epoch milliseconds. It never steps back. */
  readonly updatedAt: number;
}

/** One window with the present state of its bucket. */
export interface WindowState extends Window {
  /** Whole tokens left to take. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/** The result of a take. */
export interface BucketState {
  /** Whether the take got its tokens from all buckets; otherwise it took none. */
  readonly allowed: boolean;
  /** The state of each window, in the order in which they were passed. */
  readonly windows: readonly WindowState[];
  /** Milliseconds until the same take would succeed; 0 when it would succeed now. */
  readonly retryAfterMs: number;
  /** The time of the take, epoch milliseconds. */
  readonly at: number;
}

/** Unused tokens of an earlier take that go back into their buckets. This always succeeds. */
export interface GivenBack {
  /** The number of tokens for each window. */
  readonly tokens: readonly number[];
  /** The `at` of the take. Tokens that the bucket has refilled since then are not given back twice. */
  readonly takenAt: number;
}

/** The whole tokens that a take needs of each window; or tokens to give back; or 0 to look without taking. */
export type Cost = readonly number[] | GivenBack | 0;

/** A minute in milliseconds. */
export const MINUTE_MS = 60_000;

/** Makes full buckets. */
export function fullBuckets(now: number): Buckets {
  return { used: [], updatedAt: now };
}

/**
 * Takes the cost from all buckets, or from none. With `cost` 0 it only looks, as if for one token of each. A
 * cost larger than a bucket takes the whole bucket: a batch that is larger than its limit waits, but not
 * forever. When the windows change, the used part stays used, up to a whole bucket of the new windows.
 *
 * Buckets refill evenly, and they use the latest time that they have seen. When the clock steps back, they
 * refill nothing until it has caught up, so an unstable clock never gives more tokens than a steady one.
 * After a clock that was an hour ahead is set right, the buckets used meanwhile get no refill for an hour.
 * The tokens left in them can still be taken, and `retryAfterMs` includes the whole wait.
 *
 * @see RFC 3290, appendix A, for token buckets; these count in whole numbers.
 * @example
 * ```ts
 * import { fullBuckets, takeTokens } from 'event-query/store-kit';
 *
 * const twoPerMinute = [{ limit: 2, windowMs: 60_000 }];
 * const first = takeTokens(fullBuckets(0), twoPerMinute, [2], 0);
 * const second = takeTokens(first.buckets, twoPerMinute, [1], 10_000);
 * console.log(first.state.allowed, second.state.allowed, second.state.retryAfterMs);
 * // prints: true false 20000
 * ```
 */
export function takeTokens(
  buckets: Buckets,
  windows: readonly Window[],
  cost: Cost,
  now: number,
): { readonly buckets: Buckets; readonly state: BucketState } {
  const seenAt = Math.max(now, buckets.updatedAt);
  const behindMs = seenAt - now;
  const elapsedMs = seenAt - buckets.updatedAt;
  // The arrays are made in their final length, since V8 allocates spare room for an array that grows.
  const used = new Array<number>(windows.length);
  let waitMs = 0;
  for (let i = 0; i < windows.length; i++) {
    const window = windows[i]!;
    const left = refill(buckets.used[i] ?? 0, window, elapsedMs);
    const wait = waitFor(left, window, unitsOf(window, cost, i, seenAt));
    if (wait > waitMs) waitMs = wait;
    used[i] = left;
  }
  const allowed = waitMs === 0;
  const states = new Array<WindowState>(windows.length);
  for (let i = 0; i < windows.length; i++) {
    const window = windows[i]!;
    if (allowed && cost !== 0) used[i] = Math.max(0, used[i]! + unitsOf(window, cost, i, seenAt));
    states[i] = toWindowState(window, used[i]!, behindMs);
  }
  const retryAfterMs = allowed ? 0 : waitMs + behindMs;
  // A look changes nothing, so that a store need not write for it.
  return {
    buckets: cost === 0 ? buckets : { used, updatedAt: seenAt },
    state: { allowed, windows: states, retryAfterMs, at: now },
  };
}

/** The amount still used after some time: `limit` units refill each millisecond. */
function refill(used: number, { limit, windowMs }: Window, elapsedMs: number): number {
  return Math.max(0, Math.min(used, limit * windowMs) - limit * elapsedMs);
}

/**
 * The units that a cost takes from one window, at most all that can ever be taken. A window without tokens
 * needs at least one, so that no take from it succeeds. Units to give back are negative.
 */
function unitsOf({ limit, windowMs, reserve = 0 }: Window, cost: Cost, i: number, seenAt: number): number {
  if (typeof cost === 'object' && 'takenAt' in cost) {
    return -Math.max(0, cost.tokens[i]! * windowMs - limit * (seenAt - cost.takenAt));
  }
  return Math.min(cost === 0 ? 1 : cost[i]!, Math.max(1, limit - reserve)) * windowMs;
}

/** Milliseconds until these units can be taken. */
function waitFor(used: number, { limit, windowMs, reserve = 0 }: Window, units: number): number {
  const missing = used + units - (limit - reserve) * windowMs;
  return units <= 0 || missing <= 0 ? 0 : Math.ceil(missing / limit);
}

function toWindowState(
  { limit, windowMs, reserve = 0 }: Window,
  used: number,
  behindMs: number,
): WindowState {
  return {
    limit,
    windowMs,
    remaining: Math.max(0, Math.floor((limit * windowMs - used) / windowMs) - reserve),
    fullInMs: used === 0 ? 0 : Math.ceil(used / limit) + behindMs,
  };
}
