import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addLimitHeaders,
  DAY_WINDOW_MS,
  fullBuckets,
  LIMIT_MAX,
  MINUTE_MS,
  takeTokens,
  type BucketState,
  type Limits,
} from '../../../src/index.ts';
import { clockSteps, limitsArbitrary, pauses, simulatedLimiter } from './traffic.ts';

const START = 1_716_000_000_000;
const builder: Limits = { perMinute: 2, perDay: 20 };

/** What `Retry-After` tells a client to wait, in milliseconds: whole seconds. */
function retryAfterMs(state: BucketState): number {
  const headers: Record<string, string> = {};
  addLimitHeaders(headers, state);
  return Number(headers['Retry-After']) * 1000;
}

describe('one key, one plan', () => {
  it('a full bucket gives its limit at once, then one token each part of the window', () => {
    const limiter = simulatedLimiter(START);
    expect([1, 2, 3].map(() => limiter.take(builder).allowed)).toEqual([true, true, false]);
    limiter.pass(29_999);
    expect(limiter.take(builder)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    limiter.pass(1);
    expect(limiter.take(builder).allowed).toBe(true);
    expect(limiter.take(builder)).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
  });

  it('tells what is left and when it is full again', () => {
    const limiter = simulatedLimiter(START);
    expect(limiter.take(builder)).toEqual({
      allowed: true,
      minute: { limit: 2, remaining: 1, fullInMs: 30_000 },
      day: { limit: 20, remaining: 19, fullInMs: 4_320_000 },
      retryAfterMs: 0,
      at: START,
    });
    limiter.pass(60_000);
    expect(limiter.take(builder, 0).minute).toEqual({ limit: 2, remaining: 2, fullInMs: 0 });
  });

  it('never admits more than the capacity and what forward time refilled, in any stretch of traffic', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.array(clockSteps, { maxLength: 200, size: 'max' }), (limits, steps) => {
        const limiter = simulatedLimiter(START);
        /** Admissions and forward milliseconds so far, at each step. */
        const marks = [{ admitted: 0, forwardMs: 0 }];
        for (const ms of steps) {
          limiter.pass(ms);
          const last = marks.at(-1)!;
          const forwardMs = last.forwardMs + Math.max(0, ms);
          marks.push({ admitted: last.admitted + (limiter.take(limits).allowed ? 1 : 0), forwardMs });
        }
        for (let from = 0; from < marks.length; from += 7) {
          for (let to = from; to < marks.length; to++) {
            // The refill before the first take of the stretch belongs to the bucket that it starts with.
            const first = marks[Math.min(from + 1, to)]!;
            const admitted = marks[to]!.admitted - marks[from]!.admitted;
            const elapsed = marks[to]!.forwardMs - first.forwardMs;
            const most = Math.min(
              limits.perMinute * (1 + elapsed / MINUTE_MS),
              limits.perDay * (1 + elapsed / DAY_WINDOW_MS),
            );
            if (admitted > most)
              expect.fail(`${admitted} admitted from ${from} to ${to}, at most ${most} may be`);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('admits whoever waits Retry-After, whatever happened before', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.array(clockSteps, { maxLength: 100, size: 'max' }), (limits, steps) => {
        const limiter = simulatedLimiter(START);
        for (const ms of steps) {
          limiter.pass(ms);
          const state = limiter.take(limits);
          if (state.allowed) continue;
          limiter.pass(state.retryAfterMs - 1);
          expect(limiter.take(limits, 0).allowed).toBe(false);
          limiter.pass(1 + retryAfterMs(state) - state.retryAfterMs);
          expect(limiter.take(limits).allowed).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('takes from both buckets or from neither', () => {
    const steps = fc.array(fc.tuple(clockSteps, fc.constantFrom(0 as const, 1 as const)), {
      maxLength: 100,
      size: 'max',
    });
    fc.assert(
      fc.property(limitsArbitrary, steps, (limits, todo) => {
        const limiter = simulatedLimiter(START);
        for (const [ms, cost] of todo) {
          limiter.pass(ms);
          const before = limiter.take(limits, 0);
          const after = limiter.take(limits, cost);
          const taken = before.allowed ? cost : 0;
          expect(after.allowed).toBe(before.allowed);
          expect(before.minute.remaining - after.minute.remaining).toBe(taken);
          expect(before.day.remaining - after.day.remaining).toBe(taken);
          expect(before.allowed).toBe(before.minute.remaining >= 1 && before.day.remaining >= 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('looking costs nothing, however often', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.array(pauses, { maxLength: 60 }), (limits, steps) => {
        const [looking, resting] = [simulatedLimiter(START), simulatedLimiter(START)];
        for (const ms of steps) {
          looking.pass(ms);
          resting.pass(ms);
          looking.take(limits, 0);
          looking.take(limits, 0);
          expect(looking.take(limits)).toEqual(resting.take(limits));
        }
      }),
    );
  });

  it('one long wait refills as much as many short ones', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.array(fc.nat({ max: 5000 }), { maxLength: 50 }), (limits, waits) => {
        const [often, once] = [simulatedLimiter(START), simulatedLimiter(START)];
        for (let i = 0; i < 60; i++) expect(often.take(limits)).toEqual(once.take(limits));
        for (const ms of waits) {
          often.pass(ms);
          often.take(limits, 0);
        }
        once.pass(waits.reduce((sum, ms) => sum + ms, 0));
        expect(often.take(limits, 0)).toEqual(once.take(limits, 0));
      }),
    );
  });
});

describe('a clock that steps back', () => {
  it('adds no token by itself, and time counts again from there', () => {
    const limiter = simulatedLimiter(START);
    limiter.take(builder);
    limiter.take(builder);
    limiter.pass(-86_400_000);
    expect(limiter.take(builder)).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
    limiter.pass(30_000);
    expect(limiter.take(builder).allowed).toBe(true);
  });
});

describe('a change of plan', () => {
  it('keeps what was used, at most a whole bucket of the new plan', () => {
    const limiter = simulatedLimiter(START);
    const scale = { perMinute: 100, perDay: 2000 };
    for (let i = 0; i < 100; i++) limiter.take(scale);
    expect(limiter.take(builder)).toMatchObject({
      allowed: false,
      minute: { remaining: 0 },
      day: { remaining: 0 },
    });
    // The used part is that of the smaller plan from now on.
    expect(limiter.take(scale, 0)).toMatchObject({ minute: { remaining: 98 }, day: { remaining: 1980 } });
  });

  it('never hands out a new quota, and never starves', () => {
    const steps = fc.array(fc.tuple(pauses, limitsArbitrary), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(steps, (todo) => {
        const limiter = simulatedLimiter(START);
        for (const [ms, limits] of todo) {
          limiter.pass(ms);
          const used = limiter.buckets();
          const state = limiter.take(limits);
          if (used !== undefined) {
            const refilled = Math.floor((ms * limits.perMinute) / MINUTE_MS) + 1;
            const usedBefore = Math.floor(used.minuteUsed / MINUTE_MS);
            const free = Math.max(0, limits.perMinute - usedBefore) + refilled;
            expect(state.minute.remaining).toBeLessThanOrEqual(free);
          }
          if (!state.allowed) {
            limiter.pass(retryAfterMs(state));
            expect(limiter.take(limits).allowed).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the numbers', () => {
  it('are whole and exact up to the largest limit', () => {
    const steps = fc.array(fc.tuple(clockSteps, limitsArbitrary), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (todo) => {
        const limiter = simulatedLimiter(START);
        for (const [ms, limits] of todo) {
          limiter.pass(ms);
          const { minute, day, retryAfterMs: wait } = limiter.take(limits);
          const { minuteUsed, dayUsed } = limiter.buckets()!;
          const numbers = [
            minuteUsed,
            dayUsed,
            minute.remaining,
            minute.fullInMs,
            day.remaining,
            day.fullInMs,
            wait,
          ];
          for (const number of numbers) expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
        }
      }),
    );
    expect(LIMIT_MAX * DAY_WINDOW_MS).toBeLessThan(Number.MAX_SAFE_INTEGER);
    const most = { perMinute: LIMIT_MAX, perDay: LIMIT_MAX };
    expect(takeTokens(fullBuckets(START), most, 1, START).state.day.remaining).toBe(LIMIT_MAX - 1);
  });

  it('a plan without requests never admits one', () => {
    const none = { perMinute: 0, perDay: 0 };
    expect(takeTokens(fullBuckets(START), none, 1, START).state.allowed).toBe(false);
  });
});
