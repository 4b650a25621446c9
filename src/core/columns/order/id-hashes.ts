import type { CacheEntry } from '../../bounds/memory-budget.ts';
import type { DerivedPart } from '../log/index-up-to.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { readValues, type EventLog } from '../log/log.ts';
import { INSERT_ID } from './sorted-chunk.ts';

/**
 * A hash of each row's `insertId`. The four bytes tell which rows may have an id, so that only these are
 * read.
 */
export interface IdHashes extends DerivedPart {
  readonly entry: CacheEntry;
  /** Whether memory ran out; then the hashes are of no use. */
  readonly disabled: boolean;
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
  let hashes = new Uint32Array(0);
  let indexedRows = 0;
  let disabled = false;

  function reserve(size: number): boolean {
    if (size <= hashes.length) return true;
    const room = Math.max(size + (size >> 3), log.size());
    if (!entry.reserve(room * hashes.BYTES_PER_ELEMENT)) return false;
    const before = hashes;
    hashes = new Uint32Array(room);
    hashes.set(before);
    entry.release(before.byteLength);
    return true;
  }

  function disable(to: number): void {
    disabled = true;
    entry.release(hashes.byteLength);
    hashes = new Uint32Array(0);
    indexedRows = to;
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
      const ids = disabled ? [] : (readValues(log, INSERT_ID, indexedRows, to) as readonly string[]);
      // Disabled hashes have nothing to read, so that `indexUpTo` ends.
      if (disabled || !reserve(indexedRows + ids.length)) return disable(Math.max(indexedRows, to));
      for (const id of ids) hashes[indexedRows++] = hash.ofText(id, 0);
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
      for (let row = from; row < to && rows.length < limit; row++) {
        const own = hashes[row]!;
        if (endings[own & (ENDINGS - 1)] !== 0 && sought.hashes.has(own)) rows.push(row);
      }
      return rows;
    },
  };
}
