import type { Reservation } from '../../bounds/memory-budget.ts';
import type { EventLog } from '../log/log.ts';
import { createIds } from '../order/ids.ts';
import { collectAt, collectSelected } from './loops.ts';
import { selectorCost, select } from './select.ts';
import type { Selector } from './selector.ts';
import type { PlaceSpan } from './spans.ts';
import { BLOCK_ROWS, BLOCK_ROWS_FIRST } from '../log/sizes.ts';

/** Walks down places of one segment, from the last one on, and finds the selected rows among them. */
export interface Cursor {
  /**
   * The instant of the next selected row, or of the next place if none was found there yet. No row that is
   * left is newer. -Infinity at the end.
   */
  bound: number;
  /** Whether the next selected row is found. */
  isFound: boolean;
  /**
   * Looks at the next block of places, for at most `wanted` selected rows. It returns how many looks that
   * took.
   */
  look(wanted: number): number;
  /**
   * Takes the row that is found and those after it that are newer than an instant, until `rows` has `most`.
   * The first `toSkip` are passed over. It returns how many are left to be passed over.
   */
  take(rows: number[], most: number, newerThan: number, toSkip: number): number;
  /** The id of the row that is found. */
  id(): string;
}

/** Begins at the last of some places. */
export function createCursor(
  { sorted, from, to }: PlaceSpan,
  selector: Selector,
  { log, reservation }: { readonly log: EventLog; readonly reservation: Reservation },
): Cursor {
  const { segment, first, instants, local } = sorted;
  const cost = selectorCost(selector);
  const [own, erased] = selector.kind === 'live' ? [selector.of, selector.erased[segment]] : [selector];
  const leaf = own.kind === 'leaf' ? own : undefined;
  const isEvery = selector.kind === 'constant' && selector.value === 1;
  let end = to;
  /** The selected rows of the last block, the newest first, and how many of them were taken. */
  let found: number[] = [];
  let taken = 0;
  let blockRows = BLOCK_ROWS_FIRST;
  const idOf = createIds(log, { first, length: local.length }, reservation);
  /** The id of the row that is found, once it was read. */
  let id: string | undefined;

  /** Tells where it stands now. */
  function stand(): void {
    id = undefined;
    cursor.isFound = taken < found.length;
    if (cursor.isFound) cursor.bound = instants[found[taken]!]!;
    else cursor.bound = end > from ? instants[local[end - 1]!]! : -Infinity;
  }

  const cursor: Cursor = {
    bound: instants[local[to - 1]!]!,
    isFound: false,
    look(wanted) {
      const start = Math.max(from, end - (isEvery ? Math.min(wanted, BLOCK_ROWS) : blockRows));
      const span = { rows: local, from: start, to: end };
      const looks = (end - start) * cost;
      blockRows = Math.min(BLOCK_ROWS, blockRows * 4);
      [found, taken] = [[], 0];
      if (isEvery) {
        for (let place = end - 1; place >= start; place--) found.push(local[place]!);
        end = start;
      } else if (leaf !== undefined)
        end = collectAt(found, wanted, leaf.codes[segment]!, leaf.mask, {
          ...span,
          erased,
        });
      else {
        const selection = new Uint8Array(end - start);
        select(selector, selection, { segment, ...span });
        end = collectSelected(found, wanted, selection, span);
      }
      stand();
      return looks;
    },
    take(rows, most, newerThan, toSkip) {
      let left = toSkip;
      do {
        if (left > 0) left -= 1;
        else rows.push(first + found[taken]!);
        taken += 1;
      } while (rows.length < most && taken < found.length && instants[found[taken]!]! > newerThan);
      stand();
      return left;
    },
    id: () => (id ??= idOf(found[taken]!)),
  };
  return cursor;
}
