import { reserveOrThrow, type CacheEntry } from '../../bounds/memory-budget.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/**
 * A snapshot of the order: the first `indexedRows` rows of a log. Entries of `rows` after them are spare
 * room.
 */
export interface OrderSnapshot {
  readonly rows: Uint32Array;
  readonly indexedRows: number;
  /**
   * The chunks of the rows at a block of places, with a bit for each chunk. A block has as many places as a
   * chunk has rows. Undefined for the last block, which is not whole.
   */
  readonly chunksAt: (block: number) => Uint32Array | undefined;
}

/** The array of an order. It is copied on write while a question pins a snapshot of it. */
export interface OrderArray {
  /** The array to write to, after `reserve`. */
  readonly current: Uint32Array;
  /** Makes room in an array without pins. Its first `filled` rows are those of the previous array. */
  reserve(room: number, filled: number): void;
  /** Notes that rows have changed from a place on. */
  changed(place: number): void;
  pin(indexedRows: number): OrderSnapshot;
  unpin(snapshot: OrderSnapshot): void;
}

/** Begins without room. All arrays are booked, also old ones that only pins keep in memory. */
export function createOrderArray(entry: CacheEntry): OrderArray {
  // The current array stays in the Map, pinned or not. Entries that come and go with each question make a Map
  // leave old tables behind, which the garbage collector copies over and over.
  const pinsOf = new Map<Uint32Array, number>();
  let rows = new Uint32Array(0);
  /** The chunks at each whole block of `rows`, as far as they were needed. */
  let blocks: (Uint32Array | undefined)[] = [];

  function free(array: Uint32Array): void {
    pinsOf.delete(array);
    entry.release(bytesOf(array.length));
  }

  return {
    get current() {
      return rows;
    },
    reserve(room, filled) {
      const isPinned = (pinsOf.get(rows) ?? 0) > 0;
      if (room === rows.length && !isPinned) return;
      reserveOrThrow(entry, bytesOf(room));
      const before = rows;
      rows = new Uint32Array(room);
      rows.set(before.subarray(0, filled));
      // Snapshots of the previous array keep its blocks.
      blocks = blocks.slice();
      if (!isPinned) free(before);
    },
    changed(place) {
      blocks.length = Math.min(blocks.length, Math.floor(place / CHUNK_ROWS));
    },
    pin(indexedRows) {
      pinsOf.set(rows, (pinsOf.get(rows) ?? 0) + 1);
      const own = { rows, blocks };
      const chunksAt = (block: number) =>
        (block + 1) * CHUNK_ROWS > indexedRows
          ? undefined
          : (own.blocks[block] ??= chunksOf(own.rows, block));
      return { rows, indexedRows, chunksAt };
    },
    unpin({ rows: array }) {
      const pins = pinsOf.get(array)! - 1;
      if (pins > 0 || array === rows) pinsOf.set(array, pins);
      else free(array);
    },
  };
}

const WORD_BITS = 32;

/** How many words it takes to have a bit for each chunk of `room` rows. */
const wordsOf = (room: number) => Math.ceil(room / CHUNK_ROWS / WORD_BITS);

/** The memory of an array, with the chunks of all its blocks. */
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

/** The first place from `low` to `high` for which `isBefore` is false. */
export function search(low: number, high: number, isBefore: (place: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
