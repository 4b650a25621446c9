import { expect, it } from 'vitest';
import { compareEvents, isSame } from '../../../../adapters/cli/copy/comparison.ts';
import { BATCH_EVENTS, copyMissing } from '../../../../adapters/cli/copy/missing-events.ts';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import type { EventStore } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/store-kit.ts';
import { testResources } from '../../../support/resources.ts';

const DAY = 86_400_000;
const ignore = (): void => undefined;

function eventOf(i: number, eventTs = i * 60_000, text = 'x'): StoredEvent {
  return { eventName: 'seen', userId: 'u', eventTs, insertId: `id-${i}`, propertiesJson: `{"a":"${text}"}` };
}

async function storeOf(events: readonly StoredEvent[]): Promise<EventStore> {
  const store = memoryEventStore({ resources: testResources() });
  if (events.length > 0) await store.append('t', events);
  return store;
}

/** A store that fails after some batches, and counts the events that it received. */
function failingAfter(store: EventStore, batches: number) {
  const seen = { events: 0, batches: 0, sizes: [] as number[] };
  const append: EventStore['append'] = (tenantId, events, options) => {
    if (seen.batches === batches) return Promise.reject(new Error('away'));
    seen.batches += 1;
    seen.events += events.length;
    seen.sizes.push(events.length);
    return store.append(tenantId, events, options);
  };
  return { store: { ...store, append }, seen };
}

const MANY = Array.from({ length: 4 * BATCH_EVENTS }, (_, i) => eventOf(i));

it('a copy that failed half way continues where it stopped', async () => {
  const [source, target] = [await storeOf(MANY), await storeOf([])];
  const first = failingAfter(target, 2);
  const failing = copyMissing({ tenantId: 't', source, target: first.store }, ignore);
  await expect(failing).rejects.toThrow('away');
  const second = failingAfter(target, Infinity);
  const sides = { tenantId: 't', source, target: second.store };
  let told = 0;
  expect(await copyMissing(sides, (events) => (told += events))).toBe(2 * BATCH_EVENTS);
  expect(told).toBe(MANY.length);
  // Stored events were not sent again, except in the time span in which the first run ended.
  expect(second.seen.events).toBeLessThan(3 * BATCH_EVENTS);
  expect(isSame(await compareEvents(sides, ignore))).toBe(true);
});

it('late events are found whatever their timestamp, and events with equal timestamps', async () => {
  const late = [eventOf(90_001, 5), eventOf(90_002, 7 * DAY + 1), eventOf(90_003, -DAY)];
  const sameInstant = Array.from({ length: 2 * BATCH_EVENTS }, (_, i) => eventOf(100_000 + i, DAY));
  const source = await storeOf([...MANY, ...late, ...sameInstant]);
  const target = await storeOf([...MANY, ...sameInstant.slice(0, 7)]);
  const sides = { tenantId: 't', source, target };
  expect(await copyMissing(sides, ignore)).toBe(late.length + sameInstant.length - 7);
  expect(isSame(await compareEvents(sides, ignore))).toBe(true);
  expect(await copyMissing(sides, ignore)).toBe(0);
});

it('large events go in smaller batches, as many bytes at a time', async () => {
  const large = Array.from({ length: 13 }, (_, i) => eventOf(i, i, 'x'.repeat(1_000_000)));
  const target = failingAfter(await storeOf([]), Infinity);
  await copyMissing({ tenantId: 't', source: await storeOf(large), target: target.store }, ignore);
  expect(target.seen.sizes).toEqual([5, 5, 3]);
});

it('the first and the last possible instant are included', async () => {
  const edges = [eventOf(1, -8.64e15), eventOf(2, 8.64e15)];
  const target = await storeOf([]);
  expect(await copyMissing({ tenantId: 't', source: await storeOf(edges), target }, ignore)).toBe(2);
});

it('when the target has more events than the source, those that it lacks are found', async () => {
  const [ours, theirs] = [eventOf(1, 1000), [eventOf(2, 1000), eventOf(3, 1000)]];
  const sides = { tenantId: 't', source: await storeOf([ours]), target: await storeOf(theirs) };
  expect(await copyMissing(sides, ignore)).toBe(1);
  const found = await compareEvents(sides, ignore);
  expect(found).toMatchObject({ same: 1, missing: 0, added: 2, different: 0 });
  // Whatever the hashes are.
  expect(isSame({ ...found, hashes: { source: 'x', target: 'x' } })).toBe(false);
});

it('a comparison counts missing, additional and different events', async () => {
  const source = await storeOf([eventOf(1), eventOf(2), eventOf(3), eventOf(4)]);
  const target = await storeOf([eventOf(0), eventOf(2), eventOf(3, 3 * 60_000, 'y')]);
  let told = 0;
  const found = await compareEvents({ tenantId: 't', source, target }, (events) => (told += events));
  expect(found).toMatchObject({ same: 1, missing: 2, added: 1, different: 1 });
  // Progress counts the events of the source.
  expect(told).toBe(4);
  expect(found.hashes.source).not.toBe(found.hashes.target);
  expect(isSame(found)).toBe(false);
  const itself = await compareEvents({ tenantId: 't', source, target: source }, ignore);
  expect(itself.hashes.source).toBe(itself.hashes.target);
  expect(isSame(itself)).toBe(true);
});
