import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../../src/index.ts';

/** Takes out all that waits, and charges each by what it says; the order in which it came. */
function drain(
  queue: ReturnType<typeof createFairQueue<readonly [owner: string, amount: number]>>,
): string[] {
  const order: string[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    queue.charge(...item);
    order.push(item[0]);
  }
  return order;
}

describe('a fair queue', () => {
  it('gives the next to the owner that has had least, whatever each has and how often it asks', () => {
    const queue = createFairQueue<readonly [owner: string, amount: number]>();
    for (let i = 0; i < 4; i++) queue.add('large', ['large', 100]);
    for (let i = 0; i < 8; i++) queue.add('small', ['small', 20]);
    expect(queue.length).toBe(12);
    const [large, small] = ['large', 'small'];
    expect(drain(queue)).toEqual([
      large,
      ...Array<string>(5).fill(small),
      large,
      ...[small, small, small],
      large,
      large,
    ]);
    expect([queue.length, queue.next()]).toEqual([0, undefined]);
  });

  it('keeps the order of one owner, and lets who comes new wait for nobody who has had more', () => {
    const queue = createFairQueue<number>();
    for (const item of [1, 2, 3]) queue.add('a', item);
    expect(queue.next()).toBe(1);
    queue.charge('a', 5);
    queue.add('b', 10);
    queue.add('b', 11);
    expect([queue.next(), queue.next()]).toEqual([10, 11]);
    queue.charge('b', 50);
    expect([queue.next(), queue.next()]).toEqual([2, 3]);
  });

  it('forgives nobody what it owes for something small that it had by guess', () => {
    const queue = createFairQueue<readonly [owner: string, amount: number]>({ debtMax: 8 });
    queue.add('heavy', ['heavy', 100]);
    drain(queue);
    for (let i = 0; i < 3; i++) queue.charge('heavy', 100);
    queue.charge('heavy', 1, true);
    queue.add('heavy', ['heavy', 100]);
    for (let i = 0; i < 20; i++) queue.add('other', ['other', 8]);
    expect(drain(queue).indexOf('heavy')).toBeGreaterThan(5);
  });

  it('lets whoever had much come as new once nothing has waited', () => {
    const queue = createFairQueue<readonly [owner: string, amount: number]>();
    queue.add('heavy', ['heavy', 100]);
    drain(queue);
    queue.add('heavy', ['heavy', 100]);
    queue.add('light', ['light', 1]);
    expect(drain(queue)).toEqual(['heavy', 'light']);
  });

  it('lets whoever waits already come first among equals, also before one who was here earlier', () => {
    const queue = createFairQueue<readonly [owner: string, amount: number]>();
    queue.add('a', ['a', 1]);
    drain(queue);
    queue.add('b', ['b', 1]);
    queue.add('a', ['a', 1]);
    expect(drain(queue)).toEqual(['b', 'a']);
  });

  it('takes no guess for what an owner usually has', () => {
    const queue = createFairQueue<readonly [owner: string, amount: number]>({ debtMax: 8 });
    for (let i = 0; i < 8; i++) queue.charge('light', 1000, true);
    queue.charge('light', 40);
    queue.add('light', ['light', 1]);
    for (let i = 0; i < 20; i++) queue.add('other', ['other', 8]);
    expect(drain(queue).indexOf('light')).toBeLessThan(3);
  });
});
