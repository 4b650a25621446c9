import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../../src/store-kit.ts';

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

  it('forgets what an owner usually had once nothing has waited', () => {
    const queue = createFairQueue<readonly [owner: string, amount: number]>({ debtMax: 8 });
    for (let i = 0; i < 8; i++) queue.charge('heavy', 1000);
    drain(queue);
    queue.charge('heavy', 40);
    queue.add('heavy', ['heavy', 1]);
    for (let i = 0; i < 20; i++) queue.add('other', ['other', 8]);
    expect(drain(queue).indexOf('heavy')).toBeLessThan(3);
  });
});

/** What others do while one waits: who comes, and how much is charged to who is served. */
interface Step {
  /** Whose: one of those who came before, or somebody new. */
  readonly from: 'known' | 'new';
  readonly items: number;
  readonly amount: number;
}

const WAITING_MAX = 12;
const MOST = 10;

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    from: fc.constantFrom<Step['from']>('known', 'new', 'new'),
    items: fc.integer({ min: 1, max: 3 }),
    amount: fc.oneof(
      fc.constantFrom(0.1, MOST),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
      fc.double({ min: 1, max: MOST, noNaN: true }),
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('who waits', () => {
  it('is served within a bound, whatever comes: newcomers without end too', () => {
    const debts = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(steps, debts, fc.integer({ min: 1, max: WAITING_MAX - 1 }), (pattern, debt, others) => {
        const queue = createFairQueue<string>();
        const waits = new Map<string, number>();
        let names = 0;
        const come = ({ from, items }: Pick<Step, 'from' | 'items'>) => {
          const known = `other ${names % 7}`;
          const name = from === 'known' && !waits.has(known) ? known : `other ${names++}`;
          for (let i = 0; i < items; i++) queue.add(name, name);
          waits.set(name, (waits.get(name) ?? 0) + items);
        };
        come({ from: 'new', items: 1 });
        queue.charge('patient', debt);
        queue.add('patient', 'patient');
        // Of all that comes again and again, in the same pattern, without end.
        let charged = 0;
        const bound = (others + 1) * (9 * debt + 2 * MOST);
        for (let i = 0; ; i++) {
          const step = pattern[i % pattern.length]!;
          while (waits.size < others) come(step);
          const served = queue.next()!;
          if (served === 'patient') break;
          const left = waits.get(served)! - 1;
          if (left === 0) waits.delete(served);
          else waits.set(served, left);
          queue.charge(served, step.amount);
          charged += step.amount;
          expect(charged).toBeLessThanOrEqual(bound);
        }
      }),
      { numRuns: 500 },
    );
  });
});
