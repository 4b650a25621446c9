import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScan } from '../../../adapters/memory/scan.ts';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import type { JsonObject } from '../../../src/index.ts';
import { valueBelow } from '../../../src/store-kit.ts';

/** Parts of keys and texts: all characters with a meaning in JSON. */
const PIECES = [
  'a',
  'b',
  '"',
  '\\',
  ':',
  ',',
  '{',
  '}',
  '[',
  ']',
  '":',
  '{"a":',
  '\n',
  ' ',
  'é',
  '\u2028',
  '😀',
];
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((pieces) => pieces.join(''));
const keys = fc.oneof(fc.constantFrom('a', 'b', 'ab', '', '__proto__', 'constructor', '0'), texts);
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(2 ** 60),
);
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));

const { documents } = fc.letrec<{ value: unknown; documents: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('documents'),
  ),
  documents: fc
    .array(fc.tuple(keys, tie('value')), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries) as JsonObject),
}));

/** Paths that mostly exist, because a document has few keys. */
const paths = fc.array(fc.array(keys, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });

function waysOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, below]) => [
    [key],
    ...waysOf(below).map((way) => [key, ...way]),
  ]);
}

function find(asked: readonly (readonly string[])[], list: readonly string[]) {
  const scan = createScan(asked);
  return list.map((text) => {
    const found: unknown[] = asked.map(() => undefined);
    scan(text, (path, value) => (found[path] = value));
    return found;
  });
}

describe('scanning canonical texts', () => {
  it('finds what a walk through the parsed text finds', () => {
    const wanted = fc.array(fc.tuple(documents, fc.array(fc.nat(), { maxLength: 3 })), { maxLength: 4 });
    fc.assert(
      fc.property(wanted, paths, (list, others) => {
        const ways = list.flatMap(([document, picks]) => {
          const all = waysOf(document);
          return picks.flatMap((pick) => (all.length === 0 ? [] : [all[pick % all.length]!]));
        });
        const asked = [...ways, ...others];
        const canonical = list.map(([document]) => canonicalJson(document, 'properties'));
        const expected = canonical.map((text) =>
          asked.map((segments) => valueBelow(JSON.parse(text) as JsonObject, segments)),
        );
        expect(find(asked, canonical)).toEqual(expected);
        expect(find(asked.slice(0, 1), canonical)).toEqual(expected.map((found) => found.slice(0, 1)));
      }),
      { numRuns: Number(process.env.EVENT_QUERY_RUNS ?? 30) * 10 },
    );
  });

  it('mistakes no text for a key, and no key of another level', () => {
    const document = { 'x"a': 1, t: '","a":2,"', b: { a: 3 }, c: [{ a: 4 }], 'a"': 5, '\\': '"a":6', a: 7 };
    expect(find([['a'], ['b', 'a'], ['c', 'a'], ['x"a'], ['\\']], [JSON.stringify(document)])).toEqual([
      [7, 3, undefined, 1, '"a":6'],
    ]);
  });

  it('finds many keys at once, whatever they contain', () => {
    const names = Array.from({ length: 60 }, (_, i) => ['', '"', '\\', '\n', 'é'][i % 5]! + `key ${i}`);
    const document = Object.fromEntries(names.map((name, i) => [name, i % 7 === 3 ? { [name]: i } : i]));
    const asked = [...names.map((name) => [name]), ...names.map((name) => [name, name])];
    const text = canonicalJson(document, 'properties');
    for (const count of [1, 16, 17, 40, 120]) {
      const some = asked.slice(0, count);
      expect(find(some, [text])).toEqual([some.map((segments) => valueBelow(document, segments))]);
    }
    expect(find(asked, ['{"key":1,"key 0x":2}'])).toEqual([asked.map(() => undefined)]);
  });

  it('finds a path and another below it', () => {
    expect(find([['a'], ['a', 'b'], ['a', 'b', 'c']], ['{"z":0,"a":{"y":1,"b":{"c":2}},"c":3}'])).toEqual([
      [{ y: 1, b: { c: 2 } }, { c: 2 }, 2],
    ]);
  });

  it('finds keys in later texts when the first have none, and the other way round', () => {
    const rare = Array.from({ length: 400 }, (_, i) => (i % 97 === 5 ? `{"a":${i}}` : '{"b":{"c":"a"}}'));
    const common = [...Array.from({ length: 100 }, (_, i) => `{"a":${i}}`), ...rare];
    for (const list of [rare, common]) {
      const expected = list.map((text) => [(JSON.parse(text) as JsonObject).a]);
      expect(find([['a']], list)).toEqual(expected);
    }
  });

  it.each([
    '',
    '{',
    '{"a',
    '{"a\\',
    '{"a":',
    '{"a":"',
    '{"a":{"b":[',
    '[1]',
    '1',
    '{"a"1}',
    '{"a":1,',
    '{"b":{',
  ])('ends in a text that is no JSON: %s', (text) => {
    const scan = createScan([['c'], ['a', 'd'], ['b', 'b'], ['a', 'b', 'c'], ['d']]);
    scan(text, (_path, value) => expect(value).toBeUndefined());
  });
});
