import { expect, it } from 'vitest';
import { breakDownByValue } from '../../../../src/core/columns/groups/by-value.ts';
import { createCodeReader, type CodeReader } from '../../../../src/core/columns/groups/reading.ts';
import { allRows } from '../../../../src/core/columns/selection/spans.ts';
import type { SegmentSpan, Selector } from '../../../../src/core/columns/selection/selector.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { columnOf, countingPacer, eventsWith, logOf, propertyPath } from '../fixtures.ts';

const PATH = propertyPath('p');
const EVERY_ROW: Selector = { kind: 'constant', value: 1 };
const NO_ROW: Selector = { kind: 'constant', value: 0 };

/** A reading of a path over a log that grows, whose column others use too. */
function open(values: readonly unknown[]) {
  const log = logOf(eventsWith(values));
  const column = columnOf(log, PATH);
  const tools = { log, columnOf: () => column, ownColumnOf: columnOf, pacer: countingPacer() };
  return { log, reading: createCodeReader(PATH, tools) };
}

/** The spans of all of the first rows; none of them is erased. */
const spansOf = (size: number) => allRows(size, () => false);

async function groupsOf(
  reading: CodeReader,
  { spans, size, isEveryRow = false }: { spans: readonly SegmentSpan[]; size: number; isEveryRow?: boolean },
  selector = EVERY_ROW,
) {
  const pacer = countingPacer();
  const reservation = createMemoryBudget({ bytesMax: 1e9 }).reservation('tenant');
  const grouped = { selectorAt: () => selector, spans, size, isEveryRow, distinct: undefined, measured: [] };
  const grouping = { by: PATH, size: 10 };
  const { groups } = await breakDownByValue(reading.read(), grouped, grouping, { reservation, pacer });
  return { counts: groups.map(({ key, count }) => [key, count]), pauses: pacer.pauses };
}

it('the groups of all rows are known without looking at them', async () => {
  const { reading } = open(Array.from({ length: 20_000 }, (_, i) => i % 3));
  await reading.indexUpTo(20_000);
  const { counts, pauses } = await groupsOf(reading, {
    spans: spansOf(20_000),
    size: 20_000,
    isEveryRow: true,
  });
  expect(counts.map(([, count]) => count)).toEqual([6667, 6667, 6666]);
  expect(pauses).toBe(0);
});

it('rows that a query leaves out are not counted', async () => {
  const { reading } = open(['a', 'b', 'b']);
  await reading.indexUpTo(3);
  const spans = [{ segment: 0, from: 1, to: 3 }];
  expect((await groupsOf(reading, { spans, size: 3 })).counts).toEqual([['b', 2]]);
  expect((await groupsOf(reading, { spans: spansOf(3), size: 3 }, NO_ROW)).counts).toEqual([]);
});

it('rows that one test selects are counted, to the last of them', async () => {
  const { reading } = open(['a', 'b', 'b', 'a', 'b', 'a', 'b']);
  await reading.indexUpTo(7);
  const passing: Selector = {
    kind: 'leaf',
    codes: [Uint8Array.of(0, 1, 1, 0, 1, 1, 1)],
    mask: Uint8Array.of(0, 1),
  };
  expect((await groupsOf(reading, { spans: spansOf(7), size: 7 }, passing)).counts).toEqual([
    ['b', 4],
    ['a', 1],
  ]);
});

it('rows that the column took in for later questions are not counted', async () => {
  const { log, reading } = open(['a', 'b', 'b']);
  await reading.indexUpTo(3);
  log.append(eventsWith(['a', 'c'], 3));
  await reading.indexUpTo(5);
  for (const isEveryRow of [true, false]) {
    expect((await groupsOf(reading, { spans: spansOf(3), size: 3, isEveryRow })).counts).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  }
});

it.each([
  [10, 1500, 7],
  // As many pairs that the rows of each group are put together.
  [1000, 1500, 2500],
  // So few groups that their pairs are met while they are counted.
  [10, 150, 40],
])('%i of %i groups are given, of %i users: the users of each, and of all', async (size, all, users) => {
  const rows = Array.from({ length: 6000 }, (_, i) => ({
    group: i % all,
    // A list is no distinct value. One user is in a group only that is not among the first.
    user: i % all === all - 100 ? 'alone' : i % 11 === 0 ? ['nobody'] : (i * 7919) % users,
    isIn: i % 7 > 2,
  }));
  const by = open(rows.map(({ group }) => group)).reading;
  const second = open(rows.map(({ user }) => user)).reading;
  const third = open(rows.map(({ isIn }) => isIn)).reading;
  for (const reading of [by, second, third]) await reading.indexUpTo(rows.length);
  const tested = third.read();
  const selector: Selector = {
    kind: 'leaf',
    codes: tested.codes,
    mask: Uint8Array.from({ length: tested.count }, (_, code) => Number(tested.values[code] === true)),
  };
  const spans = spansOf(rows.length);
  const reservation = createMemoryBudget({ bytesMax: 1e9 }).reservation('tenant');
  const found = await breakDownByValue(
    by.read(),
    {
      ...{ selectorAt: () => selector, spans, size: rows.length, isEveryRow: false },
      ...{ distinct: second.read(), measured: [] },
    },
    { by: PATH, size },
    { reservation, pacer: countingPacer() },
  );
  const usersOf = (group?: unknown) =>
    new Set(
      rows.flatMap((row) =>
        row.isIn && (group === undefined || row.group === group) && !Array.isArray(row.user)
          ? [row.user]
          : [],
      ),
    ).size;
  expect(found.distinct).toBe(usersOf());
  expect(found.groups.length).toBe(size);
  expect(found.groups.map(({ distinct }) => distinct)).toEqual(found.groups.map(({ key }) => usersOf(key)));
  const countOf = (key: unknown) => rows.filter(({ group, isIn }) => isIn && group === key).length;
  expect(found.groups.map(({ count }) => count)).toEqual(found.groups.map(({ key }) => countOf(key)));
});
