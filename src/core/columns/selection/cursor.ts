import type { Reservation } from '../../bounds/memory-budget.ts';
import { readAllValues, type EventLog } from '../log/log.ts';
import { INSERT_ID } from '../order/sorted-rows.ts';
import { costOf, countSelected, select } from './select.ts';
import type { Selector } from './selector.ts';
import type { PlaceSpan } from './spans.ts';
import { BLOCK_ROWS, BLOCK_ROWS_FIRST } from '../log/sizes.ts';

/** Walks down places of one segment, from the last one on, and finds the selected rows among them. */
export interface Cursor {
  /**
   * The instant of the next selected row, or of the next place if none was found there yet. No row that is
   * left is newer. -Infinity at the end.
   */
  readonly bound: number;
  /** Whether the next selected row is found. */
  readonly isFound: boolean;
  /**
   * Looks at the next block of places, and returns how many rows it has looked at. If all of the block is
   * newer than `others`, its selected rows are the next ones of the page: they are skipped together if they
   * are at most `toSkip`.
   */
  look(others: number, toSkip: number): { readonly looks: number; readonly skipped: number };
  /** Takes the row that is found. */
  take(): number;
  /** The id of the row that is found. */
  id(): string;
}

/** After so many ids of one segment, all of its ids are read together. */
const FEW_IDS = 256;
/** About how many bytes an id takes. */
const ID_BYTES = 80;

/** Begins at the last of some places. */
export function createCursor(
  { sorted, from, to }: PlaceSpan,
  selector: Selector,
  { log, reservation }: { readonly log: EventLog; readonly reservation: Reservation },
): Cursor {
  const { segment, first, instants, local } = sorted;
  let end = to;
  /** The selected rows of the last block, the newest first, and how many of them were taken. */
  let found: number[] = [];
  let taken = 0;
  let blockRows = BLOCK_ROWS_FIRST;
  let idsRead = 0;
  let ids: readonly string[] | undefined;

  function readIds(): readonly string[] | undefined {
    if (idsRead !== FEW_IDS || !reservation.reserve(local.length * ID_BYTES)) return undefined;
    return readAllValues(log, INSERT_ID, first, first + local.length) as readonly string[];
  }

  return {
    get bound() {
      const row = taken < found.length ? found[taken] : end > from ? local[end - 1] : undefined;
      return row === undefined ? -Infinity : instants[row]!;
    },
    get isFound() {
      return taken < found.length;
    },
    look(others, toSkip) {
      const start = Math.max(from, end - blockRows);
      const span = { segment, rows: local, from: start, to: end };
      const looks = (end - start) * costOf(selector);
      const length = end - start;
      end = start;
      blockRows = Math.min(BLOCK_ROWS, blockRows * 4);
      if (toSkip > 0 && instants[local[start]!]! > others) {
        const count = countSelected(selector, span, length);
        if (count <= toSkip) return { looks, skipped: count };
      }
      const selection = new Uint8Array(length);
      select(selector, selection, span);
      found = [];
      taken = 0;
      for (let i = length - 1; i >= 0; i--) if (selection[i] !== 0) found.push(local[start + i]!);
      return { looks, skipped: 0 };
    },
    take: () => first + found[taken++]!,
    id() {
      const row = found[taken]!;
      idsRead += 1;
      ids ??= readIds();
      return ids === undefined ? log.insertIdAt(first + row) : ids[row]!;
    },
  };
}
