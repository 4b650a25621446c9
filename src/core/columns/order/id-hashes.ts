import type { CacheEntry } from '../../bounds/memory-budget.ts';
import type { DerivedPart } from '../log/index-up-to.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { beginsGone, canFree } from '../log/erased-rows.ts';
import { readValues, segmentEnd, segmentOf, type EventLog } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';
import { INSERT_ID } from './sorted-rows.ts';

/**
 * A hash of each row's `insertId`, of four bytes. Rows with another hash than an id's are not read.
 */
export interface IdHashes extends DerivedPart {
  readonly entry: CacheEntry;
  /** Whether memory ran out; then the hashes are of no use. */
  readonly disabled: boolean;
  /** Frees the segments that are erased as a whole. */
  settle(): void;
  /** Prepares ids for a search. */
  seek(ids: Iterable<string>): SoughtIds;
  /**
   * The first rows from `from` on, before `to`, that may have one of the ids, at most `limit` of them.
   */
  find(sought: SoughtIds, from: number, to: number, limit: number): number[];
}

/** Hashes of ids, and which of their last bits occur: these bits alone rule out most rows. */
export interface SoughtIds {
  readonly hashes: ReadonlySet<number>;
  readonly endings: Uint8Array;
}

const ENDINGS = 65_536;

/** Begins without a row. Each step reads the ids of some rows. */
export function createIdHashes(log: EventLog, hash: KeyedHash, entry: CacheEntry): IdHashes {
  /** By segment; none of one that is erased as a whole. */
  let hashes: (Uint32Array | undefined)[] = [];
  let bytes = 0;
  let indexedRows = 0;
  let disabled = false;

  /** Room for hashes of one segment, of which `filled` are there; undefined if there is no memory. */
  function reserve(segment: number, filled: number, length: number): Uint32Array | undefined {
    const before = hashes[segment];
    if (before !== undefined && filled + length <= before.length) return before;
    const room = Math.min(SEGMENT_ROWS, Math.max((filled + length) * 2, log.size() - segment * SEGMENT_ROWS));
    if (!entry.reserve(room * 4)) return undefined;
    const own = new Uint32Array(room);
    if (before !== undefined) own.set(before);
    entry.release(before?.byteLength ?? 0);
    bytes += own.byteLength - (before?.byteLength ?? 0);
    return (hashes[segment] = own);
  }

  function disable(to: number): void {
    disabled = true;
    entry.release(bytes);
    [hashes, bytes] = [[], 0];
    indexedRows = to;
  }

  /** Hashes the ids of the next rows, all of one segment. */
  function add(ids: readonly (string | undefined)[], to: number): void {
    const filled = indexedRows % SEGMENT_ROWS;
    const own = reserve(segmentOf(indexedRows), filled, ids.length);
    if (own === undefined) return disable(Math.max(indexedRows, to));
    // An erased row has no id. Its hash is never looked up.
    ids.forEach((id, i) => (own[filled + i] = id === undefined ? 0 : hash.ofText(id, 0)));
    indexedRows += ids.length;
  }

  return {
    entry,
    get indexedRows() {
      return indexedRows;
    },
    get disabled() {
      return disabled;
    },
    indexStep(to) {
      // Disabled hashes have nothing to read, so that `indexUpTo` ends.
      if (disabled) return void (indexedRows = Math.max(indexedRows, to));
      if (beginsGone(log.erased(), indexedRows)) return void (indexedRows += SEGMENT_ROWS);
      const end = Math.min(to, segmentEnd(indexedRows));
      add(readValues(log, INSERT_ID, indexedRows, end) as readonly (string | undefined)[], to);
    },
    settle() {
      const erased = log.erased();
      hashes = hashes.map((own, segment) => {
        if (own === undefined || !canFree(erased, segment, indexedRows)) return own;
        entry.release(own.byteLength);
        bytes -= own.byteLength;
        return undefined;
      });
    },
    seek(ids) {
      const sought = new Set<number>();
      const endings = new Uint8Array(ENDINGS);
      for (const id of ids) {
        const own = hash.ofText(id, 0);
        sought.add(own);
        endings[own % ENDINGS] = 1;
      }
      return { hashes: sought, endings };
    },
    find(sought, from, to, limit) {
      const rows: number[] = [];
      const { endings } = sought;
      for (let row = from; row < to && rows.length < limit; row = segmentEnd(row)) {
        const own = hashes[segmentOf(row)];
        const first = row - (row % SEGMENT_ROWS);
        const end = Math.min(to, segmentEnd(row)) - first;
        for (let local = row - first; own !== undefined && local < end && rows.length < limit; local++) {
          const each = own[local]!;
          if (endings[each & (ENDINGS - 1)] !== 0 && sought.hashes.has(each)) rows.push(first + local);
        }
      }
      return rows;
    },
  };
}
