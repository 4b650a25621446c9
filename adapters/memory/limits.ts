import { requireOptions } from '../../src/index.ts';
import { fullBuckets, takeTokens, type Buckets, type Clock, type RateLimiter } from '../../src/store-kit.ts';

/** Token buckets in memory. A restart refills them all, so a server should keep them in a durable store. */
export function memoryRateLimiter(clock: Clock): RateLimiter {
  requireOptions('memoryRateLimiter', { clock }, ['clock']);
  const bucketsOf = new Map<string, Buckets>();
  return {
    take: (id, windows, cost) => {
      const now = clock.now();
      const { buckets, state } = takeTokens(bucketsOf.get(id) ?? fullBuckets(now), windows, cost, now);
      // A cost of 0 only reads the state: an id that never takes a token must use no memory.
      if (cost !== 0) bucketsOf.set(id, buckets);
      return Promise.resolve(state);
    },
    erase: (ids) => {
      for (const id of ids) bucketsOf.delete(id);
      return Promise.resolve();
    },
  };
}
