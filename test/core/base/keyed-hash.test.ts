import { expect, it } from 'vitest';
import { createKeyedHash } from '../../../src/store-kit.ts';

const hash = createKeyedHash([1, 2]);

it('texts that differ by what fills up a word have hashes of their own', () => {
  const texts = ['', '\0', '\0\0', 'a', 'a\0', 'a\0\0'];
  expect(new Set(texts.map((text) => hash.ofText(text, 0))).size).toBe(texts.length);
});

it('a text has one hash, whatever was hashed before, and another beside another number', () => {
  const long = 'long '.repeat(1000);
  const [first, other] = [hash.ofText('a', 0), hash.ofText(long, 0)];
  expect([hash.ofText('a', 0), hash.ofText(long, 0), hash.ofText('a', -0)]).toEqual([first, other, first]);
  expect(hash.ofText('a', 1)).not.toBe(first);
});

it('0 and -0 are one number', () => {
  expect(hash.ofNumber(-0)).toBe(hash.ofNumber(0));
  expect(hash.ofNumber(1)).not.toBe(hash.ofNumber(0));
});

it('each half of the seed matters', () => {
  const seeds = [
    [1, 2],
    [1, 3],
    [3, 2],
  ] as const;
  expect(new Set(seeds.map((seed) => createKeyedHash(seed).ofText('a', 0))).size).toBe(3);
});
