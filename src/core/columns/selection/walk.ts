import { BLOCK_ROWS, costOf, countSelected, select, type Range, type Selector } from './selector.ts';
import type { Pacer } from '../pace.ts';
import { sum } from './loops.ts';

/** How many times a row is looked at between two pauses: some milliseconds. */
const STEP_LOOKS = 8_388_608;

/** The first block of a page is small, since most pages are full after a few rows. */
const BLOCK_ROWS_FIRST = 256;

/** How many rows of a range are selected. */
export async function countPaced(selector: Selector, range: Range, pacer: Pacer): Promise<number> {
  const stepRows = Math.max(BLOCK_ROWS, Math.floor(STEP_LOOKS / costOf(selector)));
  let count = 0;
  for (let from = range.from; from < range.to; from += stepRows) {
    if (from > range.from) await pacer.pause();
    count += countSelected(selector, { ...range, from, to: Math.min(range.to, from + stepRows) });
  }
  return count;
}

/** The selected rows of an order, from the end of a range down, without the first `offset`, at most `size` of them. */
export async function walkDown(
  selector: Selector,
  { rows, from, to }: Range & { readonly rows: Uint32Array },
  { offset, size }: { readonly offset: number; readonly size: number },
  pacer: Pacer,
): Promise<number[]> {
  const found: number[] = [];
  if (selector.kind === 'constant') {
    const end = selector.value === 1 ? Math.max(from, to - offset) : from;
    return Array.from(rows.subarray(Math.max(from, end - size), end)).reverse();
  }
  const stepRows = Math.max(BLOCK_ROWS, Math.floor(STEP_LOOKS / costOf(selector)));
  const selection = new Uint8Array(BLOCK_ROWS);
  let toSkip = offset;
  let untilPause = stepRows;
  let blockRows = BLOCK_ROWS_FIRST;
  for (let end = to; end > from && found.length < size;) {
    const start = Math.max(from, end - blockRows);
    select(selector, selection, { rows, from: start, to: end });
    const selected = toSkip === 0 ? 0 : sum(selection, end - start);
    if (selected > 0 && selected <= toSkip) toSkip -= selected;
    else toSkip -= collect(found, selection, rows, start, end, toSkip, size);
    untilPause -= end - start;
    end = start;
    blockRows = Math.min(BLOCK_ROWS, blockRows * 4);
    if (untilPause <= 0) {
      untilPause = stepRows;
      await pacer.pause();
    }
  }
  return found;
}

/** Takes the selected rows of a block from its end; returns how many it skipped. */
function collect(
  found: number[],
  selection: Uint8Array,
  rows: Uint32Array,
  start: number,
  end: number,
  toSkip: number,
  size: number,
): number {
  let skipped = 0;
  for (let place = end - 1; place >= start && found.length < size; place--) {
    if (selection[place - start] === 0) continue;
    if (skipped < toSkip) skipped += 1;
    else found.push(rows[place]!);
  }
  return skipped;
}
