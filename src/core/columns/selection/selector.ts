import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';
import type { ErasedRows } from '../log/erased-rows.ts';
import type { Codes } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';
import type { Zone } from '../column/zone-map.ts';
import type { ConditionTree, ConditionLeaf } from '../analysis/path-test.ts';

/** The codes of a column, segment by segment. A question looks only at segments that have some. */
export type SegmentCodes = readonly (Codes | undefined)[];

/** Cuts one code for each row of a log into segments. */
export function toSegmentCodes(codes: Codes): Codes[] {
  const segments = Math.ceil(codes.length / SEGMENT_ROWS);
  return Array.from({ length: segments }, (_, i) => codes.subarray(i * SEGMENT_ROWS, (i + 1) * SEGMENT_ROWS));
}

/** One test over a column: a code for each row, and a mask over the codes. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly codes: SegmentCodes;
  readonly mask: Uint8Array;
  /** How many of the first `size` rows pass and are not erased, where no look at them is needed. */
  readonly countAll?: ((mask: Uint8Array, size: number) => number | undefined) | undefined;
  /** Whether the mask was made for this selector alone, so that it may be changed. */
  readonly isOwn?: boolean | undefined;
  /** The zones of the column's whole segments. */
  readonly zoneMap?: readonly Zone[] | undefined;
  readonly prune?: SegmentPruning;
}

/**
 * What a zone map says of a segment before a scan: skip it, because none of its rows is selected, count all
 * of them, or scan them.
 */
export type Pruning = 'skip' | 'all' | 'scan';

/** Tells whether a selector has to scan a segment. */
export type SegmentPruning = (segment: number) => Pruning;

/** Selects the rows that all its parts select, or any of them. */
export interface GroupSelector {
  readonly kind: 'all' | 'any';
  readonly of: readonly ConditionSelector[];
  readonly prune?: SegmentPruning;
}

/** A condition whose tests have become masks. Negations are gone: each was pushed down into the masks. */
export type ConditionSelector = { readonly kind: 'constant'; readonly value: 0 | 1 } | Leaf | GroupSelector;

/** Selects the rows of a condition that are not erased, in segments that have erased rows. */
export interface LiveSelector {
  readonly kind: 'live';
  readonly of: ConditionSelector;
  /** The bitmap of each segment that has erased rows. */
  readonly erased: ErasedRows['bitmaps'];
  readonly prune: SegmentPruning;
}

/** Selects rows of a segment. */
export type Selector = ConditionSelector | LiveSelector;
/**
 * Rows of one segment: those from `from` on and before `to`, or, where `rows` is given, the rows at these
 * places of its order. Rows are counted from the first of the segment.
 */
export interface SegmentSpan {
  readonly segment: number;
  readonly rows?: Uint16Array | undefined;
  readonly from: number;
  readonly to: number;
}

/** The selector for the rows of a segment. Where some are erased it leaves them out. */
export type SelectorAt = (segment: number) => Selector;

/** The selectors of those rows that pass one more test. */
export function within(selectorAt: SelectorAt, test: Leaf): SelectorAt {
  /** Most segments have the same selector, or one of two. */
  const made = new Map<Selector, Selector>();
  return (segment) => {
    const selector = selectorAt(segment);
    const known = made.get(selector);
    if (known !== undefined) return known;
    const own =
      selector.kind === 'live' ? { ...selector, of: narrowed(selector.of, test) } : narrowed(selector, test);
    made.set(selector, own);
    return own;
  };
}

function narrowed(selector: ConditionSelector, test: Leaf): ConditionSelector {
  if (selector.kind === 'constant') return selector.value === 1 ? test : selector;
  const prune: SegmentPruning = (segment) => (selector.prune?.(segment) === 'skip' ? 'skip' : 'scan');
  return { kind: 'all', of: [selector, test], prune };
}

/** Where a selector gets its leaves and its memory. */
export interface SelectorTools {
  readonly leafOf: (leaf: ConditionLeaf) => Leaf;
  readonly reservation: Reservation;
}

/** Masks of fewer values are joined without a pause. */
const UNPAUSED_VALUES_MAX = 65_536;

/**
 * Turns a condition into a selector, whose leaves come from `tools.leafOf`. It yields after a leaf with many
 * codes, so that the caller can pause.
 */
export function* toSelector(
  condition: ConditionTree,
  tools: SelectorTools,
  negated = false,
): Generator<undefined, ConditionSelector> {
  switch (condition.kind) {
    case 'not':
      return yield* toSelector(condition.of, tools, !negated);
    case 'test':
    case 'search':
    case 'during': {
      const leaf = tools.leafOf(condition);
      if (leaf.mask.length > UNPAUSED_VALUES_MAX) yield undefined;
      return simplify(negated ? complement(leaf, tools.reservation) : leaf);
    }
    default: {
      // The complement of "all" is "any of the complements", and the other way round.
      const kind = (condition.kind === 'all') !== negated ? 'all' : 'any';
      const parts: ConditionSelector[] = [];
      for (const part of condition.of) {
        addPart(kind, parts, yield* toSelector(part, tools, negated), tools.reservation);
      }
      return toSelectorGroup(kind, parts);
    }
  }
}

/** The leaf with a mask of its own that may be changed. */
function toOwn(leaf: Leaf, reservation: Reservation): Leaf {
  if (leaf.isOwn === true) return leaf;
  reserveOrThrow(reservation, leaf.mask.length);
  return { ...leaf, mask: leaf.mask.slice(), isOwn: true };
}

function complement(leaf: Leaf, reservation: Reservation): Leaf {
  const own = toOwn(leaf, reservation);
  const { mask } = own;
  for (let code = 0; code < mask.length; code++) mask[code]! ^= 1;
  return own;
}

/** A leaf that every value passes, or none, need not look at rows. */
function simplify(leaf: Leaf): ConditionSelector {
  const value = leaf.mask[0] === 1 ? 1 : 0;
  return leaf.mask.includes(1 - value) ? leaf : { kind: 'constant', value };
}

/** Adds a part to those of a group: leaves of one column become one, so that its rows are read once. */
function addPart(
  kind: 'all' | 'any',
  parts: ConditionSelector[],
  part: ConditionSelector,
  reservation: Reservation,
): void {
  if (part.kind === kind) {
    for (const inner of part.of) addPart(kind, parts, inner, reservation);
    return;
  }
  const place =
    part.kind === 'leaf'
      ? parts.findIndex((other) => other.kind === 'leaf' && other.codes === part.codes)
      : -1;
  if (place === -1) parts.push(part);
  else parts[place] = simplify(join(kind, parts[place] as Leaf, part as Leaf, reservation));
}

function join(kind: 'all' | 'any', leaf: Leaf, other: Leaf, reservation: Reservation): Leaf {
  const own = toOwn(leaf, reservation);
  const { mask } = own;
  for (let code = 0; code < mask.length; code++) {
    if (kind === 'all') mask[code]! &= other.mask[code]!;
    else mask[code]! |= other.mask[code]!;
  }
  return own;
}

/** Makes a group of parts. A constant part decides the whole group or drops out. */
function toSelectorGroup(kind: 'all' | 'any', parts: readonly ConditionSelector[]): ConditionSelector {
  const neutral = kind === 'all' ? 1 : 0;
  const deciding = parts.find((part) => part.kind === 'constant' && part.value !== neutral);
  if (deciding !== undefined) return deciding;
  const of = parts.filter((part) => part.kind !== 'constant');
  return of.length === 0 ? { kind: 'constant', value: neutral } : of.length === 1 ? of[0]! : { kind, of };
}
