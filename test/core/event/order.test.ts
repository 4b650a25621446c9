import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareIds, compareNewestFirst } from '../../../src/core/event/order.ts';

const places = fc.record({
  eventTs: fc.integer({ min: 0, max: 3 }),
  insertId: fc.constantFrom('a', 'b', '～', '😀'),
});

it('answers come newest first, and of one instant by id from the last code point on', () => {
  const sorted = [
    { eventTs: 1, insertId: 'b' },
    { eventTs: 2, insertId: '～' },
    { eventTs: 1, insertId: 'c' },
    { eventTs: 2, insertId: '😀' },
  ].sort(compareNewestFirst);
  expect(sorted.map(({ insertId }) => insertId)).toEqual(['😀', '～', 'c', 'b']);
  expect(['b', 'a'].sort(compareIds)).toEqual(['a', 'b']);
});

it('the order is total: two places are equal only if they are the same', () => {
  fc.assert(
    fc.property(places, places, (a, b) => {
      const isSame = a.eventTs === b.eventTs && a.insertId === b.insertId;
      expect(compareNewestFirst(a, b) === 0).toBe(isSame);
      expect(Math.sign(compareNewestFirst(a, b))).toBe(0 - Math.sign(compareNewestFirst(b, a)));
    }),
  );
});
