import { answersOf } from './answers.ts';
import type { Ledger } from './bounds/ledger.ts';
import type { Scheduler } from './bounds/scheduler.ts';
import { toHashSeed } from './columns/keyed-hash.ts';
import { ApiError, overloaded } from './errors.ts';
import { requireOptions } from './options.ts';
import { toEvent, type Event, type JsonObject } from './event/event.ts';
import type { EventInput, EventSource } from './event/parse-event.ts';
import { createUuidV7 } from './event/uuid-v7.ts';
import { createExplain, type Explanation } from './explain/explanation.ts';
import { parseIdempotencyKey } from './idempotency-key.ts';
import { createBatch, type IngestReport } from './intake.ts';
import type { EventStore, Signal } from './ports.ts';
import { ARRIVAL_ORDER, parsePosition, toPositionText } from './query/arrivals.ts';
import { PAGE_SIZE_MAX, type BreakdownBody, type CountBody, type QueryBody } from './query/body.ts';
import { cursorAfter } from './query/cursor.ts';
import type { Breakdown } from './query/grouping.ts';
import type { Properties } from './query/properties.ts';
import { parseBreakdownBody, parseCountBody, parseQueryBody } from './query/parse-query.ts';
import { collect } from './query/stored-page.ts';
import type { Runtime } from './runtime.ts';

/** A page of events. */
export interface EventPage<E = Event> {
  /** Newest first; fewer than the page's size only on the last page. */
  readonly events: readonly E[];
  /** Continues behind this page as `pagination.cursor`; undefined when the page was not full. */
  readonly nextCursor: string | undefined;
}

/** Events in the order in which they arrived. */
export interface EventArrivals {
  /** The events, the first that arrived first. */
  readonly events: readonly Event[];
  /** Goes on behind the last event that was looked at. */
  readonly position: string;
}

/** How a batch is taken in. */
export interface IngestOptions {
  /** Refuse events of any other user: the `sub` of a token. */
  readonly userId?: string | undefined;
  /**
   * A UUID of version 7 that is made once for a batch and sent again with it: events without `eventTs` get
   * its time, those without `insertId` an id of it, so that the batch is stored once. Throws ApiError (400).
   */
  readonly idempotencyKey?: string | undefined;
  /** Aborted when nobody waits for the report any more; what is not stored by then is not stored. */
  readonly signal?: Signal;
}

/** The events of one tenant. */
export interface TenantEvents {
  /**
   * The events that match a query body, newest first. Throws ApiError (400) for a body that it does not
   * understand. `P` is what the caller knows of the properties; nothing checks it.
   */
  query<P = JsonObject>(body: QueryBody, signal?: Signal): Promise<EventPage<Event<P>>>;
  /** How many events match a count body. Throws ApiError (400) for a body that it does not understand. */
  count(body: CountBody, signal?: Signal): Promise<number>;
  /** Groups of the events that match, by the values of a path or a unit of time (2,000 buckets at most). */
  breakdown(body: BreakdownBody, signal?: Signal): Promise<Breakdown>;
  /** The paths that events of one name, or of all, have, with what they hold there; at most 10,000. */
  properties(options?: { readonly event?: string }, signal?: Signal): Promise<Properties>;
  /**
   * What a query body means, which of its paths no event ever had, and how it will be answered. Throws
   * ApiError (400) for a body that it does not understand.
   */
  explain(body: QueryBody, signal?: Signal): Promise<Explanation>;
  /**
   * Events that match a count body, in the order in which they arrived, from the position of the answer
   * before on; without one from behind the last event that there is. At most 1,000, and about a mebibyte.
   * Throws ApiError (400) for a body or a position that it does not understand, 501 where the store knows no
   * such order.
   */
  since(body: CountBody, position?: string, signal?: Signal): Promise<EventArrivals>;
  /** Erases the events that match a count body, for good; how many they were. As `EventStore.erase`. */
  erase(body: CountBody): Promise<number>;
  /** The distinct event names, ascending by code point. */
  eventNames(signal?: Signal): Promise<readonly string[]>;
  /**
   * Stores the good events of a batch and says what became of each. Durable when it resolves. Whatever is in
   * the batch is checked; an ApiError in the place of an event is one that could not be read.
   */
  append(events: Iterable<EventInput | ApiError>, options?: IngestOptions): Promise<IngestReport>;
}

/** The engine answers for any tenant that it is told; who may ask is the service's business. */
export interface Engine {
  /** The events of the tenant with this id, the same in every store; an id is no alias. */
  tenant(id: string): TenantEvents;
}

/** What the engine is put together from. */
export interface EngineOptions {
  /** Where events are kept. Whoever made it closes it. */
  readonly events: EventStore;
  /** Time and chance: `nodeRuntime()` in Node. */
  readonly runtime: Pick<Runtime, 'now' | 'randomBytes'>;
  /** Gives turns to the parsing of batches. Absent: a batch is parsed in one turn. */
  readonly scheduler?: Scheduler | undefined;
  /** Where the memory of batches is booked. Absent: nowhere. */
  readonly ledger?: Ledger | undefined;
  /** How many distinct event names a tenant may have. Default 10,000. */
  readonly eventNamesMax?: number | undefined;
}

/** How many distinct event names a tenant may have by default. */
const EVENT_NAMES_MAX = 10_000;

/** The scheduler of a program that has none: every job goes on until it is done. */
export const AT_ONCE: Scheduler = {
  run: async (_owner, _signal, job) => job({ now: () => 0, pause: () => Promise.resolve() }),
};

/** Makes the engine: what is asked, without keys, plans and limits. */
export function createEngine(options: EngineOptions): Engine {
  requireOptions('createEngine', options, ['events', 'runtime']);
  const { events: store, runtime, ledger } = options;
  const { scheduler = AT_ONCE, eventNamesMax: namesMax = EVENT_NAMES_MAX } = options;
  const source: EventSource = { now: () => runtime.now(), newInsertId: createUuidV7(runtime) };
  const answers = answersOf(store, { seed: toHashSeed(runtime.randomBytes(8)), ledger });
  const explain = createExplain({ answers, scheduler });
  return {
    tenant: (id) => ({
      query: async <P>(body: QueryBody, signal?: Signal) => {
        const asked = parseQueryBody(body);
        const found = await store.query(id, asked.query, asked.page, signal);
        const events = (await collect(found)).map(toEvent) as readonly Event<unknown>[];
        return { events: events as readonly Event<P>[], nextCursor: cursorAfter(asked, found) };
      },
      count: async (body, signal) => store.count(id, parseCountBody(body), signal),
      breakdown: async (body, signal) => {
        const { query, grouping } = parseBreakdownBody(body);
        return answers.breakdown(id, query, grouping, signal);
      },
      properties: ({ event } = {}, signal) => answers.properties(id, event, signal),
      explain: async (body, signal) => explain(id, parseQueryBody(body), signal),
      since: async (body, position, signal) => {
        if (store.since === undefined) throw new ApiError('notSupported', [ARRIVAL_ORDER]);
        const from = position === undefined ? undefined : parsePosition(position, 'position');
        const found = await store.since(id, parseCountBody(body), from, PAGE_SIZE_MAX, signal);
        return { events: found.events.map(toEvent), position: toPositionText(found.position) };
      },
      erase: async (body) => store.erase(id, parseCountBody(body)),
      eventNames: (signal) => store.eventNames(id, signal),
      append: async (events, { userId, idempotencyKey, signal } = {}) => {
        const key = idempotencyKey === undefined ? undefined : parseIdempotencyKey(idempotencyKey);
        const account = ledger?.account(id);
        const batch = createBatch(userId, source, key);
        try {
          await scheduler.run(id, signal, async (pacer) => {
            for (const event of events) {
              const pause = pacer.pause();
              if (pause !== undefined) await pause;
              const bytes = batch.add(event);
              if (account?.book(bytes) === false) throw overloaded();
            }
            await pacer.pause();
          });
          if (batch.events.length === 0) return batch.report({ duplicates: [], overNames: [] }, namesMax);
          // Its turn is over: to wait for the disk is no work.
          return batch.report(await store.append(id, batch.events, { namesMax }), namesMax);
        } finally {
          account?.release();
        }
      },
    }),
  };
}
