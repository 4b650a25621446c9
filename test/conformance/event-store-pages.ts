import * as fc from 'fast-check';
import type { EventStore, QueryBody } from '../../src/index.ts';
import { cursorAfter, parseQueryBody, collect } from '../../src/internal.ts';
import type { EventQuery, Position, StoredEvent } from '../../src/store-kit.ts';
import { batchesOf, instants, storedEvents } from './arbitraries/events.ts';
import { bodies, queries } from './arbitraries/queries.ts';
import { INSERT_IDS } from './arbitraries/traps.ts';
import { compareNewestFirst, comparables, firstWrites, identityOf, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

/** Far more than any example has: a cursor that goes round in circles has to end too. */
const EVENTS_MAX = 1000;

/** Events, and the body of a query that hits some of them. */
function examples(size: number): fc.Arbitrary<{ events: StoredEvent[]; body: QueryBody }> {
  return batchesOf({ batches: 1, size }).chain((batches) =>
    fc.record({ events: fc.constant(firstWrites(batches)), body: bodies(batches.flat()) }),
  );
}

/** Follows the cursors from the first page to the last; `between` runs after each page. */
async function pagesOf(
  store: EventStore,
  tenantId: string,
  body: QueryBody,
  size: number,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let cursor: string | undefined;
  do {
    const pagination = cursor === undefined ? { size } : { size, cursor };
    const asked = parseQueryBody({ ...body, pagination });
    const page = await store.query(tenantId, asked.query, asked.page);
    events.push(...(await collect(page)));
    if (events.length > EVENTS_MAX) throw new Error('The pages by cursor come to no end.');
    cursor = cursorAfter(asked, page);
    await between();
  } while (cursor !== undefined);
  return events;
}

/** The tests of pages. */
export function testPages({ test, check, expect }: Suite<EventStore>): void {
  test('the pages of every size, by offset and by cursor, joined, are the whole in order', ({ store }) =>
    check(
      examples(24),
      async ({ events, body }) => {
        const tenantId = newTenantId();
        await store.append(tenantId, events);
        const { query } = parseQueryBody(body);
        const whole = comparables(referenceOf(events)(query));
        for (let size = 1; size <= whole.length + 1; size++) {
          const joined: StoredEvent[] = [];
          for (let offset = 0; offset <= whole.length; offset += size) {
            joined.push(...(await collect(await store.query(tenantId, query, { offset, size }))));
          }
          expect(comparables(joined)).toEqual(whole);
          expect(comparables(await pagesOf(store, tenantId, body, size))).toEqual(whole);
        }
      },
      0.3,
    ));

  test('a page continues behind any position, whether an event stands there or not', ({ store }) => {
    const positions = fc.record({ eventTs: instants, insertId: fc.constantFrom(...INSERT_IDS) });
    const asked = batchesOf({ batches: 1, size: 30 }).chain(([events = []]) =>
      fc.record({
        events: fc.constant(events),
        query: queries(events),
        after: fc.oneof(positions, fc.constantFrom(...events)),
        size: fc.integer({ min: 1, max: 8 }),
      }),
    );
    return check(
      asked,
      async ({ events, query, after, size }) => {
        const tenantId = newTenantId();
        await store.append(tenantId, events);
        const { eventTs, insertId }: Position = after;
        const behind = referenceOf(firstWrites([events]))(query).filter(
          (event) => compareNewestFirst(after, event) < 0,
        );
        const page = await collect(
          await store.query(tenantId, query, { offset: 0, size, after: { eventTs, insertId } }),
        );
        expect(comparables(page)).toEqual(comparables(behind.slice(0, size)));
      },
      0.7,
    );
  });

  test('an offset past the end is an empty page, however large', async ({ store }) => {
    const tenantId = newTenantId();
    const all: EventQuery = parseQueryBody({}).query;
    const [events = []] = fc.sample(batchesOf({ batches: 1, size: 5 }), { numRuns: 1, seed: 1 })[0] ?? [];
    await store.append(tenantId, events);
    for (const offset of [firstWrites([events]).length, 1000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      expect(await collect(await store.query(tenantId, all, { offset, size: 1000 }))).toEqual([]);
    }
  });

  test('events that arrive while a client pages by cursor neither shift nor repeat others', ({ store }) => {
    const asked = examples(24).chain(({ events, body }) =>
      fc.record({
        events: fc.constant(events),
        body: fc.constant(body),
        size: fc.integer({ min: 1, max: 6 }),
        arriving: fc.array(fc.array(storedEvents, { minLength: 1, maxLength: 3 }), { maxLength: 10 }),
      }),
    );
    return check(
      asked,
      async ({ events, body, size, arriving }) => {
        const tenantId = newTenantId();
        await store.append(tenantId, events);
        const waiting = [...arriving];
        const paged = await pagesOf(store, tenantId, body, size, async () => {
          await store.append(tenantId, waiting.shift() ?? []);
        });
        const there = new Set(events.map(identityOf));
        const before = referenceOf(events)(parseQueryBody(body).query);
        expect(comparables(paged.filter((event) => there.has(identityOf(event))))).toEqual(
          comparables(before),
        );
        expect(new Set(paged.map(identityOf)).size).toEqual(paged.length);
        expect(comparables([...paged].sort(compareNewestFirst))).toEqual(comparables(paged));
      },
      0.5,
    );
  });
}
