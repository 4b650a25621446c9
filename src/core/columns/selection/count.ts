import type { Pacer } from '../../bounds/scheduler.ts';
import type { Kernel } from '../counting/kernel.ts';
import { pruneSegment } from './prune.ts';
import { selectorCost, countSelected } from './select.ts';
import type { SegmentSpan, SelectorAt } from './selector.ts';
import { BLOCK_ROWS, PRUNED_ROWS_MIN, SEGMENT_ROWS } from '../log/sizes.ts';

/** What counts rows. */
export interface CountTools {
  readonly pacer: Pacer;
  readonly kernel: Kernel;
}

/** How many times a row is looked at between two pauses: some milliseconds. */
const STEP_LOOKS = 1_048_576;

/** The overhead of a span, in rows. */
const SPAN_ROWS = 64;

/**
 * How many rows of some spans are selected. It answers at once if there are few rows to look at. Segments
 * that the zone maps decide are not scanned.
 */
export async function countPaced(
  selectorAt: SelectorAt,
  spans: readonly SegmentSpan[],
  { pacer, kernel }: CountTools,
): Promise<number> {
  const total = countRows(spans);
  let count = 0;
  /** How many rows may still be looked at before the next pause. */
  let left = STEP_LOOKS;
  for (const span of spans) {
    const { segment, from, to } = span;
    const selector = selectorAt(segment);
    const pruning = total < PRUNED_ROWS_MIN ? 'scan' : pruneSegment(selector, segment);
    left -= SPAN_ROWS;
    if (pruning === 'all') count += to - from;
    if (pruning === 'scan') {
      const cost = selectorCost(selector);
      const step = Math.max(BLOCK_ROWS, Math.min(SEGMENT_ROWS, Math.floor(STEP_LOOKS / cost)));
      for (let start = from; start < to; start += step) {
        const end = Math.min(to, start + step);
        count += countSelected(
          kernel,
          selector,
          start === from && end === to ? span : { ...span, from: start, to: end },
          total,
        );
        left -= (end - start) * cost;
        if (left <= 0) {
          const pause = pacer.yieldIfDue();
          if (pause !== undefined) await pause;
          left = STEP_LOOKS;
        }
      }
    } else if (left <= 0) {
      const pause = pacer.yieldIfDue();
      if (pause !== undefined) await pause;
      left = STEP_LOOKS;
    }
  }
  return count;
}

function countRows(spans: readonly SegmentSpan[]): number {
  let length = 0;
  for (const { from, to } of spans) length += to - from;
  return length;
}
