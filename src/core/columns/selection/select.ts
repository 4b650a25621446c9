import { BYTE_ORDER } from '../column/chunk.ts';
import { chunkEnd } from '../log/log.ts';
import { prune } from './prune.ts';
import { tally, tallyAt, tallyBoth, tallyBothAt } from '../counting/count-loops.ts';
import { createKernel, type Wasm } from '../counting/kernel.ts';
import * as loops from './loops.ts';
import type { Leaf, RowRange, Selector } from './selector.ts';
import { BLOCK_ROWS, PRUNED_ROWS_MIN } from '../log/sizes.ts';

const { WebAssembly } = globalThis as { WebAssembly?: Wasm };
/** Its memory has the lowest byte of a code first, on any machine. */
const kernel = createKernel(BYTE_ORDER === 'little' ? WebAssembly : undefined);

/** How many leaves a selector looks at for each row, at least 1. */
export function costOf(selector: Selector): number {
  if (selector.kind === 'constant' || selector.kind === 'leaf') return 1;
  return selector.of.reduce((cost, part) => cost + costOf(part), 0);
}

/** How many of the first `size` rows are selected, where that is known without looking at them. */
export function countAll(selector: Selector, size: number): number | undefined {
  return selector.kind === 'leaf' ? selector.countAll?.(selector.mask, size) : undefined;
}

/** How many rows of a range are selected. Chunks that the zone maps decide are not scanned. */
export function countSelected(selector: Selector, range: RowRange): number {
  if (selector.kind === 'constant') return selector.value * (range.to - range.from);
  if (selector.pruneChunk === undefined || range.to - range.from < PRUNED_ROWS_MIN)
    return countScanned(selector, range);
  let count = 0;
  /** The rows from here on need a scan, which covers neighbouring chunks together. */
  let unknown = range.from;
  for (let { from } = range; from < range.to; from = chunkEnd(from)) {
    const to = Math.min(range.to, chunkEnd(from));
    const pruning = prune(selector, { ...range, from, to });
    if (pruning === 'scan') continue;
    count += countScanned(selector, { ...range, from: unknown, to: from });
    if (pruning === 'all') count += to - from;
    unknown = to;
  }
  return count + countScanned(selector, { ...range, from: unknown });
}

function countScanned(selector: Exclude<Selector, { kind: 'constant' }>, range: RowRange): number {
  const { rows, from, to } = range;
  // Between two chunks that need no scan there is nothing to look at.
  if (from >= to) return 0;
  const counted = rows === undefined ? countByKernel(selector, from, to) : undefined;
  if (counted !== undefined) return counted;
  if (selector.kind === 'leaf') {
    const { codes, mask } = selector;
    return rows === undefined ? tally(codes, mask, from, to) : tallyAt(codes, mask, rows, from, to);
  }
  const [first, second] = selector.of;
  if (
    selector.kind === 'all' &&
    first?.kind === 'leaf' &&
    second?.kind === 'leaf' &&
    selector.of.length === 2
  ) {
    return countBoth(first, second, range);
  }
  const selection = new Uint8Array(Math.min(BLOCK_ROWS, to - from));
  let count = 0;
  for (let start = from; start < to; start += BLOCK_ROWS) {
    const end = Math.min(to, start + BLOCK_ROWS);
    select(selector, selection, { rows, from: start, to: end });
    count += loops.sum(selection, end - start);
  }
  return count;
}

function countByKernel(
  selector: Exclude<Selector, { kind: 'constant' }>,
  from: number,
  to: number,
): number | undefined {
  if (selector.kind === 'leaf') return kernel.count('all', [selector], from, to);
  return selector.of.every((part) => part.kind === 'leaf')
    ? kernel.count(selector.kind, selector.of, from, to)
    : undefined;
}

/** Two tests together are the commonest group. */
function countBoth({ codes, mask }: Leaf, other: Leaf, { rows, from, to }: RowRange): number {
  return rows === undefined
    ? tallyBoth(codes, mask, other.codes, other.mask, from, to)
    : tallyBothAt(codes, mask, other.codes, other.mask, rows, from, to);
}

/** Selects among the rows of a block: `selection` has a byte for each. */
export function select(selector: Selector, selection: Uint8Array, range: RowRange): void {
  if (selector.kind === 'constant') selection.fill(selector.value, 0, range.to - range.from);
  else if (selector.kind === 'leaf') assign(selection, selector, range);
  else selectGroup(selector.kind, selector.of, selection, range);
}

function selectGroup(
  kind: 'all' | 'any',
  parts: readonly Selector[],
  selection: Uint8Array,
  range: RowRange,
): void {
  const length = range.to - range.from;
  parts.forEach((part, i) => {
    if (i === 0) select(part, selection, range);
    else if (part.kind === 'leaf') (kind === 'all' ? narrow : widen)(selection, part, range);
    else {
      const own = new Uint8Array(length);
      select(part, own, range);
      (kind === 'all' ? loops.intersect : loops.unite)(selection, own, length);
    }
  });
}

function assign(selection: Uint8Array, { codes, mask }: Leaf, { rows, from, to }: RowRange): void {
  if (rows === undefined) loops.assign(selection, codes, mask, from, to);
  else loops.assignAt(selection, codes, mask, rows, from, to);
}

function narrow(selection: Uint8Array, { codes, mask }: Leaf, { rows, from, to }: RowRange): void {
  if (rows === undefined) loops.narrow(selection, codes, mask, from, to);
  else loops.narrowAt(selection, codes, mask, rows, from, to);
}

function widen(selection: Uint8Array, { codes, mask }: Leaf, { rows, from, to }: RowRange): void {
  if (rows === undefined) loops.widen(selection, codes, mask, from, to);
  else loops.widenAt(selection, codes, mask, rows, from, to);
}
