import { reserveOrThrow, type CacheEntry } from '../../bounds/memory-budget.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/** The first `covered` rows of a log in order; what lies behind them in `rows` is spare room. */
export interface OrderedRows {
  readonly rows: Uint32Array;
  readonly covered: number;
  /**
   * The chunks of the rows at a block of places, as many as a chunk has rows: a bit for each. Undefined for
   * the last block, which is not whole.
   */
  readonly chunksAt: (block: number) => Uint32Array | undefined;
}

/** The array of an order, which stays as it is for whoever holds it. */
export interface HeldRows {
  /** The array to write to, after `reserve`. */
  readonly current: Uint32Array;
  /** Makes room, and an array that nobody holds: the first `filled` rows are those of the one before. */
  reserve(room: number, filled: number): void;
  /** Notes that other rows stand in the array from a place on. */
  changed(place: number): void;
  hold(covered: number): OrderedRows;
  release(ordered: OrderedRows): void;
}

/** Begins without room; what is allocated is booked, also what is only held any more. */
export function createHeldRows(entry: CacheEntry): HeldRows {
  // The array that is written to stays in it, held or not: entries that come and go with each question make
  // a Map leave old tables behind, which the collector copies over and over.
  const holdersOf = new Map<Uint32Array, number>();
  let rows = new Uint32Array(0);
  /** The chunks at each whole block of `rows` that anybody asked for. */
  let blocks: (Uint32Array | undefined)[] = [];

  function letGo(array: Uint32Array): void {
    holdersOf.delete(array);
    entry.release(bytesOf(array.length));
  }

  return {
    get current() {
      return rows;
    },
    reserve(room, filled) {
      const isHeld = (holdersOf.get(rows) ?? 0) > 0;
      if (room === rows.length && !isHeld) return;
      reserveOrThrow(entry, bytesOf(room));
      const before = rows;
      rows = new Uint32Array(room);
      rows.set(before.subarray(0, filled));
      // Those of the array before stay as they are, with it.
      blocks = blocks.slice();
      if (!isHeld) letGo(before);
    },
    changed(place) {
      blocks.length = Math.min(blocks.length, Math.floor(place / CHUNK_ROWS));
    },
    hold(covered) {
      holdersOf.set(rows, (holdersOf.get(rows) ?? 0) + 1);
      const own = { rows, blocks };
      const chunksAt = (block: number) =>
        (block + 1) * CHUNK_ROWS > covered ? undefined : (own.blocks[block] ??= chunksOf(own.rows, block));
      return { rows, covered, chunksAt };
    },
    release({ rows: array }) {
      const holders = holdersOf.get(array)! - 1;
      if (holders > 0 || array === rows) holdersOf.set(array, holders);
      else letGo(array);
    },
  };
}

const WORD_BITS = 32;

/** How many words have a bit for each chunk of as many rows. */
const wordsOf = (room: number) => Math.ceil(room / CHUNK_ROWS / WORD_BITS);

/** What an array takes, with the chunks at all its blocks. */
function bytesOf(room: number): number {
  return room * 4 + Math.floor(room / CHUNK_ROWS) * wordsOf(room) * 4;
}

/** The chunks of the rows at a block of places. */
function chunksOf(rows: Uint32Array, block: number): Uint32Array {
  const chunks = new Uint32Array(wordsOf(rows.length));
  const end = (block + 1) * CHUNK_ROWS;
  for (let place = block * CHUNK_ROWS; place < end; place++) {
    const chunk = Math.floor(rows[place]! / CHUNK_ROWS);
    chunks[chunk >>> 5]! |= 1 << (chunk & 31);
  }
  return chunks;
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
