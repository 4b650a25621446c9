import type { AnswerPlan } from './answer-plan.ts';
import type { ArrivalPosition, Arrivals } from './arrivals.ts';
import type { Breakdown, Grouping } from './grouping.ts';
import type { EventQuery, Page, StoredPage } from './event-query.ts';
import type { Properties } from './properties.ts';
import type { Signal } from '../base/signal.ts';
import type { StoredEvent } from '../event/event.ts';

/**
 * Where events are kept. Any store answers exactly as `compilePredicate(query)` over the sorted events of the
 * tenant would; `event-query/conformance` checks one. `tenantId` is the tenant's UUID. A store that is away,
 * full or locked throws `unavailable(cause)`.
 *
 * @example
 * ```ts
 * import { ApiError, type EventStore } from 'event-query';
 * import { compareCodePoints, compareNewestFirst, compilePredicate, pageOf } from 'event-query/store-kit';
 * import { parseCountBody, toEventView, type EventQuery, type StoredEvent } from 'event-query/store-kit';
 *
 * // Answers over the events of one tenant, which never change.
 * function readOnlyStore(events: readonly StoredEvent[]): EventStore {
 *   const select = (query: EventQuery) => {
 *     const matches = compilePredicate(query);
 *     return events.filter((event) => matches(toEventView(event))).sort(compareNewestFirst);
 *   };
 *   const refuse = () => Promise.reject(new ApiError('notSupported', ['change its events']));
 *   return {
 *     query: async (_tenantId, query, { offset, size, after }) => {
 *       const found = select(query).filter((event) => !after || compareNewestFirst(after, event) < 0);
 *       return pageOf(found.slice(offset, offset + size));
 *     },
 *     count: async (_tenantId, query) => select(query).length,
 *     eventNames: async () => [...new Set(events.map(({ eventName }) => eventName))].sort(compareCodePoints),
 *     append: refuse,
 *     erase: refuse,
 *     drop: refuse,
 *   };
 * }
 *
 * const store = readOnlyStore([
 *   { eventName: 'signed_up', userId: 'ada', eventTs: 0, insertId: '1', propertiesJson: '{}' },
 * ]);
 * console.log(await store.count('a tenant', parseCountBody({ event: 'signed_up' })));
 * // prints: 1
 * ```
 */
export interface EventStore {
  /**
   * Stores events, all or none, durable when the promise resolves. An event whose (`eventTs`, `insertId`) the
   * tenant has already, or that came earlier in `events`, is a duplicate: the first write stays, for ever.
   * Throws ApiError `tenantNotFound` for a tenant that was dropped.
   */
  append(tenantId: string, events: readonly StoredEvent[], options?: AppendOptions): Promise<AppendResult>;
  /**
   * The page of matching events, newest first: `eventTs` descending, then `insertId` descending by code
   * point. Which events are on it is settled when the promise resolves; they are loaded as they are read.
   */
  query(tenantId: string, query: EventQuery, page: Page, signal?: Signal): Promise<StoredPage>;
  /** How many events match. */
  count(tenantId: string, query: EventQuery, signal?: Signal): Promise<number>;
  /** How what matches falls into groups; left out, pages are read. Throws ApiError 400 (2,001 buckets). */
  breakdown?(tenantId: string, query: EventQuery, grouping: Grouping, signal?: Signal): Promise<Breakdown>;
  /** The paths that events of one name, or of all, have, and what they hold; events are read without it. */
  properties?(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties | undefined>;
  /**
   * Events that match, in the order in which they arrived, from a position on, or where there is none, from
   * behind the last one: at most `size`, and about a mebibyte; the position that comes back goes on. A store
   * that does not know in which order events came leaves it out.
   */
  since?(
    tenantId: string,
    query: EventQuery,
    position: ArrivalPosition | undefined,
    size: number,
    signal?: Signal,
  ): Promise<Arrivals>;
  /** How a query would be answered now, found without reading events. A store may leave it out. */
  plan?(tenantId: string, query: EventQuery, signal?: Signal): Promise<AnswerPlan>;
  /** The distinct names of the tenant's events, ascending by code point. */
  eventNames(tenantId: string, signal?: Signal): Promise<readonly string[]>;
  /**
   * Removes the events that match, every one where there is no query, and whatever was derived from them; how
   * many they were. Whoever asks meanwhile sees all of them or none; what comes meanwhile stays; the identity
   * of an erased event is free again. A store that knows no way by query throws ApiError `notSupported`. Once
   * `signal` is aborted nothing more is chosen; what was decided stays so, and is removed another time.
   */
  erase(tenantId: string, query?: EventQuery, signal?: Signal): Promise<number>;
  /** Removes every event, and for good: whatever is appended afterwards is refused. */
  drop(tenantId: string): Promise<void>;
}

/** How a batch is stored. */
export interface AppendOptions {
  /** How many distinct event names the tenant may have. Absent: as many as there are. */
  readonly namesMax?: number;
}

/** What became of a batch in a store. Events of neither list are stored now. */
export interface AppendResult {
  /** The indexes, ascending, of the events that were there already. */
  readonly duplicates: readonly number[];
  /** The indexes, ascending, of events with a name too many. That is judged first: none is a duplicate. */
  readonly overNames: readonly number[];
}
