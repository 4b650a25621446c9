import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileSubstrings } from '../../../src/core/filter/substrings.ts';

/** Few letters, so that parts begin and end with each other. */
const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}'), maxLength });

it('finds what searches for each part would', () => {
  fc.assert(
    fc.property(fc.array(letters(7), { maxLength: 20 }), fc.array(letters(30)), (parts, texts) => {
      const has = compileSubstrings(parts);
      for (const text of [...texts, ...parts]) {
        expect(has(text)).toBe(parts.some((part) => text.includes(part)));
      }
    }),
    { numRuns: 2000 },
  );
});

it('finds parts within others, at both ends and after a part that was not finished', () => {
  const has = compileSubstrings(['abcdef', 'bcx', 'cde', 'efgh', 'ghij', 'aab']);
  const found = ['abcde', 'abcx', 'zabcdx efgh', 'aaab', 'abcdefgh'].map(has);
  expect(found).toEqual([true, true, true, true, true]);
  expect(['abcd', 'abc x', 'aacb', 'efg', 'fghi', ''].map(has)).toEqual(new Array(6).fill(false));
});

it('finds parts that are too long together for one automaton', () => {
  const parts = Array.from({ length: 10 }, (_, i) => `${i}${'xyz'.repeat(10_000)}`);
  const has = compileSubstrings(parts);
  expect(has(`--${parts[7]!}--`)).toBe(true);
  expect(has('xyz'.repeat(20_000))).toBe(false);
});
