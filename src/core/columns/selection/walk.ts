import { BLOCK_ROWS, costOf, countAll, countSelected, select, type Range } from './select.ts';
import type { Selector } from './selector.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { takeAt, takeSelected, type Taking } from './loops.ts';

/** How many times a row is looked at between two pauses: some milliseconds. */
const STEP_LOOKS = 1_048_576;

/** The first block of a page is small, since most pages are full after a few rows. */
const BLOCK_ROWS_FIRST = 256;

/** How many rows of a range are selected; at once where they are few. */
export function countPaced(selector: Selector, range: Range, pacer: Pacer): number | Promise<number> {
  // A range that ends before it begins has no rows.
  if (range.to <= range.from) return 0;
  const known = range.rows === undefined && range.from === 0 ? countAll(selector, range.to) : undefined;
  if (known !== undefined) return known;
  const stepRows = stepOf(selector);
  if (range.to - range.from <= stepRows) return countSelected(selector, range);
  return countInSteps(selector, range, stepRows, pacer);
}

async function countInSteps(
  selector: Selector,
  range: Range,
  stepRows: number,
  pacer: Pacer,
): Promise<number> {
  let count = 0;
  for (let from = range.from; from < range.to; from += stepRows) {
    if (from > range.from) await pacer.pause();
    count += countSelected(selector, { ...range, from, to: Math.min(range.to, from + stepRows) });
  }
  return count;
}

/**
 * The selected rows of an order, from the end of a range down, without the first `offset`, at most `size` of
 * them.
 */
export async function walkDown(
  selector: Selector,
  { rows, from, to, covered }: OrderRange,
  { offset, size }: { readonly offset: number; readonly size: number },
  pacer: Pacer,
): Promise<readonly number[]> {
  if (selector.kind === 'constant') {
    const end = selector.value === 1 ? Math.max(from, to - offset) : from;
    return Array.from(rows.subarray(Math.max(from, end - size), end)).reverse();
  }
  const stepRows = stepOf(selector);
  // Where there are few, the walk ends with the last of them.
  const found = countAll(selector, covered) ?? Infinity;
  const taking: Taking = { toSkip: offset, size: Math.min(size, found - offset), taken: [] };
  const selection = new Uint8Array(BLOCK_ROWS);
  let untilPause = stepRows;
  let blockRows = BLOCK_ROWS_FIRST;
  for (let end = to; end > from && taking.taken.length < taking.size;) {
    const start = Math.max(from, end - blockRows);
    takeBlock(selector, taking, selection, { rows, from: start, to: end });
    untilPause -= end - start;
    end = start;
    blockRows = Math.min(BLOCK_ROWS, blockRows * 4);
    if (untilPause <= 0) {
      untilPause = stepRows;
      await pacer.pause();
    }
  }
  return taking.taken;
}

type PlacedRange = Range & { readonly rows: Uint32Array };

/** A range of the order, and how many rows the order has in all. */
export type OrderRange = PlacedRange & { readonly covered: number };

/** Takes from one block; a block that is skipped as a whole is only counted. */
function takeBlock(selector: Selector, taking: Taking, selection: Uint8Array, range: PlacedRange): void {
  if (taking.toSkip > 0 && skip(taking, countSelected(selector, range))) return;
  const { rows, from, to } = range;
  if (selector.kind === 'leaf') {
    takeAt(taking, selector.codes, selector.verdict, rows, from, to);
  } else {
    select(selector, selection, range);
    takeSelected(taking, selection, rows, from, to);
  }
}

/** Skips as many rows, unless the page begins among them. */
function skip(taking: Taking, count: number): boolean {
  if (count > taking.toSkip) return false;
  taking.toSkip -= count;
  return true;
}

function stepOf(selector: Selector): number {
  return Math.max(BLOCK_ROWS, Math.floor(STEP_LOOKS / costOf(selector)));
}
