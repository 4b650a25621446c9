import { demand, type Kept } from '../../bounds/ledger.ts';

/** The first `covered` rows of a log in order; what lies behind them in `rows` is spare room. */
export interface OrderedRows {
  readonly rows: Uint32Array;
  readonly covered: number;
}

/** The array of an order, which stays as it is for whoever holds it. */
export interface HeldRows {
  /** The array to write to, after `reserve`. */
  readonly current: Uint32Array;
  /** Makes room, and an array that nobody holds: the first `covered` rows are those of the one before. */
  reserve(room: number, covered: number): void;
  hold(covered: number): OrderedRows;
  release(ordered: OrderedRows): void;
}

/** Begins without room; what is allocated is booked, also what is only held any more. */
export function createHeldRows(kept: Kept): HeldRows {
  const holdersOf = new Map<Uint32Array, number>();
  let rows = new Uint32Array(0);
  return {
    get current() {
      return rows;
    },
    reserve(room, covered) {
      if (room === rows.length && !holdersOf.has(rows)) return;
      demand(kept, room * rows.BYTES_PER_ELEMENT);
      const before = rows;
      rows = new Uint32Array(room);
      rows.set(before.subarray(0, covered));
      if (!holdersOf.has(before)) kept.release(before.byteLength);
    },
    hold(covered) {
      holdersOf.set(rows, (holdersOf.get(rows) ?? 0) + 1);
      return { rows, covered };
    },
    release({ rows: array }) {
      const holders = holdersOf.get(array)! - 1;
      if (holders > 0) return void holdersOf.set(array, holders);
      holdersOf.delete(array);
      if (array !== rows) kept.release(array.byteLength);
    },
  };
}

/** The first of the places from `low` to `high` whose row is not before. */
export function search(low: number, high: number, isBefore: (place: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
