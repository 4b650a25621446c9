import * as fc from 'fast-check';
import { compareCodePoints } from '../../src/core/event/text.ts';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { batchesOf } from './arbitraries/events.ts';
import { comparables, EVERYTHING, identityOf, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

/** The tests of what a store does not take: too many names, and events of a tenant that is gone. */
export function testBounds({ test, check, expect }: Suite<EventStore>): void {
  test('an event that brings one distinct name too many is told and not stored', ({ store }) =>
    check(
      fc.tuple(batchesOf({ batches: 3, size: 12 }), fc.integer({ min: 0, max: 5 })),
      async ([batches, namesMax]) => {
        const tenantId = newTenantId();
        const model = createModel(namesMax);
        for (const batch of batches) {
          const { duplicates, overNames } = await store.append(tenantId, batch, { namesMax });
          expect({ duplicates: [...duplicates], overNames: [...overNames] }).toEqual(model.append(batch));
        }
        expect(await store.eventNames(tenantId)).toEqual(model.names());
        const page = await store.query(tenantId, EVERYTHING, { offset: 0, size: 1000 });
        const expected = comparables(referenceOf(model.stored)(EVERYTHING));
        expect(comparables(await collect(page))).toEqual(expected);
        // Without a bound all is stored; a bound below what there is takes no new name.
        for (const batch of batches) await store.append(tenantId, batch);
        const more = batches.flat().map((event) => ({ ...event, eventName: `${event.eventName}-new` }));
        const { overNames } = await store.append(tenantId, more, { namesMax: 1 });
        expect(overNames.length).toEqual(more.length);
      },
      0.5,
    ));

  test('a repeat under a new name changes neither the event nor the names', async ({ store }) => {
    const tenantId = newTenantId();
    const event = { eventTs: 5, insertId: 'a', eventName: 'first', userId: 'u', propertiesJson: '{}' };
    const again = { ...event, eventName: 'second' };
    await store.append(tenantId, [event]);
    // Alone, and beside an event that brings its name itself.
    expect((await store.append(tenantId, [again], { namesMax: 2 })).duplicates).toEqual([0]);
    const third = { ...event, insertId: 'b', eventName: 'third' };
    expect((await store.append(tenantId, [again, third], { namesMax: 2 })).duplicates).toEqual([0]);
    expect(await store.eventNames(tenantId)).toEqual(['first', 'third']);
    // Names are judged before repeats, of what the tenant has and of the batch.
    for (const batch of [[again], [third, { ...third, eventName: 'second' }]]) {
      const { duplicates, overNames } = await store.append(tenantId, batch, { namesMax: 2 });
      expect([...duplicates]).toEqual(batch.length === 1 ? [] : [0]);
      expect([...overNames]).toEqual([batch.length - 1]);
    }
    expect(await store.eventNames(tenantId)).toEqual(['first', 'third']);
  });

  test('a tenant that was dropped takes no more events, and others go on', ({ store }) =>
    check(
      batchesOf({ batches: 2, size: 8 }),
      async ([first, second = first]) => {
        const [dropped, stays] = [newTenantId(), newTenantId()];
        for (const tenantId of [dropped, stays]) await store.append(tenantId, first!);
        await store.drop(dropped);
        for (const batch of [second!, first!]) {
          const refused = store.append(dropped, batch).catch((error: unknown) => codeOf(error));
          expect(await refused).toEqual('tenantNotFound');
        }
        expect(await store.count(dropped, EVERYTHING)).toEqual(0);
        expect(await store.eventNames(dropped)).toEqual([]);
        const kept = referenceOf(firstOf(first!))(EVERYTHING).length;
        expect(await store.count(stays, EVERYTHING)).toEqual(kept);
        await store.append(stays, second!);
        // Also who never had an event, and who was dropped before.
        const empty = newTenantId();
        for (const tenantId of [empty, dropped]) await store.drop(tenantId);
        expect(await store.append(empty, first!).catch(codeOf)).toEqual('tenantNotFound');
      },
      0.2,
    ));

  test('an append on its way when its tenant is dropped leaves nothing behind', async ({ store }) => {
    const tenantId = newTenantId();
    const event = { eventName: 'n', userId: 'u', eventTs: 1, insertId: 'i', propertiesJson: '{}' };
    const appends = Array.from({ length: 20 }, (_, i) =>
      store.append(tenantId, [{ ...event, insertId: `${i}` }]).catch(codeOf),
    );
    const drop = store.drop(tenantId);
    const late = store.append(tenantId, [{ ...event, insertId: 'late' }]).catch(codeOf);
    await Promise.all([...appends, drop, late]);
    expect(await store.count(tenantId, EVERYTHING)).toEqual(0);
    expect(await store.append(tenantId, [event]).catch(codeOf)).toEqual('tenantNotFound');
  });
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function firstOf(batch: readonly StoredEvent[]): StoredEvent[] {
  const model = createModel(Infinity);
  model.append(batch);
  return model.stored;
}

/** The definition: an event of a name too many is refused first, then a repeat is told. */
function createModel(namesMax: number) {
  const stored: StoredEvent[] = [];
  const names = new Set<string>();
  const seen = new Set<string>();
  return {
    stored,
    names: () => [...names].sort(compareCodePoints),
    append(batch: readonly StoredEvent[]) {
      const [duplicates, overNames]: number[][] = [[], []];
      batch.forEach((event, index) => {
        if (!names.has(event.eventName) && names.size >= namesMax) overNames!.push(index);
        else if (seen.has(identityOf(event))) duplicates!.push(index);
        else {
          seen.add(identityOf(event));
          names.add(event.eventName);
          stored.push(event);
        }
      });
      return { duplicates, overNames };
    },
  };
}
