import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  redisRateLimiter,
  type RedisLimiterOptions,
  type SendCommand,
} from '../../../adapters/redis/index.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';

const few = requestWindows({ perMinute: 2, perDay: 20 });
const refusing: SendCommand = () => Promise.reject(new Error('ECONNREFUSED'));

/** A limiter whose Redis cannot be reached, its clock, and the number of its commands. */
function limiterAlone(options: Partial<RedisLimiterOptions> = {}) {
  const seen = { asked: 0, now: 0 };
  const { send = refusing } = options;
  const limiter = redisRateLimiter({
    clock: { now: () => seen.now },
    ...options,
    send: (args) => {
      seen.asked += 1;
      return send(args);
    },
  });
  const take = (id = 'key') => limiter.take(id, few, REQUEST_COST);
  return { limiter, seen, take };
}

describe('the limiter without Redis', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('refuses with 503 when closed', async () => {
    const { take } = limiterAlone({ onFailure: 'closed' });
    await expect(take()).rejects.toMatchObject({ status: 503 });
  });

  it('admits every request when open, and makes none wait', async () => {
    const { take } = limiterAlone({ onFailure: 'open' });
    for (let i = 0; i < 30; i++) expect(await take()).toMatchObject({ allowed: true, retryAfterMs: 0 });
  });

  it('counts locally, and reading the state changes nothing', async () => {
    const { limiter, seen, take } = limiterAlone();
    const allowed = [await take(), await take(), await take()].map((state) => state.allowed);
    expect(allowed).toEqual([true, true, false]);
    seen.now = 60_000;
    expect((await limiter.take('key', few, 0)).windows[0]!.remaining).toBe(2);
    // Reading the state left no trace, so it does not count after the clock is set back.
    seen.now = 0;
    expect((await take()).allowed).toBe(false);
  });

  it('retries a failed Redis after a pause, each time that it fails', async () => {
    const { seen, take } = limiterAlone({ retryMs: 1000 });
    for (const ms of [0, 999, 1, 999, 1]) {
      vi.advanceTimersByTime(ms);
      await take();
      await take();
    }
    expect(seen.asked).toBe(3);
  });

  it('says once that Redis is away, however often it fails', async () => {
    const changes: unknown[] = [];
    const { seen, take } = limiterAlone({ retryMs: 0, onChange: (...change) => changes.push(change) });
    for (let i = 0; i < 5; i++) await take();
    expect(seen.asked).toBe(5);
    expect(changes).toEqual([[true, expect.objectContaining({ message: 'ECONNREFUSED' })]]);
  });

  it('gives up on an answer that takes too long, and then only', async () => {
    const { take } = limiterAlone({ send: () => new Promise(() => undefined), timeoutMs: 20 });
    let state: unknown;
    void take().then((found) => (state = found));
    await vi.advanceTimersByTimeAsync(19);
    expect(state).toBeUndefined();
    // Turns of the event loop take a little longer than their timers.
    await vi.advanceTimersByTimeAsync(20);
    expect(state).toMatchObject({ allowed: true });
  });

  it('stops waiting once an answer has come', async () => {
    const { take } = limiterAlone();
    await take();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('cannot erase in Redis, says so, and forgets its local counts', async () => {
    const { limiter, take } = limiterAlone();
    for (const id of ['key', 'key', 'other', 'other']) await take(id);
    await expect(limiter.erase(['key', 'other'])).rejects.toMatchObject({ status: 503 });
    expect([await take('key'), await take('other')]).toMatchObject([{ allowed: true }, { allowed: true }]);
  });

  it('refunds nothing while it counts locally, nor later what it took locally', async () => {
    let isAway = true;
    const asked: string[][] = [];
    const { limiter, seen } = limiterAlone({
      retryMs: 0,
      send: (args) => {
        asked.push(args);
        return isAway ? Promise.reject(new Error('ECONNRESET')) : Promise.resolve(['0', '0', '0 0']);
      },
    });
    seen.now = 5000;
    const { at } = await limiter.take('key', few, [2, 2]);
    const back = { tokens: [2, 2], takenAt: at };
    expect((await limiter.take('key', few, back)).windows[0]!.remaining).toBe(0);
    isAway = false;
    await limiter.take('key', few, back);
    // Only reads the state, but sends the local use along.
    expect(asked.at(-1)!.slice(5, 7)).toEqual(['0', '120000 172800000']);
  });

  it('sends no command to erase nothing', async () => {
    const { limiter, seen } = limiterAlone();
    await limiter.erase([]);
    expect(seen.asked).toBe(0);
  });
});
