import { expect, it } from 'vitest';
import { createOrderArray } from '../../../../src/core/columns/order/order-array.ts';
import { roomyKept } from '../fixtures.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

it('what several questions pin is booked until the last unpins it, and given back once', () => {
  const entry = roomyKept();
  const array = createOrderArray(entry);
  array.reserve(100, 0);
  const [first, second] = [array.pin(10), array.pin(20)];
  array.reserve(200, 20);
  expect(entry.bytes).toBe(300 * 4);
  array.unpin(first);
  expect(entry.bytes).toBe(300 * 4);
  expect(second.rows).toHaveLength(100);
  array.unpin(second);
  expect(entry.bytes).toBe(200 * 4);
  // The current one stays, however often it is unpinned.
  array.unpin(array.pin(20));
  expect(entry.bytes).toBe(200 * 4);
});

it('the chunks at a block are those of its rows, also when late ones have moved in', () => {
  const size = 2 * SEGMENT_ROWS;
  const array = createOrderArray(roomyKept());
  array.reserve(size, 0);
  array.current.set(Uint32Array.from({ length: size }, (_, row) => row));
  const first = array.pin(size);
  const chunksOf = ({ chunksAt }: typeof first) => [0, 1].map((block) => chunksAt(block)?.[0]);
  expect(chunksOf(first)).toEqual([1, 2]);
  array.unpin(first);
  // A row of the second chunk was late, and stands in the first block now.
  array.reserve(size, size);
  array.changed(7);
  array.current.copyWithin(8, 7, size - 1);
  array.current[7] = size - 1;
  const second = array.pin(size);
  expect(chunksOf(second)).toEqual([3, 3]);
  array.reserve(size, size);
  array.changed(0);
  array.current.sort();
  expect(chunksOf(array.pin(size - 1))).toEqual([1, undefined]);
  expect(chunksOf(second)).toEqual([3, 3]);
});
