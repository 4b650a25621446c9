import * as fc from 'fast-check';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { parseMeasures } from '../../src/core/query/measures.ts';
import { isApiError, type Breakdown, type EventStore } from '../../src/index.ts';
import type { GroupRow, StoredEvent, Told, Whole } from '../../src/store-kit.ts';
import { measuredBatches, measurings, type MeasuredExample } from './arbitraries/measurings.ts';
import { AT_ONCE, EVERYTHING, firstWrites, referenceOf } from './expected.ts';
import { measuredBreakdownOf } from './expected-breakdown.ts';
import { newTenantId, type Suite } from './runner.ts';

/** Batches, and questions that are made of them, so that they find something. */
function examples(): fc.Arbitrary<{
  batches: StoredEvent[][];
  asked: MeasuredExample[];
}> {
  return measuredBatches(30).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      asked: fc.array(measurings(batches.flat()), {
        minLength: 1,
        maxLength: 12,
        size: 'max',
      }),
    }),
  );
}

/** A row without its cells, as it is with one dimension. */
function withoutCells({ cells, rest, ...told }: GroupRow): Told {
  return cells === undefined && rest === undefined ? { ...told } : told;
}

/** Asserts that some parts, which share no event, make up a whole. */
function expectParts(expect: Suite<EventStore>['expect'], whole: Told, parts: readonly Told[]): void {
  const total = (figureOf: (told: Told) => number) => parts.reduce((sum, part) => sum + figureOf(part), 0);
  expect(total(({ count }) => count)).toEqual(whole.count);
  whole.measures?.forEach(({ numbers, others }, i) => {
    if (numbers === undefined) return;
    expect(total(({ measures }) => measures![i]!.numbers!)).toEqual(numbers);
    expect(total(({ measures }) => measures![i]!.others!)).toEqual(others);
  });
  if (whole.distinct === undefined) return;
  const most = Math.max(...parts.map(({ distinct }) => distinct!));
  const sum = total(({ distinct }) => distinct!);
  expect([most <= whole.distinct, whole.distinct <= sum]).toEqual([true, true]);
}

/** The tests of what is measured of matching events. */
export function testMeasures({ test, check, expect }: Suite<EventStore>, mayRefuse: boolean): void {
  const tools = { seed: [1, 2], scheduler: AT_ONCE } as const;
  const ask = async (
    store: EventStore,
    tenantId: string,
    { query, measuring }: MeasuredExample,
  ): Promise<Breakdown | Whole | 'refused' | undefined> => {
    const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
    try {
      return await answersOf(store, { ...tools, memory }).measure(tenantId, query, measuring);
    } catch (error) {
      // Only time makes too many groups.
      if (isApiError(error) && error.message.startsWith('by: a ')) return undefined;
      if (mayRefuse && isApiError(error) && error.code === 'overloaded') return 'refused';
      throw error;
    }
  };

  test('sums, averages and percentiles are to the bit what the definition says', ({ store }) =>
    check(examples(), async ({ batches, asked }) => {
      const tenantId = newTenantId();
      for (const [i, batch] of batches.entries()) {
        await store.append(tenantId, batch);
        const reference = referenceOf(firstWrites(batches.slice(0, i + 1)));
        for (const example of asked) {
          const expected = measuredBreakdownOf(reference(example.query), example.measuring);
          const found = await ask(store, tenantId, example);
          if (found === 'refused') continue;
          // The order of keys is promised too.
          expect(JSON.stringify(found)).toEqual(JSON.stringify(expected));
        }
      }
    }));

  test('groups and the rest are the whole: in rows, in columns, in cells and in the corner', ({ store }) =>
    check(
      examples(),
      async ({ batches, asked }) => {
        const tenantId = newTenantId();
        for (const batch of batches) await store.append(tenantId, batch);
        for (const example of asked) {
          const found = await ask(store, tenantId, example);
          if (found === undefined || found === 'refused' || !('groups' in found)) continue;
          const { groups, columns, columnsTotal, rest, ...whole } = found;
          const rows = [...groups, rest!];
          const all = { count: whole.total, ...whole };
          expectParts(expect, all, rows);
          if (columns === undefined) continue;
          expectParts(expect, all, [...columns, ...rows.map((row) => row.rest!)]);
          for (const row of rows) expectParts(expect, row, [...row.cells!, row.rest!]);
          columns.forEach((column, i) =>
            expectParts(
              expect,
              column,
              rows.map(({ cells }) => cells![i]!),
            ),
          );
          // A breakdown by one path is the same with any second one, cells left out.
          const alone = { ...example.measuring, columns: undefined };
          const single = await ask(store, tenantId, { ...example, measuring: alone });
          if (single === 'refused') continue;
          expect(single).toEqual({
            ...whole,
            groups: groups.map(withoutCells),
            rest: withoutCells(rest!),
          });
          expect([columnsTotal! >= columns.length, rest!.cells!.length]).toEqual([true, columns.length]);
        }
      },
      0.3,
    ));

  test('a sum does not depend on the order in which events came', async ({ store }) => {
    const tenantId = newTenantId();
    const written = ['1e+16', '1', '-1e+16', '0.1', '0.2', '1e+308', '1e+308', '-1e+308', '-1e+308', '"7"'];
    await store.append(
      tenantId,
      written.map((n, i) => ({
        ...{ eventName: 'a', userId: 'u', eventTs: 9 - i, insertId: `i${i}` },
        propertiesJson: `{"n":${n}}`,
      })),
    );
    const of = 'properties.n';
    const measures = parseMeasures([{ of, take: ['sum', 'avg', 'p50', 'min', 'max'] }]);
    const measuring = { by: undefined, size: 0, measures };
    expect(await ask(store, tenantId, { query: EVERYTHING, measuring })).toEqual({
      total: 10,
      measures: [
        {
          numbers: 9,
          others: 1,
          sum: 1.3,
          avg: 0.14444444444444443,
          p50: 0.2,
          min: -1e308,
          max: 1e308,
        },
      ],
    });
  });

  test('a tenant without events has no numbers', async ({ store }) => {
    const measures = parseMeasures([
      { of: 'properties.n', take: ['sum', 'avg', 'p50'] },
      { of: 'receivedAt', take: ['min'] },
    ]);
    const none = [{ numbers: 0, others: 0, sum: 0, avg: null, p50: null }, { min: null }];
    const tenantId = newTenantId();
    const measuring = { by: undefined, size: 0, measures };
    expect(await ask(store, tenantId, { query: EVERYTHING, measuring })).toEqual({
      total: 0,
      measures: none,
    });
    const by = { unit: 'day', from: 0, until: 86_400_000 } as const;
    const byDay = { ...measuring, by, size: Infinity };
    const found = await ask(store, tenantId, {
      query: EVERYTHING,
      measuring: byDay,
    });
    expect(found).toEqual({
      ...{ total: 0, missing: 0, arrays: 0, objects: 0, groupsTotal: 1 },
      groups: [{ key: '1970-01-01T00:00:00.000Z', count: 0, measures: none }],
      measures: none,
      rest: { count: 0, measures: none },
    });
  });
}
