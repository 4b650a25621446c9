import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import { createCompare } from '../../../src/core/engine/compare.ts';
import { answersOf } from '../../../src/core/engine/fallbacks/answers.ts';
import { parseCompareBody } from '../../../src/core/query/parse-compare.ts';
import { createEngine, type EventInput, type EventStore } from '../../../src/index.ts';
import { differencesOf } from '../../conformance/expected-compare.ts';
import { testResources } from '../../support/resources.ts';

/** An engine over a store whose breakdowns are listened to. */
function openShop(
  onBreakdown: (number: number, store: EventStore) => void | Promise<void> = () => undefined,
) {
  const resources = testResources();
  const store = memoryEventStore({ resources });
  let asked = 0;
  const events: EventStore = {
    ...store,
    breakdown: async (...given) => {
      await onBreakdown((asked += 1), store);
      return store.breakdown!(...given);
    },
  };
  const shop = createEngine({ events, resources }).tenant('shop');
  return { shop, asked: () => asked, store, resources };
}

const happened = (i: number, properties: EventInput['properties'] = {}, eventName = 'a'): EventInput => ({
  ...{ eventName, userId: 'u', eventTs: 1e12 + i, insertId: `${i}`, properties },
});

it('finds the values of one set that are not among the first ones of the other', async () => {
  const { shop, asked } = openShop();
  // Each set has more values than are looked at; what is frequent in one is rare in the other.
  const values = (from: number, often: number) =>
    Array.from({ length: 1_500 }, (_, i) => (i < 2 ? Array<number>(3).fill(often) : [from + i])).flat();
  const rest = [...values(10_000, 1), 2].map((n, i) => happened(i, { n }));
  const chosen = [...values(20_000, 2), 1].map((n, i) => happened(5_000 + i, { n }, 'b'));
  await shop.append(rest);
  await shop.append(chosen);
  const found = await shop.compare({ selected: { event: 'b' }, paths: ['properties.n'], size: 2 });
  expect(found).toMatchObject({ selected: 1_505, baseline: 1_505, more: false });
  expect(found.rows).toMatchObject([
    { value: 1, selected: 1, baseline: 6 },
    { value: 2, selected: 6, baseline: 1 },
  ]);
  expect(asked()).toBe(4);
});

it('is what the definition says where a set, or each, has more values than are looked at', async () => {
  // From one value to twice as many as are looked at: of the two sets either, both or none is whole.
  const values = fc.integer({ min: 1, max: 9 }).chain((most) => fc.array(fc.nat(most), { maxLength: 15 }));
  const sets = fc.record({ some: values, others: values, valuesMax: fc.integer({ min: 1, max: 4 }) });
  const asked = parseCompareBody({ selected: { event: 'b' }, paths: ['properties.n'], size: 100 });
  await fc.assert(
    fc.asyncProperty(sets, async ({ some, others, valuesMax }) => {
      const { shop, store, resources } = openShop();
      const given = [...some.map((n) => [n, 'b'] as const), ...others.map((n) => [n, 'a'] as const)];
      if (given.length > 0) await shop.append(given.map(([n, name], i) => happened(i, { n }, name)));
      const memory = createMemoryBudget({ bytesMax: 1e9 });
      const { scheduler } = resources;
      const answers = answersOf(store, { seed: [1, 2], scheduler, memory });
      const found = await createCompare({ answers, scheduler, memory, valuesMax })('shop', asked);
      const stored = given.map(([n, eventName], i) => ({
        ...{ eventName, userId: 'u', eventTs: 1e12 + i, insertId: `${i}` },
        propertiesJson: `{"n":${n}}`,
      }));
      expect(found).toEqual(differencesOf(stored, asked, valuesMax));
    }),
    { numRuns: 100 },
  );
});

it('counts each set by one answer, whatever arrives or is erased between two', async () => {
  const { shop } = openShop(async (number, store) => {
    if (number === 2) await store.erase('shop');
  });
  await shop.append([happened(1), happened(2), happened(3, {}, 'b')]);
  const found = await shop.compare({ selected: { event: 'b' }, paths: ['eventName'] });
  expect(found).toEqual({
    ...{ selected: 1, baseline: 0, paths: ['eventName'], more: false },
    rows: [
      {
        ...{ path: 'eventName', value: 'b', selected: 1, baseline: 0 },
        ...{ selectedShare: 1, baselineShare: 0, difference: 1 },
      },
    ],
  });
});

it('compares by the name and the paths at which most events have a value, 50 of them', async () => {
  const { shop } = openShop();
  const keys = Array.from({ length: 60 }, (_, i) => `k${String(i).padStart(2, '0')}`);
  const some = (count: number) => Object.fromEntries(keys.slice(0, count).map((key) => [key, 1]));
  await shop.append([happened(1, { ...some(60), list: [1] }), happened(2, some(55)), happened(3, {}, 'b')]);
  const { paths, more } = await shop.compare({ selected: { event: 'b' } });
  expect(paths).toEqual(['eventName', ...keys.slice(0, 49).map((key) => `properties.${key}`)]);
  expect(more).toBe(true);
  const ofName = await shop.compare({ event: 'b', selected: {} });
  expect(ofName).toMatchObject({ paths: ['eventName'], more: false, selected: 1, baseline: 0 });
});

it('asks no further once it is aborted, and keeps no memory', async () => {
  const ending = new AbortController();
  const { shop, asked, store, resources } = openShop((number) => {
    if (number === 3) ending.abort(new Error('enough'));
  });
  await shop.append([happened(1, { a: 1, b: 2, c: 3 }), happened(2, {}, 'b')]);
  const body = { selected: { event: 'b' }, paths: ['userId', 'properties.a', 'properties.b'] };
  await expect(shop.compare(body, { signal: ending.signal })).rejects.toThrow('enough');
  expect(asked()).toBe(3);

  const memory = createMemoryBudget({ bytesMax: 1e6 });
  const { scheduler } = resources;
  const answers = answersOf(store, { seed: [1, 2], scheduler, memory });
  const compare = createCompare({ answers, scheduler, memory });
  await expect(compare('shop', parseCompareBody(body), ending.signal)).rejects.toThrow();
  await compare('shop', parseCompareBody(body));
  expect(memory.bytes).toBe(0);
});

it('is refused where there is no memory for the values of a path', async () => {
  const { shop, store, resources } = openShop();
  await shop.append([happened(1, { text: 'x'.repeat(10_000) }), happened(2, {}, 'b')]);
  const memory = createMemoryBudget({ bytesMax: 10_000 });
  const { scheduler } = resources;
  const answers = answersOf(store, { seed: [1, 2], scheduler, memory });
  const asked = parseCompareBody({ selected: { event: 'b' }, paths: ['properties.text'] });
  const refused = createCompare({ answers, scheduler, memory })('shop', asked);
  await expect(refused).rejects.toMatchObject({ status: 503, code: 'overloaded' });
  expect(memory.bytes).toBe(0);
});
