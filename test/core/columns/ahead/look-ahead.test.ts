import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLookAhead, HERE_MAX } from '../../../../src/core/columns/ahead/look-ahead.ts';
import { casesOf } from '../../../support/cases.ts';

type Rows = readonly [from: number, to: number];
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};
const numbers = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);

/** Other threads that read rows, whose values are their own numbers, and what they were asked. */
function rowsBelow(size: number, rowsOfAnswer: (from: number) => number, hereAtOnce?: number) {
  const asked: Rows[] = [];
  const here: Rows[] = [];
  const ask = async (from: number, to: number): Promise<number[]> => {
    asked.push([from, to]);
    await turns(1 + (hereAtOnce === undefined ? 0 : from % 4));
    return numbers(from, Math.min(to - from, rowsOfAnswer(from)));
  };
  const readHere = async (from: number, to: number): Promise<number[]> => {
    await turns(from % 3);
    const length = Math.min(to - from, hereAtOnce!);
    here.push([from, from + length]);
    return numbers(from, length);
  };
  const next = createLookAhead<number[]>({
    ...{ size, ask, stopAfter: (row) => row - (row % 10) + 10, rowsOf: ({ length }) => length },
    readHere: hereAtOnce === undefined ? undefined : readHere,
  });
  return { next, asked, here };
}

it('all rows come, from wherever they are wanted, however many an answer has', async () => {
  const rowsMost = fc.integer({ min: 1, max: 12 });
  const skips = fc.array(fc.nat(40), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.nat(150), rowsMost, skips, fc.option(rowsMost), async (size, most, skipped, own) => {
      const { next, asked, here } = rowsBelow(size, (from) => 1 + (from % most), own ?? undefined);
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
      // Rows that are read here are not requested, unless rows were passed over.
      const isElsewhere = (row: number) => asked.some(([from, to]) => from <= row && row < to);
      if (left.length === skipped.length) expect(here.some(([from]) => isElsewhere(from))).toBe(false);
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

it('rows that were not requested are read here while an answer is awaited, some ranges at most', async () => {
  const held: (() => void)[] = [];
  const asked: number[] = [];
  const here: number[] = [];
  const next = createLookAhead<number[]>({
    ...{ size: 1000, stopAfter: (row) => row + 10, rowsOf: ({ length }) => length },
    ask: (from) => {
      asked.push(from);
      return new Promise((resolve) => held.push(() => resolve(numbers(from, 10))));
    },
    readHere: (from) => {
      here.push(from);
      return Promise.resolve(numbers(from, 5));
    },
  });
  const answerAll = () => held.splice(0).forEach((answer) => answer());
  const first = next(0);
  await turns(1);
  expect(here).toEqual(Array.from({ length: HERE_MAX }, (_, i) => 40 + 5 * i));
  answerAll();
  expect(await first).toEqual(numbers(0, 10));
  // The next answers are there: nothing is read meanwhile, and the rows after them are requested.
  const behind = 40 + 5 * HERE_MAX;
  for (const row of [10, 20, 30]) {
    expect(await next(row)).toEqual(numbers(row, 10));
    answerAll();
    await turns(1);
  }
  expect(asked).toEqual([0, 10, 20, 30, behind, behind + 10, behind + 20]);
  for (let row = 40; row < behind; row += 5) {
    expect(await next(row)).toEqual(numbers(row, 5));
    answerAll();
    await turns(1);
  }
  expect(here).toHaveLength(HERE_MAX);
  expect(await next(behind)).toEqual(numbers(behind, 10));
});
