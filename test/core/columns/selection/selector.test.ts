import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBitmap, setBit } from '../../../../src/core/columns/log/erased-rows.ts';
import type { Codes } from '../../../../src/core/columns/log/log.ts';
import type { ConditionLeaf } from '../../../../src/core/columns/analysis/path-test.ts';
import { weigh } from '../../../../src/core/columns/counting/count-loops.ts';
import { countPaced } from '../../../../src/core/columns/selection/count.ts';
import { walkDown } from '../../../../src/core/columns/selection/page.ts';
import {
  toSegmentCodes,
  toSelector,
  type Leaf,
  type SegmentSpan,
  type Selector,
} from '../../../../src/core/columns/selection/selector.ts';
import { allRows, type PlaceSpan } from '../../../../src/core/columns/selection/spans.ts';
import type { Atom } from '../../../../src/core/filter/condition.ts';
import type { Condition, Pacer, Test } from '../../../../src/store-kit.ts';
import { countingPacer, emptyLog, KERNEL, range, roomyKept } from '../fixtures.ts';
import { casesOf } from '../../../support/cases.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

const ROWS = 700;
const DISTINCT = 4;

/** Columns of three widths, whose tests are told apart by the name of their operand. */
const columns: readonly Codes[] = [
  new Uint8Array(ROWS),
  new Uint16Array(ROWS),
  new Uint32Array(ROWS),
  new Uint8Array(ROWS),
].map((codes, i) => codes.map((_, row) => (row * (i + 3) + (row >> 3)) % DISTINCT));
/** The same by segment. Each column has one array of them, by which it is known. */
const segmentsOf = new Map(columns.map((codes) => [codes, toSegmentCodes(codes)]));

interface Decided {
  readonly column: number;
  readonly mask: readonly number[];
}

const decided: fc.Arbitrary<Decided> = fc.record({
  column: fc.nat({ max: columns.length - 1 }),
  mask: fc.array(fc.constantFrom(0, 1), { minLength: DISTINCT, maxLength: DISTINCT }),
});

const conditions: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    decided.map(toTest),
    fc.record({ kind: fc.constant('not' as const), of: tie('tree') }),
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('tree'), { maxLength: 4 }),
    }),
  ),
})).tree;

/** A test that carries its column and mask in its operand. */
function toTest({ column, mask }: Decided): Condition {
  const path = { root: 'properties', segments: [String(column)] } as const;
  return { kind: 'test', path, operator: 'EQUALS', operand: mask.join('') };
}

function codesOf(atom: Atom): Codes {
  return columns[Number((atom as Test).path.segments[0])]!;
}

function leafOf(atom: Atom): Leaf {
  const mask = Uint8Array.from(String((atom as Test).operand), Number);
  const own = codesOf(atom);
  const codes = segmentsOf.get(own)!;
  // The narrow ones do not know how often their values occur, and look at their rows.
  if (own instanceof Uint8Array) return { kind: 'leaf', codes, mask };
  const occurrences = new Uint32Array(DISTINCT);
  for (const code of own) occurrences[code]! += 1;
  const countAll = (passing: Uint8Array, size: number) =>
    size === ROWS ? weigh(passing, occurrences) : undefined;
  return { kind: 'leaf', codes, mask, countAll };
}

function holds(condition: Condition, row: number): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((part) => holds(part, row));
    case 'any':
      return condition.of.some((part) => holds(part, row));
    case 'not':
      return !holds(condition.of, row);
    case 'during':
    case 'test': {
      return leafOf(condition).mask[codesOf(condition)[row]!] === 1;
    }
  }
}

function select(condition: Condition, leaf = leafOf): Selector {
  const steps = toSelector(condition, {
    leafOf: leaf as (atom: ConditionLeaf) => Leaf,
    reservation: roomyKept(),
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Ranges that ascend and lie apart; some are empty. */
const rangesOfPlaces = fc.array(fc.nat({ max: ROWS }), { minLength: 2, maxLength: 8 }).map((limits) => {
  const ascending = limits.sort((a, b) => a - b);
  const ranges = ascending.slice(1).map((to, i) => ({ from: ascending[i]!, to }));
  return ranges.filter((_, i) => i % 2 === 0);
});

/** An order of the rows of one segment, in which each row has an instant of its own. */
function toSorted(local: Uint16Array): PlaceSpan['sorted'] {
  const instants = new Float64Array(local.length);
  local.forEach((row, place) => (instants[row] = place));
  return { segment: 0, first: 0, instants, local, min: 0, max: local.length - 1 };
}

/** What a walk works with. */
const toolsOf = (selector: Selector, pacer: Pacer = countingPacer()) => ({
  ...{ log: emptyLog(), selectorAt: () => selector, reservation: roomyKept(), pacer, kernel: KERNEL },
});

const count = (selector: Selector, spans: readonly SegmentSpan[]) =>
  countPaced(() => selector, spans, { pacer: countingPacer(), kernel: KERNEL });

it('selects what the condition says, over rows and over places of an order', async () => {
  const rows = Uint16Array.from({ length: ROWS }, (_, place) => (place * 37) % ROWS);
  const sorted = toSorted(rows);
  const page = fc.record({ offset: fc.nat({ max: 300 }), size: fc.integer({ min: 1, max: 50 }) });
  await fc.assert(
    fc.asyncProperty(conditions, rangesOfPlaces, page, async (condition, ranges, { offset, size }) => {
      const selector = select(condition);
      const places = ranges.flatMap(({ from, to }) => range(from, to));
      const spans = ranges.map((own) => ({ segment: 0, ...own }));
      expect(await count(selector, spans)).toBe(places.filter((row) => holds(condition, row)).length);
      const all = range(0, ROWS).filter((row) => holds(condition, row)).length;
      expect(
        await count(
          selector,
          allRows(ROWS, () => false),
        ),
      ).toBe(all);
      const inOrder = places.map((place) => rows[place]!).filter((row) => holds(condition, row));
      expect(
        await count(
          selector,
          spans.map((own) => ({ ...own, rows })),
        ),
      ).toBe(inOrder.length);
      const own = ranges.filter(({ from, to }) => from < to).map((each) => ({ sorted, ...each }));
      const found = await walkDown(own, { offset, size }, toolsOf(selector));
      expect(found).toEqual(inOrder.reverse().slice(offset, offset + size));
    }),
    { numRuns: casesOf(500) },
  );
});

it('counts many rows as it counts few', async () => {
  const times = 10;
  const many = columns.map((codes) => {
    const copies = new (codes.constructor as Uint8ArrayConstructor)(times * ROWS);
    for (let n = 0; n < times; n++) copies.set(codes, n * ROWS);
    return toSegmentCodes(copies);
  });
  const leafOfMany = (atom: Atom): Leaf => {
    const { mask } = leafOf(atom);
    return { kind: 'leaf', codes: many[columns.indexOf(codesOf(atom))]!, mask };
  };
  const all = times * ROWS;
  const rows = Uint16Array.from({ length: all }, (_, place) => all - 1 - place);
  await fc.assert(
    fc.asyncProperty(conditions, async (condition) => {
      const few = range(0, ROWS).filter((row) => holds(condition, row));
      const selector = select(condition, leafOfMany);
      expect(
        await count(
          selector,
          allRows(times * ROWS, () => false),
        ),
      ).toBe(times * few.length);
      // Most of the rows in order, and some of them.
      for (const [from, to] of [
        [0, all],
        [7, all - 5],
        [all - 20, all - 3],
      ] as const) {
        const expected = range(from, to).filter((place) => holds(condition, rows[place]! % ROWS));
        expect(await count(selector, [{ segment: 0, rows, from, to }])).toBe(expected.length);
      }
    }),
    { numRuns: casesOf(200) },
  );
});

it('scans no segment that its zone map decides, and each other segment once', async () => {
  const known = ['all', 'scan', 'scan', 'skip', 'scan', 'all', 'all', 'scan'] as const;
  // The zone map is wrong on purpose: a scan of these segments would count other rows.
  const codes = known.map((pruning) =>
    Uint8Array.from({ length: SEGMENT_ROWS }, (_, row) =>
      pruning === 'scan' ? row % 2 : Number(pruning === 'skip'),
    ),
  );
  const leaf: Leaf = { kind: 'leaf', codes, mask: Uint8Array.of(0, 1), prune: (segment) => known[segment]! };
  const spans = known.map((_, segment) => ({
    segment,
    from: segment === 0 ? 100 : 0,
    to: segment === known.length - 1 ? SEGMENT_ROWS - 50 : SEGMENT_ROWS,
  }));
  expect(await count(leaf, spans)).toBe(3 * SEGMENT_ROWS - 100 + (4 * SEGMENT_ROWS - 50) / 2);
  // So few rows are looked at sooner than their zones.
  expect(await count(leaf, spans.slice(3, 4))).toBe(SEGMENT_ROWS);
});

it('leaves out the rows that the selector of their segment leaves out', async () => {
  const codes = [0, 1, 2].map(() => new Uint8Array(SEGMENT_ROWS).fill(1));
  const own: Leaf = { kind: 'leaf', codes, mask: Uint8Array.of(0, 1) };
  const live = new Uint8Array(SEGMENT_ROWS).fill(1, 5);
  const guarded: Selector = {
    kind: 'all',
    of: [own, { kind: 'leaf', codes: [undefined, live], mask: Uint8Array.of(0, 1) }],
  };
  const selectorAt = (segment: number) => (segment === 1 ? guarded : own);
  const spans = allRows(3 * SEGMENT_ROWS, () => false);
  expect(await countPaced(selectorAt, spans, { pacer: countingPacer(), kernel: KERNEL })).toBe(
    3 * SEGMENT_ROWS - 5,
  );
});

it('leaves out each erased row once, also where a segment is counted in several steps', async () => {
  const codes = [Uint8Array.from({ length: SEGMENT_ROWS }, (_, row) => row % 2)];
  const leaf: Leaf = { kind: 'leaf', codes, mask: Uint8Array.of(0, 1) };
  const erased = createBitmap();
  for (const row of [...range(0, 10), ...range(SEGMENT_ROWS - 100, SEGMENT_ROWS)]) setBit(erased, row);
  // So many tests are too many looks for one step.
  const of = { kind: 'all', of: new Array<Leaf>(64).fill(leaf) } as const;
  const guarded: Selector = { kind: 'live', of, erased: [erased], prune: () => 'scan' };
  const spans = allRows(SEGMENT_ROWS, () => false);
  expect(await count(guarded, spans)).toBe((SEGMENT_ROWS - 110) / 2);
});

it('answers without rows where the masks decide', () => {
  const [first] = columns;
  const all: Leaf = { kind: 'leaf', codes: segmentsOf.get(first!)!, mask: Uint8Array.of(1, 1, 1, 1) };
  const none: Leaf = { kind: 'leaf', codes: segmentsOf.get(first!)!, mask: new Uint8Array(4) };
  const test = toTest({ column: 0, mask: [1] }) as Test;
  const both: Condition = { kind: 'all', of: [test, { kind: 'not', of: test }] };
  expect(select(both, () => all)).toEqual({ kind: 'constant', value: 0 });
  expect(select(test, () => none)).toEqual({ kind: 'constant', value: 0 });
});

it('reads a column once for all tests of it in one group', () => {
  const tests = [
    [1, 1, 0, 0],
    [0, 1, 1, 0],
  ].map((mask) => toTest({ column: 1, mask }));
  expect(select({ kind: 'all', of: tests })).toMatchObject({
    mask: Uint8Array.of(0, 1, 0, 0),
  });
  expect(select({ kind: 'any', of: tests })).toMatchObject({
    mask: Uint8Array.of(1, 1, 1, 0),
  });
});

it('changes no mask that others read', () => {
  const masks = [Uint8Array.of(1, 1, 0, 0), Uint8Array.of(0, 1, 1, 0)];
  const leaves = masks.map((mask): Leaf => ({ kind: 'leaf', codes: segmentsOf.get(columns[1]!)!, mask }));
  const [first, second] = [toTest({ column: 0, mask: [1] }), toTest({ column: 1, mask: [1] })];
  const leaf = (atom: Atom) => leaves[atom === first ? 0 : 1]!;
  const parts: Condition[] = [first, second, { kind: 'not', of: second }];
  for (const kind of ['all', 'any'] as const) {
    select({ kind: 'not', of: { kind, of: parts } }, leaf);
    select({ kind, of: parts }, leaf);
  }
  expect(masks).toEqual([Uint8Array.of(1, 1, 0, 0), Uint8Array.of(0, 1, 1, 0)]);
});

it('is counted and walked in steps, each of which waits for its turn', async () => {
  const segments = 128;
  const codes = Array.from({ length: segments }, () => new Uint8Array(SEGMENT_ROWS));
  const leaf: Leaf = { kind: 'leaf', codes, mask: Uint8Array.of(1, 0) };
  let paused = 0;
  let waiting = 0;
  const pause = async () => {
    paused += 1;
    waiting += 1;
    await new Promise((resolve) => setImmediate(resolve));
    waiting -= 1;
  };
  const pacer = { now: () => 0, yieldIfDue: pause };
  const rows = segments * SEGMENT_ROWS;
  expect(
    await countPaced(
      () => leaf,
      allRows(rows, () => false),
      { pacer, kernel: KERNEL },
    ),
  ).toBe(rows);
  expect(paused).toBeGreaterThanOrEqual(3);
  expect(waiting).toBe(0);
  const one = toSorted(Uint16Array.from({ length: SEGMENT_ROWS }, (_, row) => row));
  const places = codes.map((_, segment) => ({
    ...{ sorted: { ...one, segment, first: segment * SEGMENT_ROWS }, from: 0, to: SEGMENT_ROWS },
  }));
  const none: Leaf = { ...leaf, mask: Uint8Array.of(0, 1) };
  expect(await walkDown(places, { offset: 0, size: 10 }, toolsOf(none, pacer))).toEqual([]);
  expect(paused).toBeGreaterThanOrEqual(6);
  expect(waiting).toBe(0);
});

it('values that have no row yet weigh nothing', () => {
  expect(weigh(Uint8Array.of(1, 0, 1), Uint32Array.of(3, 4))).toBe(3);
});
