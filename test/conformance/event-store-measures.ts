import * as fc from 'fast-check';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { parsePath } from '../../src/core/filter/path.ts';
import { parseMeasures } from '../../src/core/query/measures.ts';
import { parseCountBody } from '../../src/core/query/parse-query.ts';
import { isApiError, type Breakdown, type EventStore } from '../../src/index.ts';
import type { GroupRow, StoredEvent, Told, Whole } from '../../src/store-kit.ts';
import { measuredBatches, measurings, type MeasuredExample } from './arbitraries/measurings.ts';
import { afterEachBatch } from './batches.ts';
import { AT_ONCE, EVERYTHING, referenceOf } from './expected.ts';
import { measuredBreakdownOf } from './expected-breakdown.ts';
import { measuredOf } from './expected-measures.ts';
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
      await afterEachBatch(store, batches, async (tenantId, events) => {
        const reference = referenceOf(events);
        for (const example of asked) {
          const expected = measuredBreakdownOf(reference(example.query), example.measuring);
          const found = await ask(store, tenantId, example);
          if (found === 'refused') continue;
          // The order of keys is promised too.
          expect(JSON.stringify(found)).toEqual(JSON.stringify(expected));
        }
      });
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

  /** Stores events with a plan, a number as it is written, and the number of their day. */
  const storeSales = async (store: EventStore, sales: readonly (readonly [string, string, number])[]) => {
    const tenantId = newTenantId();
    const events = sales.map(([plan, n, day], i) => ({
      ...{ eventName: 'sold', userId: 'u', eventTs: day * 86_400_000, insertId: `i${i}` },
      propertiesJson: `{"n":${n},"plan":"${plan}"}`,
    }));
    await store.append(tenantId, events);
    return tenantId;
  };
  const plan = parsePath('properties.plan', 'by');
  const days = { unit: 'day', from: -Infinity, until: Infinity } as const;

  test('a sum of many numbers of all digits is exact', async ({ store }) => {
    // The digits of 1,000 such numbers are together more than 64 bits hold, with a sign or without.
    const long = Array.from({ length: 2000 }, (_, i) => 0.9876543210987654 - (i % 8) * 2 ** -53);
    const groups = [['a', long.map((n) => -n)] as const, ['b', long.slice(0, 1000)] as const];
    const sales = groups.flatMap(([key, numbers]) => numbers.map((n) => [key, String(n), 0] as const));
    const tenantId = await storeSales(store, sales);
    const measures = parseMeasures([{ of: 'properties.n', take: ['sum', 'avg'] }]);
    const measuring = { by: plan, size: 2, measures };
    const found = (await ask(store, tenantId, { query: EVERYTHING, measuring })) as Breakdown;
    const figures = (numbers: readonly number[]) => [measuredOf(numbers, measures[0]!)];
    expect(found.groups.map((group) => group.measures)).toEqual(groups.map((group) => figures(group[1])));
    expect(found.measures).toEqual(figures(groups.flatMap((group) => group[1])));
  });

  test('a text adds nothing to a sum, whatever the query asks of the same path', async ({ store }) => {
    const written = ['"12"', 'true', '3', '2.5', 'null', '[7]', '"nan"', '"inf"', '"-5"', '4'];
    const tenantId = await storeSales(
      store,
      written.map((n, i) => ['a', n, i] as const),
    );
    const property = 'properties.n';
    const [byNumber, take] = [parsePath(property, 'by'), ['sum', 'avg', 'max'] as const];
    const measures = parseMeasures([{ of: property, take }]);
    for (const [comparison, value, sum] of [
      ['NOT_EQUALS', 4, 5.5],
      ['GREATER_THAN', 2, 9.5],
      ['NOT_CONTAINS', '5', 9.5],
      ['IN', ['12', 3, 'nan'], 3],
      ['IS_NOT_NULL', null, 9.5],
    ] as const) {
      const query = parseCountBody({ filterSet: [{ property, comparison, value }] });
      for (const shape of [
        { by: undefined },
        { by: plan },
        { by: plan, columns: { by: byNumber, size: 9 } },
      ]) {
        const found = await ask(store, tenantId, { query, measuring: { ...shape, size: 9, measures } });
        expect((found as Whole).measures?.[0]?.sum).toEqual(sum);
      }
    }
  });

  test('buckets that are not returned are the rest, in rows and in columns', async ({ store }) => {
    const tenantId = await storeSales(store, [
      ['a', '1', 0],
      ['a', '2', 1],
      ['a', '4', 2],
      ['b', '8', 3],
    ]);
    const measures = parseMeasures([{ of: 'properties.n', take: ['sum'] }]);
    const told = async (measuring: MeasuredExample['measuring']) =>
      (await ask(store, tenantId, { query: EVERYTHING, measuring })) as Breakdown;
    const byDay = { by: days, size: 1 };
    const byPlan = { by: plan, size: 1 };
    const sumsOf = (tolds: readonly (Told | undefined)[]) => tolds.map((each) => each?.measures?.[0]?.sum);
    const columns = await told({ ...byPlan, columns: byDay, measures });
    expect([columns.total, columns.columnsTotal]).toEqual([4, 4]);
    const [first] = columns.groups;
    expect(sumsOf([first, first?.cells?.[0], first?.rest])).toEqual([7, 1, 6]);
    expect(sumsOf([columns.rest, columns.rest?.cells?.[0], columns.rest?.rest])).toEqual([8, 0, 8]);
    const rows = await told({ ...byDay, columns: byPlan, measures });
    expect(sumsOf([rows.groups[0], rows.rest, rows.rest?.cells?.[0], rows.rest?.rest])).toEqual([
      1, 14, 6, 8,
    ]);
    expect(sumsOf([(await told({ ...byDay, measures })).rest])).toEqual([14]);
  });

  test('without a matching event, the buckets of a bounded time are there, in both dimensions', async ({
    store,
  }) => {
    const [stored, erased] = [
      await storeSales(store, [['a', '1', 1]]),
      await storeSales(store, [['a', '1', 1]]),
    ];
    await store.erase(erased);
    const [from, until] = [86_400_000, 4 * 86_400_000];
    const bounded = { by: { unit: 'day', from, until } as const, size: Infinity };
    const [byPlan, open] = [
      { by: plan, size: 3 },
      { by: days, size: 3 },
    ];
    const measures = parseMeasures([{ of: 'properties.n', take: ['sum', 'max'] }]);
    const query = { ...parseCountBody({ event: 'none' }), from, until };
    for (const tenantId of [stored, erased, newTenantId()])
      for (const [rows, columns] of [
        [byPlan, bounded],
        [byPlan, { ...bounded, size: 2 }],
        [bounded, byPlan],
        [bounded, undefined],
        [byPlan, open],
        [open, byPlan],
        [byPlan, byPlan],
      ] as const) {
        const measuring = { ...rows, columns, distinct: plan, measures };
        const found = await ask(store, tenantId, { query, measuring });
        expect(JSON.stringify(found)).toEqual(JSON.stringify(measuredBreakdownOf([], measuring)));
      }
  });

  test('groups without a figure come behind those of which it is negative', async ({ store }) => {
    const tenantId = await storeSales(store, [
      ['a', '"none"', 0],
      ['b', '-3', 0],
      ['c', '-2', 0],
      ['d', 'null', 0],
    ]);
    const of = 'properties.n';
    for (const take of ['avg', 'max', 'p50'] as const) {
      const measures = parseMeasures([{ of, take: [take] }]);
      const orderBy = { measure: 0, take };
      for (const [size, keys] of [
        [4, ['c', 'b', 'a', 'd']],
        [2, ['c', 'b']],
      ] as const) {
        const measuring = { by: plan, size, measures, orderBy };
        const found = (await ask(store, tenantId, { query: EVERYTHING, measuring })) as Breakdown;
        expect(found.groups.map(({ key }) => key)).toEqual([...keys]);
      }
    }
  });

  test('of many groups the one without numbers has the sum 0, which is more than any negative one', async ({
    store,
  }) => {
    const tenantId = await storeSales(store, [
      ...Array.from({ length: 1200 }, (_, i) => [`p${i}`, String(-1 - i), 0] as const),
      ['none', '"-1"', 0],
    ]);
    const measures = parseMeasures([{ of: 'properties.n', take: ['sum', 'max'] }]);
    for (const [take, key] of [
      ['sum', 'none'],
      ['max', 'p0'],
    ] as const) {
      const measuring = { by: plan, size: 1, measures, orderBy: { measure: 0, take } };
      const found = await ask(store, tenantId, { query: EVERYTHING, measuring });
      if (found === 'refused') continue;
      const { groups, groupsTotal } = found as Breakdown;
      expect([groupsTotal, groups[0]?.key]).toEqual([1201, key]);
    }
  });

  test('of many groups without numbers the one with a number comes first', async ({ store }) => {
    const tenantId = await storeSales(store, [
      ...Array.from({ length: 1200 }, (_, i) => [`p${i}`, '"none"', 0] as const),
      ['some', '-3', 0],
    ]);
    for (const take of ['avg', 'min', 'p50'] as const) {
      const measures = parseMeasures([{ of: 'properties.n', take: [take] }]);
      const measuring = { by: plan, size: 1, measures, orderBy: { measure: 0, take } };
      const found = await ask(store, tenantId, { query: EVERYTHING, measuring });
      if (found === 'refused') continue;
      const { groups, groupsTotal } = found as Breakdown;
      expect([groupsTotal, groups[0]?.key]).toEqual([1201, 'some']);
    }
  });

  test('places of ranks are whole-number arithmetic: p7 of a hundred numbers is the seventh', async ({
    store,
  }) => {
    const tenantId = await storeSales(
      store,
      Array.from({ length: 100 }, (_, i) => ['a', String(i + 1), 0] as const),
    );
    const take = ['p7', 'p14', 'p28', 'p55', 'p56', 'p57', 'p58'] as const;
    const measures = parseMeasures([{ of: 'properties.n', take }]);
    const measuring = { by: undefined, size: 0, measures };
    const found = await ask(store, tenantId, { query: EVERYTHING, measuring });
    expect(found).toEqual({
      total: 100,
      measures: [{ numbers: 100, others: 0, p7: 7, p14: 14, p28: 28, p55: 55, p56: 56, p57: 57, p58: 58 }],
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
