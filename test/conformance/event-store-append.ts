import * as fc from 'fast-check';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { batchesOf, storedEvents } from './arbitraries/events.ts';
import { comparables, EVERYTHING, firstWrites, identityOf, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

async function allOf(store: EventStore, tenantId: string): Promise<string[]> {
  return comparables(await collect(await store.query(tenantId, EVERYTHING, { offset: 0, size: 1000 })));
}

/** The tests of what appending, repeating and erasing leave. */
export function testAppend(suite: Suite<EventStore>): void {
  testIdentity(suite);
  testTenants(suite);
  testAtomicity(suite);
}

function testIdentity({ test, check, expect }: Suite<EventStore>): void {
  test('a repeat is told and changes nothing, within a batch and across batches', ({ store }) =>
    check(
      batchesOf({ batches: 4, size: 12 }),
      async (batches) => {
        const tenantId = newTenantId();
        const seen = new Set<string>();
        for (const batch of batches) {
          const { duplicates } = await store.append(tenantId, batch);
          const repeated = batch.flatMap((event, index) => {
            const isRepeat = seen.has(identityOf(event));
            seen.add(identityOf(event));
            return isRepeat ? [index] : [];
          });
          expect([...duplicates]).toEqual(repeated);
        }
        // The same again, all at once and backwards: a client that resends everything.
        const again = batches.flat().reverse();
        expect((await store.append(tenantId, again)).duplicates.length).toEqual(again.length);
        const expected = comparables(referenceOf(firstWrites(batches))(EVERYTHING));
        expect(await allOf(store, tenantId)).toEqual(expected);
      },
      0.6,
    ));

  test('one object twice in a batch is an event and its repeat', async ({ store }) => {
    const tenantId = newTenantId();
    const event = { eventName: 'n', userId: 'u', eventTs: 1, insertId: 'a', propertiesJson: '{}' };
    expect((await store.append(tenantId, [event, event])).duplicates).toEqual([1]);
    expect((await store.append(tenantId, [event, event])).duplicates).toEqual([0, 1]);
    expect(await allOf(store, tenantId)).toEqual(comparables([event]));
  });

  test('events stay as they were sent, to the last value', ({ store }) =>
    check(storedEvents, async (event) => {
      const tenantId = newTenantId();
      await store.append(tenantId, [event]);
      expect(await allOf(store, tenantId)).toEqual(comparables([event]));
    }));
}

function testTenants({ test, check, expect }: Suite<EventStore>): void {
  const pairs = fc.tuple(batchesOf({ batches: 2, size: 10 }), batchesOf({ batches: 2, size: 10 }));

  test('tenants never see each other, and erasing one leaves the other', ({ store }) =>
    check(
      pairs,
      async ([ours, theirs]) => {
        const [us, them] = [newTenantId(), newTenantId()];
        // The batches of the two alternate, as in a server.
        for (let i = 0; i < 2; i++) {
          await store.append(us, ours[i] ?? []);
          await store.append(them, theirs[i] ?? []);
        }
        const expectedOf = (batches: StoredEvent[][]) => referenceOf(firstWrites(batches))(EVERYTHING);
        expect(await allOf(store, us)).toEqual(comparables(expectedOf(ours)));
        expect(await allOf(store, them)).toEqual(comparables(expectedOf(theirs)));
        expect(await store.count(us, EVERYTHING)).toEqual(expectedOf(ours).length);
        await store.erase(us);
        expect(await allOf(store, us)).toEqual([]);
        expect(await store.eventNames(us)).toEqual([]);
        expect(await store.count(us, EVERYTHING)).toEqual(0);
        expect(await allOf(store, them)).toEqual(comparables(expectedOf(theirs)));
        // What was erased is no duplicate.
        await store.append(us, ours[0] ?? []);
        expect(await allOf(store, us)).toEqual(comparables(expectedOf([ours[0] ?? []])));
      },
      0.5,
    ));
}

/** A batch that cannot be stored: one of its events breaks when it is read. */
function broken(batch: readonly StoredEvent[], at: number, field: keyof StoredEvent): StoredEvent[] {
  const events = [...batch];
  const poison = { ...events[at % events.length] };
  Object.defineProperty(poison, field, {
    enumerable: true,
    get: () => {
      throw new Error('this event cannot be read');
    },
  });
  events.splice(at % events.length, 1, poison as StoredEvent);
  return events;
}

function testAtomicity({ test, check, expect }: Suite<EventStore>): void {
  test('a batch that fails half way stores nothing', ({ store }) => {
    const fields = fc.constantFrom(
      ...(['insertId', 'eventTs', 'eventName', 'userId', 'propertiesJson', 'receivedAt'] as const),
    );
    const examples = fc.tuple(batchesOf({ batches: 2, size: 10 }), fc.nat({ max: 100 }), fields);
    return check(
      examples,
      async ([[first = [], second = []], at, field]) => {
        const tenantId = newTenantId();
        await store.append(tenantId, first);
        const before = await allOf(store, tenantId);
        let failed = false;
        try {
          await store.append(tenantId, broken([...second, ...first], at, field));
        } catch {
          failed = true;
        }
        // A store that has no need to read a field of a duplicate may well succeed.
        if (failed) {
          expect(await allOf(store, tenantId)).toEqual(before);
          expect(await store.count(tenantId, EVERYTHING)).toEqual(before.length);
          // The next batch finds EVERYTHING in order.
          await store.append(tenantId, second);
          const expected = referenceOf(firstWrites([first, second]))(EVERYTHING);
          expect(await allOf(store, tenantId)).toEqual(comparables(expected));
          expect(await store.count(tenantId, EVERYTHING)).toEqual(expected.length);
        }
      },
      0.4,
    );
  });

  test('whoever asks while a batch is stored sees all of it or nothing', ({ store }) =>
    check(
      batchesOf({ batches: 4, size: 20 }),
      async (batches) => {
        const tenantId = newTenantId();
        const totals = new Set(batches.map((_, i) => firstWrites(batches.slice(0, i)).length));
        totals.add(firstWrites(batches).length);
        for (const batch of batches) {
          const counted = [store.count(tenantId, EVERYTHING)];
          const stored = store.append(tenantId, batch);
          counted.push(store.count(tenantId, EVERYTHING), store.count(tenantId, EVERYTHING));
          await stored;
          for (const count of await Promise.all(counted)) expect(totals.has(count)).toEqual(true);
        }
      },
      0.3,
    ));

  test('batches that arrive at once are each stored once', ({ store }) =>
    check(
      batchesOf({ batches: 5, size: 12 }),
      async (batches) => {
        const tenantId = newTenantId();
        const results = await Promise.all(batches.map((batch) => store.append(tenantId, batch)));
        const repeats = results.reduce((sum, { duplicates }) => sum + duplicates.length, 0);
        const identities = new Set(batches.flat().map(identityOf));
        expect(batches.flat().length - repeats).toEqual(identities.size);
        expect(await store.count(tenantId, EVERYTHING)).toEqual(identities.size);
      },
      0.3,
    ));

  test('what was stored is there after a restart', async ({ store, reopen }) => {
    if (reopen === undefined) return;
    const tenantId = newTenantId();
    const [batches = []] = fc.sample(batchesOf({ batches: 3, size: 30 }), { numRuns: 1, seed: 7 });
    for (const batch of batches) await store.append(tenantId, batch);
    const before = await allOf(store, tenantId);
    const reopened = await reopen();
    expect(await allOf(reopened, tenantId)).toEqual(before);
    expect((await reopened.append(tenantId, batches.flat())).duplicates.length).toEqual(
      batches.flat().length,
    );
  });
}
