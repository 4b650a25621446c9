import type { ApiError } from '../base/errors.ts';
import type { Event, JsonObject } from '../event/event.ts';
import type { EventInput } from '../event/parse-event.ts';
import type { Explanation } from '../explain/explanation.ts';
import type { IngestOptions, IngestReport } from './intake.ts';
import type { Signal } from '../base/signal.ts';
import type { BreakdownBody, CountBody, QueryBody, TailBody } from '../query/body.ts';
import type { Breakdown } from '../query/grouping.ts';
import type { Properties } from '../query/properties.ts';

/** A page of events. */
export interface EventPage<E = Event> {
  /** Newest first; fewer than the page's size only on the last page. */
  readonly events: readonly E[];
  /** The `pagination.cursor` of the next page; undefined when this page was not full. */
  readonly nextCursor: string | undefined;
}

/** Events in the order in which they arrived. */
export interface EventArrivals {
  /** The events; the earliest arrival comes first. */
  readonly events: readonly Event[];
  /** The position after the last event that was examined. */
  readonly position: string;
}

/**
 * The events of one tenant. A call whose signal is aborted rejects with the signal's reason; where it has
 * none, with an error whose `name` is `AbortError`.
 */
export interface TenantEvents {
  /**
   * The events that match a query body, newest first. Throws ApiError (400) for an invalid body. `P` is the
   * type that the caller expects of the properties; nothing checks it.
   */
  query<P = JsonObject>(body: QueryBody, signal?: Signal): Promise<EventPage<Event<P>>>;
  /** How many events match a count body. Throws ApiError (400) for an invalid body. */
  count(body: CountBody, signal?: Signal): Promise<number>;
  /**
   * Groups of the events that match, by the values of a path, a unit of time (2,000 buckets at most) or
   * lateness.
   */
  breakdown(body: BreakdownBody, signal?: Signal): Promise<Breakdown>;
  /**
   * The property paths of the events of one name, or of all events, with the values there; at most 10,000.
   */
  properties(options?: { readonly event?: string }, signal?: Signal): Promise<Properties>;
  /**
   * Explains what a query body means, which of its paths no event ever had, and how it will be answered.
   * Throws ApiError (400) for an invalid body.
   */
  explain(body: QueryBody, signal?: Signal): Promise<Explanation>;
  /**
   * The events that match a tail body and arrived after a position, in the order of their arrival.
   * `position` is that of the answer before; without one, only events that arrive from now on come. At most
   * 1,000 events, and about a mebibyte. Throws ApiError (400) for an invalid body or position, and (501)
   * where the store does not keep the order of arrival.
   */
  since(body: TailBody, position?: string, signal?: Signal): Promise<EventArrivals>;
  /**
   * Permanently erases the events that match a count body, as `EventStore.erase`. Resolves to their number.
   */
  erase(body: CountBody): Promise<number>;
  /** The distinct event names, ascending by code point. */
  eventNames(signal?: Signal): Promise<readonly string[]>;
  /**
   * Stores the valid events of a batch and reports on the others. The events are durable when it resolves.
   * Every element of the batch is checked; an ApiError stands for an event that could not be read. Throws
   * ApiError (400) with the first reason where all are refused and none was stored before; duplicates are no
   * refusal. Of a dry run it only reports.
   */
  append(events: Iterable<EventInput | ApiError>, options?: IngestOptions): Promise<IngestReport>;
}

/** What the holder of a key for queries may ask of a tenant's events. */
export type TenantQuestions = Omit<TenantEvents, 'append' | 'erase'>;
