import type { Atom, Condition } from '../../filter/condition.ts';
import type { Codes } from '../chunk.ts';
import * as loops from './loops.ts';

/** One test over a column, decided: `verdict` by code, one code for each row. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly codes: Codes;
  readonly verdict: Uint8Array;
  /** How many of the first `covered` rows have each code, where that is known. */
  readonly occurrences?: Uint32Array;
  readonly covered?: number;
}

/** A condition whose tests are decided. Negations are gone: each was pushed down into the verdicts. */
export type Selector =
  | { readonly kind: 'constant'; readonly value: 0 | 1 }
  | Leaf
  | { readonly kind: 'all' | 'any'; readonly of: readonly Selector[] };

/** Rows counted up, or, where `rows` is given, the rows at places of the order. */
export interface Range {
  readonly rows?: Uint32Array | undefined;
  readonly from: number;
  readonly to: number;
}

/** Rows of a block: their selections stay in the processor's first cache. */
export const BLOCK_ROWS = 8192;

/** Turns a condition into a selector, given the leaf of each of its atoms. */
export function toSelector(condition: Condition, leafOf: (atom: Atom) => Leaf, negated = false): Selector {
  switch (condition.kind) {
    case 'not':
      return toSelector(condition.of, leafOf, !negated);
    case 'test':
    case 'during':
      return simplify(negated ? complement(leafOf(condition)) : leafOf(condition));
    default: {
      // The complement of "all" is "any of the complements", and the other way round.
      const kind = (condition.kind === 'all') !== negated ? 'all' : 'any';
      return toGroup(
        kind,
        condition.of.map((part) => toSelector(part, leafOf, negated)),
      );
    }
  }
}

function complement(leaf: Leaf): Leaf {
  const { verdict } = leaf;
  const opposite = new Uint8Array(verdict.length);
  for (let code = 0; code < verdict.length; code++) opposite[code] = 1 - verdict[code]!;
  return { ...leaf, verdict: opposite };
}

/** A leaf that every value passes, or none, need not look at rows. */
function simplify(leaf: Leaf): Selector {
  const value = leaf.verdict[0] === 1 ? 1 : 0;
  return leaf.verdict.includes(1 - value) ? leaf : { kind: 'constant', value };
}

/**
 * Joins parts: constants decide or drop out, and leaves of one column become one, so that its rows are read
 * once.
 */
function toGroup(kind: 'all' | 'any', parts: readonly Selector[]): Selector {
  const neutral = kind === 'all' ? 1 : 0;
  const byCodes = new Map<Codes, Leaf>();
  const others: Selector[] = [];
  for (const part of parts) {
    if (part.kind === 'constant') {
      if (part.value !== neutral) return part;
    } else if (part.kind === 'leaf') {
      const before = byCodes.get(part.codes);
      byCodes.set(part.codes, before === undefined ? part : join(kind, before, part));
    } else if (part.kind === kind) {
      others.push(...part.of);
    } else {
      others.push(part);
    }
  }
  const all = [...[...byCodes.values()].map(simplify), ...others];
  if (all.length !== parts.length || all.some((part, i) => part !== parts[i])) return toGroup(kind, all);
  return all.length === 1
    ? all[0]!
    : all.length === 0
      ? { kind: 'constant', value: neutral }
      : { kind, of: all };
}

function join(kind: 'all' | 'any', leaf: Leaf, other: Leaf): Leaf {
  const { verdict } = leaf;
  const joined = new Uint8Array(verdict.length);
  for (let code = 0; code < joined.length; code++) {
    const [a, b] = [verdict[code]!, other.verdict[code]!];
    joined[code] = kind === 'all' ? a & b : a | b;
  }
  return { ...leaf, verdict: joined };
}

/** How many leaves a selector looks at for each row, at least 1. */
export function costOf(selector: Selector): number {
  if (selector.kind === 'constant' || selector.kind === 'leaf') return 1;
  return selector.of.reduce((cost, part) => cost + costOf(part), 0);
}

/**
 * How many of all rows are selected, where that follows from how often each value occurs; undefined where
 * rows have to be looked at.
 */
export function countAll(selector: Selector, size: number): number | undefined {
  const { occurrences, covered, verdict } = selector.kind === 'leaf' ? selector : {};
  if (occurrences === undefined || verdict === undefined || covered !== size) return undefined;
  return loops.weigh(verdict, occurrences);
}

/** How many rows of a range are selected. */
export function countSelected(selector: Selector, range: Range): number {
  const { rows, from, to } = range;
  if (selector.kind === 'constant') return selector.value * (to - from);
  if (selector.kind === 'leaf') {
    const { codes, verdict } = selector;
    return rows === undefined
      ? loops.tally(codes, verdict, from, to)
      : loops.tallyAt(codes, verdict, rows, from, to);
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

/** Two tests together are the commonest group. */
function countBoth({ codes, verdict }: Leaf, other: Leaf, { rows, from, to }: Range): number {
  return rows === undefined
    ? loops.tallyBoth(codes, verdict, other.codes, other.verdict, from, to)
    : loops.tallyBothAt(codes, verdict, other.codes, other.verdict, rows, from, to);
}

/** Selects among the rows of a block: `selection` has a byte for each. */
export function select(selector: Selector, selection: Uint8Array, range: Range): void {
  if (selector.kind === 'constant') selection.fill(selector.value, 0, range.to - range.from);
  else if (selector.kind === 'leaf') assign(selection, selector, range);
  else selectGroup(selector.kind, selector.of, selection, range);
}

function selectGroup(
  kind: 'all' | 'any',
  parts: readonly Selector[],
  selection: Uint8Array,
  range: Range,
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

function assign(selection: Uint8Array, { codes, verdict }: Leaf, { rows, from, to }: Range): void {
  if (rows === undefined) loops.assign(selection, codes, verdict, from, to);
  else loops.assignAt(selection, codes, verdict, rows, from, to);
}

function narrow(selection: Uint8Array, { codes, verdict }: Leaf, { rows, from, to }: Range): void {
  if (rows === undefined) loops.narrow(selection, codes, verdict, from, to);
  else loops.narrowAt(selection, codes, verdict, rows, from, to);
}

function widen(selection: Uint8Array, { codes, verdict }: Leaf, { rows, from, to }: Range): void {
  if (rows === undefined) loops.widen(selection, codes, verdict, from, to);
  else loops.widenAt(selection, codes, verdict, rows, from, to);
}
