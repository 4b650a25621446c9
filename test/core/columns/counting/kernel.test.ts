import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKernel, type Tested, type Wasm } from '../../../../src/core/columns/counting/kernel.ts';
import { casesOf } from '../../../support/cases.ts';

const ROWS = 40_000;
const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;

const KINDS = [Uint8Array, Uint16Array, Uint32Array] as const;
/** As many values as codes of each width may name, but for the widest. */
const VALUES = [256, 65_536, 70_000] as const;

/** A column whose codes are among all that its width has, and what a test says of them. */
function leafOf({ width, seed, values }: { width: number; seed: number; values: number }): Tested {
  const count = Math.min(values, VALUES[width]!);
  // It lies within its buffer, as a view does that was read from a file.
  const codes = new KINDS[width]!(ROWS + 8).subarray(4, ROWS + 4);
  codes.forEach((_, row) => (codes[row] = (row * seed + (row >>> 5)) % count));
  const mask = Uint8Array.from({ length: count }, (_, code) => ((code * seed) >>> 3) & 1);
  return { codes, mask };
}

const leaves = fc.array(
  fc.record({
    width: fc.nat({ max: 2 }),
    seed: fc.integer({ min: 1, max: 99_991 }),
    values: fc.constantFrom(2, 200, 10_000),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Counts by hand. */
function counted(joining: 'all' | 'any', tests: readonly Tested[], from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) {
    const passes = ({ codes, mask }: Tested) => mask[codes[row]!] === 1;
    if (joining === 'all' ? tests.every(passes) : tests.some(passes)) count += 1;
  }
  return count;
}

describe('the kernel', () => {
  it('counts what the loops would, whatever the widths, the joining and the rows', () => {
    const kernel = createKernel(wasm);
    const range = fc.record({ from: fc.nat({ max: 10_000 }), to: fc.integer({ min: 30_000, max: ROWS }) });
    fc.assert(
      fc.property(fc.constantFrom('all', 'any'), leaves, range, (joining, columns, { from, to }) => {
        const tests = columns.map(leafOf);
        expect(kernel.count(joining, tests, { from, to, total: to - from })).toBe(
          counted(joining, tests, from, to),
        );
      }),
      { numRuns: casesOf(500) },
    );
  });

  it('counts nothing for few rows, masks that are long compared to the rows, or many tests', () => {
    const kernel = createKernel(wasm);
    const narrow = leafOf({ width: 0, seed: 3, values: 4 });
    expect(kernel.count('all', [narrow], { from: 10, to: 4105, total: 4095 })).toBeUndefined();
    expect(kernel.count('all', [narrow], { from: 10, to: 4106, total: 4096 })).toBe(
      counted('all', [narrow], 10, 4106),
    );
    const wide = leafOf({ width: 1, seed: 3, values: 20_000 });
    // All segments together pay for the masks.
    expect(kernel.count('any', [wide], { from: 0, to: 9000, total: 9999 })).toBeUndefined();
    expect(kernel.count('any', [wide], { from: 0, to: 9000, total: 10_000 })).toBe(
      counted('any', [wide], 0, 9000),
    );
    expect(kernel.count('any', [narrow, wide], { from: 0, to: 10_000, total: 10_000 })).toBeUndefined();
    const four = Array<Tested>(4).fill(narrow);
    expect(kernel.count('all', four, { from: 0, to: ROWS, total: ROWS })).toBe(
      counted('all', [narrow], 0, ROWS),
    );
    expect(kernel.count('all', [...four, narrow], { from: 0, to: ROWS, total: ROWS })).toBeUndefined();
  });

  it('counts with masks of up to a mebibyte', () => {
    const kernel = createKernel(wasm);
    const codes = new Uint32Array(600_000);
    const leafOfLength = (length: number): Tested => ({
      codes: codes.fill(length - 1),
      mask: new Uint8Array(length).fill(1, length - 1),
    });
    expect(
      kernel.count('all', [leafOfLength(1_048_576)], { from: 0, to: codes.length, total: codes.length }),
    ).toBe(codes.length);
    expect(
      kernel.count('all', [leafOfLength(1_048_577)], { from: 0, to: codes.length, total: codes.length }),
    ).toBeUndefined();
  });

  it('counts with the masks of this question, whatever it has counted with before', () => {
    const kernel = createKernel(wasm);
    const rows = { from: 0, to: ROWS, total: 10 * ROWS };
    fc.assert(
      fc.property(fc.array(leaves, { minLength: 2, maxLength: 4 }), (questions) => {
        const tests = questions.map((columns) => columns.map(leafOf));
        // Segment after segment, of one question and of others between them.
        for (const own of [...tests, ...tests, tests[0]!, tests[0]!])
          expect(kernel.count('all', own, rows)).toBe(counted('all', own, 0, ROWS));
      }),
      { numRuns: casesOf(50) },
    );
  });

  it('counts with a mask again that stood elsewhere before, behind a shorter or a longer one', () => {
    const kernel = createKernel(wasm);
    const again = leafOf({ width: 1, seed: 7, values: 200 });
    for (const values of [2, 200, 100]) {
      const tests = [leafOf({ width: 0, seed: 3, values }), again];
      expect(kernel.count('all', tests, { from: 0, to: ROWS, total: ROWS })).toBe(
        counted('all', tests, 0, ROWS),
      );
    }
  });

  it('compiles once for columns of some widths, whatever their order', () => {
    let compiled = 0;
    const Module = function (code: Uint8Array) {
      compiled += 1;
      return new wasm.Module(code);
    } as unknown as Wasm['Module'];
    const { Memory, Instance } = wasm;
    const kernel = createKernel({ Memory, Instance, Module });
    const tests = [0, 1, 2].map((width) => leafOf({ width, seed: 3, values: 200 }));
    for (const order of [tests, [...tests].reverse(), [tests[1]!, tests[0]!, tests[2]!]]) {
      expect(kernel.count('any', order, { from: 3, to: ROWS, total: ROWS - 3 })).toBe(
        counted('any', tests, 3, ROWS),
      );
    }
    expect(compiled).toBe(1);
  });

  it('counts nothing where a runtime has no WebAssembly or compiles none, and tries once', () => {
    const leaf = leafOf({ width: 0, seed: 3, values: 4 });
    expect(createKernel(undefined).count('all', [leaf], { from: 0, to: ROWS, total: ROWS })).toBeUndefined();
    let tried = 0;
    function refuse(): never {
      tried += 1;
      throw new Error('no code is made here');
    }
    const { Memory, Instance } = wasm;
    const kernel = createKernel({ Memory, Instance, Module: refuse as unknown as Wasm['Module'] });
    expect(kernel.count('all', [leaf], { from: 0, to: ROWS, total: ROWS })).toBeUndefined();
    expect(kernel.count('any', [leaf], { from: 0, to: ROWS, total: ROWS })).toBeUndefined();
    expect(tried).toBe(1);
  });
});
