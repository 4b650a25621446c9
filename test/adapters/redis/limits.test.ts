import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  redisRateLimiter,
  type RedisLimiterOptions,
  type SendCommand,
} from '../../../adapters/redis/index.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { testRateLimiter } from '../../conformance/index.ts';
import { HAS_REDIS, startRedis, type RedisServer } from './redis-server.ts';

if (!HAS_REDIS) {
  it('THE LIMITER OVER REDIS WAS NOT TESTED: install redis-server', () => undefined);
}

const windows = requestWindows({ perMinute: 100, perDay: 2000 });
const clock = { now: () => Date.now() };
/** How long Redis is waited for: a machine that stands for a moment must not make it count as away. */
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

  it('goes by the clock of Redis, whatever the process takes for the time', async () => {
    const { at } = await limiterOf({ clock: { now: () => 0 } }).take('by-its-clock', windows, REQUEST_COST);
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
  });

  it('knows its script again after SCRIPT FLUSH', async () => {
    const limiter = limiterOf();
    await limiter.take('flushed', windows, REQUEST_COST);
    await send(['SCRIPT', 'FLUSH']);
    const { windows: left } = await limiter.take('flushed', windows, REQUEST_COST);
    expect(left.map(({ remaining }) => remaining)).toEqual([98, 1998]);
  });

  it('keeps a key until its buckets are full and for a day, and no longer', async () => {
    await limiterOf({ prefix: 'kept:' }).take('key', windows, REQUEST_COST);
    const ttl = Number(await send(['PTTL', 'kept:key']));
    // One token of the day's 2,000 comes back in 43.2 s.
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

describe.runIf(HAS_REDIS)('the limiter while Redis is away', () => {
  const few = requestWindows({ perMinute: 2, perDay: 20 });

  /** A limiter whose Redis is brought down by `fail`, then brought back, and what happens on the way. */
  async function outage(
    fail: (server: RedisServer) => void,
    mend: (server: RedisServer) => Promise<void> | void,
  ) {
    const server = await startRedis();
    const { send, close } = await server.connect();
    const changes: boolean[] = [];
    const onChange = (away: boolean) => void changes.push(away);
    const limiter = redisRateLimiter({ send, clock, timeoutMs, retryMs: 50, onChange });
    try {
      await limiter.take('key', few, REQUEST_COST);
      fail(server);
      const taken = [];
      for (let i = 0; i < 5; i++) taken.push((await limiter.take('key', few, REQUEST_COST)).allowed);
      await mend(server);
      while (changes.length < 2) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await limiter.take('another', few, 0);
      }
      return { taken, changes };
    } finally {
      close();
      await server.stop();
    }
  }

  it.each([
    ['killed and started again', 'SIGKILL', (server: RedisServer) => server.restart()],
    ['stopped and going on', 'SIGSTOP', (server: RedisServer) => server.signal('SIGCONT')],
  ] as const)(
    '%s: it counts by itself, says so once, and comes back by itself',
    async (_name, signal, mend) => {
      const { taken, changes } = await outage((server) => server.signal(signal), mend);
      expect(taken).toEqual([true, true, false, false, false]);
      expect(changes).toEqual([true, false]);
    },
  );

  it('counts from full buckets each time that Redis goes away', async () => {
    const server = await startRedis();
    const { send, close } = await server.connect();
    let isAway = true;
    const limiter = redisRateLimiter({
      send: (args) => (isAway ? Promise.reject(new Error('ECONNRESET')) : send(args)),
      clock: { now: () => 0 },
      timeoutMs,
      retryMs: 0,
    });
    const take = async () => (await limiter.take('key', few, REQUEST_COST)).allowed;
    try {
      expect([await take(), await take(), await take()]).toEqual([true, true, false]);
      isAway = false;
      expect(await take()).toBe(true);
      isAway = true;
      expect(await take()).toBe(true);
    } finally {
      close();
      await server.stop();
    }
  });
});
