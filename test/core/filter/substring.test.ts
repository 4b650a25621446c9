import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePredicate, parseCountBody } from '../../../src/store-kit.ts';
import {
  BUILT_IN_SEARCH_LENGTH_MAX,
  compileSubstring,
  compileSubstrings,
} from '../../../src/core/filter/substring.ts';

const LONG = BUILT_IN_SEARCH_LENGTH_MAX + 1;

describe('compileSubstring', () => {
  it('says what the built-in search says, for short and long parts of repetitive texts', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}'), maxLength: 6 });
    fc.assert(
      fc.property(letters, letters, fc.nat(400), fc.nat(400), letters, (head, unit, many, fewer, tail) => {
        const text = head + unit.repeat(many) + tail;
        for (const part of [
          unit.repeat(fewer),
          unit.repeat(fewer) + tail,
          head + unit.repeat(fewer) + tail,
        ]) {
          expect(compileSubstring(part)(text)).toBe(text.includes(part));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([LONG - 1, LONG, LONG + 1])('finds a part of %i units at either end and not beyond', (length) => {
    const part = `x${'ab'.repeat(length)}`.slice(0, length);
    const has = compileSubstring(part);
    expect(has(part)).toBe(true);
    expect(has(`ab${part}`)).toBe(true);
    expect(has(`${part}ab`)).toBe(true);
    expect(has(part.slice(1))).toBe(false);
    expect(has(`${part.slice(0, -1)}\u0000${part.slice(1)}`)).toBe(false);
  });

  it('falls back to ever shorter prefixes, while it prepares a part and while it searches', () => {
    // Where a run of one letter is broken, every prefix of it has to be tried.
    const run = 'a'.repeat(300);
    const preparing = compileSubstring(`${run}b${run}aab${run}`);
    expect(preparing(`${run}b${run}aab${run}`)).toBe(true);
    expect(preparing(`x${run}b${run}aaab${run}b${run}aab${run}`)).toBe(true);
    expect(preparing(`${run}b${run}ab${run}`)).toBe(false);
    const searching = compileSubstring(`aab${'aabaaab'.repeat(60)}`);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('aab', 'aabaaab', 'a', 'aabaaab'.repeat(59))), (parts) => {
        const text = parts.join('');
        expect(searching(text)).toBe(text.includes(`aab${'aabaaab'.repeat(60)}`));
      }),
      { numRuns: 500 },
    );
  });

  it.each([true, false])('decides long operands of CONTAINS, code generation %s', (codeGeneration) => {
    const part = 'ab'.repeat(LONG);
    const filter = { property: 'properties.text', comparison: 'CONTAINS' as const, value: part };
    const holds = compilePredicate(parseCountBody({ filterSet: [filter] }), { codeGeneration });
    const event = { eventName: 'n', userId: 'u', eventTs: 0, insertId: 'i' };
    expect(holds({ ...event, properties: { text: `x${part}x` } })).toBe(true);
    expect(holds({ ...event, properties: { text: [part] } })).toBe(true);
    expect(holds({ ...event, properties: { text: part.slice(1) } })).toBe(false);
    expect(holds({ ...event, properties: { text: [`x${part}`] } })).toBe(false);
    expect(holds({ ...event, properties: {} })).toBe(false);
  });

  it('looks at each unit a bounded number of times, where the built-in search starts again at each', () => {
    // As ratios in one process the two differ by thousands; what is held here is only that the answer comes
    // at all: with the built-in search these take minutes.
    const text = 'ab'.repeat(1_000_000);
    for (let length = 10_000; length <= 200_000; length += 10_000) {
      expect(compileSubstring(`bb${'ab'.repeat(length)}`)(text)).toBe(false);
    }
  });
});

describe('compileSubstrings', () => {
  /** Few letters, so that parts begin and end with each other. */
  const letters = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}'), maxLength });

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
});
