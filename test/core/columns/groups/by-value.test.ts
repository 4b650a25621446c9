import { expect, it } from 'vitest';
import { breakDownByValue } from '../../../../src/core/columns/groups/by-value.ts';
import { createReading, type Reading } from '../../../../src/core/columns/groups/reading.ts';
import type { Selector } from '../../../../src/core/columns/selection/selector.ts';
import { createLedger } from '../../../../src/index.ts';
import { columnOf, countingPacer, eventsWith, logOf, propertyPath } from '../fixtures.ts';

const PATH = propertyPath('p');
const EVERY_ROW: Selector = { kind: 'constant', value: 1 };
const NO_ROW: Selector = { kind: 'constant', value: 0 };

/** A reading of a path over a log that grows, whose column others use too. */
function open(values: readonly unknown[]) {
  const log = logOf(eventsWith(values));
  const column = columnOf(log, PATH);
  const tools = { log, columnOf: () => column, ownColumnOf: columnOf, pacer: countingPacer() };
  return { log, reading: createReading(PATH, tools) };
}

async function groupsOf(reading: Reading, range: { from: number; to: number }, selector = EVERY_ROW) {
  const pacer = countingPacer();
  const account = createLedger({ bytesMax: 1e9 }).account('tenant');
  const grouped = { selector, range, distinct: undefined };
  const grouping = { by: PATH, size: 10 };
  const { groups } = await breakDownByValue(reading.take(), grouped, grouping, { account, pacer });
  return { counts: groups.map(({ key, count }) => [key, count]), pauses: pacer.pauses };
}

it('the groups of all rows are known without looking at them', async () => {
  const { reading } = open(Array.from({ length: 20_000 }, (_, i) => i % 3));
  await reading.cover(20_000);
  const { counts, pauses } = await groupsOf(reading, { from: 0, to: 20_000 });
  expect(counts.map(([, count]) => count)).toEqual([6667, 6667, 6666]);
  expect(pauses).toBe(0);
});

it('rows that a query leaves out are not counted', async () => {
  const { reading } = open(['a', 'b', 'b']);
  await reading.cover(3);
  expect((await groupsOf(reading, { from: 1, to: 3 })).counts).toEqual([['b', 2]]);
  expect((await groupsOf(reading, { from: 0, to: 3 }, NO_ROW)).counts).toEqual([]);
});

it('rows that one test selects are counted, to the last of them', async () => {
  const { reading } = open(['a', 'b', 'b', 'a', 'b', 'a', 'b']);
  await reading.cover(7);
  const passing: Selector = {
    kind: 'leaf',
    codes: Uint8Array.of(0, 1, 1, 0, 1, 1, 1),
    verdict: Uint8Array.of(0, 1),
  };
  expect((await groupsOf(reading, { from: 0, to: 7 }, passing)).counts).toEqual([
    ['b', 4],
    ['a', 1],
  ]);
});

it('rows that the column took in for later questions are not counted', async () => {
  const { log, reading } = open(['a', 'b', 'b']);
  await reading.cover(3);
  log.append(eventsWith(['a', 'c'], 3));
  await reading.cover(5);
  expect((await groupsOf(reading, { from: 0, to: 3 })).counts).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});
