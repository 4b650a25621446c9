import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_FIELDS, isAskable, parsePath, pathText } from '../../../src/core/filter/path.ts';
import type { Path } from '../../../src/store-kit.ts';
import { KEYS } from '../../conformance/arbitraries/traps.ts';

const parse = (text: string) => parsePath(text, 'property');

describe('parsePath', () => {
  it.each(EVENT_FIELDS)('reads the field %s', (field) => {
    expect(parse(field)).toEqual({ root: field, segments: [] });
  });

  it.each([
    ['properties.plan', ['plan']],
    ['properties.a.b.c', ['a', 'b', 'c']],
    ['properties.a\\.b', ['a.b']],
    ['properties.a\\\\.b', ['a\\', 'b']],
    ['properties.\\.', ['.']],
    ['properties.__proto__.constructor', ['__proto__', 'constructor']],
    ['properties.properties', ['properties']],
    ['properties. ', [' ']],
    ['properties.0', ['0']],
    ['properties.\'"%_*', ['\'"%_*']],
    [`properties${'.a'.repeat(31)}`, Array.from({ length: 31 }, () => 'a')],
    [`properties.${'x'.repeat(1013)}`, ['x'.repeat(1013)]],
  ])('reads %s', (text, segments) => {
    expect(parse(text)).toEqual({ root: 'properties', segments });
  });

  const roots = 'use eventName, userId, eventTs, eventDate, insertId, receivedAt or properties.<key>';
  it.each([
    ['', 'the path "" has an empty segment'],
    ['properties', `unknown property path "properties"; ${roots}`],
    ['properties.', 'the path "properties." has an empty segment'],
    ['properties..a', 'the path "properties..a" has an empty segment'],
    ['.properties.a', 'the path ".properties.a" has an empty segment'],
    ['plan', `unknown property path "plan"; ${roots}`],
    ['EventName', `unknown property path "EventName"; ${roots}`],
    ['eventName.length', `unknown property path "eventName.length"; ${roots}`],
    [' eventName', `unknown property path " eventName"; ${roots}`],
    ['__proto__', `unknown property path "__proto__"; ${roots}`],
    ['event\\.Name', `unknown property path "event\\\\.Name"; ${roots}`],
    ['properties\\.a', `unknown property path "properties\\\\.a"; ${roots}`],
    ['properties.a\\b', 'a backslash in a path escapes a dot or a backslash only, in "properties.a\\\\b"'],
    ['properties.a\\', 'a backslash in a path escapes a dot or a backslash only, in "properties.a\\\\"'],
    ['properties.\ud800', 'must be well-formed Unicode without U+0000'],
    ['properties.a\u0000', 'must be well-formed Unicode without U+0000'],
    [`properties${'.a'.repeat(32)}`, 'a path has at most 32 segments, got 33'],
    [`properties.${'x'.repeat(1014)}`, 'a path has at most 1024 characters, got 1025'],
  ])('refuses %j', (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ status: 400, message: `property: ${message}` }),
    );
  });

  it('reads what pathText writes; equal paths have equal texts and others other ones', () => {
    const keys = fc.oneof(
      fc.constantFrom(...KEYS),
      fc.string({ unit: fc.constantFrom('.', '\\', 'a'), minLength: 1, maxLength: 6 }),
    );
    const paths: fc.Arbitrary<Path> = fc
      .array(keys, { minLength: 1, maxLength: 8 })
      .map((segments) => ({ root: 'properties', segments }));
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        expect(parse(pathText(a))).toEqual(a);
        expect(pathText(a) === pathText(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 1000 },
    );
  });
});

it('a filter can name a key below a path where the path with the key can be read', () => {
  const above = (levels: number) => Array.from({ length: levels }, () => 'a');
  for (const levels of [0, 1, 29, 30, 31]) {
    const segments = above(levels);
    const named = { segments, path: pathText({ root: 'properties', segments }) };
    expect([levels, isAskable(named, 'k')]).toEqual([levels, levels <= 30]);
    const read = () => parse(pathText({ root: 'properties', segments: [...segments, 'k'] }));
    if (levels <= 30) expect(read()).toEqual({ root: 'properties', segments: [...segments, 'k'] });
    else expect(read).toThrow('a path has at most 32 segments, got 33');
  }
});
