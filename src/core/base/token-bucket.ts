/** One window of a limit: `limit` tokens, all of which come back evenly within `windowMs` milliseconds. */
export interface Window {
  /** How many tokens a full bucket has. */
  readonly limit: number;
  /** In how many milliseconds an empty bucket is full again. */
  readonly windowMs: number;
  /** Tokens that a take has to leave in the bucket. Default none. */
  readonly reserve?: number;
}

/**
 * The buckets of a key or a tenant as a store keeps them, one for each window. `used` is what is missing from
 * a full bucket, in units of which one token has as many as its window has milliseconds: then each
 * millisecond gives back `limit` units, every number here is a whole one, and no rounding ever gives or takes
 * a token.
 */
export interface Buckets {
  /** What is missing from each bucket, in the order of the windows; one that is absent is full. */
  readonly used: readonly number[];
  /** The latest time that the buckets have seen, epoch milliseconds. It never steps back. */
  readonly updatedAt: number;
}

/** One window as an answer tells of it. */
export interface WindowState extends Window {
  /** Whole tokens left to take. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/** What a take found and left. */
export interface BucketState {
  /** Whether the take had its tokens, from all buckets; otherwise none were taken. */
  readonly allowed: boolean;
  /** In the order of the windows that were asked for. */
  readonly windows: readonly WindowState[];
  /** Milliseconds after which the same take succeeds; 0 when it would succeed now. */
  readonly retryAfterMs: number;
  /** The time by which all this was judged, epoch milliseconds. */
  readonly at: number;
}

/** Tokens of a take that nobody used and that go back into their buckets, which never refuse them. */
export interface GivenBack {
  /** Of each window. */
  readonly tokens: readonly number[];
  /** `at` of the take: what has come back by itself since then is not given twice. */
  readonly takenAt: number;
}

/** The tokens that a take asks of each window, whole numbers; or gives back; or 0 to look without taking. */
export type Cost = readonly number[] | GivenBack | 0;

/** A minute in milliseconds. */
export const MINUTE_MS = 60_000;

/** Full buckets. */
export function fullBuckets(now: number): Buckets {
  return { used: [], updatedAt: now };
}

/**
 * Takes the cost from all buckets, or from none; with `cost` 0 it only looks, as if for one token of each. A
 * cost beyond a whole bucket takes a whole bucket: a batch that is larger than its limit waits, but not for
 * ever. After a change of the windows the used part stays used, at most a whole bucket of the new ones.
 *
 * Refill is even, and the latest time seen is the time: a clock that steps back adds nothing, and until it
 * has caught up nothing comes back, so that a clock that swings gives no more than one that stands. A clock
 * that was an hour ahead and is set right therefore leaves whoever asked meanwhile without refill for an
 * hour; what is left in the buckets can be taken all the same, and `retryAfterMs` tells the whole wait.
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
  // Made in their length: an array that grows takes room for many.
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
  // Who only looks leaves no trace, so that a store need not write for it.
  return {
    buckets: cost === 0 ? buckets : { used, updatedAt: seenAt },
    state: { allowed, windows: states, retryAfterMs, at: now },
  };
}

/** What is still used after a time: `limit` units come back each millisecond. */
function refill(used: number, { limit, windowMs }: Window, elapsedMs: number): number {
  return Math.max(0, Math.min(used, limit * windowMs) - limit * elapsedMs);
}

/**
 * What a cost asks of one window, as units, at most all that can be taken; a window without tokens never has
 * even one that is asked for. What is given back is less than none.
 */
function unitsOf({ limit, windowMs, reserve = 0 }: Window, cost: Cost, i: number, seenAt: number): number {
  if (typeof cost === 'object' && 'takenAt' in cost) {
    return -Math.max(0, cost.tokens[i]! * windowMs - limit * (seenAt - cost.takenAt));
  }
  return Math.min(cost === 0 ? 1 : cost[i]!, Math.max(1, limit - reserve)) * windowMs;
}

/** Milliseconds until these units are there. */
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
