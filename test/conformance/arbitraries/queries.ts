import * as fc from 'fast-check';
import { toIsoDay, toIsoInstant } from '../../../src/core/event/time.ts';
import type { CountBody } from '../../../src/index.ts';
import { parseCountBody, type Condition, type EventQuery, type StoredEvent } from '../../../src/store-kit.ts';
import { createZones } from '../../../src/transport-kit.ts';
import { instants } from './events.ts';
import { filterEntries } from './filters.ts';
import { TIME_ZONES } from './traps.ts';

const ZONES = createZones();

/** A value, or `undefined` so many times as often. */
function absentOr<Value>(arbitrary: fc.Arbitrary<Value>, times: number): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** The body of a count or a query, most often one that some of the events match. */
export function bodies(events: readonly StoredEvent[]): fc.Arbitrary<CountBody> {
  const days = fc.oneof(instants, fc.constantFrom(0, ...events.map(({ eventTs }) => eventTs))).map(toIsoDay);
  const moments = fc
    .tuple(
      fc.oneof(instants, fc.constantFrom(0, ...events.map(({ eventTs }) => eventTs))),
      fc.nat({ max: 1 }),
    )
    .map(([ms, later]) => toIsoInstant(ms + later));
  const names = fc.constantFrom('no such event', ...events.map(({ eventName }) => eventName));
  return fc
    .record({
      event: absentOr(names, 6),
      after: absentOr(days, 5),
      before: absentOr(days, 5),
      from: absentOr(moments, 7),
      until: absentOr(moments, 7),
      timeZone: absentOr(fc.constantFrom(...TIME_ZONES), 3),
      filterSet: fc.oneof(
        { weight: 6, arbitrary: filterEntries(events).map((entry) => [entry]) },
        { weight: 2, arbitrary: fc.array(filterEntries(events), { maxLength: 3 }) },
      ),
    })
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)));
}

/** A condition in the forms that a body cannot have: doubled negation, empty groups anywhere, lone parts. */
function wrapped(condition: Condition): fc.Arbitrary<Condition> {
  const not = (of: Condition): Condition => ({ kind: 'not', of });
  return fc.constantFrom<Condition>(
    condition,
    not(not(condition)),
    not(condition),
    { kind: 'any', of: [condition, { kind: 'any', of: [] }] },
    { kind: 'all', of: [{ kind: 'all', of: [] }, condition] },
    { kind: 'any', of: [condition, not(condition)] },
    { kind: 'all', of: [condition, not(condition)] },
    { kind: 'any', of: [] },
    { kind: 'all', of: [] },
  );
}

/** A query as a store gets it: from a body, or put together with other bounds and forms of condition. */
export function queries(events: readonly StoredEvent[]): fc.Arbitrary<EventQuery> {
  const fromBody = bodies(events).map((body) => parseCountBody(body, ZONES));
  const moments = fc.oneof(instants, fc.constantFrom(0, ...events.map(({ eventTs }) => eventTs)));
  const bound = (absent: number) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(absent) },
      { weight: 1, arbitrary: fc.tuple(moments, fc.constantFrom(-1, 0, 1)).map(([ms, shift]) => ms + shift) },
    );
  const byHand = fc
    .tuple(fromBody, bound(-Infinity), bound(Infinity))
    .chain(([{ condition }, from, until]) =>
      wrapped(condition).map((form): EventQuery => ({ from, until, condition: form })),
    );
  return fc.oneof({ weight: 2, arbitrary: fromBody }, { weight: 1, arbitrary: byHand });
}
