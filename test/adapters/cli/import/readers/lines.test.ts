import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  LINE_BYTES_MAX,
  toLines,
  unpack,
  type FileLine,
} from '../../../../../adapters/cli/import/readers/lines.ts';
import { chunksOf, gather } from '../gathered.ts';

const textOf = (line: FileLine) => ('text' in line ? line.text : line.problem);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/** How many bytes of buffers are in use after a garbage collection. */
function heldNow(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

describe('toLines', () => {
  it('gives the lines of any text, however its bytes are cut', async () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\ufeff]/g, '')));
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n'), sizes, async (texts, end, cuts) => {
        const bytes = Buffer.from(texts.map((text) => text + end).join(''));
        const found = await gather(toLines(chunksOf(bytes, cuts)));
        expect(found.map(textOf)).toEqual(texts.map((text) => text.toWellFormed()));
        expect(found.map(({ number }) => number)).toEqual(texts.map((_, i) => i + 1));
      }),
    );
  });

  it('accepts a line of the greatest length and drops a longer one as it comes', async () => {
    async function* source() {
      yield Buffer.from(`${'a'.repeat(LINE_BYTES_MAX)}\n`);
      for (let i = 0; i < 100; i++) yield await Promise.resolve(Buffer.alloc(1_048_576, 'b'));
      held = heldNow() - before;
      yield Buffer.from('\nshort');
    }
    const before = heldNow();
    let held = Infinity;
    const found = await gather(toLines(source()));
    expect(found.map(({ bytes }) => bytes)).toEqual([LINE_BYTES_MAX, 100 * 1_048_576, 5]);
    expect(found.map((line) => 'text' in line)).toEqual([true, false, true]);
    expect(held).toBeLessThan(50 * 1_048_576);
  });
});

describe('a byte order mark', () => {
  it('is removed before the first line, and kept in any other', async () => {
    const found = await gather(toLines(chunksOf(Buffer.from('\ufeffa\n\ufeffb'), [40])));
    expect(found.map(textOf)).toEqual(['a', '\ufeffb']);
  });
});

describe('unpack', () => {
  it('reports a read error with the words of the system', async () => {
    async function* source() {
      yield await Promise.resolve(gzipSync('x'.repeat(1000)).subarray(0, 15));
      throw Object.assign(new Error('i/o error, read'), { code: 'EIO' });
    }
    await expect(gather(unpack(source()))).rejects.toThrow(/^i\/o error, read$/);
  });

  it('passes plain bytes on and unpacks gzip, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        sizes,
        async (content, packed, cuts) => {
          const plain = Buffer.from([0x7b, ...content]);
          const bytes = packed ? gzipSync(plain) : plain;
          expect(Buffer.concat(await gather(unpack(chunksOf(bytes, cuts))))).toEqual(plain);
        },
      ),
    );
    expect(await gather(unpack(chunksOf(Buffer.alloc(0), [1])))).toEqual([]);
  });

  it.each([[1], [2], [1, 1], [1, 40]])('unpacks gzip whose first pieces are of %j bytes', async (...cuts) => {
    const plain = Buffer.from('{"eventName":"a"}\n');
    const chunks = chunksOf(gzipSync(plain), [...cuts, 65_536]);
    expect(Buffer.concat(await gather(unpack(chunks)))).toEqual(plain);
  });

  it('passes on everything before the early end of gzip, wherever that is', async () => {
    const plain = Buffer.from(
      Array.from({ length: 20_000 }, (_, i) => `${Math.imul(i, 2_654_435_761)}`).join('\n'),
    );
    const whole = gzipSync(plain);
    for (const length of [20, 5000, whole.length - 9, whole.length - 1]) {
      const got: Buffer[] = [];
      const reading = async () => {
        for await (const chunk of unpack(chunksOf(whole.subarray(0, length), [65_536]))) got.push(chunk);
      };
      await expect(reading()).rejects.toThrow('the gzip data ends too early');
      const bytes = Buffer.concat(got);
      expect(plain.subarray(0, bytes.length).equals(bytes)).toBe(true);
      expect(bytes.length / plain.length).toBeGreaterThanOrEqual((length - 5000) / whole.length);
    }
  });
});
