import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createZone, mayContain } from '../../../../src/core/columns/column/zone-map.ts';
import { prune, withPruning } from '../../../../src/core/columns/selection/prune.ts';
import type { Leaf, Selector } from '../../../../src/core/columns/selection/selector.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

it('skips chunks without a match, and counts whole those where all rows match', () => {
  const codes = new Uint32Array(4 * SEGMENT_ROWS);
  codes.fill(1, SEGMENT_ROWS, 2 * SEGMENT_ROWS);
  codes[2 * SEGMENT_ROWS] = 70_000;
  const zoneMap = [0, 1, 2].map((chunk) =>
    createZone(codes.subarray(chunk * SEGMENT_ROWS, (chunk + 1) * SEGMENT_ROWS), 2),
  );
  /** Codes without an entry in the mask belong to rows that came later. */
  const leafOf = (values: number, passing: number): Leaf => {
    const mask = new Uint8Array(values);
    mask[passing] = 1;
    return { kind: 'leaf', codes, mask, zoneMap };
  };
  const pruningsOf = (selector: Selector) =>
    [0, 1, 2, 3].map((chunk) =>
      prune(withPruning(selector), { from: chunk * SEGMENT_ROWS, to: (chunk + 1) * SEGMENT_ROWS }),
    );
  const [zero, one] = [leafOf(2, 0), leafOf(2, 1)];
  expect(pruningsOf(zero)).toEqual(['all', 'skip', 'all', 'scan']);
  expect(pruningsOf(one)).toEqual(['skip', 'all', 'skip', 'scan']);
  expect(pruningsOf(leafOf(100, 0))).toEqual(['all', 'skip', 'all', 'scan']);
  expect(pruningsOf(leafOf(70_001, 70_000))).toEqual(['skip', 'skip', 'scan', 'scan']);
  // 70,000 and 4,464 share a bit, but no code of these chunks is between 1 and 70,000.
  expect(pruningsOf(leafOf(70_001, 4464))).toEqual(['skip', 'skip', 'skip', 'scan']);
  const wide = createZone(Uint32Array.of(1, 70_000), 70_001);
  expect([0, 1, 2, 4464, 69_999, 70_000, 70_001].map((code) => mayContain(wide, code))).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
  expect(pruningsOf({ kind: 'any', of: [zero, one] })).toEqual(['all', 'all', 'all', 'scan']);
  expect(pruningsOf({ kind: 'all', of: [zero, one] })).toEqual(['skip', 'skip', 'skip', 'scan']);
  const flags: Leaf = { kind: 'leaf', codes, mask: Uint8Array.of(1, 0) };
  expect(pruningsOf({ kind: 'all', of: [flags, one] })).toEqual(['skip', 'scan', 'skip', 'scan']);
  expect(pruningsOf({ kind: 'all', of: [one, flags] })).toEqual(['skip', 'scan', 'skip', 'scan']);
  const across = withPruning(zero);
  expect(prune(across, { from: SEGMENT_ROWS - 1, to: SEGMENT_ROWS + 1 })).toBe('scan');
  expect(prune(across, { from: 5, to: 5 })).toBe('scan');
  const order = { rows: codes, from: 0, to: 10 };
  expect(prune(across, { ...order, chunksAt: () => undefined })).toBe('scan');
  expect(prune(across, { ...order, chunksAt: () => Uint32Array.of(1) })).toBe('all');
  expect(prune(across, { ...order, chunksAt: () => Uint32Array.of(3) })).toBe('scan');
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
