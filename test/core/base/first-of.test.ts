import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFirstOf } from '../../../src/core/base/first-of.ts';

it('keeps the first of an order, and gives back what is not among them', () => {
  const items = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
  fc.assert(
    fc.property(items, fc.integer({ min: 0, max: 12 }), (numbers, size) => {
      const first = createFirstOf<number>(size, (a, b) => a - b);
      const left = numbers.map((number) => first.add(number)).filter((number) => number !== undefined);
      const sorted = numbers.toSorted((a, b) => a - b);
      expect(first.sorted()).toEqual(sorted.slice(0, size));
      expect(left.sort((a, b) => a - b)).toEqual(sorted.slice(size));
    }),
  );
});
