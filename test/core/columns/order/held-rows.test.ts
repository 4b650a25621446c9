import { expect, it } from 'vitest';
import { createHeldRows } from '../../../../src/core/columns/order/held-rows.ts';
import { roomyKept } from '../fixtures.ts';

it('what several hold is booked until the last lets go of it, and given back once', () => {
  const kept = roomyKept();
  const held = createHeldRows(kept);
  held.reserve(100, 0);
  const [first, second] = [held.hold(10), held.hold(20)];
  held.reserve(200, 20);
  expect(kept.bytes).toBe(300 * 4);
  held.release(first);
  expect(kept.bytes).toBe(300 * 4);
  expect(second.rows).toHaveLength(100);
  held.release(second);
  expect(kept.bytes).toBe(200 * 4);
  // The present one stays, whoever lets go of it.
  held.release(held.hold(20));
  expect(kept.bytes).toBe(200 * 4);
});
