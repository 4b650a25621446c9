import type { AnswerPlan, QuestionReading } from './answer-plan.ts';
import type { ArrivalPosition, Arrivals } from './arrivals.ts';
import type { Breakdown, Grouping, MeasuredGrouping, Whole } from './grouping.ts';
import type { EventQuery, Page, StoredPage } from './event-query.ts';
import type { Properties } from './properties.ts';
import type { Ranking } from './ranking.ts';
import type { AskedStreams, StreamsPiece } from './streams.ts';
import type { Signal } from '../base/signal.ts';
import type { StoredEvent } from '../event/event.ts';

/**
 * Stores events. Every store answers exactly as `compilePredicate(query)` over the tenant's sorted events
 * would; `event-query/conformance` checks a store. `tenantId` is the tenant's UUID. A store that is
 * unreachable, full or locked throws `unavailable(cause)`.
 *
 * @example
 * ```ts
 * import { ApiError, type EventStore } from 'event-query';
 * import { compareCodePoints, compareNewestFirst, compilePredicate, pageOf } from 'event-query/store-kit';
 * import { parseCountBody, toEventView, type EventQuery, type StoredEvent } from 'event-query/store-kit';
 *
 * // Answers queries on the events of one tenant, which never change.
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
   * Stores events, all or none; they are durable when the promise resolves. An event whose (`eventTs`,
   * `insertId`) the tenant already has, or that occurs earlier in `events`, is a duplicate: the first write
   * is kept permanently. Throws ApiError `tenantNotFound` for a tenant that was dropped.
   */
  append(tenantId: string, events: readonly StoredEvent[], options?: AppendOptions): Promise<AppendResult>;
  /**
   * Returns the page of matching events, newest first: `eventTs` descending, then `insertId` descending by
   * code point. The promise resolves once the events of the page are determined; they are loaded as they are
   * read.
   */
  query(tenantId: string, query: EventQuery, page: Page, signal?: Signal): Promise<StoredPage>;
  /** Counts the matching events. */
  count(tenantId: string, query: EventQuery, signal?: Signal): Promise<number>;
  /**
   * Groups the matching events. `bucketsOf` cuts a series of time, whatever its zone, and `toBucketKey`
   * writes its keys. Optional: without it, pages are read. Throws ApiError 400 (2,001 buckets).
   */
  breakdown?(tenantId: string, query: EventQuery, grouping: Grouping, signal?: Signal): Promise<Breakdown>;
  /**
   * Measures the matching events: in all, in each group, in each cell of two dimensions and in the rest of
   * each, as `toBreakdown` writes them. Optional: without it, pages are read. Throws as `breakdown`.
   */
  measure?(
    tenantId: string,
    query: EventQuery,
    measuring: MeasuredGrouping,
    signal?: Signal,
  ): Promise<Breakdown | Whole>;
  /**
   * Tells what happened to each value, in order: the events that match, as streams. The pieces are of one
   * moment. Optional: without it, pages are read.
   */
  streams?(
    tenantId: string,
    query: EventQuery,
    asked: AskedStreams,
    signal?: Signal,
  ): AsyncIterable<StreamsPiece>;
  /**
   * Returns the matching events with the first numbers at a path, as one page; what it says is `Ranking`.
   * Optional: without it, pages are read.
   */
  top?(tenantId: string, query: EventQuery, ranking: Ranking, signal?: Signal): Promise<StoredPage>;
  /** The paths and values of events of one name, or of all. Optional: without it, events are read. */
  properties?(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties | undefined>;
  /**
   * Returns matching events in order of arrival, starting at a position or, without one, after the last
   * event: at most `size`, and about a mebibyte. The returned position continues. A store that does not know
   * the order of arrival omits this method.
   */
  since?(
    tenantId: string,
    query: EventQuery,
    position: ArrivalPosition | undefined,
    size: number,
    signal?: Signal,
  ): Promise<Arrivals>;
  /** Explains how the store would answer a question now, without reading events. Optional. */
  plan?(tenantId: string, reading: QuestionReading, signal?: Signal): Promise<AnswerPlan>;
  /** The distinct names of the tenant's events, ascending by code point. */
  eventNames(tenantId: string, signal?: Signal): Promise<readonly string[]>;
  /**
   * Removes the matching events, or all without a query, and whatever was derived from them; returns how many
   * there were. A concurrent query sees all of them or none, and events that arrive meanwhile stay. The
   * identity of an erased event may be used again. A store that cannot erase by query throws ApiError
   * `notSupported`. Once `signal` is aborted, no further events are chosen; those already chosen stay erased,
   * and their data is removed later.
   */
  erase(tenantId: string, query?: EventQuery, signal?: Signal): Promise<number>;
  /** Permanently removes every event of the tenant; later appends are refused. */
  drop(tenantId: string): Promise<void>;
}

/** How a batch is stored. */
export interface AppendOptions {
  /** How many distinct event names the tenant may have. Default: no limit. */
  readonly namesMax?: number;
}

/** The result of storing a batch. Events in neither list are now stored. */
export interface AppendResult {
  /** The indexes, ascending, of the events that were stored already. */
  readonly duplicates: readonly number[];
  /**
   * The indexes, ascending, of events beyond the limit of names. This is checked first, so none is a
   * duplicate.
   */
  readonly overNames: readonly number[];
}

/** The answers that a store may leave out. */
export interface OptionalAnswers extends Required<
  Pick<EventStore, 'breakdown' | 'measure' | 'streams' | 'top' | 'plan'>
> {
  properties(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties>;
}
