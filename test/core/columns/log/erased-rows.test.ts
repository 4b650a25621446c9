import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  countBits,
  createBitmap,
  hasBit,
  isErased,
  isGone,
  lastLiveRow,
  liveRowsOf,
  nextBit,
  setBit,
  toErasedRows,
  unionOf,
} from '../../../../src/core/columns/log/erased-rows.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';
import { bitmapsOf, range } from '../fixtures.ts';

const locals = fc.uniqueArray(fc.nat({ max: SEGMENT_ROWS - 1 }), { maxLength: 20 });
const bitmapOf = (rows: readonly number[]) => bitmapsOf(rows)[0] ?? createBitmap();

it('a bitmap has the rows that were added to it, and a union those of both', () => {
  fc.assert(
    fc.property(locals, locals, (some, others) => {
      const [one, other] = [bitmapOf(some), bitmapOf(others)];
      const both = unionOf(one, other);
      expect([countBits(one), countBits(both)]).toEqual([some.length, new Set([...some, ...others]).size]);
      for (const row of [...some, ...others, 0, SEGMENT_ROWS - 1]) {
        expect(hasBit(one, row)).toBe(some.includes(row));
        expect(hasBit(both, row)).toBe(some.includes(row) || others.includes(row));
      }
      // A question keeps the bitmap that it began with.
      expect(countBits(one)).toBe(some.length);
      expect(unionOf(one, undefined)).not.toBe(one);
    }),
  );
});

it('rows of all segments are counted and found by their numbers', () => {
  const rows = [0, 7, SEGMENT_ROWS - 1, 2 * SEGMENT_ROWS, 2 * SEGMENT_ROWS + 63];
  const erased = toErasedRows(bitmapsOf(rows));
  expect([erased.count, erased.bitmaps[1]]).toEqual([5, undefined]);
  for (const row of [...rows, 1, 8, SEGMENT_ROWS, 3 * SEGMENT_ROWS]) {
    expect(isErased(erased, row)).toBe(rows.includes(row));
  }
  expect(liveRowsOf(erased, 5, 10)).toEqual([5, 6, 8, 9]);
  expect(liveRowsOf(erased, SEGMENT_ROWS - 2, SEGMENT_ROWS + 1)).toEqual([SEGMENT_ROWS - 2, SEGMENT_ROWS]);
});

it('a segment is gone when its last row is erased, and not before', () => {
  const bitmap = bitmapOf(range(0, SEGMENT_ROWS).filter((row) => row !== 9));
  const bitmaps = [undefined, bitmap];
  expect(isGone(toErasedRows(bitmaps), 1)).toBe(false);
  expect(lastLiveRow(toErasedRows(bitmaps), 1)).toBe(SEGMENT_ROWS + 9);
  setBit(bitmap, 9);
  expect([0, 1, 2].map((segment) => isGone(toErasedRows(bitmaps), segment))).toEqual([false, true, false]);
  expect(lastLiveRow(toErasedRows(bitmaps), 1)).toBeUndefined();
  expect(lastLiveRow(toErasedRows(bitmaps), 2)).toBe(3 * SEGMENT_ROWS - 1);
  expect(lastLiveRow(toErasedRows([bitmapOf([SEGMENT_ROWS - 1])]), 0)).toBe(SEGMENT_ROWS - 2);
});

it('the next row of a bitmap is the first from a row on, and the end of the segment behind the last', () => {
  fc.assert(
    fc.property(locals, (some) => {
      const bitmap = bitmapOf(some);
      const found: number[] = [];
      for (let row = nextBit(bitmap, 0); row < SEGMENT_ROWS; row = nextBit(bitmap, row + 1)) found.push(row);
      expect(found).toEqual(some.toSorted((a, b) => a - b));
      for (const from of [...some, 1, 7, 8, SEGMENT_ROWS - 9, SEGMENT_ROWS])
        expect(nextBit(bitmap, from)).toBe(found.find((row) => row >= from) ?? SEGMENT_ROWS);
    }),
  );
});
