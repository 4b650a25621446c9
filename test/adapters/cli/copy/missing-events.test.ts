import { expect, it } from 'vitest';
import { compareEvents, isSame } from '../../../../adapters/cli/copy/comparison.ts';
import { BATCH_EVENTS, copyMissing } from '../../../../adapters/cli/copy/missing-events.ts';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import type { EventStore, StoredEvent } from '../../../../src/index.ts';

const DAY = 86_400_000;
const ignore = (): void => undefined;

function eventOf(i: number, eventTs = i * 60_000, text = 'x'): StoredEvent {
  return { eventName: 'seen', userId: 'u', eventTs, insertId: `id-${i}`, propertiesJson: `{"a":"${text}"}` };
}

async function storeOf(events: readonly StoredEvent[]): Promise<EventStore> {
  const store = memoryEventStore();
  if (events.length > 0) await store.append('t', events);
  return store;
}

/** A store that stores some batches and fails then, and how many events it was sent. */
function failingAfter(store: EventStore, batches: number) {
  const seen = { events: 0, batches: 0 };
  const append: EventStore['append'] = (tenantId, events, options) => {
    if (seen.batches === batches) return Promise.reject(new Error('away'));
    seen.batches += 1;
    seen.events += events.length;
    return store.append(tenantId, events, options);
  };
  return { store: { ...store, append }, seen };
}

const MANY = Array.from({ length: 4 * BATCH_EVENTS }, (_, i) => eventOf(i));

it('a copy that failed half way goes on where it was', async () => {
  const [source, target] = [await storeOf(MANY), await storeOf([])];
  const first = failingAfter(target, 2);
  const failing = copyMissing({ tenantId: 't', source, target: first.store }, ignore);
  await expect(failing).rejects.toThrow('away');
  const second = failingAfter(target, Infinity);
  const sides = { tenantId: 't', source, target: second.store };
  let told = 0;
  expect(await copyMissing(sides, (events) => (told += events))).toBe(2 * BATCH_EVENTS);
  expect(told).toBe(MANY.length);
  // What was there already was not sent again, but for the part in which the first run ended.
  expect(second.seen.events).toBeLessThan(3 * BATCH_EVENTS);
  expect(isSame(await compareEvents(sides, ignore))).toBe(true);
});

it('late events are found wherever their time is, and events of one instant', async () => {
  const late = [eventOf(90_001, 5), eventOf(90_002, 7 * DAY + 1), eventOf(90_003, -DAY)];
  const sameInstant = Array.from({ length: 2 * BATCH_EVENTS }, (_, i) => eventOf(100_000 + i, DAY));
  const source = await storeOf([...MANY, ...late, ...sameInstant]);
  const target = await storeOf([...MANY, ...sameInstant.slice(0, 7)]);
  const sides = { tenantId: 't', source, target };
  expect(await copyMissing(sides, ignore)).toBe(late.length + sameInstant.length - 7);
  expect(isSame(await compareEvents(sides, ignore))).toBe(true);
  expect(await copyMissing(sides, ignore)).toBe(0);
});

it('a comparison tells what is missing, more and different', async () => {
  const source = await storeOf([eventOf(1), eventOf(2), eventOf(3), eventOf(4)]);
  const target = await storeOf([eventOf(0), eventOf(2), eventOf(3, 3 * 60_000, 'y')]);
  const found = await compareEvents({ tenantId: 't', source, target }, ignore);
  expect(found).toMatchObject({ same: 1, missing: 2, added: 1, different: 1 });
  expect(found.hashes.source).not.toBe(found.hashes.target);
  expect(isSame(found)).toBe(false);
  const itself = await compareEvents({ tenantId: 't', source, target: source }, ignore);
  expect(itself.hashes.source).toBe(itself.hashes.target);
  expect(isSame(itself)).toBe(true);
});
