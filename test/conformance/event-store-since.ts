import * as fc from 'fast-check';
import type { ArrivalPosition } from '../../src/core/query/arrivals.ts';
import type { EventStore } from '../../src/index.ts';
import type { EventQuery, StoredEvent } from '../../src/store-kit.ts';
import { batchesOf } from './arbitraries/events.ts';
import { queries } from './arbitraries/queries.ts';
import { comparables, EVERYTHING, firstWrites, identityOf, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

/** More than any example needs: who goes round in circles has to end too. */
const ANSWERS_MAX = 500;

/** The tests of what arrived since, for stores that know it. */
export function testSince({ test, check, expect }: Suite<EventStore>): void {
  const examples = batchesOf({ batches: 4, size: 12 }).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      query: queries(batches.flat()),
      size: fc.constantFrom(1, 2, 5, 1000),
      /** Behind how many batches the first question is asked. */
      begins: fc.integer({ min: 0, max: batches.length }),
    }),
  );

  /** Asks until nothing is new. */
  async function drain(
    store: EventStore,
    tenantId: string,
    query: EventQuery,
    from: ArrivalPosition,
    size: number,
  ) {
    const events: StoredEvent[] = [];
    let position = from;
    for (let answers = 0; answers < ANSWERS_MAX; answers++) {
      const found = await store.since!(tenantId, query, position, size);
      if (found.events.length > size) throw new Error(`${found.events.length} events instead of ${size}`);
      events.push(...found.events);
      const isDone = found.events.length === 0;
      position = found.position;
      if (isDone) return { events, position };
    }
    throw new Error('The answers come to no end.');
  }

  test('what arrives comes once, in the order of arrival, however late its time is', ({ store }) =>
    check(
      examples,
      async ({ batches, query, size, begins }) => {
        if (store.since === undefined) return;
        const tenantId = newTenantId();
        for (const batch of batches.slice(0, begins)) await store.append(tenantId, batch);
        const first = await store.since(tenantId, query, undefined, size);
        expect(first.events).toEqual([]);
        const arrived: StoredEvent[] = [];
        let { position } = first;
        for (const batch of batches.slice(begins)) {
          await store.append(tenantId, batch);
          const found = await drain(store, tenantId, query, position, size);
          arrived.push(...found.events);
          position = found.position;
        }
        const before = new Set(firstWrites(batches.slice(0, begins)).map(identityOf));
        const matching = new Set(referenceOf(firstWrites(batches))(query).map(identityOf));
        const expected = firstWrites(batches).filter(
          (event) => matching.has(identityOf(event)) && !before.has(identityOf(event)),
        );
        expect(comparables(arrived)).toEqual(comparables(expected));
      },
      0.5,
    ));

  test('what comes behind an erasure is new, whatever the position', async ({ store }) => {
    if (store.since === undefined) return;
    const tenantId = newTenantId();
    const event = { eventName: 'n', userId: 'u', eventTs: 1, insertId: 'i', propertiesJson: '{}' };
    await store.append(tenantId, [event, { ...event, insertId: 'j' }]);
    const { position } = await store.since(tenantId, EVERYTHING, undefined, 10);
    await store.erase(tenantId);
    expect((await store.since(tenantId, EVERYTHING, position, 10)).events).toEqual([]);
    const events = ['1', '2', '3'].map((insertId) => ({ ...event, insertId }));
    await store.append(tenantId, events);
    const found = await store.since(tenantId, EVERYTHING, position, 10);
    expect(comparables(found.events)).toEqual(comparables(events));
  });
}
