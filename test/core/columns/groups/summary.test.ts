import fc from 'fast-check';
import { expect, it } from 'vitest';
import { summarize } from '../../../../src/core/columns/groups/summary.ts';
import { compareKeys } from '../../../../src/core/query/grouping.ts';
import type { Scalar } from '../../../../src/index.ts';
import { countingPacer } from '../fixtures.ts';

const scalars = fc.uniqueArray(fc.oneof(fc.string(), fc.nat({ max: 30 }), fc.boolean()), {
  maxLength: 40,
});

it('groups that have as many events follow each other by their keys, however few are given', async () => {
  await fc.assert(
    fc.asyncProperty(
      scalars,
      fc.infiniteStream(fc.nat({ max: 2 })),
      fc.nat({ max: 12 }),
      async (keys, stream, size) => {
        const counts = [3, ...keys.map(() => stream.next().value)];
        const values = [undefined, ...keys];
        const { given } = await summarize({ values, count: values.length }, counts, size, countingPacer());
        const codes = keys.map((_, i) => i + 1).filter((code) => counts[code]! > 0);
        codes.sort(
          (a, b) => counts[b]! - counts[a]! || compareKeys(values[a] as Scalar, values[b] as Scalar),
        );
        expect(given).toEqual(codes.slice(0, size));
      },
    ),
  );
});
