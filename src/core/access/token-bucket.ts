import type { Limits } from './plan.ts';

/**
 * The two buckets of a key as a store keeps them. `minuteUsed` and `dayUsed` are what is missing from a full
 * bucket, in units of which one token has as many as its window has milliseconds: then each millisecond gives
 * back `limit` units, every number here is a whole one, and no rounding ever gives or takes a token.
 */
export interface Buckets {
  readonly minuteUsed: number;
  readonly dayUsed: number;
  /** When the buckets were last brought up to date, epoch milliseconds. */
  readonly updatedAt: number;
}

/** One window as an answer tells of it. */
export interface WindowState {
  readonly limit: number;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/** What a take found and left. */
export interface BucketState {
  readonly allowed: boolean;
  readonly minute: WindowState;
  readonly day: WindowState;
  /** Milliseconds after which one take succeeds; 0 when one would succeed now. */
  readonly retryAfterMs: number;
  /** The time by which all this was judged, epoch milliseconds. */
  readonly at: number;
}

/** The window of the minute bucket in milliseconds. */
export const MINUTE_MS = 60_000;
/** The window of the day bucket in milliseconds. */
export const DAY_WINDOW_MS = 86_400_000;

/** Full buckets. */
export function fullBuckets(now: number): Buckets {
  return { minuteUsed: 0, dayUsed: 0, updatedAt: now };
}

/**
 * Takes one token from both buckets, or from neither; with `cost` 0 it only looks. Refill is even. A clock
 * that has stepped back adds nothing, and from there on time counts again, so that nobody starves until the
 * old time returns. After a change of plan the used part stays used, at most a whole bucket of the new plan.
 */
export function takeTokens(
  buckets: Buckets,
  limits: Limits,
  cost: 0 | 1,
  now: number,
): { readonly buckets: Buckets; readonly state: BucketState } {
  const elapsedMs = Math.max(0, now - buckets.updatedAt);
  const minuteUsed = refill(buckets.minuteUsed, limits.perMinute, MINUTE_MS, elapsedMs);
  const dayUsed = refill(buckets.dayUsed, limits.perDay, DAY_WINDOW_MS, elapsedMs);
  const waitMs = Math.max(
    waitFor(minuteUsed, limits.perMinute, MINUTE_MS),
    waitFor(dayUsed, limits.perDay, DAY_WINDOW_MS),
  );
  const taken = waitMs === 0 ? cost : 0;
  const after = {
    minuteUsed: minuteUsed + taken * MINUTE_MS,
    dayUsed: dayUsed + taken * DAY_WINDOW_MS,
    updatedAt: now,
  };
  const state: BucketState = {
    allowed: waitMs === 0,
    minute: toWindowState(after.minuteUsed, limits.perMinute, MINUTE_MS),
    day: toWindowState(after.dayUsed, limits.perDay, DAY_WINDOW_MS),
    retryAfterMs: waitMs,
    at: now,
  };
  // Who only looks leaves no trace, so that a store need not write for it.
  return { buckets: cost === 0 ? buckets : after, state };
}

/** What is still used after a time: `limit` units come back each millisecond. */
function refill(used: number, limit: number, windowMs: number, elapsedMs: number): number {
  return Math.max(0, Math.min(used, limit * windowMs) - limit * elapsedMs);
}

/** Milliseconds until a whole token is there. */
function waitFor(used: number, limit: number, windowMs: number): number {
  const missing = used + windowMs - limit * windowMs;
  return missing <= 0 ? 0 : Math.ceil(missing / limit);
}

function toWindowState(used: number, limit: number, windowMs: number): WindowState {
  return {
    limit,
    remaining: Math.floor((limit * windowMs - used) / windowMs),
    fullInMs: used === 0 ? 0 : Math.ceil(used / limit),
  };
}
