import { expect, it } from 'vitest';
import { breakDownByValue } from '../../../../src/core/columns/groups/by-value.ts';
import { createCodeReader, type Coded } from '../../../../src/core/columns/groups/reading.ts';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { allRows } from '../../../../src/core/columns/selection/spans.ts';
import type { SegmentSpan, Selector } from '../../../../src/core/columns/selection/selector.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import {
  columnOf,
  countingPacer,
  KERNEL,
  eventsWith,
  logOf,
  propertyPath,
  range,
  roomyKept,
} from '../fixtures.ts';

const PATH = propertyPath('p');
const EVERY_ROW: Selector = { kind: 'constant', value: 1 };
const NO_ROW: Selector = { kind: 'constant', value: 0 };

/** A reading of a path over a log that grows, whose column others use too. */
function open(values: readonly unknown[], entry = roomyKept()) {
  const log = logOf(eventsWith(values));
  const column = columnOf(log, PATH, undefined, entry);
  const parts = { columnOf: () => column, ownColumnOf: () => column };
  const question = {
    pacer: countingPacer(),
    reservation: roomyKept(),
    atEnd: () => undefined,
    kernel: KERNEL,
  };
  return { log, column, reading: createCodeReader(PATH, log, parts, question) };
}

/** The spans of all of the first rows; none of them is erased. */
const spansOf = (size: number) => allRows(size, () => false);

async function groupsOf(
  coded: Coded,
  { spans, size, isEveryRow = false }: { spans: readonly SegmentSpan[]; size: number; isEveryRow?: boolean },
  selector = EVERY_ROW,
) {
  const pacer = countingPacer();
  const reservation = createMemoryBudget({ bytesMax: 1e9 }).reservation('tenant');
  const grouped = { selectorAt: () => selector, spans, size, isEveryRow, distinct: undefined, measured: [] };
  const grouping = { by: PATH, size: 10 };
  const { groups } = await breakDownByValue(coded, grouped, grouping, { reservation, pacer, kernel: KERNEL });
  return { counts: groups.map(({ key, count }) => [key, count]), pauses: pacer.pauses };
}

it('the groups of all rows are known without looking at them', async () => {
  const { reading } = open(Array.from({ length: 20_000 }, (_, i) => i % 3));
  const coded = await reading.open(20_000);
  const { counts, pauses } = await groupsOf(coded, {
    spans: spansOf(20_000),
    size: 20_000,
    isEveryRow: true,
  });
  expect(counts.map(([, count]) => count)).toEqual([6667, 6667, 6666]);
  expect(pauses).toBe(0);
});

it('rows that a query leaves out are not counted', async () => {
  const { reading } = open(['a', 'b', 'b']);
  const coded = await reading.open(3);
  const spans = [{ segment: 0, from: 1, to: 3 }];
  expect((await groupsOf(coded, { spans, size: 3 })).counts).toEqual([['b', 2]]);
  expect((await groupsOf(coded, { spans: spansOf(3), size: 3 }, NO_ROW)).counts).toEqual([]);
});

it('rows that one test selects are counted, to the last of them', async () => {
  const { reading } = open(['a', 'b', 'b', 'a', 'b', 'a', 'b']);
  const coded = await reading.open(7);
  const passing: Selector = {
    kind: 'leaf',
    codes: [Uint8Array.of(0, 1, 1, 0, 1, 1, 1)],
    mask: Uint8Array.of(0, 1),
  };
  expect((await groupsOf(coded, { spans: spansOf(7), size: 7 }, passing)).counts).toEqual([
    ['b', 4],
    ['a', 1],
  ]);
});

it('rows that the column took in for later questions are not counted', async () => {
  const { log, reading } = open(['a', 'b', 'b']);
  const coded = await reading.open(3);
  log.append(eventsWith(['a', 'c'], 3));
  await reading.open(5);
  for (const isEveryRow of [true, false]) {
    expect((await groupsOf(coded, { spans: spansOf(3), size: 3, isEveryRow })).counts).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  }
});

it('what a question has taken of a column stays when others run out of memory', async () => {
  const booked = roomyKept();
  let isFull = false;
  const entry = { ...booked, reserve: (bytes: number) => !isFull && booked.reserve(bytes) };
  const { log, column, reading } = open(['a', 'b', 'b'], entry);
  const coded = await reading.open(3);
  isFull = true;
  log.append(eventsWith(range(0, 2000), 3));
  await indexUpTo(column, 2003, countingPacer());
  expect(column.disabled).toBe('no memory');
  for (const isEveryRow of [true, false]) {
    expect((await groupsOf(coded, { spans: spansOf(3), size: 3, isEveryRow })).counts).toEqual([
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
  const distinct = await second.open(rows.length);
  const tested = await third.open(rows.length);
  const selector: Selector = {
    kind: 'leaf',
    codes: tested.codes,
    mask: Uint8Array.from({ length: tested.count }, (_, code) => Number(tested.values[code] === true)),
  };
  const spans = spansOf(rows.length);
  const reservation = createMemoryBudget({ bytesMax: 1e9 }).reservation('tenant');
  const found = await breakDownByValue(
    await by.open(rows.length),
    {
      ...{ selectorAt: () => selector, spans, size: rows.length, isEveryRow: false },
      ...{ distinct, measured: [] },
    },
    { by: PATH, size },
    { reservation, pacer: countingPacer(), kernel: KERNEL },
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
