import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoundedMap } from '../../../src/store-kit.ts';

const MAX = 20;
/** Keys, each set to a value that is its weight, or only asked for. */
const uses = fc.array(fc.record({ key: fc.nat(30), weight: fc.option(fc.integer({ min: 1, max: 13 })) }));

describe('a bounded map', () => {
  it('has what was set last, weighs no more than its bound, and keeps half of it in order of use', () => {
    fc.assert(
      fc.property(uses, (asked) => {
        const map = createBoundedMap<number, number>(MAX, (weight) => weight);
        const last = new Map<number, number>();
        for (const { key, weight } of asked) {
          if (weight !== null) map.set(key, weight);
          const found = map.get(key);
          if (weight !== null) expect(found).toBe(weight > MAX / 2 ? undefined : weight);
          if (found === undefined) last.delete(key);
          else expect(found).toBe(weight ?? last.get(key));
          if (found === undefined) continue;
          last.delete(key);
          last.set(key, found);
        }
        // A look is a use, so what was used last is looked at last.
        const kept = [...last].reverse().filter(([key, weight]) => map.get(key) === weight);
        expect(kept.reduce((sum, [, weight]) => sum + weight, 0)).toBeLessThanOrEqual(MAX);
      }),
    );
  });

  it('keeps the latest that weigh half of the bound together, whatever was used before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(99)),
        fc.uniqueArray(fc.nat(99), { maxLength: MAX / 2 }),
        (before, latest) => {
          const map = createBoundedMap<number, string>(MAX);
          for (const key of before) if (map.get(key) === undefined) map.set(key, `old ${key}`);
          for (const key of latest) map.set(key, `new ${key}`);
          for (const key of latest) expect(map.get(key)).toBe(`new ${key}`);
        },
      ),
    );
  });

  it('makes what is missing once, and nothing again that could not be made', () => {
    const map = createBoundedMap<string, object>(4);
    const made = map.getOrMake('a', () => ({}));
    expect(map.getOrMake('a', () => ({}))).toBe(made);
    const fail = () =>
      map.getOrMake('b', () => {
        throw new Error('b');
      });
    expect(fail).toThrow('b');
    expect(map.get('b')).toBeUndefined();
  });

  it('forgets a value that was replaced by one too heavy to keep, and no other', () => {
    const map = createBoundedMap<string, number>(4, (weight) => weight);
    for (const key of ['b', 'c', 'a']) map.set(key, 1);
    map.set('a', 3);
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 1, 1]);
  });
});
