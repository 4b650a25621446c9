import * as fc from 'fast-check';
import { parseEvent } from '../../src/core/event/parse-event.ts';
import type { EventStore } from '../../src/index.ts';
import { collect } from '../../src/internal.ts';
import { parseCountBody, toIsoInstant, type EventQuery, type StoredEvent } from '../../src/store-kit.ts';
import { queries } from './arbitraries/queries.ts';
import { NUMBERS, TEXTS } from './arbitraries/traps.ts';
import { comparables, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

const BATCH = 2000;
const START_MS = Date.parse('2024-02-20T00:00:00.000Z');
const runtime = { now: () => START_MS * 2, newInsertId: () => 'unused' };

/**
 * Events by number: a path with a value for each event, one with a few, one that only some events have, and
 * many that come late, out of order or at the same instant.
 */
function bulkEvent(i: number): StoredEvent {
  const late = i % 97 === 0 ? 40_000_000 : 0;
  const event = parseEvent(
    {
      eventName: `name ${i % 7}`,
      userId: `user ${i % 1013}`,
      eventTs: START_MS + Math.floor(i / 3) * 9000 - late,
      insertId: `id-${i}`,
      properties: {
        each: i,
        text: `t${(i * 7919) % 100_003}`,
        few: TEXTS[i % TEXTS.length],
        number: NUMBERS[i % NUMBERS.length],
        ...(i % 11 === 0 ? { rare: { inner: i % 22 === 0 } } : {}),
        // 300 codes are just too many for 8 bits.
        some: i % 300,
        // The same text, but other values.
        tags: [`tag ${i % 5}`, i % 2 === 0 ? i % 3 : String(i % 3)],
      },
    },
    runtime,
  );
  // The first came before anybody noted when, and each batch after them at one instant.
  const batch = Math.floor(i / BATCH);
  const receivedAt = batch === 0 ? undefined : START_MS + batch * BATCH * 3000 + 86_400_000;
  return { ...event, receivedAt };
}

/** The test of many events: wide dictionaries, several chunks of whatever a store works in. */
export function testBulk({ test, check, expect }: Suite<EventStore>, count: number): void {
  test(`any query is exact over ${count} events that arrive in batches`, async ({ store, reopen }) => {
    const tenantId = newTenantId();
    const events = Array.from({ length: count }, (_, i) => bulkEvent(i));
    for (let from = 0; from < count; from += BATCH) {
      await store.append(tenantId, events.slice(from, from + BATCH));
      if (from === 0) await store.count(tenantId, eachBelow(10));
    }
    const reference = referenceOf(events);
    const sweep = async (swept: EventStore) => {
      for (const query of [0, 1, 2, 255, 256, 257, 299, 1000].flatMap((i) => queriesOn(events[i]))) {
        const expected = reference(query);
        expect(await swept.count(tenantId, query)).toEqual(expected.length);
        // A store may know how often a value occurs without knowing where.
        const page = await collect(await swept.query(tenantId, query, { offset: 0, size: 20 }));
        expect(comparables(page)).toEqual(comparables(expected.slice(0, 20)));
      }
    };
    const some = events.filter((_, i) => i % Math.ceil(count / 20) === 0);
    await sweep(store);
    const offsets = fc.integer({ min: 0, max: Math.floor(count / 2) });
    await check(
      fc.tuple(fc.oneof(queries(some), fc.integer({ min: 0, max: count }).map(eachBelow)), offsets),
      async ([query, offset]) => {
        const expected = reference(query);
        expect(await store.count(tenantId, query)).toEqual(expected.length);
        for (const skip of [0, offset]) {
          const page = await collect(await store.query(tenantId, query, { offset: skip, size: 100 }));
          expect(comparables(page)).toEqual(comparables(expected.slice(skip, skip + 100)));
        }
      },
      0.3,
    );
    // A restart may find what the store has kept beside the events.
    if (reopen !== undefined) await sweep(await reopen());
  });
}

/** Asks for each value of an event. */
function queriesOn(event: StoredEvent | undefined): EventQuery[] {
  const properties = JSON.parse(event?.propertiesJson ?? '{}') as Record<string, unknown>;
  const scalars = Object.entries(properties).filter(([, value]) => typeof value !== 'object');
  const elements = (properties.tags ?? []) as unknown[];
  const filters = [
    ...scalars.map(([key, value]) => ({ property: `properties.${key}`, comparison: 'EQUALS', value })),
    ...elements.map((value) => ({ property: 'properties.tags', comparison: 'CONTAINS', value })),
    { property: 'receivedAt', comparison: 'IS_NULL', value: null },
    ...[event?.receivedAt ?? START_MS].flatMap((ms) =>
      ['EQUALS', 'LESS_THAN'].map((comparison) => ({
        property: 'receivedAt',
        comparison,
        value: toIsoInstant(ms),
      })),
    ),
  ];
  return filters.map((filter) => parseCountBody({ filterSet: [filter] }));
}

function eachBelow(value: number): EventQuery {
  return parseCountBody({ filterSet: [{ property: 'properties.each', comparison: 'LESS_THAN', value }] });
}
