import { search, type OrderSnapshot } from './order-array.ts';

/** The order of the live rows of a log, computed from the order of its previous version. */
export interface CarriedOrder {
  /** How many rows it has. */
  readonly size: number;
  /**
   * Fills in a step of the instants, by row, and of the rows in order. It returns whether that was the last.
   */
  fill(instants: Float64Array, rows: Uint32Array): boolean;
  /** Ends it and frees its memory. */
  stop(): void;
}

/** How many rows or places are filled in by one step. */
const STEP_ROWS = 16_384;

/** Makes the order of the live rows from an older order. `rowsErased` ascends. */
export function createCarriedOrder(
  instantsBefore: Float64Array,
  ordered: OrderSnapshot,
  rowsErased: Uint32Array,
): CarriedOrder {
  const { indexedRows } = ordered;
  let [before, rowsBefore, erased] = [instantsBefore, ordered.rows, rowsErased];
  const countBefore = (row: number) => search(0, erased.length, (i) => erased[i]! < row);
  let size = indexedRows - countBefore(indexedRows);
  /** How many rows, and then places, were looked at, and how many of them are live. */
  const rowsSeen = { next: 0, left: 0, erased: 0 };
  const placesSeen = { next: 0, left: 0, erased: 0 };

  function fillInstants(instants: Float64Array): void {
    const end = Math.min(indexedRows, rowsSeen.next + STEP_ROWS);
    let { next, left, erased: count } = rowsSeen;
    while (next < end) {
      // All rows before the next erased one are moved together.
      const stop = Math.min(end, erased[count] ?? end);
      instants.set(before.subarray(next, stop), left);
      left += stop - next;
      next = stop;
      if (next < end) [next, count] = [next + 1, count + 1];
    }
    Object.assign(rowsSeen, { next, left, erased: count });
  }

  /**
   * Events arrive roughly in the order of their times, so neighbours in the order mostly have the same number
   * of erased rows before them. Only otherwise a binary search counts them.
   */
  function fillRows(rows: Uint32Array): void {
    const end = Math.min(indexedRows, placesSeen.next + STEP_ROWS);
    let { next, left, erased: count } = placesSeen;
    for (; next < end; next++) {
      const row = rowsBefore[next]!;
      if ((count > 0 && erased[count - 1]! >= row) || (count < erased.length && erased[count]! < row))
        count = countBefore(row);
      if (erased[count] !== row) rows[left++] = row - count;
    }
    Object.assign(placesSeen, { next, left, erased: count });
  }

  return {
    get size() {
      return size;
    },
    fill(instants, rows) {
      if (rowsSeen.next < indexedRows) fillInstants(instants);
      else fillRows(rows);
      return placesSeen.next === indexedRows;
    },
    stop() {
      // The order lives longer than this object, which must not keep the erased rows in memory.
      size = 0;
      [before, rowsBefore, erased] = [new Float64Array(0), new Uint32Array(0), new Uint32Array(0)];
    },
  };
}
