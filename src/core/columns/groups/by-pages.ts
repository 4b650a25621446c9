import { reserveOrThrow, type Reservation, type MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { toIsoInstant } from '../../event/time.ts';
import { startOfBucket } from '../../event/time-unit.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { FoundValue } from '../../filter/operators.ts';
import { toEventView, valueBelow, type EventView } from '../../filter/predicate.ts';
import type { EventStore } from '../../query/event-store.ts';
import type { Signal } from '../../base/signal.ts';
import { eventsOf } from '../../query/stored-page.ts';
import type { EventQuery } from '../../query/event-query.ts';
import {
  bucketsOf,
  toKey,
  type Breakdown,
  type GroupPath,
  type Grouping,
  type Span,
} from '../../query/grouping.ts';
import { LATENESS_ROOT, latenessOf } from '../../query/lateness.ts';
import { codeOf, createDictionary, encode } from '../column/dictionary.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { isScalar } from './distinct.ts';
import { summarize } from './summary.ts';

/** The memory that a group takes for each distinct value. */
const MEETING_BYTES = 48;

/** A pacer without time slices: this waits for page after page anyway. */
const AT_ONCE: Pacer = { now: () => 0, yieldIfDue: () => Promise.resolve() };

/**
 * Groups the events of a store that can only answer pages, by reading every matching event. An event that
 * arrives meanwhile is counted if its place is after the page that is being read.
 */
export async function breakDownByPages(
  store: Pick<EventStore, 'query'>,
  asked: { readonly tenantId: string; readonly query: EventQuery; readonly grouping: Grouping },
  { hash, memory }: { readonly hash: KeyedHash; readonly memory: MemoryBudget },
  signal?: Signal,
): Promise<Breakdown> {
  const reservation = memory.reservation(asked.tenantId);
  try {
    const tally = createTally(asked.grouping, hash, reservation);
    for await (const event of eventsOf(store, { ...asked, signal })) tally.add(toEventView(event));
    return await tally.finish();
  } finally {
    reservation.release();
  }
}

/** Counts events one by one. */
function createTally({ by, distinct, size }: Grouping, hash: KeyedHash, reservation: Reservation) {
  const keys = createDictionary(hash);
  const values = createDictionary(hash);
  const counts: number[] = [];
  const met: Set<number>[] = [];
  const metByAny = new Set<number>();
  let span: Span | undefined;
  let meetings = 0;
  let booked = 0;

  function meet(known: Set<number>, code: number): void {
    if (known.has(code)) return;
    known.add(code);
    meetings += 1;
  }

  function book(): void {
    const bytes = keys.bytes + values.bytes + meetings * MEETING_BYTES;
    reserveOrThrow(reservation, bytes - booked);
    booked = bytes;
  }

  function keyOf(event: EventView): FoundValue {
    if (!('unit' in by)) return valueAt(event, by);
    const { eventTs } = event;
    span = {
      first: Math.min(eventTs, span?.first ?? eventTs),
      last: Math.max(eventTs, span?.last ?? eventTs),
    };
    return startOfBucket(by.unit, eventTs);
  }

  const groupOf = (code: number | undefined) => ({
    count: counts[code ?? -1] ?? 0,
    ...(distinct === undefined ? {} : { distinct: met[code ?? -1]?.size ?? 0 }),
  });

  return {
    add(event: EventView): void {
      const code = encode(keys, keyOf(event));
      counts[code] = (counts[code] ?? 0) + 1;
      if ('unit' in by && counts[code] === 1) bucketsOf(by, span);
      if (distinct !== undefined) {
        const second = encode(values, valueAt(event, distinct));
        met[code] ??= new Set();
        if (isScalar(values.values[second])) {
          meet(met[code], second);
          meet(metByAny, second);
        }
      }
      book();
    },
    async finish(): Promise<Breakdown> {
      const whole = distinct === undefined ? {} : { distinct: metByAny.size };
      const dictionary = { values: keys.values, count: keys.values.length };
      const { given, ...tally } = await summarize(
        dictionary,
        toDense(counts, dictionary.count),
        size,
        AT_ONCE,
      );
      if (!('unit' in by)) {
        const groups = given.map((code) => ({
          key: toKey(by, keys.values[code] as Scalar),
          ...groupOf(code),
        }));
        return { ...tally, groups, ...whole };
      }
      const starts = bucketsOf(by, span).slice(0, -1);
      const groups = starts
        .slice(0, size)
        .map((start) => ({ key: toIsoInstant(start), ...groupOf(codeOf(keys, start)) }));
      return { ...tally, groupsTotal: starts.length, groups, ...whole };
    },
  };
}

/** A code that no event had counts none. */
function toDense(counts: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, code) => counts[code] ?? 0);
}

/** What a path finds in an event, as stores keep it. */
function valueAt(event: EventView, { root, segments }: GroupPath): FoundValue {
  if (root === 'properties') return valueBelow(event.properties, segments);
  if (root === LATENESS_ROOT) return latenessOf(event.eventTs, event.receivedAt);
  return root === 'eventDate' ? startOfBucket('day', event.eventTs) : event[root];
}
