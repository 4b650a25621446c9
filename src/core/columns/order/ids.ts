import type { CacheEntry } from '../../bounds/memory-budget.ts';
import { readAllValues, type EventLog } from '../log/log.ts';
import { INSERT_ID } from './sorted-rows.ts';
import { ID_BLOCK_ROWS, ID_BLOCKS_MAX } from '../log/sizes.ts';

/** Reads the ids of rows, for an order in which many events share an instant. */
export interface Ids {
  /** The id of a row; undefined if the row is erased. */
  of(row: number): string | undefined;
  /** Frees what was read. */
  clear(): void;
}

/**
 * Reads ids in blocks of neighbouring rows and caches the blocks. If thousands of events share an instant,
 * each is compared with others many times, and reading one row costs as much as reading a hundred.
 */
export function createIds(log: EventLog, entry: CacheEntry): Ids {
  const blocks = new Map<number, readonly (string | undefined)[]>();
  let bytes = 0;

  function clear(): void {
    blocks.clear();
    entry.release(bytes);
    bytes = 0;
  }

  return {
    of(row) {
      const block = Math.floor(row / ID_BLOCK_ROWS);
      const known = blocks.get(block);
      const local = row % ID_BLOCK_ROWS;
      if (known !== undefined && local < known.length) return known[local];
      const first = block * ID_BLOCK_ROWS;
      const end = Math.min(first + ID_BLOCK_ROWS, log.size());
      const ids = readAllValues(log, INSERT_ID, first, end) as (string | undefined)[];
      if (blocks.size >= ID_BLOCKS_MAX) clear();
      const taken = ids.reduce((sum, id) => sum + 32 + (id?.length ?? 0), 0);
      // An unfinished block is read again when it has more rows.
      if (entry.reserve(taken)) {
        blocks.set(block, ids);
        bytes += taken;
      }
      return ids[local];
    },
    clear,
  };
}
