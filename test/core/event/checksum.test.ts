import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { checksum } from '../../../src/core/event/checksum.ts';

it('a checksum is a whole number of at most 53 bits, the same each time', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.uint32Array(), (texts, words) => {
      const found = checksum(texts, words);
      expect(Number.isSafeInteger(found) && found >= 0).toBe(true);
      expect(checksum([...texts], words.slice())).toBe(found);
    }),
  );
});

it('a checksum is that of chunks which files have already', () => {
  expect(checksum([])).toBe(0x073593 * 2 ** 32 + 0x811c9dc5);
  expect([[''], ['a'], ['a', 'b'], ['ab']].map((texts) => checksum(texts))).toEqual([
    ...[2029232479575493, 7047813230504237, 6126084964026204, 6126084947248584],
  ]);
  expect(checksum(['a'], Uint32Array.of(1, 2, 0xffff_ffff))).toBe(7576106909299616);
});

it('any change of a text, of a word or of where a text ends has another checksum', () => {
  const texts = ['properties.plan', 'é東京😀', ''];
  const words = Uint32Array.from({ length: 40 }, (_, i) => i * 0x9e3779b1);
  const known = checksum(texts, words);
  const others = new Set([known, checksum(texts)]);
  let made = 2;
  const add = (found: number) => {
    others.add(found);
    made += 1;
  };
  texts.forEach((text, at) => {
    for (let i = 0; i < text.length; i++) {
      for (const bit of [1, 0x40, 0x8000]) {
        const unit = String.fromCharCode(text.charCodeAt(i) ^ bit);
        add(checksum(texts.with(at, text.slice(0, i) + unit + text.slice(i + 1)), words));
      }
    }
  });
  words.forEach((_, i) => {
    for (let bit = 0; bit < 32; bit++) {
      const changed = words.slice();
      changed[i]! ^= 1 << bit;
      add(checksum(texts, changed));
    }
  });
  add(checksum(['properties.pla', 'né東京😀', ''], words));
  add(checksum(['é東京😀', 'properties.plan', ''], words));
  expect(others.size).toBe(made);
});
