import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { toUtf8 } from '../../../../adapters/import/readers/encoding.ts';
import { chunksOf, gather } from '../gathered.ts';

const ENCODINGS = ['utf-16le', 'utf-16be', 'shift_jis', 'windows-1252', 'gb18030', 'euc-jp'];

/** The text of bytes; undefined where the encoding does not read all of them. */
function textOf(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    // Some versions of Node read Windows-1252 as Latin-1, but for streams.
    const text = decoder.decode(bytes, { stream: true }) + decoder.decode();
    return text.includes('\ufffd') ? undefined : text;
  } catch {
    return undefined;
  }
}

it('bytes of an encoding are their text or no text at all, wherever they are cut', async () => {
  const letters = fc.constantFrom(
    ...['a', ',', '\n', 'é', '日', '한', '𝒳'].map((sign) => [...Buffer.from(sign, 'utf16le')]),
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .tuple(fc.array(letters, { maxLength: 5 }), fc.nat(3))
      .map(([all, cut]) => Uint8Array.from(all.flat().slice(0, Math.max(0, all.flat().length - cut)))),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ENCODINGS), bytes, sizes, async (encoding, given, cuts) => {
      const found = Buffer.concat(await gather(toUtf8(chunksOf(Buffer.from(given), cuts), encoding)));
      const text = textOf(given, encoding);
      expect(text === undefined ? isUtf8(found) : found.toString()).toBe(text ?? false);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['gb18030', [0xcf, 0x31, 0x42, 0x0a, 0x61]],
  ['gb18030', [0xc4, 0x37, 0xaa, 0xee, 0x0a, 0x61]],
])(
  'what %s cannot read is refused with its line, also where it comes in pieces: %j',
  async (encoding, given) => {
    const found = Buffer.concat(await gather(toUtf8(chunksOf(Buffer.from(given), [1]), encoding)));
    const [first, second] = found.toString('latin1').split('\n');
    expect([isUtf8(Buffer.from(first!, 'latin1')), second]).toEqual([false, 'a']);
  },
);
