import type { Pacer } from '../../bounds/scheduler.ts';
import { BLOCK_ROWS, select, type Range } from '../selection/select.ts';
import type { Selector } from '../selection/selector.ts';

/** Sees the rows of a block, a byte of `selection` for each. */
type Visit = (selection: Uint8Array, block: Range) => void;

/** Shows a range block by block. */
export async function eachBlock(
  { rows, from, to }: Range,
  pacer: Pacer,
  visit: (block: Range) => void,
): Promise<void> {
  for (let start = from; start < to; start += BLOCK_ROWS) {
    visit({ rows, from: start, to: Math.min(to, start + BLOCK_ROWS) });
    await pacer.pause();
  }
}

/** Shows the rows of a range block by block, with which of them are selected. */
export function eachSelected(selector: Selector, range: Range, pacer: Pacer, visit: Visit): Promise<void> {
  const selection = new Uint8Array(Math.max(0, Math.min(BLOCK_ROWS, range.to - range.from)));
  return eachBlock(range, pacer, (block) => {
    select(selector, selection, block);
    visit(selection, block);
  });
}

/** The first and the last place of a range whose rows are selected; undefined where none is. */
export async function findEnds(
  selector: Selector,
  range: Range,
  pacer: Pacer,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  const { rows, from, to } = range;
  const selection = new Uint8Array(Math.max(0, Math.min(BLOCK_ROWS, to - from)));
  for (let start = from; start < to; start += BLOCK_ROWS) {
    const end = Math.min(to, start + BLOCK_ROWS);
    select(selector, selection, { rows, from: start, to: end });
    const at = selection.subarray(0, end - start).indexOf(1);
    await pacer.pause();
    if (at === -1) continue;
    return { first: start + at, last: await findLast(selector, { rows, from: start + at, to }, pacer) };
  }
  return undefined;
}

/** The last selected place of a range whose first place is selected. */
async function findLast(selector: Selector, { rows, from, to }: Range, pacer: Pacer): Promise<number> {
  const selection = new Uint8Array(Math.min(BLOCK_ROWS, to - from));
  for (let end = to; end > from; end -= BLOCK_ROWS) {
    const start = Math.max(from, end - BLOCK_ROWS);
    select(selector, selection, { rows, from: start, to: end });
    const at = selection.subarray(0, end - start).lastIndexOf(1);
    if (at !== -1) return start + at;
    await pacer.pause();
  }
  return from;
}
