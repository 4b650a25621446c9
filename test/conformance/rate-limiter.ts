import * as fc from 'fast-check';
import { fullBuckets, takeTokens, type Buckets, type Limits, type RateLimiter } from '../../src/index.ts';
import { describeSuite, newTenantId, type Fixture, type SuiteOptions, type TestRunner } from './runner.ts';

/** A clock that the suite sets: give it to the limiter as its time, in epoch milliseconds. */
export interface SteerableClock {
  now(): number;
}

const START_MS = 1_716_000_000_000;
const plans: readonly Limits[] = [
  { perMinute: 2, perDay: 20 },
  { perMinute: 10, perDay: 200 },
  { perMinute: 100, perDay: 2000 },
  { perMinute: 7, perDay: 3 },
  { perMinute: 1, perDay: 1 },
  { perMinute: 100_000_000, perDay: 100_000_000 },
];

/** One thing that happens: time passes or steps back, the plan changes, the process restarts, a key takes. */
interface Step {
  readonly passedMs: number;
  readonly key: number;
  readonly plan: number;
  readonly takes: number;
  readonly cost: 0 | 1;
  readonly restart: boolean;
}

const steps: fc.Arbitrary<Step> = fc.record({
  passedMs: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 0, 1, 599, 600, 29_999, 30_000, 60_000, 4_320_000) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -100_000, max: -1 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000_000 }) },
  ),
  key: fc.nat({ max: 2 }),
  plan: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat({ max: plans.length - 1 }) },
  ),
  takes: fc.integer({ min: 1, max: 4 }),
  cost: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1 as const) },
    { weight: 1, arbitrary: fc.constant(0 as const) },
  ),
  restart: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
});

/**
 * Proves that a rate limiter keeps the buckets of `takeTokens`: the same answers to the same traffic, through
 * changes of plan, restarts, and clocks that step back. `create` gets the clock that the limiter has to use.
 */
export function testRateLimiter(
  name: string,
  create: (clock: SteerableClock) => Promise<Fixture<RateLimiter>> | Fixture<RateLimiter>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  let now = START_MS;
  const clock: SteerableClock = { now: () => now };
  describeSuite(
    `rate limiter: ${name}`,
    () => create(clock),
    runner,
    options,
    ({ test, check, expect }) => {
      test('any traffic gets the answers of the two buckets', ({ store, reopen }) => {
        let limiter = store;
        return check(fc.array(steps, { maxLength: 60, size: 'max' }), async (todo) => {
          const ids = [newTenantId(), newTenantId(), newTenantId()];
          const model = new Map<string, Buckets>();
          for (const { passedMs, key, plan, takes, cost, restart } of todo) {
            now += passedMs;
            if (restart && reopen !== undefined) limiter = await reopen();
            const id = ids[key]!;
            for (let i = 0; i < takes; i++) {
              const { buckets, state } = takeTokens(
                model.get(id) ?? fullBuckets(now),
                plans[plan]!,
                cost,
                now,
              );
              model.set(id, buckets);
              expect(await limiter.take(id, plans[plan]!, cost)).toEqual(state);
            }
          }
        });
      });

      test('takes that arrive at once share one quota', async ({ store }) => {
        const [id, limits] = [newTenantId(), { perMinute: 10, perDay: 200 }];
        const states = await Promise.all(Array.from({ length: 30 }, () => store.take(id, limits, 1)));
        expect(states.filter(({ allowed }) => allowed).length).toEqual(10);
        expect((await store.take(id, limits, 0)).day.remaining).toEqual(190);
      });

      test('erased keys begin anew, and only they', async ({ store }) => {
        const [first, second, limits] = [newTenantId(), newTenantId(), { perMinute: 2, perDay: 20 }];
        for (const id of [first, first, second, second]) await store.take(id, limits, 1);
        await store.erase([]);
        await store.erase([first, newTenantId()]);
        expect((await store.take(first, limits, 1)).allowed).toEqual(true);
        expect((await store.take(second, limits, 1)).allowed).toEqual(false);
      });
    },
  );
}
