import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { OPTION_WORDS } from '../../../../adapters/import/base/options.ts';
import {
  LINE_BYTES_MAX,
  toLines,
  toLinesWithReturns,
  type FileLine,
} from '../../../../adapters/import/readers/lines.ts';
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
        const found = (await gather(toLines(chunksOf(bytes, cuts), OPTION_WORDS))).filter(
          (line) => textOf(line) !== '',
        );
        const numbered = texts.map((text, i) => [i + 1, text.toWellFormed()] as const);
        expect(found.map((line) => [line.number, textOf(line)])).toEqual(
          numbered.filter(([, text]) => text !== ''),
        );
        const all = await gather(toLinesWithReturns(chunksOf(bytes, cuts), OPTION_WORDS));
        expect(all.map((line) => textOf(line).replace(/\r$/, ''))).toEqual(numbered.map(([, text]) => text));
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
    const found = await gather(toLines(source(), OPTION_WORDS));
    expect(found.map(({ bytes }) => bytes)).toEqual([LINE_BYTES_MAX, 100 * 1_048_576, 5]);
    expect(found.map((line) => 'text' in line)).toEqual([true, false, true]);
    expect(held).toBeLessThan(50 * 1_048_576);
  });
});

describe('a byte order mark', () => {
  it('is removed before the first line, and kept in any other', async () => {
    const found = await gather(toLines(chunksOf(Buffer.from('\ufeffa\n\ufeffb'), [40]), OPTION_WORDS));
    expect(found.map(textOf)).toEqual(['a', '\ufeffb']);
  });
});
