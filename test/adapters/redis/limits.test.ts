import * as fc from 'fast-check';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  redisRateLimiter,
  type RedisLimiterOptions,
  type SendCommand,
} from '../../../adapters/redis/index.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { fullBuckets, takeTokens } from '../../../src/store-kit.ts';
import { testRateLimiter } from '../../conformance/index.ts';
import { HAS_REDIS, startRedis, type RedisServer } from './redis-server.ts';

if (!HAS_REDIS) {
  it('THE LIMITER OVER REDIS WAS NOT TESTED: install redis-server', () => undefined);
}

const windows = requestWindows({ perMinute: 100, perDay: 2000 });
const clock = { now: () => Date.now() };
/** The timeout for Redis, long enough that a short stall of the machine does not count as an outage. */
const timeoutMs = 5000;

describe.runIf(HAS_REDIS)('the limiter over Redis', () => {
  let server: RedisServer;
  let send: SendCommand;
  let close: () => void;

  beforeAll(async () => {
    server = await startRedis();
    ({ send, close } = await server.connect());
  });
  afterAll(async () => {
    close();
    await server.stop();
  });

  const limiterOf = (options: Partial<RedisLimiterOptions> = {}) =>
    redisRateLimiter({ send, clock, timeoutMs, ...options });

  testRateLimiter(
    'redis',
    (steered) => {
      const lasting = (args: [string, ...string[]]) => send(args);
      const create = () => redisRateLimiter({ send: lasting, clock: steered, byOwnClock: true, timeoutMs });
      return { store: create(), reopen: create };
    },
    { describe, it, expect },
  );

  it('uses the clock of Redis, whatever the clock of the process says', async () => {
    const { at } = await limiterOf({ clock: { now: () => 0 } }).take('by-its-clock', windows, REQUEST_COST);
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
  });

  it('loads its script again after SCRIPT FLUSH', async () => {
    const limiter = limiterOf();
    await limiter.take('flushed', windows, REQUEST_COST);
    await send(['SCRIPT', 'FLUSH']);
    const { windows: left } = await limiter.take('flushed', windows, REQUEST_COST);
    expect(left.map(({ remaining }) => remaining)).toEqual([98, 1998]);
  });

  it('keeps a key until a day after its buckets are full', async () => {
    await limiterOf({ prefix: 'kept:' }).take('key', windows, REQUEST_COST);
    const ttl = Number(await send(['PTTL', 'kept:key']));
    // With 2,000 tokens a day, one is refilled every 43.2 s.
    expect(ttl).toBeGreaterThan(86_400_000);
    expect(ttl).toBeLessThanOrEqual(86_400_000 + 43_200 + 1);
  });

  it('admits exactly the capacity when four processes take 4,000 times at once', async () => {
    const child = fileURLToPath(new URL('./taking-process.ts', import.meta.url));
    const children = Array.from({ length: 4 }, () =>
      fork(child, [String(server.port), 'crowd', '1000'], { execArgv: ['--import', 'tsx'] }),
    );
    const began = Date.now();
    const answers = await Promise.all(children.map((each) => once(each, 'message') as Promise<[number]>));
    const admitted = answers.reduce((sum, [count]) => sum + count, 0);
    const refilled = Math.floor(((Date.now() - began) * 100) / 60_000);
    expect(admitted).toBeGreaterThanOrEqual(100);
    expect(admitted).toBeLessThanOrEqual(100 + refilled);
  });
});

describe.runIf(HAS_REDIS)('a client that is closed while it connects', () => {
  it('lets its process end', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const program = fileURLToPath(new URL('./ending-process.ts', import.meta.url));
    const child = fork(program, [String(server.port)], { execArgv: ['--import', 'tsx'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe.runIf(HAS_REDIS)('the limiter while Redis is away', () => {
  const few = requestWindows({ perMinute: 5, perDay: 20 });
  let server: RedisServer;
  let send: SendCommand;
  let close: () => void;

  beforeEach(async () => {
    server = await startRedis();
    ({ send, close } = await server.connect());
  });
  afterEach(async () => {
    close();
    await server.stop();
  });

  /** A limiter with a stopped clock, so that nothing is refilled, and its messages about Redis. */
  function limiterAt(options: Partial<RedisLimiterOptions> = {}) {
    const changes: boolean[] = [];
    const onChange = (away: boolean) => void changes.push(away);
    const still = { clock: { now: () => 0 }, byOwnClock: true };
    const limiter = redisRateLimiter({ send, ...still, timeoutMs, retryMs: 50, onChange, ...options });
    const take = async (id = 'key') => (await limiter.take(id, few, REQUEST_COST)).allowed;
    return { limiter, take, changes };
  }

  it.each([
    ['killed and started again', 'SIGKILL', () => server.restart()],
    ['stopped and going on', 'SIGSTOP', () => server.signal('SIGCONT')],
  ] as const)(
    '%s: it goes on from what Redis told, says so once, and brings along what it took',
    async (_name, signal, mend) => {
      const { limiter, take, changes } = limiterAt();
      const taken = [await take(), await take()];
      server.signal(signal);
      taken.push(await take(), await take(), await take('another'));
      await mend();
      await vi.waitUntil(async () => {
        await limiter.take('a third', few, 0);
        return changes.length === 2;
      }, WAIT);
      taken.push(await take(), await take(), await take());
      expect(taken).toEqual([true, true, true, true, true, true, false, false]);
      expect(changes).toEqual([true, false]);
      // Redis now has what the process knew, for other processes and after a restart.
      const other = limiterAt().limiter;
      expect((await other.take('key', few, 0)).windows[0]!.remaining).toBe(0);
      expect((await limiter.take('another', few, 0)).windows[0]!.remaining).toBe(4);
      expect((await other.take('another', few, 0)).windows[0]!.remaining).toBe(4);
    },
  );

  it('an event loop blocked for longer than the timeout is no outage', async () => {
    const { take, changes } = limiterAt({ timeoutMs: 3000 });
    for (let i = 0; i < 2; i++) {
      const taken = take();
      standStill(3200);
      expect(await taken).toBe(true);
    }
    expect(changes).toEqual([]);
  });

  it('admits one bucket, however often Redis is away or taken to be', async () => {
    // The timeout is so short that Redis counts as away at random; one bucket must still hold.
    const { take } = limiterAt({ timeoutMs: 1, retryMs: 1 });
    const takes: Promise<boolean>[] = [];
    for (let i = 0; i < 40; i++) {
      takes.push(take(), take());
      if (i % 4 === 0) standStill(20);
      if (i === 10) server.signal('SIGSTOP');
      if (i === 20) server.signal('SIGCONT');
      if (i % 4 === 1) await takes.at(-1);
      if (i % 4 === 2) await sleep(2);
    }
    const admitted = (await Promise.all(takes)).filter((allowed) => allowed).length;
    expect(admitted).toBe(5);
  });

  it('discards an answer that comes after Redis was declared away', async () => {
    const held: (() => void)[] = [];
    let isHolding = false;
    let isAway = false;
    const { take, changes } = limiterAt({
      retryMs: 60_000,
      send: async (args) => {
        if (isAway) throw new Error('ECONNRESET');
        if (!isHolding) return send(args);
        const answer = await send(args);
        return new Promise((resolve) => held.push(() => resolve(answer)));
      },
    });
    const first = await take();
    isHolding = true;
    const waiting = [take(), take()];
    await vi.waitUntil(() => held.length === 2, WAIT);
    isAway = true;
    const alone = [await take(), await take(), await take()];
    for (const tell of held) tell();
    const all = [first, ...alone, ...(await Promise.all(waiting))];
    expect(all).toEqual([true, true, true, true, true, false]);
    expect(changes).toEqual([true]);
  });
});

describe.runIf(HAS_REDIS)('the limiter over a Redis that fails now and then', () => {
  let server: RedisServer;
  let client: Awaited<ReturnType<RedisServer['connect']>>;

  beforeAll(async () => {
    server = await startRedis();
    client = await server.connect();
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  /** The fate of a command: it does not arrive, its answer is lost, or its answer is late. */
  const fate = fc.constantFrom('answered', 'answered', 'answered', 'refused', 'lost', 'late');
  const step = fc.record({
    fate,
    passedMs: fc.constantFrom(0, 0, 0, 1, 9_000, 30_000, 61_000),
    forgets: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    tokens: fc.integer({ min: 0, max: 3 }),
  });

  it('never admits more than one bucket, whatever is lost, late or forgotten', async () => {
    const windows = requestWindows({ perMinute: 6, perDay: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        let now = START_MS;
        let next = 'answered';
        const late: (() => void)[] = [];
        let before: Promise<unknown> = Promise.resolve();
        const fails: SendCommand = async (args) => {
          const own = next;
          if (own === 'refused') throw new Error('ECONNREFUSED');
          // A connection answers commands in order.
          const told = new Promise<void>((resolve) => {
            if (own === 'late') late.push(resolve);
            else resolve();
          });
          const heard = Promise.all([before, told]);
          if (own !== 'lost') before = heard;
          const answer = await client.send(args);
          if (own === 'lost') throw new Error('ECONNRESET');
          await heard;
          return answer;
        };
        const still = { clock: { now: () => now }, byOwnClock: true, retryMs: 0, timeoutMs };
        const limiter = redisRateLimiter({ send: fails, ...still });
        const takes: Promise<{ at: number; tokens: number } | undefined>[] = [];
        await client.send(['FLUSHALL']);
        for (const { fate, passedMs, forgets, tokens } of steps) {
          now += passedMs;
          next = fate;
          // The process knows what a restart has lost if it noticed the restart.
          if (forgets && fate === 'refused') await client.send(['FLUSHALL']);
          const taking = limiter
            .take('key', windows, [tokens, tokens])
            .then(({ allowed, at }) => (allowed ? { at, tokens } : undefined));
          takes.push(taking);
          if (fate === 'answered') for (const tell of late.splice(0)) tell();
          if (fate !== 'late') await taking;
        }
        await vi.waitUntil(async () => {
          for (const tell of late.splice(0)) tell();
          return (await Promise.race([Promise.all(takes), sleep(5)])) !== undefined;
        }, WAIT);
        let buckets = fullBuckets(START_MS);
        const admitted = (await Promise.all(takes)).filter((each) => each !== undefined);
        for (const { at, tokens } of admitted.sort((a, b) => a.at - b.at)) {
          const taken = takeTokens(buckets, windows, [tokens, tokens], at);
          expect(taken.state.allowed).toBe(true);
          buckets = taken.buckets;
        }
      }),
      { numRuns: 20 * Number(process.env.EVENT_QUERY_RUNS) },
    );
  });
});

const START_MS = 1_716_000_000_000;
/** How long to wait for a state. */
const WAIT = { timeout: 60_000, interval: 20 };

/** Blocks the event loop of this process. */
function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
