import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import { parsePercentile } from '../../../src/core/query/measures.ts';
import { createTimesList } from '../../../src/core/sequences/step-times.ts';

const PACER = { now: () => 0, yieldIfDue: () => undefined };
const ASKED = ['p0', 'p1', 'p50', 'p90', 'p99.9', 'p100'].map((name) => parsePercentile(name, 'percentiles'));

/** Lengths around each power of two: a list grows at some of them. */
const lengths = fc
  .tuple(fc.integer({ min: 0, max: 13 }), fc.integer({ min: -2, max: 2 }))
  .map(([power, more]) => Math.max(0, 2 ** power + more));

it('the percentiles are those of all times that were added, however many they are', async () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.integer({ min: 1, max: 10_000 }), async (length, step) => {
      // Neither ascending nor equal, and none is 0.
      const times = Array.from({ length }, (_, i) => 1 + ((i * 7919 * step) % 10_007));
      const list = createTimesList(memory.reservation('tenant'));
      for (const time of times) list.add(time);
      const sorted = times.toSorted((a, b) => a - b);
      const told = ASKED.map(({ name, rank }) => {
        const least = sorted.find((_, i) => (i + 1) * 100_000 >= rank * length);
        return [name, least ?? null] as const;
      });
      expect(await list.percentiles(ASKED, PACER)).toEqual(Object.fromEntries(told));
    }),
    { numRuns: 200 },
  );
});
