import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasTooManyKeys, isTooDeep } from '../../../src/core/event/json-depth.ts';
import { parseJson } from '../../../src/core/http/request.ts';
import { parseJsonLine } from '../../../src/internal.ts';

const LEVELS = 128;
/** So many brackets that the levels are counted, none within another. */
const MANY = '[]'.repeat(LEVELS);

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

describe('isTooDeep', () => {
  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"a\\\\":[ {"]}":', '}]}'],
  ])('counts the levels of %s', (open, close) => {
    const each = open.split(/[[{]/).length - 1;
    const fits = Math.floor(LEVELS / each);
    const nest = (times: number) => `${open.repeat(times)}"[[\\"{{"${close.repeat(times)}`;
    expect(levelsOf(JSON.parse(nest(fits)))).toBe(fits * each);
    expect(isTooDeep(nest(fits))).toBe(false);
    expect(isTooDeep(nest(LEVELS + 1))).toBe(true);
    expect(isTooDeep(open.repeat(40_000))).toBe(true);
  });

  it('does not count what stands side by side', () => {
    expect(isTooDeep(`[${'{"a":[[]]},'.repeat(1000)}0]`)).toBe(false);
  });

  it('takes brackets in strings for letters, whatever is escaped', () => {
    const hostile = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a'), maxLength: 400 });
    fc.assert(
      fc.property(fc.array(fc.dictionary(hostile, hostile)), (value) => {
        expect(isTooDeep(MANY + JSON.stringify(value))).toBe(false);
      }),
    );
  });

  it('does not mind what is no JSON', () => {
    for (const text of ['"', '\\"', '"\\', ']]]]', '}', '"\\\\\\"'])
      expect(isTooDeep(MANY + text)).toBe(false);
    expect(isTooDeep(`${MANY}"${'\\'.repeat(100_000)}`)).toBe(false);
  });
});

describe('a body that nests too deep', () => {
  const deep = '['.repeat(100_000);
  it('is refused before it is parsed', () => {
    expect(() => parseJson(deep)).toThrow('body: nests too deep');
    expect(() => parseJson(deep + ']'.repeat(100_000))).toThrow('body: nests too deep');
  });

  it('is one bad line of NDJSON', () => {
    expect(String(parseJsonLine(deep))).toContain('nests too deep');
    expect(parseJsonLine('{}')).toEqual({});
  });
});

describe('hasTooManyKeys', () => {
  /** As many keys as properties and an event may have. */
  const KEYS = 10_000 + 6;
  const objectOf = (keys: number, value: string) =>
    `{${Array.from({ length: keys }, (_, i) => `"key ${i}":${value}`).join()}}`;

  it('counts keys, and no colon within a string', () => {
    expect(hasTooManyKeys(objectOf(KEYS, '1'))).toBe(false);
    expect(hasTooManyKeys(objectOf(KEYS + 1, '1'))).toBe(true);
    expect(hasTooManyKeys(objectOf(KEYS, '"::\\":\\\\"'))).toBe(false);
    expect(hasTooManyKeys(`"${':'.repeat(100_000)}`)).toBe(false);
    expect(hasTooManyKeys(':'.repeat(100_000))).toBe(true);
  });

  it('leaves short texts to the parser', () => {
    expect(hasTooManyKeys(':'.repeat(65_536))).toBe(false);
    expect(hasTooManyKeys(':'.repeat(65_537))).toBe(true);
  });
});
