import { reserveOrThrow, type Reservation, type MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import { startOfDay } from '../../event/time.ts';
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
  toBucketKey,
  toKey,
  toMeasuring,
  type Breakdown,
  type Group,
  type GroupPath,
  type Grouping,
  type MeasuredGrouping,
  type Span,
  type Whole,
} from '../../query/grouping.ts';
import { LATENESS_ROOT, latenessOf } from '../../query/lateness.ts';
import type { MeasuredNumbers } from '../../query/measures.ts';
import { codeOf, createDictionary, encode, MISSING } from '../../columns/column/dictionary.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { isScalar } from '../../columns/groups/distinct.ts';
import { createPathTally } from './measured-pages.ts';
import { summarize } from '../../columns/groups/summary.ts';

/** The memory that a group takes for each distinct value. */
const MEETING_BYTES = 48;

interface PagesTools {
  readonly hash: KeyedHash;
  readonly memory: MemoryBudget;
  /** Gives time slices to what is computed once all pages are read. */
  readonly scheduler: Scheduler;
}

/**
 * Groups the events of a store that can only answer pages, by reading every matching event. An event that
 * arrives meanwhile is counted if its place is after the page that is being read.
 */
export async function breakDownByPages(
  store: Pick<EventStore, 'query'>,
  asked: {
    readonly tenantId: string;
    readonly query: EventQuery;
    readonly grouping: Grouping | MeasuredGrouping;
  },
  { hash, memory, scheduler }: PagesTools,
  signal?: Signal,
): Promise<Breakdown | Whole> {
  const reservation = memory.reservation(asked.tenantId);
  try {
    const tally = createTally(toMeasuring(asked.grouping), hash, reservation);
    for await (const event of eventsOf(store, { ...asked, signal })) tally.add(toEventView(event));
    return await scheduler.run(asked.tenantId, signal, (pacer) => tally.finish(pacer));
  } finally {
    reservation.release();
  }
}

/** Counts events one by one. */
function createTally(
  { by, distinct, size, measures }: MeasuredGrouping,
  hash: KeyedHash,
  reservation: Reservation,
) {
  const tallies = measures.map((measure) => createPathTally(measure, hash));
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
    const entries = tallies.reduce((sum, tally) => sum + tally.entries, meetings);
    const texts = tallies.reduce((sum, tally) => sum + tally.bytes, keys.bytes + values.bytes);
    const bytes = texts + entries * MEETING_BYTES;
    reserveOrThrow(reservation, bytes - booked);
    booked = bytes;
  }

  function keyOf(event: EventView): FoundValue {
    if (by === undefined) return undefined;
    if (!('unit' in by)) return valueAt(event, by);
    const { eventTs } = event;
    span = {
      first: Math.min(eventTs, span?.first ?? eventTs),
      last: Math.max(eventTs, span?.last ?? eventTs),
    };
    return startOfBucket(by.unit, eventTs, by.zone);
  }

  /** The figures of a group; of all events without one. */
  async function measured(group: number | undefined, pacer: Pacer) {
    if (tallies.length === 0) return {};
    const figures: MeasuredNumbers[] = [];
    for (const tally of tallies) figures.push(await tally.measure(group, pacer));
    return { measures: figures };
  }

  const groupOf = async (code = -1, pacer: Pacer) => ({
    count: counts[code] ?? 0,
    ...(distinct === undefined ? {} : { distinct: met[code]?.size ?? 0 }),
    ...(await measured(code, pacer)),
  });

  async function groupsOf(
    codes: readonly (number | undefined)[],
    keyAt: (i: number) => Scalar,
    pacer: Pacer,
  ): Promise<Group[]> {
    const groups: Group[] = [];
    for (const [i, code] of codes.entries()) groups.push({ key: keyAt(i), ...(await groupOf(code, pacer)) });
    return groups;
  }

  return {
    add(event: EventView): void {
      const code = encode(keys, keyOf(event));
      counts[code] = (counts[code] ?? 0) + 1;
      // Time that is cut too fine is refused before all events are read. To cut it takes as long as there are
      // buckets, so that is tried whenever the number of keys has doubled.
      const length = keys.values.length;
      const isDoubled = counts[code] === 1 && (length & (length - 1)) === 0;
      if (by !== undefined && 'unit' in by && isDoubled) bucketsOf(by, span);
      const group = by === undefined ? undefined : code;
      measures.forEach(({ of }, i) => tallies[i]!.add(group, valueAt(event, of)));
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
    async finish(pacer: Pacer): Promise<Breakdown | Whole> {
      const whole = {
        ...(distinct === undefined ? {} : { distinct: metByAny.size }),
        ...(await measured(undefined, pacer)),
      };
      if (by === undefined) return { total: counts[MISSING] ?? 0, ...whole };
      const dictionary = { values: keys.values, count: keys.values.length };
      const { given, ...tally } = await summarize(dictionary, toDense(counts, dictionary.count), size, pacer);
      if (!('unit' in by)) {
        const keyAt = (i: number) => toKey(by, keys.values[given[i]!] as Scalar);
        const groups = await groupsOf(given, keyAt, pacer);
        return { ...tally, groups, ...whole };
      }
      const starts = bucketsOf(by, span).slice(0, -1);
      const codes = starts.slice(0, size).map((start) => codeOf(keys, start));
      const groups = await groupsOf(codes, (i) => toBucketKey(by, starts[i]!), pacer);
      return { ...tally, groupsTotal: starts.length, groups, ...whole };
    },
  };
}

/** A code that no event had counts none. */
function toDense(counts: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, code) => counts[code] ?? 0);
}

/** What a path finds in an event, as stores keep it. */
export function valueAt(event: EventView, { root, segments }: GroupPath): FoundValue {
  if (root === 'properties') return valueBelow(event.properties, segments);
  if (root === LATENESS_ROOT) return latenessOf(event.eventTs, event.receivedAt);
  return root === 'eventDate' ? startOfDay(event.eventTs) : event[root];
}
