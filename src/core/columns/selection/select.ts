import { tally, tallyAt, tallyBoth, tallyBothAt } from '../counting/count-loops.ts';
import type { Kernel, Tested } from '../counting/kernel.ts';
import { nextBit } from '../log/erased-rows.ts';
import * as loops from './loops.ts';
import type {
  ConditionSelector,
  GroupSelector,
  Leaf,
  LiveSelector,
  SegmentSpan,
  Selector,
} from './selector.ts';
import { BLOCK_ROWS, FEW_ERASED, SEGMENT_ROWS } from '../log/sizes.ts';

/** Most rows of a segment are all but one of so many. */
const MOST_ROWS = 4;

/** How many leaves a selector looks at for each row, at least 1. */
export function selectorCost(selector: Selector): number {
  if (selector.kind === 'constant' || selector.kind === 'leaf') return 1;
  if (selector.kind === 'live') return selectorCost(selector.of) + 1;
  return selector.of.reduce((cost, part) => cost + selectorCost(part), 0);
}

/** How many of the first `size` rows are selected, where that is known without looking at them. */
export function countAll(selector: ConditionSelector, size: number): number | undefined {
  return selector.kind === 'leaf' ? selector.countAll?.(selector.mask, size) : undefined;
}

/** How many rows of a span are selected. `total` is how many rows the walk counts in all. */
export function countSelected(kernel: Kernel, selector: Selector, span: SegmentSpan, total: number): number {
  const { segment, rows, from, to } = span;
  if (selector.kind === 'constant') return selector.value * (to - from);
  if (rows === undefined) {
    if (selector.kind === 'live') {
      const erased = countErased(selector, span);
      if (erased !== undefined) return countSelected(kernel, selector.of, span, total) - erased;
    } else {
      const counted = countByKernel(kernel, selector, span, total);
      if (counted !== undefined) return counted;
    }
  }
  if (rows !== undefined && (to - from) * MOST_ROWS > rows.length * (MOST_ROWS - 1)) {
    // Rows by number are counted several times faster than in order. The others are subtracted.
    const all = countSelected(kernel, selector, { segment, from: 0, to: rows.length }, rows.length);
    const before = countSelected(kernel, selector, { ...span, from: 0, to: from }, from);
    const rest = { segment, rows, from: to, to: rows.length };
    return all - before - countSelected(kernel, selector, rest, rows.length - to);
  }
  if (selector.kind === 'leaf') {
    const { codes, mask } = selector;
    const own = codes[segment]!;
    return rows === undefined ? tally(own, mask, from, to) : tallyAt(own, mask, rows, from, to);
  }
  if (selector.kind === 'all' && selector.of.length === 2) {
    const [first, second] = selector.of;
    if (first?.kind === 'leaf' && second?.kind === 'leaf') return countBoth(first, second, span);
  }
  const selection = new Uint8Array(Math.min(BLOCK_ROWS, to - from));
  let count = 0;
  for (let start = from; start < to; start += BLOCK_ROWS) {
    const end = Math.min(to, start + BLOCK_ROWS);
    select(selector, selection, { segment, rows, from: start, to: end });
    count += loops.sum(selection, end - start);
  }
  return count;
}

/**
 * How many erased rows of a span the selector would select; undefined if they are more than a few, and each
 * would have to be looked at in several columns.
 */
function countErased({ of, erased }: LiveSelector, { segment, from, to }: SegmentSpan): number | undefined {
  const own = erased[segment]!;
  let count = 0;
  let left = of.kind === 'all' || of.kind === 'any' ? FEW_ERASED : SEGMENT_ROWS;
  for (let row = nextBit(own, from); row < to; row = nextBit(own, row + 1)) {
    if (left === 0) return undefined;
    left -= 1;
    count += Number(isSelected(of, segment, row));
  }
  return count;
}

/** Whether a condition selects one row. */
function isSelected(selector: ConditionSelector, segment: number, row: number): boolean {
  if (selector.kind === 'constant') return selector.value === 1;
  if (selector.kind === 'leaf') return selector.mask[selector.codes[segment]![row]!] === 1;
  const isPart = (part: ConditionSelector) => isSelected(part, segment, row);
  return selector.kind === 'all' ? selector.of.every(isPart) : selector.of.some(isPart);
}

function countByKernel(
  kernel: Kernel,
  selector: Leaf | GroupSelector,
  { segment, from, to }: SegmentSpan,
  total: number,
): number | undefined {
  const testedOf = ({ codes, mask }: Leaf): Tested => ({ codes: codes[segment]!, mask });
  if (selector.kind === 'leaf') return kernel.count('all', [testedOf(selector)], { from, to, total });
  const tests: Tested[] = [];
  for (const part of selector.of) {
    if (part.kind !== 'leaf') return undefined;
    tests.push(testedOf(part));
  }
  return kernel.count(selector.kind, tests, { from, to, total });
}

/** Two tests together are the commonest group. */
function countBoth({ codes, mask }: Leaf, other: Leaf, { segment, rows, from, to }: SegmentSpan): number {
  const [own, others] = [codes[segment]!, other.codes[segment]!];
  return rows === undefined
    ? tallyBoth(own, mask, others, other.mask, from, to)
    : tallyBothAt(own, mask, others, other.mask, rows, from, to);
}

/** Selects among the rows of a span: `selection` has a byte for each. */
export function select(selector: Selector, selection: Uint8Array, span: SegmentSpan): void {
  if (selector.kind === 'constant') selection.fill(selector.value, 0, span.to - span.from);
  else if (selector.kind === 'leaf') assign(selection, selector, span);
  else if (selector.kind === 'live') {
    select(selector.of, selection, span);
    loops.leaveOut(selection, selector.erased[span.segment]!, span);
  } else selectGroup(selector.kind, selector.of, selection, span);
}

function selectGroup(
  kind: 'all' | 'any',
  parts: readonly Selector[],
  selection: Uint8Array,
  span: SegmentSpan,
): void {
  const length = span.to - span.from;
  parts.forEach((part, i) => {
    if (i === 0) select(part, selection, span);
    else if (part.kind === 'leaf') (kind === 'all' ? narrow : widen)(selection, part, span);
    else {
      const own = new Uint8Array(length);
      select(part, own, span);
      (kind === 'all' ? loops.intersect : loops.unite)(selection, own, length);
    }
  });
}

function assign(
  selection: Uint8Array,
  { codes, mask }: Leaf,
  { segment, rows, from, to }: SegmentSpan,
): void {
  if (rows === undefined) loops.assign(selection, codes[segment]!, mask, from, to);
  else loops.assignAt(selection, codes[segment]!, mask, rows, from, to);
}

function narrow(
  selection: Uint8Array,
  { codes, mask }: Leaf,
  { segment, rows, from, to }: SegmentSpan,
): void {
  if (rows === undefined) loops.narrow(selection, codes[segment]!, mask, from, to);
  else loops.narrowAt(selection, codes[segment]!, mask, rows, from, to);
}

function widen(selection: Uint8Array, { codes, mask }: Leaf, { segment, rows, from, to }: SegmentSpan): void {
  if (rows === undefined) loops.widen(selection, codes[segment]!, mask, from, to);
  else loops.widenAt(selection, codes[segment]!, mask, rows, from, to);
}
