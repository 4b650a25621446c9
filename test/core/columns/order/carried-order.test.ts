import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLog } from '../../../../adapters/memory/event-log.ts';
import { createCarriedOrder } from '../../../../src/core/columns/order/carried-order.ts';
import { createOrder } from '../../../../src/core/columns/order/order.ts';
import { eventsWith, HASH, roomyKept } from '../fixtures.ts';

it('has the rows that are left in their order, each by its new number', () => {
  const rowsOf = (length: number) => Array.from({ length }, (_, row) => row);
  const permuted = fc
    .integer({ min: 1, max: 40 })
    .chain((size) => fc.shuffledSubarray(rowsOf(size), { minLength: size, maxLength: size }));
  fc.assert(
    fc.property(permuted, fc.uniqueArray(fc.nat(45)), (rows, some) => {
      const erased = some.sort((a, b) => a - b);
      const indexedRows = rows.length;
      const ordered = { rows: Uint32Array.from(rows), indexedRows, chunksAt: () => undefined };
      const instants = Float64Array.from(rows, (_, row) => row * 10);
      const order = createCarriedOrder(instants, ordered, Uint32Array.from(erased));
      const isLeft = (row: number) => !erased.includes(row);
      const left = rowsOf(indexedRows).filter(isLeft);
      expect(order.size).toBe(left.length);
      const [instantsNow, rowsNow] = [new Float64Array(indexedRows), new Uint32Array(indexedRows)];
      while (!order.fill(instantsNow, rowsNow)) continue;
      expect([...instantsNow.subarray(0, left.length)]).toEqual(left.map((row) => row * 10));
      const expected = rows.filter(isLeft).map((row) => left.indexOf(row));
      expect([...rowsNow.subarray(0, left.length)]).toEqual(expected);
    }),
  );
});

it('stays whole for a question that pins it while it is carried over', () => {
  // More than two steps of rows.
  const size = 150_000;
  const log = createMemoryLog(2, HASH);
  log.append(eventsWith(new Array<number>(size).fill(1)));
  const rows = Uint32Array.from({ length: size }, (_, place) => size - 1 - place);
  const instants = Float64Array.from({ length: size }, (_, row) => size - row);
  const ordered = { rows, indexedRows: size, chunksAt: () => undefined };
  const order = createOrder(log, roomyKept(), createCarriedOrder(instants, ordered, new Uint32Array(0)));
  let steps = 0;
  for (; order.indexedRows < size; steps++) {
    order.unpin(order.pin());
    order.pin();
    order.indexStep(size);
  }
  expect(steps).toBeGreaterThan(4);
  const pinned = order.pin();
  expect(rows.filter((row, place) => pinned.rows[place] !== row)).toHaveLength(0);
  expect(instants.filter((instant, row) => order.instants[row] !== instant)).toHaveLength(0);
});
