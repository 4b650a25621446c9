import * as fc from 'fast-check';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { liftRanges } from '../../src/core/columns/selection/spans.ts';
import { compileInstants } from '../../src/core/filter/instants.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { compareCodePoints } from '../../src/core/event/text.ts';
import { readingOf } from '../../src/core/query/answer-plan.ts';
import type { ArrivalPosition } from '../../src/core/query/arrivals.ts';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../src/store-kit.ts';
import { groupings, type GroupedExample } from './arbitraries/groupings.ts';
import { queries } from './arbitraries/queries.ts';
import { breakdownOf } from './expected-breakdown.ts';
import { compareProperties } from './expected-properties.ts';
import { AT_ONCE, comparables, EVERYTHING, identityOf, referenceOf } from './expected.ts';
import type { Suite } from './runner.ts';

/** The events of a tenant by the definition: in the order in which they arrived, without those erased. */
export interface Model {
  /** The events that there are, in the order of arrival. */
  living(): StoredEvent[];
  /** How many events have arrived, with those that were erased since. */
  arrivals(): number;
  /** The events that there are of those that arrived after so many others. */
  arrivedSince(arrival: number): StoredEvent[];
  /** Adds a batch; returns its duplicates. */
  append(batch: readonly StoredEvent[]): number[];
  /** Erases what matches; returns how many events it was. */
  erase(query: EventQuery): number;
  /** The same events, which then go their own way. */
  copy(): Model;
}

/** Makes a model of events that have arrived, each with its place in that order. */
export function createModel(
  before: readonly { readonly event: StoredEvent; readonly arrival: number }[] = [],
  arrivedBefore = 0,
): Model {
  let events = before;
  let arrivals = arrivedBefore;
  return {
    living: () => events.map(({ event }) => event),
    arrivals: () => arrivals,
    arrivedSince: (arrival) => events.filter((each) => each.arrival >= arrival).map(({ event }) => event),
    append(batch) {
      const seen = new Set(events.map(({ event }) => identityOf(event)));
      const added: { event: StoredEvent; arrival: number }[] = [];
      const duplicates = batch.flatMap((event, i) => {
        if (seen.has(identityOf(event))) return [i];
        seen.add(identityOf(event));
        added.push({ event, arrival: arrivals++ });
        return [];
      });
      events = [...events, ...added];
      return duplicates;
    },
    erase(query) {
      const matching = new Set(referenceOf(events.map(({ event }) => event))(query));
      events = events.filter(({ event }) => !matching.has(event));
      return matching.size;
    },
    copy: () => createModel(events, arrivals),
  };
}

/** Questions of which the whole answers are compared. */
export interface Questions {
  readonly asked: EventQuery;
  readonly grouped: GroupedExample;
  /** The page that begins after so many matching events, and how many it has at most. */
  readonly page: { readonly skipped: number; readonly size: number };
}

/** Questions that are made of some events, so that they hit. */
export function questionsOf(events: readonly StoredEvent[]): fc.Arbitrary<Questions> {
  return fc.record({
    asked: queries(events),
    grouped: groupings(events),
    page: fc.record({ skipped: fc.integer({ min: 1, max: 5 }), size: fc.integer({ min: 1, max: 4 }) }),
  });
}

/** All that arrived after a position. */
export async function drain(
  store: EventStore,
  tenantId: string,
  from: ArrivalPosition,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let position = from; ;) {
    const found = await store.since!(tenantId, EVERYTHING, position, 7);
    if (found.events.length === 0) return events;
    events.push(...found.events);
    ({ position } = found);
  }
}

/**
 * Asks a store everything that follows from the events of a tenant, and compares each answer as a whole with
 * the definition. Whatever a store keeps between questions, a test that calls this, changes the events and
 * calls it again with nothing in between finds what it has kept too long.
 */
export async function compareAnswers(
  expect: Suite<unknown>['expect'],
  { store, tenantId, living }: { store: EventStore; tenantId: string; living: readonly StoredEvent[] },
  { asked, grouped, page }: Questions,
): Promise<void> {
  for (const query of [EVERYTHING, asked]) {
    const expected = referenceOf(living)(query);
    const find = async (size: number, offset: number, after?: StoredEvent) =>
      comparables(
        await collect(await store.query(tenantId, query, { offset, size, ...(after && { after }) })),
      );
    expect(await find(1000, 0)).toEqual(comparables(expected));
    const { skipped, size } = page;
    const second = comparables(expected.slice(skipped, skipped + size));
    expect(await find(size, skipped)).toEqual(second);
    const last = expected[skipped - 1];
    if (last !== undefined) expect(await find(size, 0, last)).toEqual(second);
    expect(await store.count(tenantId, query)).toEqual(expected.length);
  }
  const names = new Set(living.map(({ eventName }) => eventName));
  expect(await store.eventNames(tenantId)).toEqual([...names].sort(compareCodePoints));
  const answers = answersOf(store, {
    seed: [1, 2],
    memory: createMemoryBudget({ bytesMax: 2 ** 30 }),
    scheduler: AT_ONCE,
  });
  const groups = breakdownOf(referenceOf(living)(grouped.query), grouped.grouping);
  if (groups !== undefined) {
    const found = await answers.breakdown(tenantId, grouped.query, grouped.grouping);
    expect(JSON.stringify(found)).toEqual(JSON.stringify(groups));
  }
  for (const event of [undefined, living[0]?.eventName ?? 'no such event']) {
    const own = living.filter(({ eventName }) => event === undefined || eventName === event);
    compareProperties(expect, await answers.properties(tenantId, event), own);
  }
  const plan = await answers.plan(tenantId, readingOf('query', asked));
  if (plan.by !== 'columns') return;
  expect(plan.events).toEqual(living.length);
  for (const { from, read, inTime } of plan.paths) {
    if (from !== 'order' || read !== living.length) continue;
    const { ranges } = liftRanges(asked);
    const inRanges = compileInstants(ranges);
    // An order without rows, as after the erasure of all events, says nothing about them.
    const wanted = living.filter(({ eventTs }) => inRanges(eventTs)).length;
    expect(read === 0 ? (inTime ?? 0) : inTime).toEqual(wanted);
  }
}
