import * as fc from 'fast-check';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Limits,
} from '../../../src/store-kit.ts';

/** A limiter over `takeTokens` with a clock that the test sets. */
export function simulatedLimiter(start: number) {
  let buckets: Buckets | undefined;
  let now = start;
  return {
    pass: (ms: number) => {
      now += ms;
    },
    take: (limits: Limits, cost: 0 | 1 = 1): BucketState => {
      const before = buckets ?? fullBuckets(now);
      const taken = takeTokens(before, requestWindows(limits), cost && REQUEST_COST, now);
      // What a store keeps is a row of whole numbers: a restart reads it back.
      buckets = JSON.parse(JSON.stringify(taken.buckets)) as Buckets;
      return taken.state;
    },
    buckets: () => buckets,
  };
}

/** Limits as plans and custom plans have them. */
export const limitsArbitrary: fc.Arbitrary<Limits> = fc.oneof(
  fc.constantFrom(
    { perMinute: 2, perDay: 20 },
    { perMinute: 10, perDay: 200 },
    { perMinute: 100, perDay: 2000 },
  ),
  fc.record({ perMinute: fc.integer({ min: 1, max: 20 }), perDay: fc.integer({ min: 1, max: 50 }) }),
  fc.record({
    perMinute: fc.integer({ min: 1, max: 100_000_000 }),
    perDay: fc.integer({ min: 1, max: 100_000_000 }),
  }),
);

/** How much time passes between two requests, in milliseconds: bursts, odd moments, long silences. */
export const pauses: fc.Arbitrary<number> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 0, 0, 1, 599, 600, 601, 6000, 30_000, 59_999, 60_000) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 120_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000_000 }) },
);

/** As `pauses`, and steps back of the clock. */
export const clockSteps: fc.Arbitrary<number> = fc.oneof(
  { weight: 5, arbitrary: pauses },
  { weight: 1, arbitrary: fc.integer({ min: -100_000_000, max: -1 }) },
);
