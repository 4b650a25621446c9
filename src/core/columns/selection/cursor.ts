import type { Reservation } from '../../bounds/memory-budget.ts';
import { readAllValues, type EventLog } from '../log/log.ts';
import { INSERT_ID } from '../order/sorted-rows.ts';
import { placeOfInstant } from '../order/order.ts';
import { collectAt, collectSelected } from './loops.ts';
import { costOf, countSelected, select } from './select.ts';
import type { Selector } from './selector.ts';
import { toSpan, type PlaceSpan } from './spans.ts';
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
  /** Passes over selected rows that are newer than `others`: at most `toSkip`, and mostly all of these. */
  skip(others: number, toSkip: number): Walked;
  /** Looks at the next block of places, for at most `wanted` selected rows. */
  look(wanted: number): Walked;
  /** Takes the row that is found. */
  take(): number;
  /** The id of the row that is found. */
  id(): string;
}

/** How many rows were looked at, each as often as the selector has leaves, and how many were passed over. */
interface Walked {
  readonly looks: number;
  readonly skipped: number;
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
  const cost = costOf(selector);
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
    skip(others, toSkip) {
      const least = Math.max(from, placeOfInstant(sorted, others + 1));
      let [looks, skipped] = [0, 0];
      // All of them together, and, if the page begins among them, block by block.
      for (let rows = end - least; end > least; rows = BLOCK_ROWS) {
        const start = Math.max(least, end - rows);
        const count = countSelected(selector, toSpan({ sorted, from: start, to: end }), end - start);
        looks += (end - start) * cost;
        if (skipped + count <= toSkip) {
          skipped += count;
          end = start;
        } else if (rows <= BLOCK_ROWS) break;
      }
      return { looks, skipped };
    },
    look(wanted) {
      const start = Math.max(from, end - blockRows);
      const looks = (end - start) * cost;
      blockRows = Math.min(BLOCK_ROWS, blockRows * 4);
      [found, taken] = [[], 0];
      const span = { rows: local, from: start, to: end };
      if (selector.kind === 'leaf')
        end = collectAt(found, wanted, selector.codes[segment]!, selector.mask, span);
      else {
        const selection = new Uint8Array(end - start);
        select(selector, selection, { segment, ...span });
        end = collectSelected(found, wanted, selection, span);
      }
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
