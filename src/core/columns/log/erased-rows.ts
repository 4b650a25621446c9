import { SEGMENT_ROWS } from './sizes.ts';

/**
 * The erased rows of a log: a bitmap for each segment that has some. A bitmap never changes. An erasure
 * replaces it by another, so a question keeps the rows that it began with.
 */
export interface ErasedRows {
  /** How many rows are erased. */
  readonly count: number;
  /** By segment. Bit `row & 7` of byte `row >> 3` is 1 if that row of the segment is erased. */
  readonly bitmaps: readonly (Uint8Array | undefined)[];
}

/** A log without erased rows. */
export const NO_ERASED_ROWS: ErasedRows = { count: 0, bitmaps: [] };

/** Makes the erased rows of bitmaps. */
export function toErasedRows(bitmaps: readonly (Uint8Array | undefined)[]): ErasedRows {
  const count = bitmaps.reduce((sum, bitmap) => sum + countBits(bitmap), 0);
  return { count, bitmaps };
}

/** How many rows each byte of a bitmap has. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** How many rows a bitmap has. */
export function countBits(bitmap: Uint8Array | undefined): number {
  let count = 0;
  if (bitmap !== undefined) for (let byte = 0; byte < bitmap.length; byte++) count += BITS[bitmap[byte]!]!;
  return count;
}

/** Whether a bitmap has a row of its segment. */
export function hasBit(bitmap: Uint8Array | undefined, local: number): boolean {
  return bitmap !== undefined && (bitmap[local >> 3]! & (1 << (local & 7))) !== 0;
}

/** The first row of a bitmap from one on; the end of the segment if there is none. */
export function nextBit(bitmap: Uint8Array, from: number): number {
  let local = from;
  while (local < SEGMENT_ROWS && !hasBit(bitmap, local)) {
    // Mostly few rows are erased.
    local += (local & 7) === 0 && bitmap[local >> 3] === 0 ? 8 : 1;
  }
  return local;
}

/** How many of the rows before one are erased. */
export function countErasedBefore({ bitmaps }: ErasedRows, row: number): number {
  const segment = Math.floor(row / SEGMENT_ROWS);
  let count = 0;
  for (let whole = 0; whole < segment; whole++) count += countBits(bitmaps[whole]);
  for (let local = 0; local < row % SEGMENT_ROWS; local++) if (hasBit(bitmaps[segment], local)) count += 1;
  return count;
}

/** Adds a row of its segment to a bitmap. */
export function setBit(bitmap: Uint8Array, local: number): void {
  bitmap[local >> 3]! |= 1 << (local & 7);
}

/** An empty bitmap. */
export const createBitmap = () => new Uint8Array(SEGMENT_ROWS / 8);

/** Whether a row of the log is erased. */
export function isErased({ bitmaps }: ErasedRows, row: number): boolean {
  return hasBit(bitmaps[Math.floor(row / SEGMENT_ROWS)], row % SEGMENT_ROWS);
}

/** Whether a whole segment is erased. */
export function isGone({ bitmaps }: ErasedRows, segment: number): boolean {
  const bitmap = bitmaps[segment];
  return bitmap?.[0] === 255 && countBits(bitmap) === SEGMENT_ROWS;
}

/** Whether a segment that is erased as a whole begins at a row. */
export function beginsGone(erased: ErasedRows, row: number): boolean {
  return row % SEGMENT_ROWS === 0 && isGone(erased, row / SEGMENT_ROWS);
}

/**
 * Whether a part of the index that has the first `indexedRows` rows can free a segment, because it is erased
 * as a whole. More rows of the last segment may come, so that waits until all of it is indexed.
 */
export function canFree(erased: ErasedRows, segment: number, indexedRows: number): boolean {
  return (segment + 1) * SEGMENT_ROWS <= indexedRows && isGone(erased, segment);
}

/** The rows that either bitmap has. */
export function unionOf(some: Uint8Array, others: Uint8Array | undefined): Uint8Array {
  const all = some.slice();
  if (others !== undefined) for (let byte = 0; byte < all.length; byte++) all[byte]! |= others[byte]!;
  return all;
}

/** The rows from `from` on and before `to` that are not erased, ascending. */
export function liveRowsOf(erased: ErasedRows, from: number, to: number): number[] {
  const rows: number[] = [];
  for (let row = from; row < to; row++) if (!isErased(erased, row)) rows.push(row);
  return rows;
}

/** The last row of a whole segment that is not erased; undefined if all are. */
export function lastLiveRow({ bitmaps }: ErasedRows, segment: number): number | undefined {
  const bitmap = bitmaps[segment];
  let local = SEGMENT_ROWS - 1;
  while (local >= 0 && hasBit(bitmap, local)) local -= 1;
  return local < 0 ? undefined : segment * SEGMENT_ROWS + local;
}
