import { LogGoneError, SEGMENT_ROWS, toErasedRows, type ErasedRows } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import type { LogName } from './log-name.ts';

/** How many rows of a log one row of `erased_rows` has a bit for. */
export const ERASED_ROWS = 32_768;

/** Rows of one chunk of a log that were erased, a bit for each. */
export interface ErasedChunk {
  readonly chunk: number;
  readonly bits: Uint8Array;
}

/** The chunks of the bitmaps of segments. */
export function toErasedChunks(bitmaps: readonly (Uint8Array | undefined)[]): ErasedChunk[] {
  const chunks: ErasedChunk[] = [];
  bitmaps.forEach((bitmap, segment) => {
    if (bitmap === undefined) return;
    const row = segment * SEGMENT_ROWS;
    const chunk = Math.floor(row / ERASED_ROWS);
    if (chunks.at(-1)?.chunk !== chunk) chunks.push({ chunk, bits: new Uint8Array(ERASED_ROWS / 8) });
    chunks.at(-1)!.bits.set(bitmap, (row % ERASED_ROWS) / 8);
  });
  return chunks;
}

/** The bitmaps of segments, of chunks. */
function toBitmaps(chunks: readonly ErasedChunk[]): (Uint8Array | undefined)[] {
  const bitmaps: (Uint8Array | undefined)[] = [];
  for (const { chunk, bits } of chunks) {
    for (let row = 0; row < ERASED_ROWS; row += SEGMENT_ROWS) {
      // A driver gives a Buffer, whose `slice` would share its memory.
      const bitmap = Uint8Array.from(bits.subarray(row / 8, (row + SEGMENT_ROWS) / 8));
      if (bitmap.some((byte) => byte !== 0)) bitmaps[(chunk * ERASED_ROWS + row) / SEGMENT_ROWS] = bitmap;
    }
  }
  return bitmaps;
}

/** Whether a row of a chunk was erased. */
export function isErased(bits: Uint8Array, local: number): boolean {
  return (bits[local >> 3]! & (1 << (local & 7))) !== 0;
}

/** The erased rows of a chunk from a row on, both counted within it. */
export function* erasedFrom(bits: Uint8Array, from: number): Generator<number> {
  for (let local = from; local < ERASED_ROWS; local++) {
    if (bits[local >> 3] === 0) local |= 7;
    else if (isErased(bits, local)) yield local;
  }
}

/**
 * The erased rows of chunks, ascending. It runs once per version of a log, while a question waits, before the
 * JIT has compiled it: a generator took three microseconds for each row. Looking at single bytes takes twice
 * as long as looking at four together.
 */
export function listErased(chunks: readonly ErasedChunk[]): number[] {
  const rows: number[] = [];
  for (const { chunk, bits } of chunks) {
    const view = new DataView(bits.buffer, bits.byteOffset, bits.byteLength);
    for (let byte = 0; byte < bits.length; byte += 4) {
      // Each step takes away the lowest bit of four bytes.
      for (let left = view.getUint32(byte, true); left !== 0; left &= left - 1)
        rows.push(chunk * ERASED_ROWS + byte * 8 + 31 - Math.clz32(left & -left));
    }
  }
  return rows;
}

/** The row behind the last erased one of chunks; 0 where there is none. */
export function endOfErased(chunks: readonly ErasedChunk[]): number {
  return (listErased(chunks).at(-1) ?? -1) + 1;
}

/** Prepares the query for that row of a log: an event that got an earlier one would be in no answer. */
export function prepareErasedEnd(database: SqliteDatabase): (log: number) => number {
  const selectLast = database.prepare(
    'SELECT chunk, bits FROM erased_rows WHERE log = ? AND count > 0 ORDER BY chunk DESC LIMIT 1',
  );
  return (log) => endOfErased(selectLast.all(log) as ErasedChunk[]);
}

/** Prepares the query whether any of some rows of a log was erased, in whichever version of the log. */
export function prepareAreErased(
  database: SqliteDatabase,
): (log: number, rows: readonly number[]) => boolean {
  const select = database.prepare('SELECT bits FROM erased_rows WHERE log = ? AND chunk = ?');
  return (log, rows) => {
    const chunks = new Map<number, Uint8Array | undefined>();
    return rows.some((row) => {
      const chunk = Math.floor(row / ERASED_ROWS);
      if (!chunks.has(chunk)) chunks.set(chunk, (select.get(log, chunk) as ErasedChunk | undefined)?.bits);
      const bits = chunks.get(chunk);
      return bits !== undefined && isErased(bits, row % ERASED_ROWS);
    });
  };
}

/** Prepares the query for the erased rows of a log. */
export function prepareErasedRows(database: SqliteDatabase): (name: LogName) => ErasedRows {
  const select = database.prepare(
    `SELECT chunk, bits FROM erased_rows JOIN logs ON logs.number = erased_rows.log
     WHERE log = ? AND version = ? ORDER BY chunk`,
  );
  return ({ number, version }) => {
    const chunks = version === 0 ? [] : (select.all(number, version) as ErasedChunk[]);
    // The log has another version by now.
    if (version > 0 && chunks.length === 0) throw new LogGoneError('Some of the log was erased.');
    return toErasedRows(toBitmaps(chunks));
  };
}
