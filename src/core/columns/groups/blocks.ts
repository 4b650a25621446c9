import type { Pacer } from '../../bounds/scheduler.ts';
import { pruneSegment } from '../selection/prune.ts';
import { select } from '../selection/select.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import type { SortedSegment } from '../order/order.ts';
import { BLOCK_ROWS, PRUNED_ROWS_MIN } from '../log/sizes.ts';

/** Visits the rows of a block, with a byte of `selection` for each. */
type Visit = (selection: Uint8Array, block: SegmentSpan) => void;

/** Makes a test of spans: do the zone maps say that none of their rows is selected? */
function createSkipping(selectorAt: SelectorAt, spans: readonly SegmentSpan[]): (segment: number) => boolean {
  const total = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  if (total < PRUNED_ROWS_MIN) return () => false;
  return (segment) => pruneSegment(selectorAt(segment), segment) === 'skip';
}

/** Visits the blocks of spans that may have selected rows. A block has rows of one segment. */
export async function eachPossible(
  selectorAt: SelectorAt,
  spans: readonly SegmentSpan[],
  pacer: Pacer,
  visit: (block: SegmentSpan) => void,
): Promise<void> {
  const isSkipped = createSkipping(selectorAt, spans);
  for (const { segment, rows, from, to } of spans) {
    if (isSkipped(segment)) continue;
    for (let start = from; start < to; start += BLOCK_ROWS) {
      visit({ segment, rows, from: start, to: Math.min(to, start + BLOCK_ROWS) });
      const pause = pacer.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }
}

/** Visits the blocks that may have selected rows, with the selection of each. */
export function eachSelected(
  selectorAt: SelectorAt,
  spans: readonly SegmentSpan[],
  pacer: Pacer,
  visit: Visit,
): Promise<void> {
  const selection = new Uint8Array(BLOCK_ROWS);
  return eachPossible(selectorAt, spans, pacer, (block) => {
    select(selectorAt(block.segment), selection, block);
    visit(selection, block);
  });
}

/** The first and the last instant of selected rows; undefined if none is selected. */
export async function findEnds(
  selectorAt: SelectorAt,
  places: readonly PlaceSpan[],
  pacer: Pacer,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  let [first, last] = [Infinity, -Infinity];
  const selection = new Uint8Array(BLOCK_ROWS);

  /** The selection of a block of places; undefined if none is selected. */
  const look = ({ sorted }: PlaceSpan, from: number, to: number): Uint8Array | undefined => {
    const { segment, local: rows } = sorted;
    select(selectorAt(segment), selection, { segment, rows, from, to });
    const own = selection.subarray(0, to - from);
    return own.includes(1) ? own : undefined;
  };

  const isSkipped = ({ segment }: SortedSegment) => pruneSegment(selectorAt(segment), segment) === 'skip';
  const instantOf = ({ instants, local }: SortedSegment, place: number) => instants[local[place]!]!;
  for (const place of places.toSorted((a, b) => a.sorted.min - b.sorted.min)) {
    const { sorted, from, to } = place;
    if (sorted.min >= first) break;
    for (let start = from; start < to && instantOf(sorted, start) < first; start += BLOCK_ROWS) {
      if (isSkipped(sorted)) break;
      const own = look(place, start, Math.min(to, start + BLOCK_ROWS));
      await pacer.yieldIfDue();
      if (own === undefined) continue;
      first = Math.min(first, instantOf(sorted, start + own.indexOf(1)));
      break;
    }
  }
  if (first === Infinity) return undefined;
  for (const place of places.toSorted((a, b) => b.sorted.max - a.sorted.max)) {
    const { sorted, from, to } = place;
    if (sorted.max <= last) break;
    for (let end = to; end > from && instantOf(sorted, end - 1) > last; end -= BLOCK_ROWS) {
      if (isSkipped(sorted)) break;
      const start = Math.max(from, end - BLOCK_ROWS);
      const own = look(place, start, end);
      await pacer.yieldIfDue();
      if (own === undefined) continue;
      last = Math.max(last, instantOf(sorted, start + own.lastIndexOf(1)));
      break;
    }
  }
  return { first, last };
}
