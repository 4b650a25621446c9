import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMsOf } from '../../../support/cpu-time.ts';
import { HASH } from '../fixtures.ts';
import { codeOf, createDictionary, encode, MISSING } from '../../../../src/core/columns/column/dictionary.ts';

it('gives each distinct value one code, in the order in which values arrive', () => {
  const dictionary = createDictionary(HASH);
  const values = ['a', 1, '1', true, 'true', false, 0, ['a'], [], ['a', 1], 'a', 1, ['a']];
  expect(values.map((value) => encode(dictionary, value))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 8]);
  expect(dictionary.values.slice(1)).toEqual(values.slice(0, 10));
});

it('takes missing values and null for one, and every object for one', () => {
  const dictionary = createDictionary(HASH);
  expect(encode(dictionary, undefined)).toBe(MISSING);
  expect(encode(dictionary, null)).toBe(MISSING);
  const code = encode(dictionary, { a: 1 });
  expect(code).not.toBe(MISSING);
  expect(encode(dictionary, {})).toBe(code);
  expect(encode(dictionary, { a: ['x'] })).toBe(code);
});

it('tells an array from a string that looks like its text', () => {
  const dictionary = createDictionary(HASH);
  expect(encode(dictionary, '["a"]')).not.toBe(encode(dictionary, ['a']));
});

it('finds scalars by equality', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean())), (scalars) => {
      const dictionary = createDictionary(HASH);
      const codes = scalars.map((scalar) => encode(dictionary, scalar));
      expect(scalars.map((scalar) => codeOf(dictionary, scalar))).toEqual(codes);
      expect(codes.map((code) => dictionary.values[code])).toEqual(scalars);
      expect(codeOf(dictionary, 'not there, for it is longer than any of these')).toBeUndefined();
    }),
  );
});

it('tells long texts of one length apart as fast as others, alone and in arrays', async () => {
  const tell = (long: readonly string[]) => {
    const dictionary = createDictionary(HASH);
    expect(long.map((text) => encode(dictionary, text))).toEqual(long.map((_, i) => i + 1));
    expect(long.map((text) => codeOf(dictionary, text))).toEqual(long.map((_, i) => i + 1));
    expect(encode(dictionary, [long[0]!])).toBe(1001);
    expect(encode(dictionary, [long[1]!])).toBe(1002);
    expect(encode(dictionary, [long[0]!])).toBe(1001);
  };
  const textsOf = (valuesIn: (i: number) => number) =>
    Array.from({ length: 1000 }, (_, i) => `${'x'.repeat(valuesIn(i))}${1000 + i}`);
  const others = await cpuMsOf(() => tell(textsOf((i) => 18_500 + i)));
  // V8 takes the length of a long text for its hash, so that a Map compares each with all others, and takes
  // more than thirty times as long.
  expect(await cpuMsOf(() => tell(textsOf(() => 20_000)))).toBeLessThan(8 * others + 500);
});
