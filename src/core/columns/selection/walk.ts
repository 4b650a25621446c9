import type { Pacer } from '../../bounds/scheduler.ts';
import { takeAt, takeSelected, type PageSelection } from './loops.ts';
import { prune } from './prune.ts';
import { costOf, countAll, countSelected, select } from './select.ts';
import type { RowRange, Selector } from './selector.ts';
import type { RowSpan } from './spans.ts';
import { BLOCK_ROWS, BLOCK_ROWS_FIRST, PRUNED_ROWS_MIN } from '../log/sizes.ts';

/** How many times a row is looked at between two pauses: some milliseconds. */
const STEP_LOOKS = 1_048_576;

/** The overhead of a span, in rows. */
const SPAN_ROWS = 64;

/** Rows counted up, or, where `rows` is given, the rows at places of the order. The spans ascend. */
export interface Rows {
  readonly rows?: RowRange['rows'];
  readonly chunksAt?: RowRange['chunksAt'];
  readonly spans: readonly RowSpan[];
}

/** How many rows are selected. It answers at once if there are few rows to look at. */
export async function countPaced(
  selector: Selector,
  { rows, chunksAt, spans }: Rows,
  pacer: Pacer,
): Promise<number> {
  if (selector.kind === 'constant') return selector.value * lengthOf(spans);
  const [first] = spans;
  if (rows === undefined && first?.from === 0 && spans.length === 1) {
    const known = countAll(selector, first.to);
    if (known !== undefined) return known;
  }
  const stepRows = stepOf(selector);
  let count = 0;
  /** How many rows may still be looked at before the next pause. */
  let left = stepRows;
  let next = 0;
  let from = first?.from ?? 0;

  /** Counts until a pause is due. It returns whether it has counted everything. */
  function goOn(): boolean {
    for (left = stepRows; next < spans.length; from = spans[++next]?.from ?? 0) {
      const { to } = spans[next]!;
      while (from < to) {
        if (left <= 0) return false;
        const end = Math.min(to, from + left);
        count += countSelected(selector, { rows, chunksAt, from, to: end });
        left -= end - from + SPAN_ROWS;
        from = end;
      }
    }
    return true;
  }
  while (!goOn()) await pacer.yieldIfDue();
  return count;
}

function lengthOf(spans: readonly RowSpan[]): number {
  let length = 0;
  // A span whose end is before its beginning has no rows.
  for (const { from, to } of spans) length += Math.max(0, to - from);
  return length;
}

/** Places of the order, and how many rows the order has in all. */
export interface OrderRows extends Rows {
  readonly rows: Uint32Array;
  readonly indexedRows: number;
}

/**
 * The selected rows of an order, from the end of the last span down, without the first `offset`, at most
 * `size` of them.
 */
export async function walkDown(
  selector: Selector,
  { rows, chunksAt, spans, indexedRows }: OrderRows,
  { offset, size }: { readonly offset: number; readonly size: number },
  pacer: Pacer,
): Promise<readonly number[]> {
  if (selector.kind === 'constant') {
    const taking: PageSelection = { toSkip: offset, size: selector.value * size, taken: [] };
    for (let i = spans.length - 1; i >= 0; i--) takeAll(taking, rows, spans[i]!.from, spans[i]!.to);
    return taking.taken;
  }
  const stepRows = stepOf(selector);
  // If few rows match, the walk ends with the last of them.
  const found = countAll(selector, indexedRows) ?? Infinity;
  const taking: PageSelection = { toSkip: offset, size: Math.min(size, found - offset), taken: [] };
  const selection = selector.kind === 'leaf' ? undefined : new Uint8Array(BLOCK_ROWS);
  let next = spans.length - 1;
  let end = spans[next]?.to ?? 0;
  let blockRows = BLOCK_ROWS_FIRST;
  let walked = 0;

  /** Walks until a pause is due. It returns whether the walk has ended. */
  function goOn(): boolean {
    for (let left = stepRows; taking.taken.length < taking.size && next >= 0;) {
      if (left <= 0) return false;
      const { from } = spans[next]!;
      const start = Math.max(from, end - blockRows);
      const range = { rows, chunksAt, from: start, to: end };
      // A long walk means that matches are rare. Only then do zone maps pay.
      const isSkipped = walked >= PRUNED_ROWS_MIN && prune(selector, range) === 'skip';
      if (start < end && !isSkipped) takeBlock(selector, taking, selection, range);
      walked += end - start;
      left -= end - start + SPAN_ROWS;
      end = start;
      blockRows = Math.min(BLOCK_ROWS, blockRows * 4);
      if (end <= from) end = spans[--next]?.to ?? 0;
    }
    return true;
  }
  while (!goOn()) await pacer.yieldIfDue();
  return taking.taken;
}

/** Takes all rows, from the last place of the order down. */
function takeAll(taking: PageSelection, rows: Uint32Array, from: number, to: number): void {
  if (to <= from) return;
  const skipped = Math.min(to - from, taking.toSkip);
  taking.toSkip -= skipped;
  const end = to - skipped;
  const start = Math.max(from, end - (taking.size - taking.taken.length));
  for (let place = end - 1; place >= start; place--) taking.taken.push(rows[place]!);
}

/** Takes from one block; a block that is skipped as a whole is only counted. */
function takeBlock(
  selector: Selector,
  taking: PageSelection,
  selection: Uint8Array | undefined,
  range: RowRange & { readonly rows: Uint32Array },
): void {
  if (taking.toSkip > 0 && skip(taking, countSelected(selector, range))) return;
  const { rows, from, to } = range;
  if (selector.kind === 'leaf') {
    takeAt(taking, selector.codes, selector.mask, rows, from, to);
  } else {
    select(selector, selection!, range);
    takeSelected(taking, selection!, rows, from, to);
  }
}

/** Skips as many rows, unless the page begins among them. */
function skip(taking: PageSelection, count: number): boolean {
  if (count > taking.toSkip) return false;
  taking.toSkip -= count;
  return true;
}

function stepOf(selector: Selector): number {
  return Math.max(BLOCK_ROWS, Math.floor(STEP_LOOKS / costOf(selector)));
}
