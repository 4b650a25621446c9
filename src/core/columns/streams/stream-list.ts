import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';

/** Which columns a list has beside those that every stream needs; the others are empty. */
export interface StreamColumns {
  readonly key: boolean;
  readonly same: boolean;
  readonly group: boolean;
}

/** Columns of numbers, one for each row of the log that is in a stream. */
export interface StreamList {
  readonly length: number;
  /** The number of the log's row. */
  readonly row: Uint32Array;
  readonly instant: Float64Array;
  readonly bits: Uint32Array;
  /** The code of the value whose stream it is in. */
  readonly key: Uint32Array;
  /** Equal for rows with the same values held constant. */
  readonly same: Float64Array;
  /** The code of the group. */
  readonly group: Uint32Array;
}

/** How many rows the first block of found rows has, and a block at most. Blocks are never copied. */
const BLOCK_MIN = 256;
const BLOCK_MAX = 65_536;

/** What a row takes in these columns. */
const bytesOfRow = ({ key, same, group }: StreamColumns) =>
  4 + 8 + 4 + (key ? 4 : 0) + (same ? 8 : 0) + (group ? 4 : 0);

/** How many bytes are booked at most for streams of so many rows and codes: blocks, and a list in order. */
export function bytesOfStreams(rows: number, codes: number, others: Omit<StreamColumns, 'key'>): number {
  const found = rows + Math.min(BLOCK_MAX, Math.max(BLOCK_MIN, rows));
  const listed = rows * bytesOfRow({ key: false, ...others });
  return found * bytesOfRow({ key: true, ...others }) + listed + codes * 8;
}

/** Makes a list of so many rows, which are written by their places. */
export function filledStreamList(length: number, columns: StreamColumns, room: Reservation): StreamList {
  reserveOrThrow(room, length * bytesOfRow(columns));
  return {
    length,
    row: new Uint32Array(length),
    instant: new Float64Array(length),
    bits: new Uint32Array(length),
    key: new Uint32Array(columns.key ? length : 0),
    same: new Float64Array(columns.same ? length : 0),
    group: new Uint32Array(columns.group ? length : 0),
  };
}

/** Rows as they are found, which are booked block by block. */
export interface StreamBlocks {
  /** Full ones, but for the last. */
  readonly blocks: readonly StreamList[];
  /** How many rows there are in all. */
  readonly length: number;
  add(row: number, instant: number, bits: number, key: number, same: number, group: number): void;
  /** Gives back what is booked. The rows must not be read any more. */
  release(): void;
}

/** Makes a list without rows. Each row has its key. */
export function createStreamBlocks(others: Omit<StreamColumns, 'key'>, room: Reservation): StreamBlocks {
  const columns = { key: true, ...others };
  const blocks: StreamList[] = [];
  let last = filledStreamList(0, columns, room);
  let [length, used] = [0, 0];

  return {
    blocks,
    get length() {
      return length;
    },
    add(row, instant, bits, key, same, group) {
      if (used === last.length) {
        last = filledStreamList(Math.min(BLOCK_MAX, Math.max(BLOCK_MIN, length)), columns, room);
        blocks.push(last);
        used = 0;
      }
      last.row[used] = row;
      last.instant[used] = instant;
      last.bits[used] = bits;
      last.key[used] = key;
      if (columns.same) last.same[used] = same;
      if (columns.group) last.group[used] = group;
      used += 1;
      length += 1;
    },
    release() {
      for (const block of blocks.splice(0)) room.release(block.length * bytesOfRow(columns));
    },
  };
}
