import * as fc from 'fast-check';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { parseTopBody } from '../../src/core/query/parse-query.ts';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { measuredBatches } from './arbitraries/measurings.ts';
import { rankedExamples, type RankedExample } from './arbitraries/rankings.ts';
import { afterEachBatch } from './batches.ts';
import { AT_ONCE, comparables, EVERYTHING, firstWrites, referenceOf } from './expected.ts';
import { topOf } from './expected-top.ts';
import { newTenantId, type Suite } from './runner.ts';

/** Batches, and questions that are made of them, so that they find something. */
function examples(): fc.Arbitrary<{ batches: StoredEvent[][]; asked: RankedExample[] }> {
  return measuredBatches(30).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      asked: fc.array(rankedExamples(batches.flat()), { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  );
}

/** The tests of the events with the largest and the smallest numbers. */
export function testTop({ test, check, expect }: Suite<EventStore>): void {
  const ask = async (store: EventStore, tenantId: string, { query, ranking }: RankedExample) => {
    const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
    const answers = answersOf(store, { seed: [1, 2], scheduler: AT_ONCE, memory });
    const page = await answers.top(tenantId, query, ranking);
    const events = await collect(page);
    expect(page.length).toEqual(events.length);
    expect(memory.bytes).toEqual(0);
    return events;
  };

  /** The ids of the events that a body asks for. */
  const idsOf = async (store: EventStore, tenantId: string, body: object) =>
    (await ask(store, tenantId, parseTopBody(body))).map(({ insertId }) => insertId);

  /** Stores an event for each text of a number, the first one the newest; the ids are their places. */
  async function store(events: EventStore, written: readonly string[], tsOf = (i: number) => 99 - i) {
    const tenantId = newTenantId();
    const batch = written.map((n, i) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: tsOf(i), insertId: `${i}` },
      propertiesJson: `{"n":${n}}`,
    }));
    await events.append(tenantId, batch);
    return tenantId;
  }

  test('a top is the events by their numbers, sorted and cut', ({ store }) =>
    check(examples(), async ({ batches, asked }) => {
      await afterEachBatch(store, batches, async (tenantId, events) => {
        const reference = referenceOf(events);
        for (const example of asked) {
          const expected = topOf(reference(example.query), example.ranking);
          expect(comparables(await ask(store, tenantId, example))).toEqual(comparables(expected));
        }
      });
    }));

  test('a top leaves out erased events', ({ store }) =>
    check(
      examples(),
      async ({ batches, asked }) => {
        const tenantId = newTenantId();
        for (const batch of batches) await store.append(tenantId, batch);
        for (const example of asked) await ask(store, tenantId, example);
        const [{ query: erased }] = asked as [RankedExample];
        await store.erase(tenantId, erased);
        const all = firstWrites(batches);
        const gone = new Set(referenceOf(all)(erased));
        const reference = referenceOf(all.filter((event) => !gone.has(event)));
        for (const example of asked) {
          const expected = topOf(reference(example.query), example.ranking);
          expect(comparables(await ask(store, tenantId, example))).toEqual(comparables(expected));
        }
      },
      0.3,
    ));

  test('numbers come in the order of their values, however they are written', async ({ store: events }) => {
    const written = [
      '5e-324',
      '1e+308',
      '-1e+308',
      '0',
      '9007199254740992',
      '9007199254740994',
      '0.1',
      '-5e-324',
    ];
    const tenantId = await store(events, written);
    const of = 'properties.n';
    expect(await idsOf(events, tenantId, { of })).toEqual(['1', '5', '4', '6', '0', '3', '7', '2']);
    expect(await idsOf(events, tenantId, { of, order: 'smallest', size: 3 })).toEqual(['2', '7', '3']);
  });

  test('only JSON numbers count', async ({ store: events }) => {
    const written = ['"9"', 'true', '[9]', '{"n":9}', 'null', '-3', '"Infinity"', '[]'];
    const tenantId = await store(events, written);
    expect(await idsOf(events, tenantId, { of: 'properties.n' })).toEqual(['5']);
    expect(await idsOf(events, tenantId, { of: 'properties.n.n', order: 'smallest' })).toEqual(['3']);
    expect(await idsOf(events, tenantId, { of: 'properties.none' })).toEqual([]);
  });

  test('equal numbers come newest first, then by the id', async ({ store: events }) => {
    const tenantId = await store(events, ['7', '7', '8', '7', '7'], (i) => (i < 2 ? 1 : 2));
    const of = 'properties.n';
    expect(await idsOf(events, tenantId, { of })).toEqual(['2', '4', '3', '1', '0']);
    expect(await idsOf(events, tenantId, { of, size: 3 })).toEqual(['2', '4', '3']);
    expect(await idsOf(events, tenantId, { of, order: 'smallest', size: 3 })).toEqual(['4', '3', '1']);
  });

  test('a tenant without events has no top', async ({ store: events }) => {
    const { ranking } = parseTopBody({ of: 'properties.n' });
    expect(await ask(events, newTenantId(), { query: EVERYTHING, ranking })).toEqual([]);
  });
}
