import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codePointLength,
  compareCodePoints,
  decodeFormValue,
  describeValue,
  isStorableText,
  quoteAny,
  utf8Length,
} from '../../../src/core/event/text.ts';
import { quote } from '../../../src/transport-kit.ts';

const texts = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed());

describe('text rules', () => {
  it('compares as the bytes of UTF-8 do', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareCodePoints(a, b))).toBe(bytes);
        expect(compareCodePoints(a, a)).toBe(0);
      }),
      { numRuns: 2000 },
    );
    expect(compareCodePoints('\uff5e', '\u{1f600}')).toBeLessThan(0);
    expect(compareCodePoints('a\uff5e', 'a\u{1f600}')).toBeLessThan(0);
    expect(compareCodePoints('a', 'ab')).toBeLessThan(0);
  });

  it('counts code points and bytes of UTF-8', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(codePointLength(text)).toBe(Array.from(text).length);
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses what a store cannot keep', () => {
    expect(['', 'a', '\u{1f600}', '\u0001', '\ufffd'].every(isStorableText)).toBe(true);
    expect(['\ud800', '\udc00a', 'a\u0000b', '\u0000'].some(isStorableText)).toBe(false);
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an empty array'],
    [[1], 'an array'],
    [{}, 'an object'],
    ['10', 'the string "10"'],
    [1.5, 'the number 1.5'],
    [-0, 'the number 0'],
    [true, 'true'],
    [5n, 'a bigint'],
    ['x'.repeat(60), `the string "${'x'.repeat(60)}"`],
    ['x'.repeat(61), `the string "${'x'.repeat(60)}…"`],
  ])('describes value %#', (value, text) => {
    expect(describeValue(value)).toBe(text);
  });

  it('quotes without splitting a character into what is none', () => {
    expect(quote(`${'x'.repeat(59)}\u{1f600}`)).toBe(`"${'x'.repeat(59)}\ufffd…"`);
    expect(quote('\ud800"\n')).toBe('"\ufffd\\"\\n"');
  });
});

describe('values in messages', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an empty array'],
    [[0], 'an array'],
    [{}, 'an object'],
    ['10', 'the string "10"'],
    [10, 'the number 10'],
    [NaN, 'the number NaN'],
    [false, 'false'],
    [10n, 'a bigint'],
    [() => 0, 'a function'],
  ])('%o is named %s', (value, named) => {
    expect(describeValue(value)).toBe(named);
    expect(quoteAny(value)).toBe(typeof value === 'string' ? `"${value}"` : named);
  });

  it('are cut after sixty characters, not before', () => {
    expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
    expect(quoteAny('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
  });
});

describe('a value of a form', () => {
  const bytes = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));

  it('is what was written, in digits of either case', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const written = new URLSearchParams({ a: text }).toString().slice(2);
        expect(decodeFormValue(written)).toBe(text);
        const digits = bytes(text).map((each) => `%${each}`);
        expect(decodeFormValue(digits.join(''))).toBe(text);
        expect(decodeFormValue(digits.join('').toUpperCase())).toBe(text);
      }),
    );
    expect(decodeFormValue('a+b%2B%20c+')).toBe('a b+ c ');
    expect(decodeFormValue('東京+é')).toBe('東京 é');
    expect(decodeFormValue('')).toBe('');
  });

  it('is none where an escape is no byte, or the bytes are no UTF-8', () => {
    for (const text of ['%', '%4', '%g0', '%0g', '%/0', '%:0', '%@0', '%`0', 'a%', '%ff', '%e6%9d', '%-1'])
      expect(decodeFormValue(text)).toBe(undefined);
    expect(decodeFormValue('%09%0a%7f%4f%6F')).toBe('\t\n\x7fOo');
  });
});
