import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Codes } from '../../../../src/core/columns/log/log.ts';
import type { ConditionLeaf } from '../../../../src/core/columns/analysis/path-test.ts';
import { weigh } from '../../../../src/core/columns/counting/count-loops.ts';
import { toSelector, type Leaf, type Selector } from '../../../../src/core/columns/selection/selector.ts';
import { countPaced, walkDown } from '../../../../src/core/columns/selection/walk.ts';
import type { Atom } from '../../../../src/core/filter/condition.ts';
import type { Condition, Test } from '../../../../src/store-kit.ts';
import { countingPacer, roomyKept } from '../fixtures.ts';
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

function leafOf(atom: Atom): Leaf {
  const { path, operand } = atom as Test;
  const mask = Uint8Array.from(String(operand), Number);
  const codes = columns[Number(path.segments[0])]!;
  // The narrow ones do not know how often their values occur, and look at their rows.
  if (codes instanceof Uint8Array) return { kind: 'leaf', codes, mask };
  const occurrences = new Uint32Array(DISTINCT);
  for (const code of codes) occurrences[code]! += 1;
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
      const { codes, mask } = leafOf(condition);
      return mask[codes[row]!] === 1;
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

/** Spans that ascend and lie apart; some are empty, some end before they begin. */
const spansOfOrder = fc.array(fc.nat({ max: ROWS }), { minLength: 2, maxLength: 8 }).map((limits) => {
  const ascending = limits.sort((a, b) => a - b);
  const spans = ascending.slice(1).map((to, i) => ({ from: ascending[i]!, to }));
  return spans
    .filter((_, i) => i % 2 === 0)
    .map(({ from, to }) => ({ from, to: to % 5 === 0 ? from - 1 : to }));
});

it('selects what the condition says, over rows and over places of an order', async () => {
  const rows = Uint32Array.from({ length: ROWS }, (_, place) => (place * 37) % ROWS);
  const page = fc.record({ offset: fc.nat({ max: 300 }), size: fc.integer({ min: 1, max: 50 }) });
  await fc.assert(
    fc.asyncProperty(conditions, spansOfOrder, page, async (condition, spans, { offset, size }) => {
      const selector = select(condition);
      const places = spans.flatMap(({ from, to }) =>
        Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i),
      );
      expect(await countPaced(selector, { spans }, countingPacer())).toBe(
        places.filter((row) => holds(condition, row)).length,
      );
      const all = [...rows.keys()].filter((row) => holds(condition, row)).length;
      expect(await countPaced(selector, { spans: [{ from: 0, to: ROWS }] }, countingPacer())).toBe(all);
      const inOrder = places.map((place) => rows[place]!).filter((row) => holds(condition, row));
      expect(await countPaced(selector, { rows, spans }, countingPacer())).toBe(inOrder.length);
      const found = await walkDown(
        selector,
        { rows, spans, indexedRows: ROWS },
        { offset, size },
        countingPacer(),
      );
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
    return copies;
  });
  const leafOfMany = (atom: Atom): Leaf => {
    const { codes, mask } = leafOf(atom);
    return { kind: 'leaf', codes: many[columns.indexOf(codes)]!, mask };
  };
  const twiceEven = Uint32Array.from({ length: times * ROWS }, (_, place) => (place * 2) % ROWS);
  const spans = [{ from: 0, to: times * ROWS }];
  await fc.assert(
    fc.asyncProperty(conditions, async (condition) => {
      const few = Array.from({ length: ROWS }, (_, row) => row).filter((row) => holds(condition, row));
      const selector = select(condition, leafOfMany);
      expect(await countPaced(selector, { spans }, countingPacer())).toBe(times * few.length);
      const even = few.filter((row) => row % 2 === 0);
      expect(await countPaced(selector, { rows: twiceEven, spans }, countingPacer())).toBe(
        times * 2 * even.length,
      );
    }),
    { numRuns: casesOf(200) },
  );
});

it('scans no chunk that its zone map decides, and each other chunk once', async () => {
  const known = ['all', 'scan', 'scan', 'skip', 'scan', 'all', 'all', 'scan'] as const;
  // The zone map is wrong on purpose: a scan of these chunks would count other rows.
  const codes = Uint8Array.from({ length: known.length * SEGMENT_ROWS }, (_, row) => {
    const pruning = known[Math.floor(row / SEGMENT_ROWS)];
    return pruning === 'scan' ? row % 2 : Number(pruning === 'skip');
  });
  const leaf: Leaf = {
    kind: 'leaf',
    codes,
    mask: Uint8Array.of(0, 1),
    pruneChunk: (chunk) => known[chunk]!,
  };
  const spans = [{ from: 100, to: codes.length - 50 }];
  const all = 3 * SEGMENT_ROWS - 100;
  const some = (4 * SEGMENT_ROWS - 50) / 2;
  expect(await countPaced(leaf, { spans }, countingPacer())).toBe(all + some);
});

it('answers without rows where the masks decide', () => {
  const [first] = columns;
  const all: Leaf = { kind: 'leaf', codes: first!, mask: Uint8Array.of(1, 1, 1, 1) };
  const none: Leaf = { kind: 'leaf', codes: first!, mask: new Uint8Array(4) };
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
  const leaves = masks.map((mask): Leaf => ({ kind: 'leaf', codes: columns[1]!, mask }));
  const [first, second] = [toTest({ column: 0, mask: [1] }), toTest({ column: 1, mask: [1] })];
  const leaf = (atom: Atom) => leaves[atom === first ? 0 : 1]!;
  const parts: Condition[] = [first, second, { kind: 'not', of: second }];
  for (const kind of ['all', 'any'] as const) {
    select({ kind: 'not', of: { kind, of: parts } }, leaf);
    select({ kind, of: parts }, leaf);
  }
  expect(masks).toEqual([Uint8Array.of(1, 1, 0, 0), Uint8Array.of(0, 1, 1, 0)]);
});

it('is counted in steps, each of which waits for its turn', async () => {
  const rows = 4_000_000;
  const leaf: Leaf = { kind: 'leaf', codes: new Uint8Array(rows), mask: Uint8Array.of(1, 0) };
  let paused = 0;
  let waiting = 0;
  const pause = async () => {
    paused += 1;
    waiting += 1;
    await new Promise((resolve) => setImmediate(resolve));
    waiting -= 1;
  };
  const pacer = { now: () => performance.now(), yieldIfDue: pause };
  expect(await countPaced(leaf, { spans: [{ from: 0, to: rows }] }, pacer)).toBe(rows);
  expect(paused).toBeGreaterThanOrEqual(3);
  expect(waiting).toBe(0);
  const order = Uint32Array.from({ length: rows }, (_, row) => row);
  const none: Leaf = { ...leaf, mask: Uint8Array.of(0, 1) };
  const range = { rows: order, spans: [{ from: 0, to: rows }], indexedRows: rows };
  expect(await walkDown(none, range, { offset: 0, size: 10 }, pacer)).toEqual([]);
  expect(paused).toBeGreaterThanOrEqual(6);
  expect(waiting).toBe(0);
});

it('values that have no row yet weigh nothing', () => {
  expect(weigh(Uint8Array.of(1, 0, 1), Uint32Array.of(3, 4))).toBe(3);
});
