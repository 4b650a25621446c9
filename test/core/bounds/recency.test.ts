import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRecency, type RecencyNode } from '../../../src/core/bounds/recency.ts';

it('has what came first of those that are there, wherever others leave', () => {
  // Each number adds a value, and takes out the one at that place where there is one.
  const steps = fc.array(fc.option(fc.nat(10)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (leaving) => {
      const list = createRecency<number>();
      const expected: RecencyNode<number>[] = [];
      for (const [value, place] of leaving.entries()) {
        expected.push(list.add(value));
        if (place !== null && place < expected.length) {
          const [left] = expected.splice(place, 1);
          list.remove(left!);
          expect([left!.older, left!.newer]).toEqual([undefined, undefined]);
        }
        expect(list.oldest()).toBe(expected[0]?.value);
      }
      for (let place = expected.pop(); place !== undefined; place = expected.pop()) {
        list.remove(place);
        expect(list.oldest()).toBe(expected[0]?.value);
      }
    }),
  );
});
