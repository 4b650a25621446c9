import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createZone, mayContain } from '../../../../src/core/columns/column/zone-map.ts';
import { pruneSegment, withPruning } from '../../../../src/core/columns/selection/prune.ts';
import type { ConditionSelector, Leaf } from '../../../../src/core/columns/selection/selector.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

it('skips segments without a match, and counts those as a whole where all rows match', () => {
  const codes = [0, 1, 0, 0].map((code) => new Uint32Array(SEGMENT_ROWS).fill(code));
  codes[2]![0] = 70_000;
  const zoneMap = codes.slice(0, 3).map((own) => createZone(own, 2));
  /** Codes without an entry in the mask belong to rows that came later. */
  const leafOf = (values: number, passing: number): Leaf => {
    const mask = new Uint8Array(values);
    mask[passing] = 1;
    return { kind: 'leaf', codes, mask, zoneMap };
  };
  const pruningsOf = (selector: ConditionSelector) =>
    [0, 1, 2, 3].map((segment) => pruneSegment(withPruning(selector), segment));
  const [zero, one] = [leafOf(2, 0), leafOf(2, 1)];
  expect(pruningsOf(zero)).toEqual(['all', 'skip', 'all', 'scan']);
  expect(pruningsOf(one)).toEqual(['skip', 'all', 'skip', 'scan']);
  expect(pruningsOf(leafOf(100, 0))).toEqual(['all', 'skip', 'all', 'scan']);
  expect(pruningsOf(leafOf(70_001, 70_000))).toEqual(['skip', 'skip', 'scan', 'scan']);
  // 70,000 and 4,464 share a bit, but no code of these segments is between 1 and 70,000.
  expect(pruningsOf(leafOf(70_001, 4464))).toEqual(['skip', 'skip', 'skip', 'scan']);
  const wide = createZone(Uint32Array.of(1, 70_000), 70_001);
  const may = [0, 1, 2, 4464, 69_999, 70_000, 70_001].map((code) => mayContain(wide, code));
  expect(may).toEqual([false, true, false, true, false, true, false]);
  expect(pruningsOf({ kind: 'any', of: [zero, one] })).toEqual(['all', 'all', 'all', 'scan']);
  expect(pruningsOf({ kind: 'all', of: [zero, one] })).toEqual(['skip', 'skip', 'skip', 'scan']);
  const flags: Leaf = { kind: 'leaf', codes, mask: Uint8Array.of(1, 0) };
  expect(pruningsOf({ kind: 'all', of: [flags, one] })).toEqual(['skip', 'scan', 'skip', 'scan']);
  expect(pruningsOf({ kind: 'all', of: [one, flags] })).toEqual(['skip', 'scan', 'skip', 'scan']);
  expect(pruningsOf({ kind: 'constant', value: 0 })).toEqual(['skip', 'skip', 'skip', 'skip']);
  expect(pruneSegment(zero, 0)).toBe('scan');
});

it('a zone is the same by the tally as by the rows', () => {
  const some = fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(some, some, (earlier, own) => {
      const values = 201;
      const tallyOf = (codes: readonly number[]) => {
        const tally = new Uint32Array(256);
        for (const code of codes) tally[code]! += 1;
        return tally;
      };
      const tally = { before: tallyOf(earlier), after: tallyOf([...earlier, ...own]) };
      const codes = Uint8Array.from(own);
      expect(createZone(codes, values, tally)).toEqual(createZone(codes, values));
    }),
  );
});
