import * as fc from 'fast-check';
import { compareCodePoints } from '../../src/core/event/text.ts';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../src/store-kit.ts';
import { batchesOf } from './arbitraries/events.ts';
import { queries } from './arbitraries/queries.ts';
import { testAppend } from './event-store-append.ts';
import { testExplain } from './event-store-explain.ts';
import { testBounds } from './event-store-bounds.ts';
import { testBreakdown } from './event-store-breakdown.ts';
import { testCompare } from './event-store-compare.ts';
import { testMeasures } from './event-store-measures.ts';
import { testSequences } from './event-store-sequences.ts';
import { testBulk } from './event-store-bulk.ts';
import { testErase } from './event-store-erase.ts';
import { testProperties } from './event-store-properties.ts';
import { testSince } from './event-store-since.ts';
import { testPages } from './event-store-pages.ts';
import { testTop } from './event-store-top.ts';
import { testTypes } from './event-store-types.ts';
import { afterEachBatch } from './batches.ts';
import { comparables, EVERYTHING, firstWrites, referenceOf } from './expected.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type Suite,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

/**
 * Proves that an event store answers exactly as the definition does: for any events and any query, the sorted
 * events that `matches` accepts. Declares tests with the given functions of a test runner; each property is
 * tried on random examples from a seed that the title shows. `create` makes a store for each test.
 *
 * @example
 * ```ts
 * import { deepEqual } from 'node:assert/strict';
 * import { describe, it } from 'node:test';
 * import type { EventStore } from 'event-query';
 * import { testEventStore } from 'event-query/conformance';
 *
 * // To be called in a file of tests; `expect` is that of vitest or jest where you have one of these.
 * function testMine(createStore: () => EventStore): void {
 *   const expect = (actual: unknown) => ({ toEqual: (wanted: unknown) => deepEqual(actual, wanted) });
 *   testEventStore('mine', () => ({ store: createStore() }), { describe, it, expect });
 * }
 * console.log(typeof testMine);
 * // prints: function
 * ```
 */
export function testEventStore(
  name: string,
  create: CreateFixture<EventStore>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`event store: ${name}`, create, runner, options, (suite) => {
    testAnswers(suite);
    testTypes(suite);
    testPages(suite);
    testBreakdown(suite);
    testMeasures(suite, options.mayRefuse === true);
    testSequences(suite);
    testCompare(suite);
    testTop(suite);
    testSince(suite);
    testProperties(suite);
    testExplain(suite);
    testErase(suite);
    testAppend(suite);
    testBounds(suite);
    testBulk(suite, options.bulkEvents ?? 3000);
  });
}

/** Batches, and queries that are made of them, so that they hit. */
function examples(): fc.Arbitrary<{
  batches: StoredEvent[][];
  asked: EventQuery[];
}> {
  return batchesOf({ batches: 3, size: 25 }).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      asked: fc.array(queries(batches.flat()), { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  );
}

async function fill(store: EventStore, batches: readonly (readonly StoredEvent[])[]): Promise<string> {
  const tenantId = newTenantId();
  for (const batch of batches) await store.append(tenantId, batch);
  return tenantId;
}

function testAnswers({ test, check, expect }: Suite<EventStore>): void {
  test('any query answers the sorted events that the predicate accepts, and counts them', ({ store }) =>
    check(examples(), async ({ batches, asked }) => {
      const tenantId = await fill(store, batches);
      const reference = referenceOf(firstWrites(batches));
      for (const query of asked) {
        const expected = reference(query);
        const answer = await collect(await store.query(tenantId, query, { offset: 0, size: 1000 }));
        expect(comparables(answer)).toEqual(comparables(expected));
        expect(await store.count(tenantId, query)).toEqual(expected.length);
      }
    }));

  test('batches and queries may come in any order', ({ store }) =>
    check(
      examples(),
      async ({ batches, asked }) => {
        await afterEachBatch(store, batches, async (tenantId, events) => {
          const reference = referenceOf(events);
          for (const query of asked) {
            const expected = reference(query);
            expect(await store.count(tenantId, query)).toEqual(expected.length);
            const answer = await collect(await store.query(tenantId, query, { offset: 1, size: 3 }));
            expect(comparables(answer)).toEqual(comparables(expected.slice(1, 4)));
          }
        });
      },
      0.3,
    ));

  test('a condition and its complement add up to all events', ({ store }) =>
    check(
      examples(),
      async ({ batches, asked }) => {
        const tenantId = await fill(store, batches);
        const total = await store.count(tenantId, EVERYTHING);
        for (const { condition } of asked) {
          const matching = await store.count(tenantId, { ...EVERYTHING, condition });
          const others = await store.count(tenantId, {
            ...EVERYTHING,
            condition: { kind: 'not', of: condition },
          });
          expect(matching + others).toEqual(total);
        }
      },
      0.3,
    ));

  test('event names are distinct and ascend by code point', ({ store }) =>
    check(
      batchesOf({ batches: 2, size: 30 }),
      async (batches) => {
        const tenantId = await fill(store, batches);
        const names = new Set(firstWrites(batches).map(({ eventName }) => eventName));
        expect(await store.eventNames(tenantId)).toEqual([...names].sort(compareCodePoints));
      },
      0.5,
    ));

  test('a tenant without events has none', async ({ store }) => {
    const tenantId = newTenantId();
    expect(await collect(await store.query(tenantId, EVERYTHING, { offset: 0, size: 1000 }))).toEqual([]);
    expect(await store.count(tenantId, EVERYTHING)).toEqual(0);
    expect(await store.eventNames(tenantId)).toEqual([]);
    await store.erase(tenantId);
    expect(await store.append(tenantId, [])).toEqual({ duplicates: [], overNames: [] });
  });
}
