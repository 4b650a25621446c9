import { expect, it } from 'vitest';
import { createHeldRows } from '../../../../src/core/columns/order/held-rows.ts';
import { roomyKept } from '../fixtures.ts';
import { CHUNK_ROWS } from '../../../../src/core/columns/log/sizes.ts';

it('what several hold is booked until the last lets go of it, and given back once', () => {
  const entry = roomyKept();
  const held = createHeldRows(entry);
  held.reserve(100, 0);
  const [first, second] = [held.hold(10), held.hold(20)];
  held.reserve(200, 20);
  expect(entry.bytes).toBe(300 * 4);
  held.release(first);
  expect(entry.bytes).toBe(300 * 4);
  expect(second.rows).toHaveLength(100);
  held.release(second);
  expect(entry.bytes).toBe(200 * 4);
  // The present one stays, whoever lets go of it.
  held.release(held.hold(20));
  expect(entry.bytes).toBe(200 * 4);
});

it('the chunks at a block are those of its rows, also when late ones have moved in', () => {
  const size = 2 * CHUNK_ROWS;
  const held = createHeldRows(roomyKept());
  held.reserve(size, 0);
  held.current.set(Uint32Array.from({ length: size }, (_, row) => row));
  const first = held.hold(size);
  const chunksOf = ({ chunksAt }: typeof first) => [0, 1].map((block) => chunksAt(block)?.[0]);
  expect(chunksOf(first)).toEqual([1, 2]);
  held.release(first);
  // A row of the second chunk was late, and stands in the first block now.
  held.reserve(size, size);
  held.changed(7);
  held.current.copyWithin(8, 7, size - 1);
  held.current[7] = size - 1;
  const second = held.hold(size);
  expect(chunksOf(second)).toEqual([3, 3]);
  held.reserve(size, size);
  held.changed(0);
  held.current.sort();
  expect(chunksOf(held.hold(size - 1))).toEqual([1, undefined]);
  expect(chunksOf(second)).toEqual([3, 3]);
});
