import { reserveOrThrow, type CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { countBits, hasBit } from './erased-rows.ts';
import type { EventLog } from './log.ts';
import { SEGMENT_ROWS } from './sizes.ts';

/**
 * Which rows are not erased, as a scan reads it: a byte for each row of a segment that has erased rows, 1 for
 * a row that is there. Segments without erased rows have none, nor has a segment that is erased as a whole.
 */
export interface LiveDocs {
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /** By segment. A question keeps the array, which never changes. */
  readonly codes: readonly (Uint8Array | undefined)[];
  /** Whether it is that of a version of the log. */
  isReady(version: number): boolean;
  /** Builds that of the log as it is now. */
  build(pacer: Pacer): Promise<void>;
}

/** Begins with nothing. */
export function createLiveDocs(log: EventLog, entry: CacheEntry): LiveDocs {
  let version = -1;
  let codes: readonly (Uint8Array | undefined)[] = [];
  /** The bitmaps that the codes were made from. */
  let from: readonly (Uint8Array | undefined)[] = [];

  return {
    entry,
    get codes() {
      return codes;
    },
    isReady(asked) {
      if (version !== log.version && log.erased().count === 0) version = log.version;
      return asked === version;
    },
    async build(pacer) {
      const { version: built } = log;
      const { bitmaps } = log.erased();
      const isKnown = (bitmap: Uint8Array, segment: number) =>
        from[segment] === bitmap && codes[segment] !== undefined;
      const next: (Uint8Array | undefined)[] = [];
      const made: Uint8Array[] = [];
      try {
        for (const [segment, bitmap] of bitmaps.entries()) {
          if (bitmap === undefined || countBits(bitmap) === SEGMENT_ROWS) continue;
          if (isKnown(bitmap, segment)) next[segment] = codes[segment];
          else {
            reserveOrThrow(entry, SEGMENT_ROWS);
            made.push((next[segment] = toBytes(bitmap)));
          }
          const pause = pacer.yieldIfDue();
          if (pause !== undefined) await pause;
        }
      } catch (error) {
        entry.release(made.length * SEGMENT_ROWS);
        throw error;
      }
      const isNewer = built >= version;
      const obsolete = isNewer ? codes.filter((own, segment) => own !== next[segment]) : made;
      entry.release(obsolete.filter((own) => own !== undefined).length * SEGMENT_ROWS);
      if (isNewer) [version, codes, from] = [built, next, bitmaps];
    },
  };
}

function toBytes(bitmap: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(SEGMENT_ROWS);
  for (let local = 0; local < SEGMENT_ROWS; local++) bytes[local] = hasBit(bitmap, local) ? 0 : 1;
  return bytes;
}
