import { overloaded } from '../../base/errors.ts';
import type { CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { hasBit, isGone, type ErasedRows } from './erased-rows.ts';
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
  /** The version of the log that it is of; -1 before the first. */
  readonly version: number;
  /** Builds that of the log as it is now. */
  build(pacer: Pacer): Promise<void>;
}

/** What was built of the next version so far. All questions that wait for it build on. */
interface Building {
  readonly version: number;
  readonly erased: ErasedRows;
  readonly codes: (Uint8Array | undefined)[];
  /** The next segment. */
  segment: number;
  /** How many segments differ from those of the version before. */
  made: number;
}

/** Begins with nothing. */
export function createLiveDocs(log: EventLog, entry: CacheEntry): LiveDocs {
  let version = -1;
  let codes: readonly (Uint8Array | undefined)[] = [];
  /** The bitmaps that the codes were made from. */
  let from: readonly (Uint8Array | undefined)[] = [];
  let building: Building | undefined;

  function drop(): void {
    entry.release((building?.made ?? 0) * SEGMENT_ROWS);
    building = undefined;
  }

  /** What is built of the latest version. What was built of an older one is dropped. */
  function begin(): Building {
    if (building?.version === log.version) return building;
    drop();
    return (building = { version: log.version, erased: log.erased(), codes: [], segment: 0, made: 0 });
  }

  function finish(own: Building): void {
    const obsolete = codes.filter((each, segment) => each !== undefined && each !== own.codes[segment]);
    entry.release(obsolete.length * SEGMENT_ROWS);
    [version, codes, from, building] = [own.version, own.codes, own.erased.bitmaps, undefined];
  }

  /** Builds that of one more segment. */
  function step(): void {
    const own = begin();
    const { erased, segment } = own;
    const bitmap = erased.bitmaps[segment];
    if (bitmap !== undefined && !isGone(erased, segment)) {
      if (codes[segment] !== undefined && isSame(bitmap, from[segment])) own.codes[segment] = codes[segment];
      else if (entry.reserve(SEGMENT_ROWS)) {
        own.made += 1;
        own.codes[segment] = toBytes(bitmap);
      } else {
        drop();
        throw overloaded();
      }
    }
    own.segment += 1;
    if (own.segment >= erased.bitmaps.length) finish(own);
  }

  return {
    entry,
    get codes() {
      return codes;
    },
    get version() {
      return version;
    },
    async build(pacer) {
      while (version !== log.version) {
        step();
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
      }
    },
  };
}

/** A store may make the bitmaps of all segments again for each version. */
function isSame(bitmap: Uint8Array, before: Uint8Array | undefined): boolean {
  return bitmap === before || (before?.every((byte, i) => byte === bitmap[i]) ?? false);
}

function toBytes(bitmap: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(SEGMENT_ROWS);
  for (let local = 0; local < SEGMENT_ROWS; local++) bytes[local] = hasBit(bitmap, local) ? 0 : 1;
  return bytes;
}
