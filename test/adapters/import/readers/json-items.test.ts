import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPTION_WORDS } from '../../../../adapters/import/base/options.ts';
import { toJsonItems } from '../../../../adapters/import/readers/json-items.ts';
import { LINE_BYTES_MAX, type FileLine } from '../../../../adapters/import/readers/lines.ts';
import { chunksOf, gather } from '../gathered.ts';

const read = (text: string, cuts = [65_536]) =>
  gather(toJsonItems(chunksOf(Buffer.from(text), cuts), OPTION_WORDS));
const textOf = (item: FileLine) => ('text' in item ? item.text : item.problem);

describe('the items of a JSON array', () => {
  it('are those that JSON.parse finds, however the text is laid out and its bytes are cut', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.constantFrom(0, 2, '\t'),
        cuts,
        async (values, indent, sizes) => {
          const found = await read(` \n${JSON.stringify(values, null, indent)}\r\n`, sizes);
          expect(found.map((item) => JSON.parse(textOf(item)) as unknown)).toEqual(
            JSON.parse(JSON.stringify(values)),
          );
          expect(found.map(({ number }) => number)).toEqual(values.map((_, i) => i + 1));
        },
      ),
    );
  });

  it('are yielded before the array turns out to be cut', async () => {
    const found: string[] = [];
    const reading = async () => {
      for await (const item of toJsonItems(chunksOf(Buffer.from('[1, {"a": "]"}, {"b"'), [3]), OPTION_WORDS))
        found.push(textOf(item));
    };
    await expect(reading()).rejects.toThrow('the JSON array ends too early: the file is cut');
    expect(found).toEqual(['1', ' {"a": "]"}']);
    await expect(read('[1]\n[2]')).rejects.toThrow('something follows the JSON array');
  });

  it('that are too long are refused alone, and never held', async () => {
    const found = await read(`["a", "${'x'.repeat(2 * LINE_BYTES_MAX)}", "b"]`);
    expect(found.map((item) => 'text' in item)).toEqual([true, false, true]);
  });
});
