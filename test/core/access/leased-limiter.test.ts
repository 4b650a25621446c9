import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryRateLimiter } from '../../../adapters/memory/index.ts';
import { leasedLimiter, type LeasedLimiter } from '../../../src/core/access/leased-limiter.ts';
import { toLeasedWindows } from '../../../src/core/access/lease.ts';
import { ingestionWindows, REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import type { Cost, Window } from '../../../src/core/base/token-bucket.ts';
import type { RateLimiter } from '../../../src/store-kit.ts';
import { casesOf } from '../../support/cases.ts';

const START = 1_716_000_000_000;

/** Processes that share one store, in a time that the test sets; the clock on the wall may be set back. */
function simulate() {
  const time = { elapsed: 0, wall: START };
  const memory = memoryRateLimiter({ now: () => time.wall });
  const asked: Cost[] = [];
  let delayMs = 0;
  const limits: RateLimiter = {
    take: async (id, windows, cost) => {
      asked.push(cost);
      const state = await memory.take(id, windows, cost);
      pass(delayMs);
      return state;
    },
    erase: (ids) => memory.erase(ids),
  };
  function pass(ms: number): void {
    time.elapsed += ms;
    time.wall += ms;
  }
  return {
    time,
    memory,
    asked,
    pass,
    answerAfter: (ms: number) => (delayMs = ms),
    setBack: (ms: number) => (time.wall -= ms),
    start: () => leasedLimiter({ limits, clock: { now: () => time.wall }, elapsed: () => time.elapsed }),
  };
}

/** What a bucket without leases has left: below zero, more was admitted than it would have been. */
function strictBucket(windows: readonly Window[]) {
  const levels = windows.map(({ limit }) => limit);
  let at = 0;
  return (elapsed: number): number => {
    windows.forEach(({ limit, windowMs }, i) => {
      levels[i] = Math.min(limit, levels[i]! + ((elapsed - at) * limit) / windowMs) - 1;
    });
    at = elapsed;
    return Math.min(...levels);
  };
}

const process = fc.nat({ max: 4 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ process, takes: fc.integer({ min: 1, max: 150 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ passMs: fc.oneof(fc.nat({ max: 100 }), fc.constantFrom(1, 599, 600, 601, 5000)) }),
  },
  { weight: 1, arbitrary: fc.record({ backMs: fc.oneof(fc.nat({ max: 700 }), fc.constant(3_600_000)) }) },
  { weight: 1, arbitrary: fc.record({ process, crash: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ process, stop: fc.constant(true) }) },
);
const limitsOf = fc.record({
  perMinute: fc.constantFrom(600, 650, 999, 6000),
  perDay: fc.constantFrom(600, 1000, 1440, 50_000),
});

describe('tokens that are leased', () => {
  it('are never more than one bucket admits, in any stretch, by any processes', async () => {
    const traffic = fc.array(step, { maxLength: 80, size: 'max' });
    await fc.assert(
      fc.asyncProperty(limitsOf, traffic, async (limits, steps) => {
        const world = simulate();
        const windows = requestWindows(limits);
        const admit = strictBucket(windows);
        const processes = Array.from({ length: 5 }, () => world.start());
        for (const todo of steps) {
          if ('passMs' in todo) world.pass(todo.passMs);
          else if ('backMs' in todo) world.setBack(todo.backMs);
          else if ('crash' in todo) processes[todo.process] = world.start();
          else if ('stop' in todo) {
            await processes[todo.process]!.returnUnused();
            processes[todo.process] = world.start();
          } else {
            for (let i = 0; i < todo.takes; i++) {
              const { allowed } = await processes[todo.process]!.take('key', windows, REQUEST_COST);
              if (allowed) expect(admit(world.time.elapsed)).toBeGreaterThanOrEqual(-1e-6);
            }
          }
        }
      }),
      { numRuns: casesOf(300) },
    );
  });

  it.each([
    { what: 'slept', passMs: 60_000, jumpMs: 0 },
    { what: 'slept, and the clock was set back', passMs: 60_000, jumpMs: -59_900 },
    { what: 'did not see that the clock was set forward', passMs: 0, jumpMs: 60_000 },
  ])('are not used by a process that $what while the bucket filled again', async ({ passMs, jumpMs }) => {
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const world = simulate();
    const sleepers = Array.from({ length: 20 }, () => world.start());
    for (const sleeper of sleepers) await takeMany(sleeper, windows, 64);
    world.pass(passMs);
    if (jumpMs > 0) world.setBack(-jumpMs);
    expect(await takeMany(world.start(), windows, 7000)).toBe(5940);
    if (jumpMs < 0) world.setBack(-jumpMs);
    for (const sleeper of sleepers) expect(await takeMany(sleeper, windows, 70)).toBe(0);
  });

  it('leave what comes back while they may be used', () => {
    const reserved = toLeasedWindows(requestWindows({ perMinute: 650, perDay: 1000 }));
    expect(reserved!.map(({ reserve }) => reserve)).toEqual([7, 1]);
  });

  it('are asked for in blocks that grow with use and stay a hundredth of the limit', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const world = simulate();
    await takeMany(world.start(), windows, 400);
    expect(world.asked).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60].map((n) => [n, n]));
  });

  it('are given up when the clock was set back, since nobody knows by how much', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const world = simulate();
    const limiter = world.start();
    await takeMany(limiter, windows, 2);
    world.setBack(1);
    await limiter.take('key', windows, REQUEST_COST);
    expect(world.asked.filter(Array.isArray)).toEqual([
      [1, 1],
      [2, 2],
      [1, 1],
    ]);
  });

  it('serve requests that come slowly one by one', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const world = simulate();
    const limiter = world.start();
    for (let i = 0; i < 5; i++) {
      await limiter.take('key', windows, REQUEST_COST);
      world.pass(601);
    }
    expect(world.asked).toEqual(Array.from({ length: 5 }, () => [1, 1]));
  });

  it('are fetched once for all who wait', async () => {
    const windows = requestWindows({ perMinute: 60_000, perDay: 100_000_000 });
    const world = simulate();
    const limiter = world.start();
    const states = await Promise.all(
      Array.from({ length: 64 }, () => limiter.take('key', windows, REQUEST_COST)),
    );
    expect(states.every(({ allowed }) => allowed)).toBe(true);
    expect(world.asked).toEqual([
      [1, 1],
      [63, 63],
    ]);
  });

  it('tell each request what is left', async () => {
    const windows = requestWindows({ perMinute: 60_000, perDay: 100_000_000 });
    const limiter = simulate().start();
    const left: number[] = [];
    for (let i = 0; i < 5; i++) {
      left.push((await limiter.take('key', windows, REQUEST_COST)).windows[0]!.remaining);
    }
    expect(left).toEqual([59_399, 59_398, 59_397, 59_396, 59_395]);
    const { windows: seen } = await limiter.take('key', windows, 0);
    expect(seen[0]!.remaining).toBe(59_395);
  });

  it('are given back at the end, and what came back by itself meanwhile is not given twice', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 1_000_000 });
    const world = simulate();
    const limiter = world.start();
    await takeMany(limiter, windows, 100);
    const left = async () =>
      (await world.memory.take('key', windows, 0)).windows.map(({ remaining }) => remaining);
    expect(await left()).toEqual([6000 - 123, 1_000_000 - 123]);
    world.pass(100);
    await limiter.returnUnused();
    expect(await left()).toEqual([6000 - 100, 1_000_000 - 100]);
    world.asked.length = 0;
    expect(await takeMany(limiter, windows, 4)).toBe(4);
    expect(world.asked).toEqual(Array.from({ length: 4 }, () => [1, 1]));
  });

  it('of a block that was not used in time go back to the day', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 6000 });
    const world = simulate();
    const limiter = world.start();
    await takeMany(limiter, windows, 100);
    world.pass(60_000);
    await limiter.take('key', windows, REQUEST_COST);
    const state = await world.memory.take('key', windows, 0);
    // As many are asked for as were used of the last block.
    expect(world.asked.at(-1)).toEqual([37, 37]);
    expect(state.windows[1]!.remaining).toBe(6000 - 100 - 37);
  });

  it('are handed out to their limit less the reserve, and then one by one as they come back', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const world = simulate();
    const limiter = world.start();
    expect(await takeMany(limiter, windows, 7000)).toBe(5940);
    const refused = await limiter.take('key', windows, REQUEST_COST);
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 10 });
    world.pass(10);
    expect((await limiter.take('key', windows, REQUEST_COST)).allowed).toBe(true);
    expect((await limiter.take('key', windows, REQUEST_COST)).allowed).toBe(false);
  });

  it('of a store that answers late serve those who waited for it, and nobody else', async () => {
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const world = simulate();
    const limiter = world.start();
    await takeMany(limiter, windows, 7);
    world.answerAfter(700);
    const waited = limiter.take('key', windows, REQUEST_COST);
    const late = Promise.resolve().then(() => limiter.take('key', windows, REQUEST_COST));
    expect((await waited).allowed).toBe(true);
    expect((await late).allowed).toBe(true);
    expect(world.asked.length).toBe(5);
  });

  it('are not taken for small limits, short windows and requests that are large', async () => {
    const world = simulate();
    const limiter = world.start();
    const asked = async (windows: readonly Window[], cost: readonly number[]) => {
      for (let i = 0; i < 4; i++) await limiter.take('key', windows, cost);
      return world.asked.splice(0);
    };
    const one = (cost: readonly number[]) => Array.from({ length: 4 }, () => cost);
    expect(await asked(requestWindows({ perMinute: 599, perDay: 10_000 }), [1, 1])).toEqual(one([1, 1]));
    expect(await asked(requestWindows({ perMinute: 1000, perDay: 599 }), [1, 1])).toEqual(one([1, 1]));
    expect(await asked([{ limit: 5000, windowMs: 1000 }], [1])).toEqual(one([1]));
    const ingestion = ingestionWindows({ eventsPerMinute: 1000, bytesPerMinute: 1_000_000 });
    expect(await asked(ingestion, [11, 1])).toEqual(one([11, 1]));
    expect(await asked(ingestion, [2, 1])).toEqual([
      [2, 1],
      [4, 2],
      [8, 4],
    ]);
  });

  it('are those of the plan as it is now, and of a key that is there', async () => {
    const world = simulate();
    const limiter = world.start();
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    await takeMany(limiter, windows, 100);
    world.asked.length = 0;
    const smaller = requestWindows({ perMinute: 600, perDay: 100_000_000 });
    expect((await limiter.take('key', smaller, REQUEST_COST)).windows[0]!.remaining).toBe(594 - 124);
    await takeMany(limiter, smaller, 7);
    await limiter.erase(['key']);
    expect((await limiter.take('key', smaller, REQUEST_COST)).windows[0]!.remaining).toBe(593);
  });

  it('say what the store says when it fails', async () => {
    const failing: RateLimiter = {
      take: () => Promise.reject(new Error('away')),
      erase: () => Promise.resolve(),
    };
    const limiter = leasedLimiter({ limits: failing, clock: { now: () => START }, elapsed: () => 0 });
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    const takes = Array.from({ length: 3 }, () => limiter.take('key', windows, REQUEST_COST));
    for (const take of takes) await expect(take).rejects.toThrow('away');
    await limiter.returnUnused();
  });

  it('are remembered for a bounded number of keys', async () => {
    const world = simulate();
    const limiter = world.start();
    const windows = requestWindows({ perMinute: 6000, perDay: 100_000_000 });
    for (let i = 0; i < 4096; i++) await limiter.take(`key-${i}`, windows, REQUEST_COST);
    world.asked.length = 0;
    await takeMany(limiter, windows, 3, 'one too many');
    expect(world.asked).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    world.pass(601);
    world.asked.length = 0;
    await takeMany(limiter, windows, 3, 'room again');
    expect(world.asked).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });
});

/** How many of so many takes were admitted. */
async function takeMany(
  limiter: LeasedLimiter,
  windows: readonly Window[],
  takes: number,
  id = 'key',
): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < takes; i++) {
    if ((await limiter.take(id, windows, REQUEST_COST)).allowed) admitted += 1;
  }
  return admitted;
}
