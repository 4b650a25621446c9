import type { Pacer } from '../../bounds/scheduler.ts';
import { canFree, createBitmap, hasBit, setBit } from '../log/erased-rows.ts';
import { segmentOf, type Codes, type EventLog } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';

/** How many rows of a column have each code, without erased rows. */
export interface Occurrences {
  /** By code. Rows that were erased since the last `settle` are still counted. */
  readonly counts: Uint32Array;
  /** The counts at a version of the log; undefined for any other version. */
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
  /** The erased rows that are not counted, by segment, and those that may come. */
  const omitted: (Uint8Array | undefined)[] = [];

  /** Stops counting the erased rows of a segment. */
  function omit(segment: number, erased: Uint8Array, codes: Codes | undefined, rows: number): void {
    const before = omitted[segment];
    omitted[segment] = erased;
    for (let byte = 0; codes !== undefined && byte < erased.length; byte++) {
      if (erased[byte] === (before?.[byte] ?? 0)) continue;
      const end = Math.min(rows, byte * 8 + 8);
      for (let local = byte * 8; local < end; local++)
        if (hasBit(erased, local) && !hasBit(before, local)) counts[codes[local]!]! -= 1;
    }
  }

  return {
    get counts() {
      return counts;
    },
    // Rows that are added are counted by the latest version.
    at: (version) => (settled === version && log.version === version ? counts : undefined),
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
      const bitmap = log.erased().bitmaps[segment];
      if (bitmap === undefined) {
        for (let i = 0; i < added.length; i++) counts[added[i]!]! += 1;
        return true;
      }
      const before = omitted[segment];
      // Rows of the segment that were counted before are omitted later, when the erasure is settled.
      const areOmitted = from % SEGMENT_ROWS === 0 || before === bitmap;
      const known = areOmitted ? bitmap : (before?.slice() ?? createBitmap());
      let omittedNow = 0;
      for (let i = 0; i < added.length; i++) {
        const local = (from + i) % SEGMENT_ROWS;
        if (hasBit(bitmap, local)) {
          if (!areOmitted) setBit(known, local);
          omittedNow += 1;
        } else counts[added[i]!]! += 1;
      }
      omitted[segment] = known;
      return omittedNow === 0;
    },
    async settle(counted, pacer) {
      const { version } = log;
      const gone: number[] = [];
      for (const [segment, bitmap] of log.erased().bitmaps.entries()) {
        if (bitmap === undefined) continue;
        const { codes, indexedRows } = counted();
        omit(segment, bitmap, codes[segment], Math.min(SEGMENT_ROWS, indexedRows - segment * SEGMENT_ROWS));
        if (codes[segment] !== undefined && canFree(log.erased(), segment, indexedRows)) gone.push(segment);
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
        // The erasure that came meanwhile is settled by itself.
        if (log.version !== version) return [];
      }
      settled = version;
      return gone;
    },
    countUnused(count) {
      let unused = 0;
      for (let code = 1; code < count; code++) if (counts[code] === 0) unused += 1;
      return unused;
    },
  };
}
