import * as fc from 'fast-check';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { isApiError, type Breakdown, type EventStore } from '../../src/index.ts';
import { parseBreakdownBody, type Grouping, type StoredEvent } from '../../src/store-kit.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { batchesOf } from './arbitraries/events.ts';
import { groupings, type GroupedExample } from './arbitraries/groupings.ts';
import { afterEachBatch } from './batches.ts';
import { AT_ONCE, EVERYTHING, referenceOf } from './expected.ts';
import { breakdownOf } from './expected-breakdown.ts';
import { newTenantId, type Suite } from './runner.ts';
import { eventsOfZone, ZONE_CASES } from './zone-cases.ts';

/** Batches, and groupings that are made of them, so that they find something. */
function examples(): fc.Arbitrary<{
  batches: StoredEvent[][];
  asked: GroupedExample[];
}> {
  return batchesOf({ batches: 2, size: 30 }).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      asked: fc.array(groupings(batches.flat()), { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  );
}

/** The tests of how matching events fall into groups. */
export function testBreakdown({ test, check, expect }: Suite<EventStore>): void {
  const ask = async (store: EventStore, tenantId: string, { query, grouping }: GroupedExample) => {
    try {
      return await answersOf(store, {
        seed: [1, 2],
        memory: createMemoryBudget({ bytesMax: 2 ** 30 }),
        scheduler: AT_ONCE,
      }).breakdown(tenantId, query, grouping);
    } catch (error) {
      // Only time makes too many groups.
      if (isApiError(error) && error.message.startsWith('by: a ')) return undefined;
      throw error;
    }
  };

  test('events fall into groups as the definition says, whatever they are grouped by', ({ store }) =>
    check(examples(), async ({ batches, asked }) => {
      await afterEachBatch(store, batches, async (tenantId, events) => {
        const reference = referenceOf(events);
        for (const example of asked) {
          const expected = breakdownOf(reference(example.query), example.grouping);
          const found = await ask(store, tenantId, example);
          // The order of keys is promised too.
          expect(JSON.stringify(found)).toEqual(JSON.stringify(expected));
        }
      });
    }));

  test('every event is counted once: what is not in a group given is told', ({ store }) =>
    check(
      examples(),
      async ({ batches, asked }) => {
        const tenantId = newTenantId();
        for (const batch of batches) await store.append(tenantId, batch);
        for (const { query, grouping } of asked) {
          const all = await ask(store, tenantId, { query, grouping: { ...grouping, size: Infinity } });
          if (all === undefined) continue;
          const total = await store.count(tenantId, query);
          expect([all.total, sumOf(all), all.groups.length]).toEqual([total, total, all.groupsTotal]);
          const some = await ask(store, tenantId, { query, grouping });
          expect(some?.groups).toEqual(all.groups.slice(0, grouping.size));
        }
      },
      0.3,
    ));

  test('the bucket in which a series begins may begin before it', async ({ store }) => {
    const tenantId = newTenantId();
    const friday = Date.UTC(2024, 4, 17);
    const event = { eventName: 'a', userId: 'u', eventTs: friday + 1, insertId: 'i', propertiesJson: '{}' };
    await store.append(tenantId, [event]);
    const by = { unit: 'week', from: friday, until: Infinity } as const;
    const grouping = { by, distinct: undefined, size: 10 };
    const found = await ask(store, tenantId, { query: { ...EVERYTHING, from: friday }, grouping });
    expect(found?.groups).toEqual([{ key: '2024-05-13T00:00:00.000Z', count: 1 }]);
  });

  test('days and hours of a time zone are those that its clock has', async ({ store }) => {
    for (const each of ZONE_CASES) {
      const { why, timeZone, by, from, until, buckets } = each;
      const tenantId = newTenantId();
      await store.append(tenantId, eventsOfZone(each));
      const groups = buckets.map(([key]) => ({ key, count: 2 }));
      const asked = parseBreakdownBody({ by, timeZone, from, until });
      expect([why, (await ask(store, tenantId, asked))?.groups]).toEqual([why, groups]);
      // Without bounds, the buckets of the first and the last event are added; that one is at its beginning.
      const open = await ask(store, tenantId, parseBreakdownBody({ by, timeZone }));
      expect([why, open?.groups.slice(1, -1)]).toEqual([why, groups]);
      const ends = [open?.groups[0], open?.groups.at(-1)];
      expect([why, ends.map((group) => group?.count)]).toEqual([why, [1, 1]]);
    }
  });

  test('a tenant without events has no groups, and every bucket that was asked for', async ({ store }) => {
    const tenantId = newTenantId();
    const day: Grouping = {
      by: { unit: 'day', from: 0, until: 2 * 86_400_000 },
      distinct: { root: 'userId', segments: [] },
      size: Infinity,
    };
    const groups = ['1970-01-01', '1970-01-02'].map((text) => `${text}T00:00:00.000Z`);
    expect((await ask(store, tenantId, { query: EVERYTHING, grouping: day }))?.groups).toEqual(
      groups.map((key) => ({ key, count: 0, distinct: 0 })),
    );
    const byName: Grouping = { by: { root: 'eventName', segments: [] }, size: 10 };
    const none = { total: 0, missing: 0, arrays: 0, objects: 0, groupsTotal: 0, groups: [] };
    expect(await ask(store, tenantId, { query: EVERYTHING, grouping: byName })).toEqual(none);
  });
}

function sumOf({ missing, arrays, objects, groups }: Breakdown): number {
  return missing + arrays + objects + groups.reduce((sum, { count }) => sum + count, 0);
}
