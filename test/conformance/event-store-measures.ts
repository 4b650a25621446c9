import * as fc from 'fast-check';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { parseMeasures } from '../../src/core/query/measures.ts';
import { isApiError, type EventStore } from '../../src/index.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
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

/** The tests of what is measured of matching events. */
export function testMeasures({ test, check, expect }: Suite<EventStore>): void {
  const tools = { seed: [1, 2], scheduler: AT_ONCE } as const;
  const ask = async (store: EventStore, tenantId: string, { query, measuring }: MeasuredExample) => {
    const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
    try {
      return await answersOf(store, { ...tools, memory }).measure(tenantId, query, measuring);
    } catch (error) {
      // Only time makes too many groups.
      if (isApiError(error) && error.message.startsWith('by: a ')) return undefined;
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
          // The order of keys is promised too.
          expect(JSON.stringify(found)).toEqual(JSON.stringify(expected));
        }
      }
    }));

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
    });
  });
}
