import { expect, it } from 'vitest';
import type { EventStore } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import { parseTopBody } from '../../../src/core/query/parse-query.ts';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  type MeasuredGrouping,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { newTenantId } from '../../conformance/runner.ts';

/** Stores of which one, before each of its statements, may do something by the other. */
export interface Stepped {
  /** Asks the engine by a client of its own that `between` is called before each statement of. */
  readonly stepped: EventStore;
  readonly beside: EventStore;
  /** What is done before each statement from now on. */
  readonly before: (step: () => Promise<void>) => void;
}

const DAY = Date.UTC(2024, 4, 17);
const DAY_MS = 86_400_000;

function eventOf(insertId: string, day: number, properties: object, eventName = 'seen'): StoredEvent {
  const propertiesJson = JSON.stringify(properties);
  return { eventName, userId: `u${day % 2}`, eventTs: DAY + day * DAY_MS, insertId, propertiesJson };
}

/** Objects below objects, so that properties take a statement for each of several levels. */
const FIRST = [
  eventOf('a', 0, { o: { k: { deep: 1 } }, plan: 'pro', n: 1 }),
  eventOf('b', 2, { o: { k: { deep: 2 } }, plan: 'free' }),
  eventOf('c', 4, { o: { other: { deep: 'x' } }, n: 2 }, 'left'),
];
/** Objects so deep that the events are read, in more than one page. */
const DEEP = Array.from({ length: 1_001 }, (_, i) =>
  eventOf(`deep-${i}`, i % 3, { a: { b: { c: { d: { e: { f: { g: { h: { i: i % 2 } } } } } } } } }, 'deep'),
);
const LEFT = parseCountBody({ event: 'left' });

type Ask = (store: EventStore, tenantId: string) => Promise<unknown>;

/** Every kind of question, each to the end of its answer. */
const QUESTIONS: Readonly<Record<string, Ask>> = {
  query: async (store, tenantId) =>
    collect(await store.query(tenantId, EVERYTHING, { offset: 0, size: 100 })),
  count: (store, tenantId) => store.count(tenantId, EVERYTHING),
  names: (store, tenantId) => store.eventNames(tenantId),
  'breakdown by value': (store, tenantId) => breakDown(store, tenantId, { by: 'properties.plan' }),
  'breakdown by value, distinct': (store, tenantId) =>
    breakDown(store, tenantId, { by: 'properties.plan', distinct: 'userId' }),
  'breakdown by day': (store, tenantId) => breakDown(store, tenantId, { by: 'day' }),
  'breakdown by week, distinct': (store, tenantId) =>
    breakDown(store, tenantId, { by: 'week', distinct: 'userId' }),
  'breakdown by day since a day': (store, tenantId) =>
    breakDown(store, tenantId, { by: 'day', after: '2024-05-14' }),
  'breakdown by day of some days': (store, tenantId) =>
    breakDown(store, tenantId, { by: 'day', after: '2024-05-14', before: '2024-05-25' }),
  'measures by value': (store, tenantId) => measure(store, tenantId, { by: 'properties.plan' }),
  'measures by day and value': (store, tenantId) =>
    measure(store, tenantId, { by: ['day', 'properties.plan'], distinct: 'userId' }),
  'the first by a measure': (store, tenantId) =>
    measure(store, tenantId, { by: 'eventName', size: 1, orderBy: { measure: 0, take: 'max' } }),
  top: async (store, tenantId) => {
    const { query, ranking } = parseTopBody({ of: 'properties.n' });
    return collect(await store.top!(tenantId, query, ranking));
  },
  streams: (store, tenantId) => streams(store, tenantId),
  properties: (store, tenantId) => properties(store, tenantId, undefined),
  'properties of a name': (store, tenantId) => properties(store, tenantId, 'seen'),
};

function breakDown(store: EventStore, tenantId: string, body: object): Promise<unknown> {
  const { query, grouping } = parseBreakdownBody({ by: '', ...body });
  return store.breakdown!(tenantId, query, grouping);
}

function measure(store: EventStore, tenantId: string, body: object): Promise<unknown> {
  const measures = [{ of: 'eventTs', take: ['max'] }];
  const { query, grouping } = parseBreakdownBody({ ...body, measures });
  return store.measure!(tenantId, query, grouping as MeasuredGrouping);
}

async function streams(store: EventStore, tenantId: string): Promise<unknown> {
  const { query, streams: asked } = parseSequenceBody({ steps: [{ event: 'seen' }, {}] });
  const told: [key: string, instants: number[]][] = [];
  for await (const piece of store.streams!(tenantId, query, asked))
    for (const { key, instants } of piece.streams) told.push([String(key), Array.from(instants)]);
  return told.toSorted();
}

/** Which examples are told of more than three is any store's choice; here there are no more. */
async function properties(store: EventStore, tenantId: string, event: string | undefined) {
  const found = (await store.properties!(tenantId, event))!;
  return found.properties.map((each) => ({ ...each, examples: each.examples.map(String).toSorted() }));
}

type Step = (store: EventStore, tenantId: string) => Promise<unknown>;

/** What may happen at once between two statements, as one change after the other. */
const CHANGES: Readonly<Record<string, readonly Step[]>> = {
  'erases all': [(store, tenantId) => store.erase(tenantId)],
  'erases some': [(store, tenantId) => store.erase(tenantId, LEFT)],
  'appends late, then new': [
    (store, tenantId) => store.append(tenantId, [eventOf('late', -1, { o: { k: { late: true } }, late: 1 })]),
    (store, tenantId) => store.append(tenantId, [eventOf('new', 3, { o: { k: { fresh: 1 } } }, 'new')]),
  ],
  'erases some, then appends one in their place': [
    (store, tenantId) => store.erase(tenantId, LEFT),
    (store, tenantId) => store.append(tenantId, [eventOf('d', 4, { in: { their: 'place' } }, 'left')]),
  ],
};

/** Each statement is stepped with a tenant of its own, which takes its time on a busy machine. */
const PATIENCE_MS = 900_000;
/** Of more statements none is made here. */
const STATEMENTS_MAX = 60;

/**
 * Tests that every answer is that of one moment: whatever is changed before any one of its statements, it is
 * what would have been answered before, or after the first so many of the changes.
 */
export function testStepped(name: string, open: () => Stepped): void {
  const pairs = Object.keys(QUESTIONS).flatMap((question) =>
    Object.keys(CHANGES).map((change) => [question, change] as const),
  );
  it.each(pairs)(
    `${name}: %s: of one moment where another process %s`,
    (question, change) => step(open(), FIRST, QUESTIONS[question]!, CHANGES[change]!),
    PATIENCE_MS,
  );

  it.each(['erases all', 'appends late, then new'])(
    `${name}: properties that lie too deep for it: of one moment where another process %s`,
    (change) => step(open(), [...FIRST, ...DEEP], QUESTIONS.properties!, CHANGES[change]!),
    PATIENCE_MS,
  );
}

async function step(
  { stepped, beside, before }: Stepped,
  events: readonly StoredEvent[],
  ask: Ask,
  changes: readonly Step[],
): Promise<void> {
  let isOver = false;
  for (let at = 1; !isOver && at <= STATEMENTS_MAX; at++) {
    const tenantId = newTenantId();
    await beside.append(tenantId, events);
    const moments = [await ask(beside, tenantId)];
    let statements = 0;
    before(async () => {
      statements += 1;
      if (statements !== at) return;
      for (const change of changes) {
        await change(beside, tenantId);
        moments.push(await ask(beside, tenantId));
      }
    });
    const answer = await ask(stepped, tenantId);
    isOver = statements < at;
    expect(moments, `before statement ${at}`).toContainEqual(answer);
  }
  expect(isOver).toBe(true);
}
