import { search, type OrderedRows } from './held-rows.ts';

/** The order of the rows of a log that are left of another edition of it. */
export interface InheritedOrder {
  /** How many rows it has. */
  readonly size: number;
  /** Does a step of filling in the instants, by row, and the rows in order; whether it was the last one. */
  fill(instants: Float64Array, rows: Uint32Array): boolean;
  /** Ends it: nothing is left then. */
  stop(): void;
}

/** How many rows or places are filled in by one step. */
const STEP_ROWS = 16_384;

/** What is left of the order of an edition without its erased rows, which ascend. */
export function createInheritedOrder(
  instantsBefore: Float64Array,
  ordered: OrderedRows,
  rowsErased: Uint32Array,
): InheritedOrder {
  const { covered } = ordered;
  let [before, rowsBefore, erased] = [instantsBefore, ordered.rows, rowsErased];
  const countBefore = (row: number) => search(0, erased.length, (i) => erased[i]! < row);
  let size = covered - countBefore(covered);
  /** The rows, and then the places, that were looked at, and how many of them are left. */
  const rowsSeen = { next: 0, left: 0, erased: 0 };
  const placesSeen = { next: 0, left: 0, erased: 0 };

  function fillInstants(instants: Float64Array): void {
    const end = Math.min(covered, rowsSeen.next + STEP_ROWS);
    let { next, left, erased: count } = rowsSeen;
    while (next < end) {
      // The rows up to the next one that was erased are moved together.
      const stop = Math.min(end, erased[count] ?? end);
      instants.set(before.subarray(next, stop), left);
      left += stop - next;
      next = stop;
      if (next < end) [next, count] = [next + 1, count + 1];
    }
    Object.assign(rowsSeen, { next, left, erased: count });
  }

  /** Events come in about the order of their times: mostly as many rows are erased before the next. */
  function fillRows(rows: Uint32Array): void {
    const end = Math.min(covered, placesSeen.next + STEP_ROWS);
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
      if (rowsSeen.next < covered) fillInstants(instants);
      else fillRows(rows);
      return placesSeen.next === covered;
    },
    stop() {
      // The order outlives this, and has nothing to do with what was erased.
      size = 0;
      [before, rowsBefore, erased] = [new Float64Array(0), new Uint32Array(0), new Uint32Array(0)];
    },
  };
}
