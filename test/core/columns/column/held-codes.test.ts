import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHeldCodes, mayHold } from '../../../../src/core/columns/column/held-codes.ts';
import { foresee, withOutlooks } from '../../../../src/core/columns/selection/outlook.ts';
import type { Leaf, Selector } from '../../../../src/core/columns/selection/selector.ts';
import { CHUNK_ROWS } from '../../../../src/core/columns/log/sizes.ts';

it('tells a chunk of which nothing is selected from one of which all is', () => {
  const codes = new Uint32Array(4 * CHUNK_ROWS);
  codes.fill(1, CHUNK_ROWS, 2 * CHUNK_ROWS);
  codes[2 * CHUNK_ROWS] = 70_000;
  const held = [0, 1, 2].map((chunk) =>
    createHeldCodes(codes.subarray(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS), 2),
  );
  /** Codes beyond the values that were judged belong to rows that came later. */
  const leafOf = (values: number, passing: number): Leaf => {
    const verdict = new Uint8Array(values);
    verdict[passing] = 1;
    return { kind: 'leaf', codes, verdict, held };
  };
  const outlooksOf = (selector: Selector) =>
    [0, 1, 2, 3].map((chunk) =>
      foresee(withOutlooks(selector), { from: chunk * CHUNK_ROWS, to: (chunk + 1) * CHUNK_ROWS }),
    );
  const [zero, one] = [leafOf(2, 0), leafOf(2, 1)];
  expect(outlooksOf(zero)).toEqual(['all', 'none', 'all', 'some']);
  expect(outlooksOf(one)).toEqual(['none', 'all', 'none', 'some']);
  expect(outlooksOf(leafOf(100, 0))).toEqual(['all', 'none', 'all', 'some']);
  expect(outlooksOf(leafOf(70_001, 70_000))).toEqual(['none', 'none', 'some', 'some']);
  // 70,000 and 4,464 share a bit, but no code of these chunks is between 1 and 70,000.
  expect(outlooksOf(leafOf(70_001, 4464))).toEqual(['none', 'none', 'none', 'some']);
  const wide = createHeldCodes(Uint32Array.of(1, 70_000), 70_001);
  expect([0, 1, 2, 4464, 69_999, 70_000, 70_001].map((code) => mayHold(wide, code))).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
  expect(outlooksOf({ kind: 'any', of: [zero, one] })).toEqual(['all', 'all', 'all', 'some']);
  expect(outlooksOf({ kind: 'all', of: [zero, one] })).toEqual(['none', 'none', 'none', 'some']);
  const flags: Leaf = { kind: 'leaf', codes, verdict: Uint8Array.of(1, 0) };
  expect(outlooksOf({ kind: 'all', of: [flags, one] })).toEqual(['none', 'some', 'none', 'some']);
  expect(outlooksOf({ kind: 'all', of: [one, flags] })).toEqual(['none', 'some', 'none', 'some']);
  const across = withOutlooks(zero);
  expect(foresee(across, { from: CHUNK_ROWS - 1, to: CHUNK_ROWS + 1 })).toBe('some');
  expect(foresee(across, { from: 5, to: 5 })).toBe('some');
  const order = { rows: codes, from: 0, to: 10 };
  expect(foresee(across, { ...order, chunksAt: () => undefined })).toBe('some');
  expect(foresee(across, { ...order, chunksAt: () => Uint32Array.of(1) })).toBe('all');
  expect(foresee(across, { ...order, chunksAt: () => Uint32Array.of(3) })).toBe('some');
});

it('knows the same of a chunk by the tally as by its rows', () => {
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
      expect(createHeldCodes(codes, values, tally)).toEqual(createHeldCodes(codes, values));
    }),
  );
});
