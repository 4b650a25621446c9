import * as fc from 'fast-check';
import type { ArrivalPosition } from '../../src/core/query/arrivals.ts';
import { isApiError, type EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../src/store-kit.ts';
import { batchesOf } from './arbitraries/events.ts';
import { queries } from './arbitraries/queries.ts';
import { comparables, EVERYTHING, referenceOf } from './expected.ts';
import { compareAnswers, createModel, drain, questionsOf, type Questions } from './model.ts';
import { newTenantId, type Suite } from './runner.ts';

/** A batch that is stored, and what is erased behind it. */
interface Step {
  readonly batch: StoredEvent[];
  readonly erased: EventQuery | undefined;
}

interface Example extends Questions {
  readonly steps: Step[];
}

/** Steps whose queries are made of all the events, so that they hit; the same identities come again. */
function examples(): fc.Arbitrary<Example> {
  return batchesOf({ batches: 4, size: 15 }).chain((batches) => {
    const events = batches.flat();
    const erased = fc.option(queries(events), { nil: undefined, freq: 3 });
    const steps = batches.map((batch) => erased.map((query) => ({ batch, erased: query })));
    return fc
      .record({ steps: fc.tuple(...steps), questions: questionsOf(events) })
      .map((each) => ({ steps: each.steps, ...each.questions }));
  });
}

/** A batch beside an erasure, and when it is sent. */
interface BesideExample extends Questions {
  readonly first: StoredEvent[];
  readonly erased: EventQuery;
  /** Whether the columns that the erasure reads are there already. */
  readonly isWarm: boolean;
  readonly later: readonly {
    readonly batch: StoredEvent[];
    /** How many microtasks, and then turns of the event loop, pass before it is sent. */
    readonly after: readonly [microtasks: number, turns: number];
  }[];
}

/** In how many moments a batch is sent beside an erasure: an erasure that has its columns takes fewer. */
const MOMENTS_MAX = 24;

/** The events of a user. */
const ofUser = (operand: string): EventQuery => ({
  ...EVERYTHING,
  condition: { kind: 'test', path: { root: 'userId', segments: [] }, operator: 'EQUALS', operand },
});

/** Batches of the same identities as the events that are erased, and of others that match. */
function besides(): fc.Arbitrary<BesideExample> {
  return batchesOf({ batches: 4, size: 8 }).chain((batches) => {
    const events = batches.flat();
    const [first = [], ...others] = batches;
    const turns = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 }));
    const after = fc.tuple(fc.integer({ min: 0, max: 24 }), turns);
    const later = [...others, first].map((batch) =>
      fc.record({ batch: fc.shuffledSubarray([...batch, ...first]), after }),
    );
    return fc
      .record({
        erased: queries(events),
        isWarm: fc.boolean(),
        later: fc.tuple(...later),
        questions: questionsOf(events),
      })
      .map(({ questions, ...each }) => ({ first, ...each, ...questions }));
  });
}

/** The tests of erasures by a query; a store that refuses them has none to pass. */
export function testErase({ test, check, expect, numRuns }: Suite<EventStore>): void {
  async function refuses(store: EventStore): Promise<boolean> {
    try {
      await store.erase(newTenantId(), EVERYTHING);
      return false;
    } catch (error) {
      if (isApiError(error) && error.status === 501) return true;
      throw error;
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
        const compare = () => compareAnswers(expect, { store, tenantId, living: model.living() }, example);
        await compare();
        if (erased === undefined) continue;
        // Nothing comes in between: an answer that was kept too long is not made good by newer events.
        expect(await store.erase(tenantId, erased)).toEqual(model.erase(erased));
        await compare();
      }
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

  /**
   * Erases beside batches, each sent when the one before it was stored. So there is one place among them at
   * which the erasure gives the same results, and the same events afterwards.
   */
  async function eraseBeside(store: EventStore, { first, erased, isWarm, later, ...asked }: BesideExample) {
    const tenantId = newTenantId();
    const model = createModel();
    await store.append(tenantId, first);
    model.append(first);
    if (isWarm) await store.count(tenantId, erased);
    const erasing = store.erase(tenantId, erased);
    const duplicates: (readonly number[])[] = [];
    for (const { batch, after } of later) {
      for (let i = 0; i < after[0]; i++) await Promise.resolve();
      for (let i = 0; i < after[1]; i++) await new Promise((resolve) => setTimeout(resolve));
      duplicates.push((await store.append(tenantId, batch)).duplicates);
    }
    const results = JSON.stringify([await erasing, duplicates]);
    const orders = Array.from({ length: later.length + 1 }, (_, place) => {
      const own = model.copy();
      const told = later.slice(0, place).map(({ batch }) => own.append(batch));
      const gone = own.erase(erased);
      told.push(...later.slice(place).map(({ batch }) => own.append(batch)));
      const stored = comparables(referenceOf(own.living())(EVERYTHING));
      return { living: own.living(), told: { results: JSON.stringify([gone, told]), stored } };
    });
    const stored = await collect(await store.query(tenantId, EVERYTHING, { offset: 0, size: 1000 }));
    const told = JSON.stringify({ results, stored: comparables(stored) });
    const fitting = orders.find((order) => JSON.stringify(order.told) === told);
    if (fitting === undefined) expect(JSON.parse(told)).toEqual(orders.map((order) => order.told));
    else await compareAnswers(expect, { store, tenantId, living: fitting.living }, asked);
  }

  test('an erasure is before or after each batch that comes beside it', ({ store }) =>
    check(besides(), async (example) => {
      if (!(await refuses(store))) await eraseBeside(store, example);
    }));

  test('an erasure is before or after a batch, in whichever moment that is sent', async ({ store }) => {
    if (await refuses(store)) return;
    const event = { eventName: 'n', userId: 'u', eventTs: 1, insertId: 'a', propertiesJson: '{"g":"x"}' };
    const [first, batch] = [[event], [event, { ...event, insertId: 'b' }]];
    const grouping = { by: { root: 'userId', segments: [] }, distinct: undefined, size: 10 } as const;
    const asked = {
      ...{ asked: EVERYTHING, grouped: { query: EVERYTHING, grouping } },
      page: { skipped: 1, size: 1 },
    };
    for (let microtasks = 0; microtasks < Math.min(MOMENTS_MAX, numRuns); microtasks++) {
      const later = [{ batch, after: [microtasks, 0] as const }];
      await eraseBeside(store, { first, erased: ofUser('u'), isWarm: true, later, ...asked });
    }
  });

  test('an erasure lasts', async (fixture) => {
    if (await refuses(fixture.store)) return;
    const tenantId = newTenantId();
    const event = { eventName: 'n', userId: 'u', eventTs: 1, insertId: 'a', propertiesJson: '{"p":1}' };
    const others = ['b', 'c', 'd'].map((insertId) => ({ ...event, insertId, userId: 'v', eventName: 'm' }));
    await fixture.store.append(tenantId, [event, ...others]);
    const query = ofUser('u');
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
