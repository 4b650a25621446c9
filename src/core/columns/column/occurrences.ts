import type { Pacer } from '../../bounds/scheduler.ts';
import { countBits, hasBit, isErased, setBit, unionOf, createBitmap } from '../log/erased-rows.ts';
import { segmentOf, type Codes, type EventLog } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';

/** How many rows of a column have each code, without erased rows. */
export interface Occurrences {
  /** By code. Rows that were erased since the last `settle` are still counted. */
  readonly counts: Uint32Array;
  /** The same of a version of the log; undefined if they are those of another. */
  at(version: number): Uint32Array | undefined;
  readonly bytes: number;
  /** How many bytes more the counts of so many codes take. */
  bytesFor(count: number): number;
  /** Makes room for so many codes. */
  grow(count: number): void;
  /** Counts rows from one on, all of one segment. It returns whether none of them is erased. */
  add(added: Codes, from: number): boolean;
  /** Stops counting the rows that were erased since. It returns the segments that are erased as a whole. */
  settle(counted: () => CountedRows, pacer: Pacer): Promise<readonly number[]>;
  /** How many of the first `count` codes no row has. */
  countUnused(count: number): number;
}

/** The rows that are counted now. */
interface CountedRows {
  readonly codes: readonly (Codes | undefined)[];
  readonly indexedRows: number;
}

/** Begins without rows. */
export function createOccurrences(log: EventLog): Occurrences {
  let counts = new Uint32Array(0);
  /** The version of the log whose erased rows are not counted. */
  let settled = log.version;
  /** The erased rows that are not counted, by segment. */
  const omitted: (Uint8Array | undefined)[] = [];

  /** Stops counting the erased rows of a segment. */
  function omit(segment: number, erased: Uint8Array, codes: Codes | undefined, rows: number): void {
    const before = omitted[segment];
    if (before === erased) return;
    for (let local = 0; codes !== undefined && local < rows; local++)
      if (hasBit(erased, local) && !hasBit(before, local)) counts[codes[local]!]! -= 1;
    omitted[segment] = before === undefined ? erased : unionOf(erased, before);
  }

  return {
    get counts() {
      return counts;
    },
    at: (version) => (settled === version ? counts : undefined),
    get bytes() {
      return counts.byteLength;
    },
    bytesFor: (count) =>
      count > counts.length ? Math.max(16, count, counts.length * 2) * 4 - counts.byteLength : 0,
    grow(count) {
      if (count <= counts.length) return;
      const before = counts;
      counts = new Uint32Array(Math.max(16, count, before.length * 2));
      counts.set(before);
    },
    add(added, from) {
      const segment = segmentOf(from);
      const erased = log.erased();
      if (erased.bitmaps[segment] === undefined) {
        for (let i = 0; i < added.length; i++) counts[added[i]!]! += 1;
        return true;
      }
      const known = (omitted[segment] ?? createBitmap()).slice();
      let omittedNow = 0;
      for (let i = 0; i < added.length; i++) {
        if (isErased(erased, from + i)) {
          setBit(known, (from + i) % SEGMENT_ROWS);
          omittedNow += 1;
        } else counts[added[i]!]! += 1;
      }
      omitted[segment] = known;
      return omittedNow === 0;
    },
    async settle(counted, pacer) {
      const { version } = log;
      const { bitmaps } = log.erased();
      const gone: number[] = [];
      for (const [segment, bitmap] of bitmaps.entries()) {
        if (bitmap === undefined) continue;
        const { codes, indexedRows } = counted();
        omit(segment, bitmap, codes[segment], Math.min(SEGMENT_ROWS, indexedRows - segment * SEGMENT_ROWS));
        // More rows of the last segment may come: it is freed when all of it is indexed.
        const isWhole = (segment + 1) * SEGMENT_ROWS <= indexedRows;
        if (codes[segment] !== undefined && isWhole && countBits(bitmap) === SEGMENT_ROWS) gone.push(segment);
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
      }
      settled = Math.max(settled, version);
      return gone;
    },
    countUnused(count) {
      let unused = 0;
      for (let code = 1; code < count; code++) if (counts[code] === 0) unused += 1;
      return unused;
    },
  };
}
