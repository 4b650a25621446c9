import fc from 'fast-check';
import { expect, it } from 'vitest';
import { summarize } from '../../../../src/core/columns/groups/summary.ts';
import { compareKeys } from '../../../../src/core/query/grouping.ts';
import { countingPacer } from '../fixtures.ts';

/** Keys that groups have, each with how many events it has. */
const groups = fc.uniqueArray(
  fc.record({ key: fc.oneof(fc.string(), fc.nat({ max: 30 }), fc.boolean()), count: fc.nat({ max: 2 }) }),
  { maxLength: 40, selector: ({ key }) => key },
);

it('groups that have as many events follow each other by their keys, however few are given', async () => {
  await fc.assert(
    fc.asyncProperty(groups, fc.nat({ max: 12 }), async (keys, size) => {
      const values = [undefined, ...keys.map(({ key }) => key)];
      const counts = [3, ...keys.map(({ count }) => count)];
      const { given } = await summarize({ values, count: values.length }, counts, size, countingPacer());
      const expected = keys
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || compareKeys(a.key, b.key))
        .map(({ key }) => key);
      expect(given.map((code) => values[code])).toEqual(expected.slice(0, size));
    }),
  );
});
