import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLookAhead } from '../../../../src/core/columns/ahead/look-ahead.ts';
import { casesOf } from '../../../support/cases.ts';

/** Other threads that read rows, whose values are their own numbers, and what they were asked. */
function rowsBelow(size: number, rowsOfAnswer: (from: number) => number) {
  const asked: (readonly [from: number, to: number])[] = [];
  const ask = async (from: number, to: number): Promise<number[]> => {
    asked.push([from, to]);
    await new Promise((resolve) => setImmediate(resolve));
    const length = Math.min(to - from, rowsOfAnswer(from));
    return Array.from({ length }, (_, i) => from + i);
  };
  const stopAfter = (row: number) => row - (row % 10) + 10;
  const next = createLookAhead<number[]>({ size, ask, stopAfter, rowsOf: ({ length }) => length });
  return { next, asked };
}

it('all rows come, from wherever they are wanted, however many an answer has', async () => {
  const skips = fc.array(fc.nat(40), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.nat(150), fc.integer({ min: 1, max: 12 }), skips, async (size, most, skipped) => {
      const { next, asked } = rowsBelow(size, (from) => 1 + (from % most));
      const left = [...skipped];
      for (let row = 0; row < size;) {
        const found = await next(row);
        expect(found.length).toBeGreaterThan(0);
        expect(found).toEqual(found.map((_, i) => row + i));
        row += found.length + (row % 3 === 0 ? (left.shift() ?? 0) : 0);
      }
      for (const [from, to] of asked) {
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(Math.min(size, from - (from % 10) + 10));
      }
    }),
    { numRuns: casesOf(200) },
  );
});

it('each row is asked for once, three answers before they are wanted', async () => {
  const { next, asked } = rowsBelow(75, () => 10);
  await next(0);
  expect(asked.map(([from]) => from)).toEqual([0, 10, 20, 30]);
  await next(10);
  expect(asked.map(([from]) => from)).toEqual([0, 10, 20, 30, 40]);
  for (const row of [20, 30, 40, 50, 60, 70]) await next(row);
  expect(asked.map(([from]) => from)).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
  expect(asked.at(-1)).toEqual([70, 75]);
});

it('of an answer that has not all rows the rest is asked for before it is wanted', async () => {
  const { next, asked } = rowsBelow(60, (from) => (from === 0 ? 4 : 10));
  expect(await next(0)).toHaveLength(4);
  expect(asked.at(-1)).toEqual([4, 10]);
  expect(await next(4)).toEqual([4, 5, 6, 7, 8, 9]);
  expect(await next(10)).toHaveLength(10);
  expect(asked.filter(([from]) => from === 10)).toHaveLength(1);
});

it('a range that failed is asked for again when it is wanted again', async () => {
  let failures = 1;
  const ask = (from: number) =>
    from === 10 && failures-- > 0 ? Promise.reject(new Error('none')) : Promise.resolve([from]);
  const next = createLookAhead({ size: 20, ask, stopAfter: (row) => row + 10, rowsOf: () => 10 });
  expect(await next(0)).toEqual([0]);
  await expect(next(10)).rejects.toThrow('none');
  expect(await next(10)).toEqual([10]);
});
