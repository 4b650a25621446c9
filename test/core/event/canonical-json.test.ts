import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import { jsonValues } from '../../conformance/arbitraries/events.ts';

const canonical = (value: unknown) => canonicalJson(value, 'properties');

describe('canonicalJson', () => {
  it.each([
    [{}, '{}'],
    [{ a: -0 }, '{"a":0}'],
    [{ a: 2 ** 53 - 1 }, '{"a":9007199254740991}'],
    [{ a: 2 ** 53 }, '{"a":9.007199254740992e+15}'],
    [{ a: [-(2 ** 60), { b: 1e20 }] }, '{"a":[-1.152921504606847e+18,{"b":1e+20}]}'],
    [{ a: 1e21, b: 5e-324, c: 0.1 }, '{"a":1e+21,"b":5e-324,"c":0.1}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [{ big: 2 ** 53, a: undefined, b: 'x' }, '{"big":9.007199254740992e+15,"b":"x"}'],
    [
      { big: 2 ** 60, then: { big: 2 ** 61 } },
      '{"big":1.152921504606847e+18,"then":{"big":2.305843009213694e+18}}',
    ],
    [[2 ** 60, [-(2 ** 53)]], '[1.152921504606847e+18,[-9.007199254740992e+15]]'],
    [{ z: 1, a: 2 }, '{"z":1,"a":2}'],
    [{ a: 'é\u2028"\\\n\u0001' }, '{"a":"é\u2028\\"\\\\\\n\\u0001"}'],
    [JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}'],
    [JSON.parse('{"__proto__":1e20}'), '{"__proto__":1e+20}'],
    [Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ])('writes %j as %s', (value, text) => {
    expect(canonical(value)).toBe(text);
  });

  it.each([
    [{ a: NaN }, 'properties.a: must be a finite number'],
    [{ a: [1, Infinity] }, 'properties.a[1]: must be a finite number'],
    [{ a: '\ud800' }, 'properties.a: must be well-formed Unicode without U+0000'],
    [{ a: { b: ['x\u0000'] } }, 'properties.a.b[0]: must be well-formed Unicode without U+0000'],
    [{ '\udc00': 1 }, 'properties.\ufffd: a key must be well-formed Unicode without U+0000'],
    [{ 'a\u0000': undefined }, 'properties.a\u0000: a key must be well-formed Unicode without U+0000'],
    [{ a: [undefined] }, 'properties.a[0]: takes JSON values only, got nothing'],
    [{ a: 5n }, 'properties.a: takes no BigInt; send a number, or it as text'],
    [{ a: () => 1 }, 'properties.a: takes JSON values only, got a function'],
    [{ toJSON: () => 1 }, 'properties.toJSON: takes JSON values only, got a function'],
    [{ a: Symbol('s') }, 'properties.a: takes JSON values only, got a symbol'],
    [{ a: new Map() }, 'properties.a: takes plain objects only, got an instance of a class'],
    // What stands behind a large integer is checked as what stands before it.
    [{ big: 2 ** 60, bad: NaN }, 'properties.bad: must be a finite number'],
    [
      { big: 2 ** 60, bad: { deep: '\ud800' } },
      'properties.bad.deep: must be well-formed Unicode without U+0000',
    ],
    [
      { big: [2 ** 60], 'k\u0000': 1 },
      'properties.k\u0000: a key must be well-formed Unicode without U+0000',
    ],
    [{ a: [2 ** 60, NaN] }, 'properties.a[1]: must be a finite number'],
    [
      { a: [2 ** 60, [new Map()]] },
      'properties.a[1][0]: takes plain objects only, got an instance of a class',
    ],
    [{ a: new Map() }, 'properties.a: takes plain objects only, got an instance of a class'],
  ])('refuses %#', (value, message) => {
    expect(() => canonical(value)).toThrow(expect.objectContaining({ status: 400, message }));
  });

  it('takes 64 levels and refuses 65, of objects and of arrays', () => {
    const deep = (levels: number, wrap: (inner: unknown) => unknown) => {
      let value: unknown = {};
      for (let i = 1; i < levels; i++) value = wrap(value);
      return value;
    };
    for (const wrap of [(a: unknown) => ({ a }), (a: unknown) => [a]]) {
      expect(JSON.parse(canonical(deep(64, wrap)))).toEqual(deep(64, wrap));
      expect(() => canonical(deep(65, wrap))).toThrow('takes at most 64 levels of objects and arrays');
      expect(() => canonical(deep(100_000, wrap))).toThrow('takes at most 64 levels');
    }
  });

  it('keeps every value, and writes what it wrote the same again', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonical({ value });
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ value })));
        expect(canonical(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('writes no integer that an engine could read as 64 bits or as a decimal', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = canonical(number);
        expect(Number(text)).toBe(number + 0);
        if (/^-?\d+$/.test(text)) expect(Number.isSafeInteger(Number(text))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
