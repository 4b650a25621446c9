import { expect, it } from 'vitest';
import { createCodeReader } from '../../../../src/core/columns/groups/reading.ts';
import { breakDownTable, type ValueDimension } from '../../../../src/core/columns/groups/table.ts';
import { allRows } from '../../../../src/core/columns/selection/spans.ts';
import type { Selector } from '../../../../src/core/columns/selection/selector.ts';
import { parseMeasures } from '../../../../src/core/query/measures.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { columnOf, countingPacer, KERNEL, eventsWith, logOf, propertyPath, roomyKept } from '../fixtures.ts';

const ROWS = 20_000;
const EVERY_ROW: Selector = { kind: 'constant', value: 1 };
const MEASURES = parseMeasures([{ of: 'properties.p', take: ['sum', 'p50', 'p90', 'p99'] }]);

/** What a path finds in the rows of a log of its own. */
async function codesOf(valueAt: (row: number) => unknown) {
  const path = propertyPath('p');
  const column = columnOf(logOf(eventsWith(Array.from({ length: ROWS }, (_, row) => valueAt(row)))), path);
  const parts = { columnOf: () => column, ownColumnOf: () => column };
  const question = {
    pacer: countingPacer(),
    reservation: roomyKept(),
    atEnd: () => undefined,
    kernel: KERNEL,
  };
  return createCodeReader(path, logOf([]), parts, question).open(ROWS);
}

/** A table of a hundred rows and columns, of numbers that are all different. */
async function breakDown(bytesMax: number) {
  const memory = createMemoryBudget({ bytesMax, ownerShare: 1 });
  const reservation = memory.reservation('tenant');
  const pacer = countingPacer();
  const dimensionOf = async (valueAt: (row: number) => number): Promise<ValueDimension> => ({
    ...{ by: propertyPath('p'), size: 100, coded: await codesOf(valueAt) },
  });
  const rows = await dimensionOf((row) => row % 101);
  const columns = await dimensionOf((row) => Math.floor(row / 101) % 101);
  const coded = await codesOf((row) => row / 7);
  const opened = {
    ...{ selectorAt: () => EVERY_ROW, spans: allRows(ROWS, () => false), places: [] },
    ...{ size: ROWS, isEveryRow: false, distinct: undefined },
    measured: [{ measure: MEASURES[0]!, coded }],
  };
  try {
    const table = { rows, columns, orderBy: undefined };
    return {
      found: await breakDownTable(opened, table, { reservation, pacer, kernel: KERNEL }),
      pacer,
      bytes: memory.bytes,
    };
  } finally {
    reservation.release();
    expect(memory.bytes).toBe(0);
  }
}

it('a table of many cells lets others have their turns, and books what it tells of each', async () => {
  const { found, pacer, bytes } = await breakDown(1e9);
  const { groups, rest, total } = found;
  expect([total, groups.length, groups[0]!.cells!.length, rest!.cells!.length]).toEqual([
    ROWS,
    100,
    100,
    100,
  ]);
  expect(pacer.pauses).toBeGreaterThan(10_000);
  expect(bytes).toBeGreaterThan(10_000 * 250 + ROWS * 4);
});

it('a table for which there is no memory is refused, and gives back what it has booked', async () => {
  await expect(breakDown(2_000_000)).rejects.toMatchObject({ code: 'overloaded' });
});
