import { describe, expect, it } from 'vitest';
import { nearestTo } from '../../../src/core/explain/nearest.ts';

const path = (key: string) => `properties.${key}`;

async function nearest(asked: string, known: readonly string[]) {
  let pauses = 0;
  const pause = () => Promise.resolve(void (pauses += 1));
  const found = await nearestTo(path(asked), known.map(path), { now: () => 0, yieldIfDue: pause });
  return { found: found.map((each) => each.slice('properties.'.length)), pauses };
}

describe('the names that one may have been meant for', () => {
  it.each([
    ['PLAN', ['plan']],
    ['plan', ['PLAN']],
    ['ab', ['ax']],
    ['a.total', ['order.TOTAL']],
  ])('of %s are %j', async (asked, known) => {
    expect((await nearest(asked, known)).found).toEqual(known);
  });

  it('are three at most, the nearest first, equally near ones by their letters', async () => {
    const known = ['planes', 'plans', 'plana', 'plan.x', 'plane'];
    expect((await nearest('plan', known)).found).toEqual(['plana', 'plane', 'plans']);
    expect((await nearest('planets', ['planet', 'plan', 'planetsx'])).found).toEqual(['planet', 'planetsx']);
  });

  it('are none of a long name, and no long name, unless its last key is the same', async () => {
    const longest = 128 - 'properties.'.length;
    const [a, b] = ['a'.repeat(longest), `b${'a'.repeat(longest - 1)}`];
    expect((await nearest(a, [b])).found).toEqual([b]);
    expect((await nearest(`${a}a`, [a])).found).toEqual([]);
    expect((await nearest(a, [`${a}a`])).found).toEqual([]);
    expect((await nearest('plan', [`${a}.plan`])).found).toEqual([`${a}.plan`]);
  });

  it('others have turns while many are compared', async () => {
    const known = Array.from({ length: 600 }, (_, i) => `k${i}`);
    expect((await nearest('x', known)).pauses).toBe(3);
  });
});
