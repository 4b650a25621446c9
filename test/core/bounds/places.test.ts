import { expect, it } from 'vitest';
import { createPlaces } from '../../../src/transport-kit.ts';

it('who holds a place has its share still, however many have come and gone', () => {
  const places = createPlaces(4);
  expect(places.take(['stays'])).toBe(true);
  for (let i = 0; i < 10_000; i++) {
    expect(places.take([`goes-${i}`])).toBe(true);
    places.leave([`goes-${i}`]);
  }
  expect([places.take(['stays']), places.take(['stays'])]).toEqual([true, false]);
  expect(places.taken).toBe(2);
});
