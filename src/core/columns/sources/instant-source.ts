import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { During } from '../../filter/condition.ts';
import { compileInstants, countUpTo } from '../../filter/instants.ts';
import { createCodes } from '../column/chunk.ts';
import { segmentEnd, segmentOf, type Codes } from '../log/log.ts';
import { toSegmentCodes } from '../selection/selector.ts';
import { createStep, indexAndSave } from '../log/index-up-to.ts';
import type { Order, OrderSnapshot, SortedSegment } from '../order/order.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import type { LeafSource, SourceTools } from './source.ts';

/** How many regions are evaluated between two pauses. */
const STEP_REGIONS = 32_768;

/**
 * All ranges of time of one question. Whether an instant lies in a range changes only at the limits of
 * ranges, so what lies between two neighbours of all limits is one region. A row has the code of its region,
 * which a binary search among the limits finds.
 */
export function createInstantSource(
  order: Order,
  leaves: readonly During[],
  { reservation, pacer }: SourceTools,
): LeafSource {
  const limits = limitsOf(leaves);
  const regions = limits.length + 1;
  const masks = new Map<ConditionLeaf, Uint8Array>();

  async function evaluateRegions(leaf: During): Promise<void> {
    reserveOrThrow(reservation, regions);
    const mask = new Uint8Array(regions);
    masks.set(leaf, mask);
    const holds = compileInstants(leaf.ranges);
    for (let region = 0; region < regions; region++) {
      mask[region] = Number(holds(limits[region - 1] ?? -Infinity));
      if (region % STEP_REGIONS === STEP_REGIONS - 1) await pacer.yieldIfDue();
    }
  }

  /** The region of each row. */
  async function codeRegions({ size, segments }: OrderSnapshot): Promise<Codes> {
    const codes = createCodes(regions, size);
    const step = createStep(pacer);
    for (let row = 0; row < size;) {
      await step((rows) => {
        for (const to = Math.min(size, row + rows); row < to; row = Math.min(to, segmentEnd(row))) {
          const sorted = segments[segmentOf(row)];
          if (sorted !== undefined) fillRegions(codes, sorted, limits, row, Math.min(to, segmentEnd(row)));
        }
      });
    }
    return codes;
  }

  return {
    async open(size) {
      reserveOrThrow(reservation, size * createCodes(regions, 0).BYTES_PER_ELEMENT + limits.byteLength);
      for (const leaf of leaves) await evaluateRegions(leaf);
      await indexAndSave(order, size, pacer);
      const codes = toSegmentCodes(await codeRegions(order.snapshotAt(size)));
      return (leaf) => ({ kind: 'leaf', codes, mask: masks.get(leaf)! });
    },
  };
}

/** Every limit of the ranges, ascending. */
function limitsOf(leaves: readonly During[]): Float64Array {
  const all = leaves.flatMap(({ ranges }) => ranges.flatMap(({ from, until }) => [from, until]));
  const sorted = Float64Array.from(all).sort();
  return sorted.filter((limit, i) => limit !== sorted[i - 1]);
}

/** A region begins at its limit: its code is the number of limits up to an instant. */
function fillRegions(
  codes: Codes,
  { first, instants }: SortedSegment,
  limits: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) codes[row] = countUpTo(limits, instants[row - first]!);
}
