import * as fc from 'fast-check';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import { toIsoInstant } from '../../../src/core/event/time.ts';
import type {
  ExclusionBody,
  RetentionBody,
  SequenceBody,
  StepBody,
  UsersBody,
} from '../../../src/core/query/body.ts';
import type { JsonValue } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { storedEvents } from './events.ts';
import { filterEntries } from './filters.ts';

/** The first minute of the events that make up sequences, some of which are before midnight. */
const BEGIN = Date.UTC(2026, 2, 28, 23, 54);
const MINUTE = 60_000;

/** Few names, users and instants, so that events share all of them. */
const steppingEvents: fc.Arbitrary<StoredEvent> = fc
  .record({
    eventName: fc.constantFrom('A', 'B', 'C', 'X'),
    userId: fc.constantFrom('u', 'v', 'w', '1'),
    minute: fc.oneof(
      { weight: 9, arbitrary: fc.nat({ max: 14 }) },
      // The clock of Berlin goes on by an hour in the first night.
      { weight: 2, arbitrary: fc.nat({ max: 60 }).map((hours) => hours * 60) },
      { weight: 1, arbitrary: fc.nat({ max: 90 }).map((days) => days * 1440) },
    ),
    insertId: fc
      .constantFrom('Z', 'a', 'b', '10', '9', '~', 'A')
      .chain((id) => fc.nat({ max: 9 }).map((digit) => `${id}${digit}`)),
    properties: fc.record(
      {
        p: fc.constantFrom<JsonValue>(1, '1', true, null, [1], { n: 1 }, 2),
        q: fc.constantFrom<JsonValue>('x', 'y', 0),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ minute, properties, ...event }) => ({
    ...event,
    eventTs: BEGIN + minute * MINUTE,
    propertiesJson: canonicalJson(properties, 'properties'),
  }));

/** Batches of such events, with a few of any other kind. */
export function steppingBatches(size: number): fc.Arbitrary<StoredEvent[][]> {
  const events = fc.oneof({ weight: 12, arbitrary: steppingEvents }, { weight: 1, arbitrary: storedEvents });
  const batch = fc.array(events, { minLength: 1, maxLength: size, size: 'max' });
  return fc.array(batch, { minLength: 1, maxLength: 2, size: 'max' });
}

function steps(events: readonly StoredEvent[]): fc.Arbitrary<StepBody> {
  const names = fc.constantFrom('A', 'B', 'C', 'X', 'none');
  const ofPlan = fc.constantFrom<JsonValue>(1, '1', 2).map((value) => ({
    filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value } as never],
  }));
  return fc.oneof(
    { weight: 8, arbitrary: names.map((event) => ({ event })) },
    { weight: 2, arbitrary: fc.tuple(names, ofPlan).map(([event, filters]) => ({ event, ...filters })) },
    { weight: 1, arbitrary: ofPlan },
    { weight: 1, arbitrary: filterEntries(events).map((entry) => ({ filterSet: [entry] })) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
}

/** A value, or undefined so many times as often. */
function sometimes<T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const paths = fc.constantFrom('properties.p', 'properties.q', 'userId', 'eventName', 'properties.none');

const moments = fc.integer({ min: -1, max: 15 }).map((minute) => toIsoInstant(BEGIN + minute * MINUTE));

/** Any body of a sequence, of few or many of the events. */
export function sequenceBodies(events: readonly StoredEvent[]): fc.Arbitrary<SequenceBody> {
  const exclusions: fc.Arbitrary<ExclusionBody> = fc
    .tuple(steps(events), fc.integer({ min: 1, max: 3 }))
    .map(([step, after]) => ({ ...step, after }));
  return fc
    .record({
      steps: fc.oneof(
        { weight: 6, arbitrary: fc.array(steps(events), { minLength: 1, maxLength: 4, size: 'max' }) },
        { weight: 1, arbitrary: fc.constant(Array.from({ length: 10 }, () => ({}))) },
      ),
      within: sometimes(fc.constantFrom('0s', '1m', '120s', '3m', '10m', '1h', '7d'), 2),
      order: sometimes(fc.constant('strict' as const), 4),
      without: sometimes(fc.array(exclusions, { minLength: 1, maxLength: 2 }), 3),
      same: sometimes(fc.uniqueArray(paths, { minLength: 1, maxLength: 2 }), 4),
      distinct: sometimes(paths, 4),
      by: sometimes(
        fc.constantFrom('properties.p', 'eventName', 'minute', 'day', 'lateness', 'eventTs', 'eventDate'),
        1,
      ),
      size: sometimes(fc.constantFrom(1, 2, 1000), 2),
      percentiles: sometimes(fc.constant<SequenceBody['percentiles']>(['p0', 'p50', 'p90', 'p100']), 1),
      event: sometimes(fc.constantFrom('A', 'B'), 10),
      filterSet: sometimes(
        fc.constant([{ property: 'properties.q', comparison: 'NOT_EQUALS', value: 'y' } as const]),
        8,
      ),
      from: sometimes(moments, 5),
      until: sometimes(moments, 5),
      after: sometimes(fc.constant('2026-03-29'), 10),
      before: sometimes(fc.constant('2026-03-28'), 10),
      timeZone: sometimes(fc.constant('Europe/Berlin'), 5),
    })
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)))
    .map((body) => body as unknown as SequenceBody)
    .map(({ without, order, ...body }) => {
      // An exclusion needs a step before and one behind it, and strict order excludes all.
      const possible = without?.filter(({ after }) => after < body.steps.length) ?? [];
      if (order === 'strict' && possible.length === 0) return { ...body, order };
      return possible.length === 0 ? body : { ...body, without: possible };
    });
}

/** Any body of a retention. */
export function retentionBodies(events: readonly StoredEvent[]): fc.Arbitrary<RetentionBody> {
  return fc
    .record({
      steps: fc.array(steps(events), { minLength: 2, maxLength: 2 }),
      unit: fc.constantFrom('day', 'week', 'month'),
      periods: sometimes(fc.constantFrom(1, 2, 3, 40), 2),
      periodsFrom: sometimes(fc.constantFrom('calendar', 'start'), 1),
      distinct: sometimes(paths, 4),
      event: sometimes(fc.constantFrom('A', 'B'), 10),
      from: sometimes(moments, 5),
      until: sometimes(moments, 5),
      before: sometimes(fc.constant('2026-03-28'), 6),
      timeZone: sometimes(fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'UTC'), 1),
    })
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)))
    .map((body) => body as unknown as RetentionBody)
    .filter(({ unit, periodsFrom }) => unit !== 'month' || periodsFrom !== 'start');
}

/** Any body of a question about users. */
export function usersBodies(events: readonly StoredEvent[]): fc.Arbitrary<UsersBody> {
  const having = fc
    .tuple(steps(events), fc.constantFrom(undefined, 0, 1, 2, 3), fc.constantFrom(undefined, 0, 1, 2, 5))
    .filter(([, atLeast, atMost]) => atLeast !== undefined || atMost !== undefined)
    .map(([step, atLeast, atMost]) => ({
      ...step,
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(atMost === undefined ? {} : { atMost }),
    }));
  const reach = fc
    .tuple(sequenceBodies(events), fc.nat({ max: 3 }), fc.boolean())
    .map(([{ steps: own, within, order, without, same }, k, isExact]) => {
      const step = 1 + (k % own.length);
      const asked = { steps: own, within, order, without, same };
      const given = Object.entries(asked).filter(([, value]) => value !== undefined);
      return { ...Object.fromEntries(given), ...(isExact ? { stopped: step } : { reached: step }) };
    });
  return fc
    .record({
      having: sometimes(fc.array(having, { minLength: 1, maxLength: 3 }), 1),
      sequence: sometimes(reach, 1),
      distinct: sometimes(paths, 3),
      event: sometimes(fc.constantFrom('A', 'B'), 10),
      from: sometimes(moments, 5),
      until: sometimes(moments, 5),
      pagination: fc.constantFrom(1, 2, 3, 1000).map((size) => ({ size })),
    })
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)))
    .map((body) => body as unknown as UsersBody);
}
