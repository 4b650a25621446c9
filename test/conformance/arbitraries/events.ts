import * as fc from 'fast-check';
import { toEventTs } from '../../../src/core/event/epoch.ts';
import { parseEvent } from '../../../src/core/event/parse-event.ts';
import { EVENT_TS_MAX } from '../../../src/core/event/time.ts';
import type { EventInput, JsonValue } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { EVENT_NAMES, INSERT_IDS, INSTANTS, KEYS, NUMBERS, STRUCTURES, TEXTS, USER_IDS } from './traps.ts';

/** A text that every store can keep: well-formed, without U+0000. */
const storableTexts: fc.Arbitrary<string> = fc
  .string({ unit: 'binary', maxLength: 8 })
  .map((text) => text.toWellFormed().replaceAll('\u0000', ''));

/** A string, number or boolean, mostly a trap. */
export const scalars: fc.Arbitrary<string | number | boolean> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.integer({ min: -3, max: 12 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: storableTexts },
);

/** A few keys more often than others, so that events share paths. */
const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'plan') },
  { weight: 3, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: storableTexts },
);

/** Own keys whatever their name: a plain assignment to `__proto__` would set the prototype. */
function toObject<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries);
}

const { value: values } = fc.letrec<{
  value: JsonValue;
  array: JsonValue[];
  object: Record<string, JsonValue>;
}>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 6, arbitrary: scalars },
    { weight: 2, arbitrary: fc.constantFrom(...STRUCTURES) },
    { weight: 2, arbitrary: tie('object') },
    { weight: 1, arbitrary: tie('array') },
  ),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.array(fc.tuple(keys, tie('value')), { maxLength: 4 }).map(toObject),
}));

/** Any JSON value, mostly traps. */
export const jsonValues: fc.Arbitrary<JsonValue> = values;

/** A value so many levels down, by objects or by arrays: 64 levels are the most that properties may have. */
const nested: fc.Arbitrary<Record<string, JsonValue>> = fc
  .tuple(fc.integer({ min: 20, max: 63 }), scalars, fc.boolean())
  .map(([levels, value, byArrays]) => {
    let inner: JsonValue = value;
    for (let i = 0; i < levels; i++) inner = byArrays ? [inner] : { a: inner };
    return { a: inner };
  });

/** An event's properties. */
export const properties: fc.Arbitrary<Record<string, JsonValue>> = fc.oneof(
  { weight: 30, arbitrary: fc.array(fc.tuple(keys, values), { maxLength: 5 }).map(toObject) },
  { weight: 1, arbitrary: nested },
);

/** An instant that an event may carry, mostly at a border of days. */
export const instants: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...INSTANTS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: EVENT_TS_MAX }) },
);

/** An event as a client would send it. */
export const eventInputs: fc.Arbitrary<EventInput> = fc.record({
  eventName: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('page_viewed', 'signed up') },
    { weight: 2, arbitrary: fc.constantFrom(...EVENT_NAMES) },
  ),
  userId: fc.constantFrom(...USER_IDS),
  eventTs: instants.map(toEventTs),
  insertId: fc.constantFrom(...INSERT_IDS),
  properties,
});

const lastInstant = { now: () => EVENT_TS_MAX, newInsertId: () => 'unused' };

/** How long after its own time an event arrives, mostly at a border between two steps of lateness. */
const delays: fc.Arbitrary<number> = fc
  .tuple(
    fc.constantFrom(0, 60_000, 3_600_000, 86_400_000, 604_800_000, 31_536_000_000),
    fc.constantFrom(-1, 0, 1),
  )
  .map(([delay, shift]) => delay + shift);

/** When an event arrived: near its own time, at any other, or nobody noted it. */
function arrivalOf(eventTs: number): fc.Arbitrary<number | undefined> {
  const near = delays.map((delay) => Math.min(Math.max(eventTs + delay, 0), EVENT_TS_MAX));
  return fc.oneof(
    { weight: 3, arbitrary: near },
    { weight: 2, arbitrary: instants },
    { weight: 2, arbitrary: fc.constant(undefined) },
  );
}

/** An event as a store gets it: read by the core, so that its properties are canonical. */
export const storedEvents: fc.Arbitrary<StoredEvent> = eventInputs.chain((input) => {
  const event = parseEvent(input, lastInstant);
  return arrivalOf(event.eventTs).map((receivedAt) => ({ ...event, receivedAt }));
});

/** Batches of events; the same identities occur within a batch and across them. */
export function batchesOf(options: {
  readonly batches: number;
  readonly size: number;
}): fc.Arbitrary<StoredEvent[][]> {
  const batch = fc.array(storedEvents, { minLength: 1, maxLength: options.size, size: 'max' });
  return fc.array(batch, { minLength: 1, maxLength: options.batches, size: 'max' });
}
