import * as fc from 'fast-check';
import { ingestionWindows, REQUEST_COST, requestWindows } from '../../src/core/access/plan.ts';
import {
  fullBuckets,
  takeTokens,
  type Buckets,
  type Cost,
  type RateLimiter,
  type Window,
} from '../../src/store-kit.ts';
import { describeSuite, newTenantId, type Fixture, type SuiteOptions, type TestRunner } from './runner.ts';

/** A clock that the suite sets: give it to the limiter as its time, in epoch milliseconds. */
export interface SteerableClock {
  /** The time as the suite has set it, epoch milliseconds. */
  now(): number;
}

const START_MS = 1_716_000_000_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const builder = requestWindows({ perMinute: 2, perDay: 20 });
/** What keys are counted in, and what the events and bytes of a tenant are counted in. */
const windowsOf: readonly (readonly Window[])[] = [
  builder,
  requestWindows({ perMinute: 10, perDay: 200 }),
  requestWindows({ perMinute: 7, perDay: 3 }),
  requestWindows({ perMinute: 100_000_000, perDay: 100_000_000 }),
  ingestionWindows({ eventsPerMinute: 3000, bytesPerMinute: 20_000_000 }),
  ingestionWindows({ eventsPerMinute: 100_000_000_000, bytesPerMinute: 1 }),
  [{ limit: 5, windowMs: 1000 }],
  requestWindows({ perMinute: 10, perDay: 200 }).map((window) => ({ ...window, reserve: 3 })),
  [{ limit: 4, windowMs: MINUTE_MS, reserve: 4 }],
  // The last look at what tenants no longer keep.
  [{ limit: 1, windowMs: 8e15 }],
];

/** Tokens that are given back of a take some time ago. */
interface Returned {
  readonly tokens: readonly number[];
  readonly agoMs: number;
}

/** One thing that happens: time passes or steps back, the plan changes, the process restarts, an id takes. */
interface Step {
  readonly passedMs: number;
  readonly id: number;
  readonly windows: number;
  readonly takes: number;
  readonly cost: readonly number[] | 0 | Returned;
  readonly restart: boolean;
}

const steps: fc.Arbitrary<Step> = fc.record({
  passedMs: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 0, 1, 599, 600, 29_999, 30_000, 60_000, 4_320_000) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(-HOUR_MS, HOUR_MS) },
    { weight: 1, arbitrary: fc.integer({ min: -100_000, max: -1 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000_000 }) },
  ),
  id: fc.nat({ max: 2 }),
  windows: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.nat({ max: windowsOf.length - 1 }) },
  ),
  takes: fc.integer({ min: 1, max: 4 }),
  cost: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step['cost']>(REQUEST_COST) },
    { weight: 1, arbitrary: fc.constant<Step['cost']>(0) },
    { weight: 1, arbitrary: fc.tuple(fc.nat({ max: 2000 }), fc.nat({ max: 30_000_000 })) },
    {
      weight: 1,
      arbitrary: fc.record({
        tokens: fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 50 })),
        agoMs: fc.oneof(fc.constantFrom(0, 1, 600, 6000, 30_000), fc.nat({ max: 10_000_000 })),
      }),
    },
  ),
  restart: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
});

/**
 * Proves that a rate limiter keeps the buckets of `takeTokens`: the same answers to the same traffic, through
 * changes of plan, restarts, and clocks that swing. `create` gets the clock that the limiter has to use.
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
      test('any traffic gets the answers of takeTokens', ({ store, reopen }) => {
        let limiter = store;
        return check(fc.array(steps, { maxLength: 60, size: 'max' }), async (todo) => {
          const ids = [newTenantId(), newTenantId(), newTenantId()];
          const model = new Map<string, Buckets>();
          for (const { passedMs, id: index, windows: choice, takes, cost: given, restart } of todo) {
            now += passedMs;
            const cost: Cost =
              given !== 0 && 'agoMs' in given ? { tokens: given.tokens, takenAt: now - given.agoMs } : given;
            if (restart && reopen !== undefined) limiter = await reopen();
            const [id, windows] = [ids[index]!, windowsOf[choice]!];
            for (let i = 0; i < takes; i++) {
              const before = model.get(id) ?? fullBuckets(now);
              const { buckets, state } = takeTokens(before, windows, cost, now);
              if (cost !== 0) model.set(id, buckets);
              expect(await limiter.take(id, windows, cost)).toEqual(state);
            }
          }
        });
      });

      test('a clock that swings gives no more than the time that it has newly reached', async (fixture) => {
        const swings = fc.array(
          fc.oneof(
            fc.constantFrom(-HOUR_MS, HOUR_MS, -MINUTE_MS, MINUTE_MS, 0),
            fc.integer({ min: -200_000_000, max: 200_000_000 }),
          ),
          { maxLength: 40, size: 'max' },
        );
        await check(fc.tuple(swings, fc.constantFrom(...windowsOf.slice(0, 3))), async ([steps, windows]) => {
          const id = newTenantId();
          // A bucket begins full when it is first asked.
          const startAt = now + (steps[0] ?? 0);
          let [admitted, latest] = [0, startAt];
          for (const ms of steps) {
            now += ms;
            latest = Math.max(latest, now);
            // More takes than the smallest bucket has tokens, so that every token that is there is taken.
            for (let i = 0; i < 11; i++) {
              if ((await fixture.store.take(id, windows, REQUEST_COST)).allowed) admitted += 1;
            }
            const most = windows.map(({ limit, windowMs }) => limit * (1 + (latest - startAt) / windowMs));
            expect(admitted <= Math.min(...most)).toEqual(true);
          }
          now = Math.max(now, latest);
        });
      });

      test('an hour to and fro, ten times, hands out one bucket and one refill', async ({ store }) => {
        const id = newTenantId();
        let admitted = 0;
        for (let i = 0; i <= 20; i++) {
          for (let takes = 0; takes < 3; takes++) {
            if ((await store.take(id, builder, REQUEST_COST)).allowed) admitted += 1;
          }
          now += i % 2 === 0 ? HOUR_MS : -HOUR_MS;
        }
        expect(admitted).toEqual(4);
      });

      test('a cost beyond a whole bucket takes a whole bucket, and waits for one', async ({ store }) => {
        const id = newTenantId();
        const windows = ingestionWindows({ eventsPerMinute: 100, bytesPerMinute: 1_000_000 });
        expect((await store.take(id, windows, [2000, 10])).allowed).toEqual(true);
        const refused = await store.take(id, windows, [1, 10]);
        expect([refused.allowed, refused.retryAfterMs]).toEqual([false, 600]);
        expect((await store.take(id, windows, [2000, 10])).retryAfterMs).toEqual(MINUTE_MS);
        now += MINUTE_MS;
        expect((await store.take(id, windows, [2000, 10])).allowed).toEqual(true);
      });

      test('what is given back can be taken again, less what came back since, and a reserve stays', async ({
        store,
      }) => {
        const id = newTenantId();
        const windows = requestWindows({ perMinute: 600, perDay: 6000 });
        const { at } = await store.take(id, windows, [600, 600]);
        expect((await store.take(id, windows, [1, 1])).retryAfterMs).toEqual(100);
        now += 5000;
        const back = await store.take(id, windows, { tokens: [200, 200], takenAt: at });
        expect([back.allowed, ...back.windows.map(({ remaining }) => remaining)]).toEqual([true, 200, 5600]);
        const reserved = windows.map((window) => ({ ...window, reserve: 50 }));
        const taken = await store.take(id, reserved, [150, 150]);
        expect([taken.allowed, taken.windows[0]!.remaining]).toEqual([true, 0]);
        expect((await store.take(id, reserved, [1, 1])).retryAfterMs).toEqual(100);
        expect((await store.take(id, windows, [50, 50])).allowed).toEqual(true);
      });

      test('takes that arrive at once share one quota', async ({ store }) => {
        const [id, windows] = [newTenantId(), requestWindows({ perMinute: 10, perDay: 200 })];
        const takes = Array.from({ length: 30 }, () => store.take(id, windows, REQUEST_COST));
        const states = await Promise.all(takes);
        expect(states.filter(({ allowed }) => allowed).length).toEqual(10);
        expect((await store.take(id, windows, 0)).windows.map(({ remaining }) => remaining)).toEqual([
          0, 190,
        ]);
      });

      test('what a clock that was wrong has locked begins anew when it is erased', async ({ store }) => {
        const id = newTenantId();
        const right = now;
        now += 400 * 24 * HOUR_MS;
        for (let i = 0; i < 2; i++) await store.take(id, builder, REQUEST_COST);
        now = right;
        const locked = await store.take(id, builder, REQUEST_COST);
        expect([locked.allowed, locked.retryAfterMs > 399 * 24 * HOUR_MS]).toEqual([false, true]);
        await store.erase([id]);
        const state = await store.take(id, builder, REQUEST_COST);
        expect([state.allowed, state.at, state.windows[0]!.remaining]).toEqual([true, right, 1]);
      });

      test('erased keys begin anew, and only they', async ({ store }) => {
        const [first, second] = [newTenantId(), newTenantId()];
        for (const id of [first, first, second, second]) await store.take(id, builder, REQUEST_COST);
        await store.erase([]);
        await store.erase([first, newTenantId()]);
        expect((await store.take(first, builder, REQUEST_COST)).allowed).toEqual(true);
        expect((await store.take(second, builder, REQUEST_COST)).allowed).toEqual(false);
      });
    },
  );
}
