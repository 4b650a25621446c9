import type { Pacer } from '../../bounds/scheduler.ts';
import { prune } from '../selection/prune.ts';
import { select } from '../selection/select.ts';
import type { RowRange, Selector } from '../selection/selector.ts';
import { BLOCK_ROWS, PRUNED_ROWS_MIN } from '../log/sizes.ts';

/** Visits the rows of a block, with a byte of `selection` for each. */
type Visit = (selection: Uint8Array, block: RowRange) => void;

/** Makes a test of the blocks of a range: do the zone maps say that none of their rows is selected? */
const createSkipping = (selector: Selector, { from, to }: RowRange) =>
  to - from < PRUNED_ROWS_MIN ? () => false : (block: RowRange) => prune(selector, block) === 'skip';

/** Visits a range block by block. */
export async function eachBlock(
  range: RowRange,
  pacer: Pacer,
  visit: (block: RowRange) => void,
): Promise<void> {
  const { from, to, ...order } = range;
  for (let start = from; start < to; start += BLOCK_ROWS) {
    visit({ ...order, from: start, to: Math.min(to, start + BLOCK_ROWS) });
    await pacer.yieldIfDue();
  }
}

/** Visits the blocks of a range that may have selected rows. */
export function eachPossible(
  selector: Selector,
  range: RowRange,
  pacer: Pacer,
  visit: (block: RowRange) => void,
): Promise<void> {
  const isSkipped = createSkipping(selector, range);
  return eachBlock(range, pacer, (block) => {
    if (!isSkipped(block)) visit(block);
  });
}

/** Visits the blocks that may have selected rows, with the selection of each. */
export function eachSelected(selector: Selector, range: RowRange, pacer: Pacer, visit: Visit): Promise<void> {
  const selection = new Uint8Array(Math.max(0, Math.min(BLOCK_ROWS, range.to - range.from)));
  return eachPossible(selector, range, pacer, (block) => {
    select(selector, selection, block);
    visit(selection, block);
  });
}

/** The first and the last selected place of a range; undefined if no place is selected. */
export async function findEnds(
  selector: Selector,
  range: RowRange,
  pacer: Pacer,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  const { from, to, ...order } = range;
  const isSkipped = createSkipping(selector, range);
  const selection = new Uint8Array(Math.max(0, Math.min(BLOCK_ROWS, to - from)));
  for (let start = from; start < to; start += BLOCK_ROWS) {
    const end = Math.min(to, start + BLOCK_ROWS);
    const block = { ...order, from: start, to: end };
    const isNone = isSkipped(block);
    if (!isNone) select(selector, selection, block);
    const at = isNone ? -1 : selection.subarray(0, end - start).indexOf(1);
    await pacer.yieldIfDue();
    if (at === -1) continue;
    return { first: start + at, last: await findLast(selector, { ...range, from: start + at }, pacer) };
  }
  return undefined;
}

/** The last selected place of a range whose first place is selected. */
async function findLast(selector: Selector, { rows, from, to }: RowRange, pacer: Pacer): Promise<number> {
  const selection = new Uint8Array(Math.min(BLOCK_ROWS, to - from));
  for (let end = to; end > from; end -= BLOCK_ROWS) {
    const start = Math.max(from, end - BLOCK_ROWS);
    select(selector, selection, { rows, from: start, to: end });
    const at = selection.subarray(0, end - start).lastIndexOf(1);
    if (at !== -1) return start + at;
    await pacer.yieldIfDue();
  }
  return from;
}
