import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column } from '../../../../src/core/columns/column/column.ts';
import { indexColumns } from '../../../../src/core/columns/column/index-columns.ts';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { createColumnIndex, parseBreakdownBody, parseCountBody } from '../../../../src/store-kit.ts';
import {
  codesOf,
  columnOf,
  countingLog,
  countingPacer,
  eventsOf,
  eventsWith,
  indexedAlone,
  logOf,
  mapChunkStore,
  nodeScheduler,
  propertyPath,
  SEED,
} from '../fixtures.ts';
import { casesOf } from '../../../support/cases.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

/** A value of a column of numbers. */
const plain = (n: number) => n;

it('a question that names many paths reads the log once', async () => {
  const keys = Array.from({ length: 30 }, (_, k) => `k${k}`);
  const events = eventsOf(keys, 3000, plain, 11);
  const log = countingLog(events);
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const index = createColumnIndex({ open: () => log, memory, scheduler: nodeScheduler(), seed: SEED });
  const filterSet = keys.map((key) => ({
    property: `properties.${key}`,
    comparison: 'LESS_THAN' as const,
    value: 6,
  }));
  const expected = events.filter(({ propertiesJson }) =>
    Object.values(JSON.parse(propertiesJson) as Record<string, number>).every((value) => value < 6),
  );
  expect(await index.count('t', parseCountBody({ filterSet }))).toBe(expected.length);
  expect(log.rowsRead).toBe(3000);
  // A path that is indexed already is not read again together with a new one.
  await index.count(
    't',
    parseCountBody({ filterSet: [filterSet[0]!, { ...filterSet[1]!, property: 'properties.new' }] }),
  );
  expect(log.rowsRead).toBe(6000);
});

it('columns that are indexed together are those that are indexed alone, wherever each began', async () => {
  const keys = ['a', 'b', 'c'];
  const size = SEGMENT_ROWS + 700;
  const own = logOf(eventsOf(keys, size, plain, 11));
  const { cases, chunksOf, begun, expectSame } = await indexedAlone(own, keys, size);
  await fc.assert(
    fc.asyncProperty(cases, async ({ begins, kept }) => {
      const log = { ...own, chunks: chunksOf(kept) };
      const columns = await begun(log, begins);
      await indexColumns(log, columns, size, countingPacer());
      expectSame(columns);
    }),
    { numRuns: casesOf(5) },
  );
});

it('the paths of groups are read with those of the filter', async () => {
  const log = countingLog(eventsOf(['a', 'b'], 3000, plain, 11));
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const index = createColumnIndex({ open: () => log, memory, scheduler: nodeScheduler(), seed: SEED });
  const { query, grouping } = parseBreakdownBody({
    by: 'properties.b',
    filterSet: [{ property: 'properties.a', comparison: 'LESS_THAN', value: 6 }],
  });
  expect((await index.breakdown('t', query, grouping)).groupsTotal).toBe(6);
  expect(log.rowsRead).toBe(3000);
});

it('rows are read only for those columns that lack them', async () => {
  const own = logOf(eventsOf(['a', 'b'], 900, plain, 11));
  const read: string[] = [];
  const log = {
    ...own,
    values: (...[paths, from, to]: Parameters<typeof own.values>) => {
      const keys = paths.map(({ segments }) => segments.join()).join();
      // However few rows a step takes.
      if (read.at(-1) !== keys) read.push(keys);
      return own.values(paths, from, to);
    },
  };
  const [a, b] = ['a', 'b'].map((key) => columnOf(log, propertyPath(key))) as [Column, Column];
  await indexUpTo(a, 600, countingPacer());
  await indexColumns(log, [a, b], 900, countingPacer());
  expect(read).toEqual(['a', 'b', 'a,b']);
});

it('a column that is disabled leaves the others', async () => {
  const events = eventsOf(['a', 'b'], 2000, plain, 11);
  const log = logOf(events);
  const small = columnOf(log, propertyPath('a'), { distinctMax: 5, bytesMax: 1e9 });
  const other = columnOf(log, propertyPath('b'));
  await indexColumns(log, [small, other], 2000, countingPacer());
  expect([small.disabled, other.indexedRows]).toEqual(['too large', 2000]);
});

it('pauses between columns, and other questions may index them further meanwhile', async () => {
  const keys = Array.from({ length: 20 }, (_, k) => `k${k}`);
  const log = logOf(eventsOf(keys, 900, plain, 11));
  const columns = keys.map((key) => columnOf(log, propertyPath(key)));
  const own = countingPacer();
  let others = 0;
  const pacer = {
    now: () => 0,
    // Another question about the same paths comes at the third pause, and is done at the next.
    yieldIfDue: async () => {
      await own.yieldIfDue();
      if (own.pauses === 3) others = await indexColumns(log, columns, 800, countingPacer()).then(() => 1);
    },
  };
  await indexColumns(log, columns, 900, pacer);
  expect([others, own.pauses > keys.length]).toEqual([1, true]);
  for (const [i, column] of columns.entries()) {
    const alone = columnOf(log, propertyPath(keys[i]!));
    await indexUpTo(alone, 900, countingPacer());
    expect([column.indexedRows, column.dictionary.values]).toEqual([900, alone.dictionary.values]);
    expect(codesOf(column, 900)).toEqual(codesOf(alone, 900));
  }
});

it('rows that were read before the load of their stored chunk began are added once', async () => {
  const path = propertyPath('p');
  const whole = logOf(eventsWith(Array.from({ length: SEGMENT_ROWS }, (_, row) => row % 10_000)));
  const chunks = mapChunkStore();
  const kept = columnOf({ ...whole, chunks }, path);
  await indexUpTo(kept, SEGMENT_ROWS, countingPacer());
  await kept.save(countingPacer());
  // The question is about the first rows; others arrive meanwhile, of which another process has kept a chunk.
  let size = 300;
  const log = { ...whole, chunks, size: () => size };
  const column = columnOf(log, path);
  const own = countingPacer();
  const pacer = {
    now: () => 0,
    yieldIfDue: async () => {
      await own.yieldIfDue();
      if (own.pauses !== 1) return;
      size = SEGMENT_ROWS;
      expect([column.loadStep(), column.indexedRows]).toEqual([true, 0]);
    },
  };
  await indexColumns(log, [column], 300, pacer);
  await indexUpTo(column, SEGMENT_ROWS, countingPacer());
  expect([column.indexedRows, column.dictionary.values]).toEqual([SEGMENT_ROWS, kept.dictionary.values]);
  expect(codesOf(column, SEGMENT_ROWS)).toEqual(codesOf(kept, SEGMENT_ROWS));
});
