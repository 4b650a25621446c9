/** Questions about few rows of a file whose order is not there. Chunks have eight rows here. */
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { toEventView } from '../../../src/core/filter/predicate.ts';
import { readingOf } from '../../../src/core/query/answer-plan.ts';
import type { EventStore, FilterEntry, Scheduler, Stores } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import {
  compilePredicate,
  parseCountBody,
  type EventQuery,
  type Page,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { compareNewestFirst } from '../../conformance/expected.ts';
import { testResources } from '../../support/resources.ts';
import { newFile, openStores, TENANT, wrapping } from './fixtures.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const DAYS = 6;
/** Properties of which some have a path, others have null or something else there, and others nothing. */
const SHAPES = [{ p: 1 }, {}, { p: null }, { a: { b: 'x' } }, { a: 'x' }, { p: 'long text' }, { p: [1, 2] }];
const EVENTS = Array.from({ length: 150 }, (_, i): StoredEvent => ({
  eventName: `name-${i % 3}`,
  userId: `user-${i % 4}`,
  // Whole days in no order, so that many events are of the same instant.
  eventTs: START + ((i * 5) % DAYS) * DAY_MS,
  insertId: `id-${(i * 7) % 151}`,
  propertiesJson: JSON.stringify(SHAPES[i % SHAPES.length]),
  receivedAt: START + i * 1000,
}));
/** About a third of them. */
const RANGE = { after: '2026-01-02', before: '2026-01-03' };
const FILTERS: readonly FilterEntry[] = [
  { property: 'eventName', comparison: 'EQUALS', value: 'name-1' },
  { property: 'userId', comparison: 'NOT_EQUALS', value: 'user-1' },
  { property: 'insertId', comparison: 'EQUALS', value: EVENTS[5]!.insertId },
  { property: 'insertId', comparison: 'CONTAINS', value: '3' },
  { property: 'eventDate', comparison: 'EQUALS', value: '2026-01-03' },
  { property: 'eventTs', comparison: 'GREATER_THAN', value: '2026-01-02T00:00:00Z' },
  { property: 'receivedAt', comparison: 'LESS_THAN', value: '2026-01-01T00:01:00Z' },
  { property: 'properties.p', comparison: 'EQUALS', value: 1 },
  { property: 'properties.p', comparison: 'NOT_EQUALS', value: 1 },
  { property: 'properties.p', comparison: 'IS_NULL', value: null },
  { property: 'properties.p', comparison: 'CONTAINS', value: 'text' },
  { property: 'properties.a.b', comparison: 'EQUALS', value: 'x' },
  { property: 'properties.none', comparison: 'IS_NOT_NULL', value: null },
];
const QUERIES = [
  ...[undefined, ...FILTERS].map((filter) => ({ ...RANGE, filter })),
  ...[undefined, FILTERS[7]].map((filter) => ({ filter })),
].map(({ filter, ...range }) => parseCountBody({ ...range, ...(filter && { filterSet: [filter] }) }));
const SIZE = 7;

const idsOf = (events: readonly StoredEvent[]) => events.map(({ insertId }) => insertId);

/** The ids of all events that match, newest first. */
function expectedOf(events: readonly StoredEvent[], query: EventQuery): string[] {
  const belongs = compilePredicate(query);
  return idsOf(events.filter((event) => belongs(toEventView(event))).toSorted(compareNewestFirst));
}

/** Whether a question now would be answered before the order is there. */
async function isDirect(events: EventStore, query: EventQuery): Promise<boolean> {
  const plan = await events.plan!(TENANT, readingOf('query', query));
  return plan.by === 'columns' && plan.paths.some(({ from }) => from === 'index');
}

/** Asks what is answered without the order: a store that has it, or has to build it, is opened again. */
function createAsking(open: () => Stores) {
  let stores = open();
  return async <T>(query: EventQuery, ask: (events: EventStore) => Promise<T>): Promise<T> => {
    if (!(await isDirect(stores.events, query))) {
      await stores.close();
      stores = open();
    }
    expect(await isDirect(stores.events, query)).toBe(true);
    return ask(stores.events);
  };
}

/** What a file answers to a query: how many match, and all pages, each after the one before. */
async function answersOf(ask: ReturnType<typeof createAsking>, query: EventQuery) {
  const pageOf = (page: Page) =>
    ask(query, async (events) => collect(await events.query(TENANT, query, page)));
  const count = await ask(query, (events) => events.count(TENANT, query));
  const pages = [...(await pageOf({ offset: 0, size: SIZE }))];
  for (let found = pages.length; found === SIZE;) {
    const page = await pageOf({ offset: 0, size: SIZE, after: pages.at(-1)! });
    pages.push(...page);
    found = page.length;
  }
  return { count, pages: idsOf(pages), skipped: idsOf(await pageOf({ offset: 3, size: SIZE })) };
}

const answersFrom = (ids: readonly string[]) => ({
  count: ids.length,
  pages: ids,
  skipped: ids.slice(3, 3 + SIZE),
});

/** A scheduler that does something in one of the pauses of the questions. */
function pausing() {
  const state = { pauses: 0, at: -1, act: () => Promise.resolve<unknown>(undefined) };
  const yieldIfDue = async () => {
    state.pauses += 1;
    if (state.pauses === state.at) await state.act();
  };
  const scheduler: Scheduler = { run: async (_owner, _signal, job) => job({ now: () => 0, yieldIfDue }) };
  return { state, scheduler };
}

describe('a question about few rows, before the order is there', () => {
  it.each(['all rows', 'rows of which some were erased', 'rows that are erased and not removed yet'])(
    'is answered by every kind of path and page, of %s',
    async (kind) => {
      const file = newFile();
      const statement = (sql: string) => {
        if (kind.endsWith('yet') && sql.startsWith('DELETE FROM events')) throw new Error('It ends here.');
      };
      const open = () => openStores(file, { connect: wrapping(file, { statement }) });
      const stores = open();
      await stores.events.append(TENANT, EVENTS);
      let left: readonly StoredEvent[] = EVENTS;
      if (kind !== 'all rows') {
        const gone = parseCountBody({
          filterSet: [{ property: 'userId', comparison: 'EQUALS', value: 'user-2' }],
        });
        await stores.events.erase(TENANT, gone);
        left = EVENTS.filter(({ userId }) => userId !== 'user-2');
      }
      await stores.close();
      if (kind !== 'rows of which some were erased') {
        const raw = new Database(file);
        expect(raw.prepare('SELECT count(*) FROM events').pluck().get()).toBe(EVENTS.length);
        raw.close();
      }
      const ask = createAsking(open);
      for (const query of QUERIES)
        expect(await answersOf(ask, query)).toEqual(answersFrom(expectedOf(left, query)));
    },
  );

  it.each(['appends', 'erases some', 'erases all'])(
    'is answered of one moment, whenever another process %s',
    async (kind) => {
      const query = parseCountBody({
        ...RANGE,
        filterSet: [{ property: 'userId', comparison: 'IN', value: ['user-1', 'user-2'] }],
      });
      const few = EVENTS.slice(0, 60);
      const more = few.map((event) => ({ ...event, insertId: `more-${event.insertId}` }));
      const gone = parseCountBody({
        filterSet: [{ property: 'userId', comparison: 'EQUALS', value: 'user-2' }],
      });
      const [act, later] = {
        appends: [(two: Stores) => two.events.append(TENANT, more), [...few, ...more]] as const,
        'erases some': [
          (two: Stores) => two.events.erase(TENANT, gone),
          few.filter(({ userId }) => userId !== 'user-2'),
        ] as const,
        'erases all': [(two: Stores) => two.events.erase(TENANT), []] as const,
      }[kind]!;
      const moments = [few, later].map((events) => expectedOf(events, query));
      const questions = [
        (events: EventStore) => events.count(TENANT, query),
        (events: EventStore) => events.count(TENANT, parseCountBody(RANGE)),
        async (events: EventStore) =>
          idsOf(await collect(await events.query(TENANT, query, { offset: 0, size: 8 }))),
      ];
      const answers = [
        moments.map((ids) => ids.length),
        [few, later].map((events) => expectedOf(events, parseCountBody(RANGE)).length),
        moments.map((ids) => ids.slice(0, 8)),
      ];
      for (const [i, ask] of questions.entries()) {
        for (let at = 1, isOver = false; !isOver; at++) {
          const file = newFile();
          const { state, scheduler } = pausing();
          const [one, two] = [
            openStores(file, { resources: testResources({ scheduler }) }),
            openStores(file),
          ];
          await two.events.append(TENANT, few);
          expect(await isDirect(one.events, query)).toBe(true);
          Object.assign(state, { pauses: 0, at, act: () => act(two) });
          const answer = await ask(one.events);
          isOver = state.pauses < at;
          if (isOver) expect(answer).toEqual(answers[i]![0]);
          else expect(answers[i]).toContainEqual(answer);
          if (!isOver) expect(await ask(one.events)).toEqual(answers[i]![1]);
        }
      }
    },
  );

  it.each([
    ['counts of a range', async (events: EventStore) => events.count(TENANT, parseCountBody(RANGE))],
    [
      'pages that nothing fills',
      async (events: EventStore) =>
        collect(
          await events.query(
            TENANT,
            parseCountBody({
              after: '2026-01-06',
              filterSet: [{ property: 'userId', comparison: 'EQUALS', value: 'nobody' }],
            }),
            { offset: 0, size: SIZE },
          ),
        ),
    ],
  ])('is not asked for ever without it: %s build it, as the first would have', async (_, ask) => {
    const { events } = openStores(newFile());
    await events.append(TENANT, EVENTS);
    const query = parseCountBody(RANGE);
    expect(await isDirect(events, query)).toBe(true);
    const first = await ask(events);
    expect(await isDirect(events, query)).toBe(true);
    for (let i = 0; i < 10; i++) expect(await ask(events)).toEqual(first);
    expect(await isDirect(events, query)).toBe(false);
  });
});
