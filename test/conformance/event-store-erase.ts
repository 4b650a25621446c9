import * as fc from 'fast-check';
import { answersOf } from '../../src/core/columns/answers.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { compareCodePoints } from '../../src/core/event/text.ts';
import type { ArrivalPosition } from '../../src/core/query/arrivals.ts';
import { isApiError, type EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../src/store-kit.ts';
import { batchesOf } from './arbitraries/events.ts';
import { groupings, type GroupedExample } from './arbitraries/groupings.ts';
import { queries } from './arbitraries/queries.ts';
import { breakdownOf } from './expected-breakdown.ts';
import { comparables, EVERYTHING, identityOf, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

/** A batch that is stored, and what is erased behind it. */
interface Step {
  readonly batch: StoredEvent[];
  readonly erased: EventQuery | undefined;
}

interface Example {
  readonly steps: Step[];
  readonly asked: EventQuery;
  readonly grouped: GroupedExample;
}

/** Steps whose queries are made of all the events, so that they hit; the same identities come again. */
function examples(): fc.Arbitrary<Example> {
  return batchesOf({ batches: 4, size: 15 }).chain((batches) => {
    const events = batches.flat();
    const erased = fc.option(queries(events), { nil: undefined, freq: 3 });
    const steps = batches.map((batch) => erased.map((query) => ({ batch, erased: query })));
    return fc.record({
      steps: fc.tuple(...steps),
      asked: queries(events),
      grouped: groupings(events),
    });
  });
}

/** The events of a tenant by the definition: in the order in which they arrived, without those erased. */
function createModel() {
  let events: { readonly event: StoredEvent; readonly arrival: number }[] = [];
  let arrivals = 0;
  return {
    living: () => events.map(({ event }) => event),
    arrivals: () => arrivals,
    arrivedSince: (arrival: number) =>
      events.filter((each) => each.arrival >= arrival).map(({ event }) => event),
    /** The duplicates of the batch. */
    append(batch: readonly StoredEvent[]): number[] {
      const seen = new Set(events.map(({ event }) => identityOf(event)));
      return batch.flatMap((event, i) => {
        if (seen.has(identityOf(event))) return [i];
        seen.add(identityOf(event));
        events.push({ event, arrival: arrivals++ });
        return [];
      });
    },
    erase(query: EventQuery): number {
      const matching = new Set(referenceOf(events.map(({ event }) => event))(query));
      events = events.filter(({ event }) => !matching.has(event));
      return matching.size;
    },
  };
}

/** The tests of erasures by a query; a store that refuses them has none to pass. */
export function testErase({ test, check, expect }: Suite<EventStore>): void {
  async function refuses(store: EventStore): Promise<boolean> {
    try {
      await store.erase(newTenantId(), EVERYTHING);
      return false;
    } catch (error) {
      if (isApiError(error) && error.status === 501) return true;
      throw error;
    }
  }

  /** Asks everything that follows from the events. */
  async function compare(store: EventStore, tenantId: string, living: StoredEvent[], example: Example) {
    const { asked, grouped } = example;
    for (const query of [EVERYTHING, asked]) {
      const expected = referenceOf(living)(query);
      const found = await collect(await store.query(tenantId, query, { offset: 0, size: 1000 }));
      expect(comparables(found)).toEqual(comparables(expected));
      expect(await store.count(tenantId, query)).toEqual(expected.length);
    }
    const names = new Set(living.map(({ eventName }) => eventName));
    expect(await store.eventNames(tenantId)).toEqual([...names].sort(compareCodePoints));
    const answers = answersOf(store, { seed: [1, 2], memory: createMemoryBudget({ bytesMax: 2 ** 30 }) });
    const expected = breakdownOf(referenceOf(living)(grouped.query), grouped.grouping);
    if (expected !== undefined) {
      const found = await answers.breakdown(tenantId, grouped.query, grouped.grouping);
      expect(JSON.stringify(found)).toEqual(JSON.stringify(expected));
    }
    const keys = new Set(
      living.flatMap(({ propertiesJson }) => Object.keys(JSON.parse(propertiesJson) as object)),
    );
    const { properties } = await answers.properties(tenantId, undefined);
    const told = properties.flatMap(({ path }) => (/^properties\.\w+$/.test(path) ? [path.slice(11)] : []));
    expect(told).toEqual([...keys].filter((key) => /^\w+$/.test(key)).sort(compareCodePoints));
  }

  /** All that arrived behind a position. */
  async function drain(store: EventStore, tenantId: string, from: ArrivalPosition): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (let position = from; ;) {
      const found = await store.since!(tenantId, EVERYTHING, position, 7);
      if (found.events.length === 0) return events;
      events.push(...found.events);
      ({ position } = found);
    }
  }

  test('what is erased by a query is gone from every answer, and its identity is free', ({ store }) =>
    check(examples(), async (example) => {
      if (await refuses(store)) return;
      const tenantId = newTenantId();
      const model = createModel();
      const positions: { readonly position: ArrivalPosition; readonly arrivals: number }[] = [];
      for (const { batch, erased } of example.steps) {
        const { duplicates } = await store.append(tenantId, batch);
        expect(duplicates).toEqual(model.append(batch));
        if (store.since !== undefined) {
          const { position } = await store.since(tenantId, EVERYTHING, undefined, 1);
          positions.push({ position, arrivals: model.arrivals() });
        }
        if (erased === undefined) continue;
        expect(await store.erase(tenantId, erased)).toEqual(model.erase(erased));
        await compare(store, tenantId, model.living(), example);
      }
      await compare(store, tenantId, model.living(), example);
      for (const { position, arrivals } of positions) {
        const found = await drain(store, tenantId, position);
        expect(comparables(found)).toEqual(comparables(model.arrivedSince(arrivals)));
      }
    }));

  test('who asks while events are erased sees all of them or none, and what comes meanwhile stays', ({
    store,
  }) =>
    check(
      examples(),
      async ({ steps, asked }) => {
        if (await refuses(store)) return;
        const tenantId = newTenantId();
        const model = createModel();
        const batches = steps.map(({ batch }) => batch);
        const late = batches.length > 1 ? batches.pop()! : [];
        for (const batch of batches) {
          await store.append(tenantId, batch);
          model.append(batch);
        }
        const before = model.living().length;
        const counts: Promise<number>[] = [store.count(tenantId, EVERYTHING)];
        const erasing = store.erase(tenantId, asked);
        counts.push(store.count(tenantId, EVERYTHING));
        await Promise.resolve();
        counts.push(store.count(tenantId, EVERYTHING));
        const erased = model.erase(asked);
        expect(await erasing).toEqual(erased);
        const unknown = (await Promise.all(counts)).filter(
          (count) => ![before, before - erased].includes(count),
        );
        expect(unknown).toEqual([]);
        const [again] = await Promise.all([store.erase(tenantId, asked), store.append(tenantId, late)]);
        model.append(late);
        expect(await store.erase(tenantId, EVERYTHING)).toEqual(model.living().length - again);
      },
      0.3,
    ));

  test('an erasure lasts', async (fixture) => {
    if (await refuses(fixture.store)) return;
    const tenantId = newTenantId();
    const event = { eventName: 'n', userId: 'u', eventTs: 1, insertId: 'a', propertiesJson: '{"p":1}' };
    const others = ['b', 'c', 'd'].map((insertId) => ({ ...event, insertId, userId: 'v', eventName: 'm' }));
    await fixture.store.append(tenantId, [event, ...others]);
    const query: EventQuery = {
      ...EVERYTHING,
      condition: {
        kind: 'test',
        path: { root: 'userId', segments: [] },
        operator: 'EQUALS',
        operand: 'u',
      },
    };
    expect(await fixture.store.erase(tenantId, query)).toEqual(1);
    expect(await fixture.store.erase(tenantId, query)).toEqual(0);
    const store = (await fixture.reopen?.()) ?? fixture.store;
    expect(await store.count(tenantId, EVERYTHING)).toEqual(3);
    expect(await store.eventNames(tenantId)).toEqual(['m']);
    expect(await store.append(tenantId, [event])).toEqual({ duplicates: [], overNames: [] });
    expect(await store.count(tenantId, query)).toEqual(1);
    expect(await store.erase(tenantId)).toEqual(4);
  });
}
