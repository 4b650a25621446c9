import type { Pacer } from '../../bounds/scheduler.ts';
import { pruneSegment } from '../selection/prune.ts';
import { select } from '../selection/select.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { PlaceSpan } from '../selection/spans.ts';
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

  /** Looks at a block of places. It returns whether one of them is selected. */
  const look = ({ sorted }: PlaceSpan, from: number, to: number): Uint8Array | undefined => {
    const { segment, local: rows } = sorted;
    select(selectorAt(segment), selection, { segment, rows, from, to });
    const own = selection.subarray(0, to - from);
    return own.includes(1) ? own : undefined;
  };

  for (const place of places) {
    const { sorted, from, to } = place;
    if (pruneSegment(selectorAt(sorted.segment), sorted.segment) === 'skip') continue;
    const instantAt = (at: number) => sorted.instants[sorted.local[at]!]!;
    for (let start = from; start < to && instantAt(start) < first; start += BLOCK_ROWS) {
      const own = look(place, start, Math.min(to, start + BLOCK_ROWS));
      await pacer.yieldIfDue();
      if (own === undefined) continue;
      first = Math.min(first, instantAt(start + own.indexOf(1)));
      break;
    }
    for (let end = to; end > from && instantAt(end - 1) > last; end -= BLOCK_ROWS) {
      const start = Math.max(from, end - BLOCK_ROWS);
      const own = look(place, start, end);
      await pacer.yieldIfDue();
      if (own === undefined) continue;
      last = Math.max(last, instantAt(start + own.lastIndexOf(1)));
      break;
    }
  }
  return last === -Infinity ? undefined : { first, last };
}
