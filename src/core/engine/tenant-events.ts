import type { ApiError } from '../base/errors.ts';
import type { Event, JsonObject } from '../event/event.ts';
import type { EventInput } from '../event/parse-event.ts';
import type { Explanation } from '../explain/explanation.ts';
import type { IngestOptions, IngestReport } from './intake.ts';
import type { Signal } from '../base/signal.ts';
import type { BreakdownBody, CountBody, QueryBody } from '../query/body.ts';
import type { Breakdown } from '../query/grouping.ts';
import type { Properties } from '../query/properties.ts';

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
