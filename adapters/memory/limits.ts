import { fullBuckets, takeTokens, type Buckets, type RateLimiter, type Runtime } from '../../src/index.ts';

/** What the limiter needs of a Runtime: the time. */
export type Clock = Pick<Runtime, 'now'>;

/** Token buckets in memory: a restart hands out a new quota, so a server keeps them in a durable store. */
export function memoryRateLimiter(clock: Clock): RateLimiter {
  const bucketsOf = new Map<string, Buckets>();
  return {
    take: (keyId, limits, cost) => {
      const now = clock.now();
      const { buckets, state } = takeTokens(bucketsOf.get(keyId) ?? fullBuckets(now), limits, cost, now);
      bucketsOf.set(keyId, buckets);
      return Promise.resolve(state);
    },
    erase: (keyIds) => {
      for (const keyId of keyIds) bucketsOf.delete(keyId);
      return Promise.resolve();
    },
  };
}
