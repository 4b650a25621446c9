import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Signal } from '../../base/signal.ts';
import { reserveOrThrow, type MemoryBudget } from '../../bounds/memory-budget.ts';
import { createDictionary, encode } from '../../columns/column/dictionary.ts';
import { isScalar, scalarOf } from '../../columns/groups/distinct.ts';
import type { Scalar } from '../../filter/operands.ts';
import { toEventView, type EventView } from '../../filter/predicate.ts';
import type { EventQuery } from '../../query/event-query.ts';
import type { EventStore } from '../../query/event-store.ts';
import { compilePredicate } from '../../query/predicate.ts';
import { eventsOf } from '../../query/stored-page.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { AskedStreams, Stream, StreamsPiece } from '../../query/streams.ts';
import { valueAt } from './dimension-pages.ts';

/** About what an event of a stream takes: its instant, bits and codes, in lists that grow. */
const EVENT_BYTES = 64;

/** Bytes are booked for so many events at a time. */
const BOOKED_EVENTS = 1024;

/** A piece has about so many events, or one longer stream. */
const PIECE_EVENTS = 32_768;

/** The events of a value, the newest first, as pages have them. */
interface FoundEvents {
  readonly instants: number[];
  readonly bits: number[];
  readonly same: number[];
  readonly groups: number[];
}

interface StreamsTools {
  readonly hash: KeyedHash;
  readonly memory: MemoryBudget;
}

/**
 * Tells the streams of a store that can only answer pages, by reading every event. An event that arrives
 * meanwhile is told if its place is after the page that is being read.
 */
export async function* streamsByPages(
  store: Pick<EventStore, 'query'>,
  {
    tenantId,
    query,
    asked,
  }: { readonly tenantId: string; readonly query: EventQuery; readonly asked: AskedStreams },
  { hash, memory }: StreamsTools,
  signal?: Signal,
): AsyncGenerator<StreamsPiece, void> {
  const reservation = memory.reservation(tenantId);
  try {
    const bitsOf = compileBits(asked);
    const [keys, groups] = [createDictionary(hash), createDictionary(hash)];
    const sameAt = createSame(asked, hash);
    const found: (FoundEvents | undefined)[] = [];
    let [missing, events, booked] = [0, 0, 0];
    for await (const event of eventsOf(store, { tenantId, query, signal })) {
      const view = toEventView(event);
      const bits = bitsOf(view);
      if (bits === 0 && !asked.isWhole) continue;
      const key = valueAt(view, asked.distinct);
      if (!isScalar(key)) {
        const { range, first } = asked.missing;
        if (bits % 2 ** first !== 0 && view.eventTs >= range.from && view.eventTs < range.until) missing += 1;
        continue;
      }
      const own = (found[encode(keys, key)] ??= { instants: [], bits: [], same: [], groups: [] });
      own.instants.push(view.eventTs);
      own.bits.push(bits);
      if (asked.same.length > 0) own.same.push(sameAt.codeOf(view));
      if (asked.by !== undefined)
        own.groups.push((bits & 1) === 0 ? 0 : encode(groups, valueAt(view, asked.by)));
      if (events++ % BOOKED_EVENTS > 0) continue;
      const bytes = (events + BOOKED_EVENTS) * EVENT_BYTES + keys.bytes + groups.bytes + sameAt.bytes;
      reserveOrThrow(reservation, bytes - booked);
      booked = bytes;
    }
    yield { streams: [], missing };
    let streams: Stream[] = [];
    let left = PIECE_EVENTS;
    for (const [code, own] of found.entries()) {
      if (own === undefined) continue;
      streams.push(toStream(own, keys.values[code] as Scalar, asked, groups.values));
      left -= own.bits.length;
      if (left > 0) continue;
      yield { streams, missing: 0 };
      [streams, left] = [[], PIECE_EVENTS];
    }
    yield { streams, missing: 0 };
  } finally {
    reservation.release();
  }
}

/** What was found of a value, as a stream; it is used up. */
function toStream(
  { instants, bits, same, groups }: FoundEvents,
  key: Scalar,
  asked: AskedStreams,
  values: readonly FoundValue[],
): Stream {
  return {
    ...{ key, instants: instants.reverse(), bits: bits.reverse() },
    ...(asked.same.length === 0 ? {} : { same: same.reverse() }),
    ...(asked.by === undefined ? {} : { groups: groups.reverse().map((code) => scalarOf(values[code])) }),
  };
}

/** Makes what tells which conditions an event meets. */
function compileBits({ bits }: AskedStreams): (event: EventView) => number {
  const tests = bits.map((condition) => compilePredicate({ from: -Infinity, until: Infinity, condition }));
  return (event) => tests.reduce((found, test, i) => (test(event) ? found | (1 << i) : found), 0);
}

/** Makes what tells the combinations of values that are held constant apart. */
function createSame({ same }: AskedStreams, hash: KeyedHash) {
  const values = same.map(() => createDictionary(hash));
  const combinations = createDictionary(hash);
  return {
    /** Of an event; -1 where it has no scalar at one of the paths. */
    codeOf(event: EventView): number {
      const found = same.map((path) => valueAt(event, path));
      if (!found.every(isScalar)) return -1;
      const codes = found.map((value, i) => encode(values[i]!, value));
      return encode(combinations, codes.join(' '));
    },
    get bytes() {
      return values.reduce((sum, { bytes }) => sum + bytes, combinations.bytes);
    },
  };
}
