import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOfText, textOfBytes } from '../../../src/core/event/utf8.ts';

it('a text is what its bytes say, with its byte order mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(textOfBytes(bytesOfText(text))).toBe(text);
    }),
  );
  expect(textOfBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
});

it('bytes that are no UTF-8 are no text', () => {
  for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
    expect(textOfBytes(Uint8Array.from(bytes))).toBe(undefined);
});
