import { fullBuckets, takeTokens, type Buckets, type Clock, type RateLimiter } from '../../src/store-kit.ts';

/** Token buckets in memory: a restart hands out a new quota, so a server keeps them in a durable store. */
export function memoryRateLimiter(clock: Clock): RateLimiter {
  const bucketsOf = new Map<string, Buckets>();
  return {
    take: (id, windows, cost) => {
      const now = clock.now();
      const { buckets, state } = takeTokens(bucketsOf.get(id) ?? fullBuckets(now), windows, cost, now);
      // Who only looks leaves no trace: ids that never take anything take no memory.
      if (cost !== 0) bucketsOf.set(id, buckets);
      return Promise.resolve(state);
    },
    erase: (ids) => {
      for (const id of ids) bucketsOf.delete(id);
      return Promise.resolve();
    },
  };
}
