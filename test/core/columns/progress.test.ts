import { expect, it } from 'vitest';
import { createMemoryBudget, type IndexProgress } from '../../../src/transport-kit.ts';
import { createColumnIndex, parseCountBody } from '../../../src/store-kit.ts';
import { SEGMENT_ROWS } from '../../../src/core/columns/log/sizes.ts';
import { eventsWith, logOf, nodeScheduler, SEED } from './fixtures.ts';

const SIZE = SEGMENT_ROWS * 3;

/** Questions about a log of many values, each distinct. */
function questions(distinctMax?: number) {
  const log = logOf(eventsWith(Array.from({ length: SIZE }, (_, i) => i)));
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  return createColumnIndex({ open: () => log, memory, scheduler: nodeScheduler(), seed: SEED, distinctMax });
}

/** A signal that keeps what it is told, and is aborted when half of an index is there. */
function createImpatient() {
  const told: IndexProgress[] = [];
  const signal = {
    aborted: false,
    note(progress: IndexProgress) {
      told.push(progress);
      if (progress.indexed >= SIZE / 2 && progress.indexed < SIZE) signal.aborted = true;
    },
  };
  return { signal, told };
}

const rare = parseCountBody({ filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value: 7 }] });
const inTime = parseCountBody({ before: '2100-01-01' });

it.each([
  ['a column', rare],
  ['the order', inTime],
])('a question that is given up tells how far %s is, and the next one goes on', async (_, asked) => {
  const index = questions();
  const { signal, told } = createImpatient();
  await expect(index.count('t', asked, signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(told.every(({ of }) => of === SIZE)).toBe(true);
  expect(told.at(-1)!.indexed).toBeLessThan(SIZE);
  const later: IndexProgress[] = [];
  const patient = { aborted: false, note: (progress: IndexProgress) => void later.push(progress) };
  await index.count('t', asked, patient);
  expect(later[0]!.indexed).toBeGreaterThanOrEqual(told.at(-1)!.indexed);
  expect(later.at(-1)).toEqual({ indexed: SIZE, of: SIZE });
});

it('a question tells nothing of what ends with it, since the next one would not find it', async () => {
  const index = questions(100);
  const told: IndexProgress[] = [];
  const signal = { aborted: false, note: (progress: IndexProgress) => void told.push(progress) };
  expect(await index.count('t', rare, signal)).toBe(1);
  // The column was given up after some rows, which is as good as done.
  expect(told.at(-1)).toEqual({ indexed: SIZE, of: SIZE });
  told.length = 0;
  expect(await index.count('t', rare, signal)).toBe(1);
  expect(told.filter(({ indexed }) => indexed < SIZE)).toEqual([]);
});
