import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  INGESTION_LIMIT_MAX,
  LIMIT_MAX,
  REQUEST_COST,
  requestWindows,
} from '../../../src/core/access/plan.ts';
import { MINUTE_MS } from '../../../src/core/base/token-bucket.ts';
import { rateLimited } from '../../../src/core/base/errors.ts';
import { DAY_MS } from '../../../src/core/event/time.ts';
import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type Limits,
} from '../../../src/store-kit.ts';
import { clockSteps, limitsArbitrary, pauses, simulatedLimiter } from '../access/traffic.ts';

const START = 1_716_000_000_000;
const HOUR_MS = 3_600_000;
const builder: Limits = { perMinute: 2, perDay: 20 };

/** What `Retry-After` tells a client to wait, in milliseconds: whole seconds. */
function retryAfterMs(state: BucketState): number {
  return Number(rateLimited(state.retryAfterMs).headers['Retry-After']) * 1000;
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
      windows: [
        { limit: 2, windowMs: MINUTE_MS, remaining: 1, fullInMs: 30_000 },
        { limit: 20, windowMs: DAY_MS, remaining: 19, fullInMs: 4_320_000 },
      ],
      retryAfterMs: 0,
      at: START,
    });
    limiter.pass(60_000);
    expect(limiter.take(builder, 0).windows[0]).toMatchObject({ remaining: 2, fullInMs: 0 });
  });

  it('never admits more than the capacity and what forward time refilled, in any stretch of traffic', () => {
    fc.assert(
      fc.property(limitsArbitrary, fc.array(clockSteps, { maxLength: 200, size: 'max' }), (limits, steps) => {
        const limiter = simulatedLimiter(START);
        /** Admissions so far, and the latest time, at each step. */
        const marks = [{ admitted: 0, forwardMs: 0 }];
        let passedMs = 0;
        for (const ms of steps) {
          limiter.pass(ms);
          passedMs += ms;
          const last = marks.at(-1)!;
          // The latest time seen is the time: a way that was gone before gives nothing again.
          const forwardMs = marks.length === 1 ? passedMs : Math.max(last.forwardMs, passedMs);
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
              limits.perDay * (1 + elapsed / DAY_MS),
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
          before.windows.forEach(({ remaining }, i) => {
            expect(remaining - after.windows[i]!.remaining).toBe(taken);
          });
          expect(before.allowed).toBe(before.windows.every(({ remaining }) => remaining >= 1));
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
  it('adds no token, and time counts again once it has caught up', () => {
    const limiter = simulatedLimiter(START);
    limiter.take(builder);
    limiter.take(builder);
    limiter.pass(-HOUR_MS);
    expect(limiter.take(builder)).toMatchObject({ allowed: false, retryAfterMs: HOUR_MS + 30_000 });
    limiter.pass(HOUR_MS);
    expect(limiter.take(builder)).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
    limiter.pass(30_000);
    expect(limiter.take(builder).allowed).toBe(true);
  });

  it('leaves what is left to be taken', () => {
    const limiter = simulatedLimiter(START);
    limiter.take(builder);
    limiter.pass(-365 * DAY_MS);
    expect([1, 2].map(() => limiter.take(builder).allowed)).toEqual([true, false]);
  });

  it('tells the whole wait, also until a bucket is full', () => {
    const limiter = simulatedLimiter(START);
    limiter.take(builder);
    limiter.pass(-HOUR_MS);
    const { windows, at } = limiter.take(builder, 0);
    expect(at).toBe(START - HOUR_MS);
    expect(windows.map(({ fullInMs }) => fullInMs)).toEqual([HOUR_MS + 30_000, HOUR_MS + DAY_MS / 20]);
  });
});

describe('a take of several tokens', () => {
  const windows = [
    { limit: 100, windowMs: MINUTE_MS },
    { limit: 1000, windowMs: MINUTE_MS },
  ];
  const take = (buckets: Buckets, cost: Cost, now = START) => takeTokens(buckets, windows, cost, now);

  it('takes of each bucket what it costs there, or of none', () => {
    const first = take(fullBuckets(START), [60, 10]);
    expect(first.state.windows.map(({ remaining }) => remaining)).toEqual([40, 990]);
    const second = take(first.buckets, [41, 0]);
    expect(second.state).toMatchObject({ allowed: false, retryAfterMs: 600 });
    expect(second.state.windows.map(({ remaining }) => remaining)).toEqual([40, 990]);
    expect(take(second.buckets, [40, 990]).state.allowed).toBe(true);
    expect(take(second.buckets, [1, 991]).state.allowed).toBe(false);
  });

  it('that are more than a bucket holds waits for a full one and empties it', () => {
    const first = take(fullBuckets(START), [101, 1]);
    expect(first.state.windows.map(({ remaining }) => remaining)).toEqual([0, 999]);
    expect(take(first.buckets, [5000, 1]).state.retryAfterMs).toBe(MINUTE_MS);
    expect(take(first.buckets, [5000, 1], START + MINUTE_MS - 1).state.allowed).toBe(false);
    expect(take(first.buckets, [5000, 1], START + MINUTE_MS).state.allowed).toBe(true);
  });

  it('waits whole milliseconds, rounded up, and tells when a bucket is full alike', () => {
    const odd = [{ limit: 7, windowMs: 1000 }];
    const { buckets, state } = takeTokens(fullBuckets(START), odd, [7], START);
    expect(state.windows[0]!.fullInMs).toBe(1000);
    const refused = takeTokens(buckets, odd, [1], START).state;
    // A seventh of a second is 142.86 ms: after 142 there is not yet a whole token.
    expect(refused.retryAfterMs).toBe(143);
    const one = takeTokens(fullBuckets(START), odd, [1], START).state;
    expect(one.windows[0]!.fullInMs).toBe(143);
  });
});

describe('a change of plan', () => {
  it('keeps what was used, at most a whole bucket of the new plan', () => {
    const limiter = simulatedLimiter(START);
    const scale = { perMinute: 100, perDay: 2000 };
    for (let i = 0; i < 100; i++) limiter.take(scale);
    expect(limiter.take(builder)).toMatchObject({
      allowed: false,
      windows: [{ remaining: 0 }, { remaining: 0 }],
    });
    // The used part is that of the smaller plan from now on.
    expect(limiter.take(scale, 0)).toMatchObject({ windows: [{ remaining: 98 }, { remaining: 1980 }] });
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
            const usedBefore = Math.floor(used.used[0]! / MINUTE_MS);
            const free = Math.max(0, limits.perMinute - usedBefore) + refilled;
            expect(state.windows[0]!.remaining).toBeLessThanOrEqual(free);
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
          const { windows, retryAfterMs: wait } = limiter.take(limits);
          const told = windows.flatMap(({ remaining, fullInMs }) => [remaining, fullInMs]);
          const numbers = [...limiter.buckets()!.used, ...told, wait];
          for (const number of numbers) expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
        }
      }),
    );
    expect(LIMIT_MAX * DAY_MS).toBeLessThan(Number.MAX_SAFE_INTEGER);
    expect(INGESTION_LIMIT_MAX * MINUTE_MS).toBeLessThan(Number.MAX_SAFE_INTEGER);
    const most = requestWindows({ perMinute: LIMIT_MAX, perDay: LIMIT_MAX });
    const { state } = takeTokens(fullBuckets(START), most, REQUEST_COST, START);
    expect(state.windows[1]!.remaining).toBe(LIMIT_MAX - 1);
  });

  it('a full bucket stays full when tokens are given back, and grants no more afterwards', () => {
    const windows = [{ limit: 5, windowMs: 1000 }];
    const givenBack = { tokens: [3], takenAt: START };
    const { buckets, state } = takeTokens(fullBuckets(START), windows, givenBack, START);
    expect(state.windows[0]!.remaining).toBe(5);
    expect(takeTokens(buckets, windows, [5], START).state.windows[0]!.remaining).toBe(0);
  });

  it('a plan without requests never admits one', () => {
    const none = requestWindows({ perMinute: 0, perDay: 0 });
    expect(takeTokens(fullBuckets(START), none, REQUEST_COST, START).state.allowed).toBe(false);
  });
});
