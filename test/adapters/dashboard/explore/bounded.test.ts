import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, seen, written } from '../../../../adapters/dashboard/pages/address/written.ts';
import { briefPairs } from '../../../../adapters/dashboard/pages/explore/brief-pairs.ts';
import { openAtFirst, sizeOf } from '../../../../adapters/dashboard/pages/explore/open-at-first.ts';
import { historyOf, PATHS_MAX } from '../../../../adapters/dashboard/pages/person/changes.ts';

const LIST = Array.from({ length: 300_000 }, (_, i) => i);
const KEYS = Object.fromEntries(Array.from({ length: 9_900 }, (_, i) => [`k${i}`, i]));
/** A hundred lists of a hundred lists of a hundred. */
const DEEP = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => LIST.slice(0, 100)));
const LONG = 'x'.repeat(1_000_000);
const LARGE: readonly (readonly [string, object])[] = [
  ['a list', { list: LIST }],
  ['many keys', KEYS],
  ['lists of lists', { deep: DEEP }],
  ['a long text', { [LONG]: LONG }],
  ['objects of objects', { a: { b: { ...KEYS, c: KEYS } }, d: KEYS }],
];

/** How many entries of a value are drawn while its first parts are open. */
function drawn(value: unknown, open: ReadonlySet<object>): number {
  if (typeof value !== 'object' || value === null || !open.has(value)) return 1;
  const first = Object.values(value).slice(0, 100) as readonly unknown[];
  return first.reduce<number>((sum, each) => sum + drawn(each, open), 1);
}

describe('what is drawn of an event', () => {
  it.each(LARGE)('with %s is bounded', (_name, properties) => {
    expect(drawn(properties, openAtFirst(properties, 100))).toBeLessThan(450);
    const pairs = briefPairs(properties, 8);
    expect(pairs.length).toBeLessThanOrEqual(8);
    for (const [, value] of pairs) expect(written(value).length).toBeLessThan(13_000);
    expect(written(properties).length).toBeLessThan(13_000);
    const event = { properties, eventTs: '2026-05-18T00:00:00.000Z' } as never;
    expect(historyOf([event, event]).length).toBeLessThanOrEqual(PATHS_MAX);
  });

  it('of any value is bounded, and all of a small one is open', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        const open = openAtFirst(properties, 100);
        expect(open.has(properties)).toBe(true);
        expect(drawn(properties, open)).toBeLessThan(450);
        expect([...open].every((each) => sizeOf(each) >= 0)).toBe(true);
      }),
    );
    const small = { a: { b: 1 }, c: [{ d: 2 }] };
    expect(openAtFirst(small, 100)).toEqual(new Set<object>([small, small.a, small.c, small.c[0]!]));
  });

  it('is the beginning of its JSON, and all of it if it is short', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const whole = seen(JSON.stringify(value));
        fc.pre(whole.length < 500);
        expect(written(value)).toBe(whole);
      }),
    );
    expect(written(LONG, Infinity)).toBe(LONG);
    expect(written(LIST).slice(0, 500)).toBe(JSON.stringify(LIST).slice(0, 500));
    expect(cut(LONG, 120)).toBe(`${'x'.repeat(120)}…`);
  });
});

describe('a text of others', () => {
  it.each([
    ['a\u202eb', 'a\\u202eb'],
    ['a\u3164', 'a\\u3164'],
    ['\u2800', '\\u2800'],
    ['a\u200bb', 'a\\u200bb'],
    ['a\u200db', 'a\\u200db'],
    ['a\u00adb', 'a\\u00adb'],
    ['\u{e0041}', '\\u{e0041}'],
    ['a\nb\tc', 'a\\nb\\tc'],
    ['\u0001', '\\u0001'],
    // Spelling of scripts, and emoji of several parts.
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧'],
    ['क्\u200dष', 'क्\u200dष'],
    ['❤\ufe0f', '❤\ufe0f'],
  ])('%j is seen as %j', (text, shown) => {
    expect(seen(text)).toBe(shown);
  });
});
