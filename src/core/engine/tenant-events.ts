import type { ApiError } from '../base/errors.ts';
import type { Event, JsonObject } from '../event/event.ts';
import type { EventInput } from '../event/parse-event.ts';
import type { Explanation } from '../explain/explanation.ts';
import type { IngestOptions, IngestReport } from './intake.ts';
import type { Signal } from '../base/signal.ts';
import type {
  BreakdownBody,
  CompareBody,
  CountBody,
  ExportBody,
  QueryBody,
  RetentionBody,
  SequenceBody,
  TailBody,
  TopBody,
  UsersBody,
} from '../query/body.ts';
import type { Differences } from '../query/compare.ts';
import type { ExplainBody } from '../query/questions.ts';
import type { Retention } from '../query/retention.ts';
import type { User, UserPage } from '../query/users.ts';
import type { Sequence } from '../query/sequence.ts';
import type { Breakdown, Whole } from '../query/grouping.ts';
import type { Properties } from '../query/properties.ts';

/** A page of events. */
export interface EventPage<E = Event> {
  /** Newest first; fewer than the page's size only on the last page. */
  readonly events: readonly E[];
  /** The `pagination.cursor` of the next page; undefined when this page was not full. */
  readonly nextCursor: string | undefined;
}

/** Events in the order in which they arrived. */
export interface EventArrivals<E = Event> {
  /** The events; the earliest arrival comes first. */
  readonly events: readonly E[];
  /** The position after the last event that was examined. */
  readonly position: string;
}

/** What a breakdown answers: groups, where its body says `by` what they are. */
export type BreakdownOf<Body extends BreakdownBody> = Body extends {
  readonly by: string | readonly string[];
}
  ? Breakdown
  : Breakdown | Whole;

/** How a question is asked. */
export interface AskOptions<S extends Signal = Signal> {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: S | undefined;
}

/** Where a tail begins. */
export interface SinceOptions<S extends Signal = Signal> extends AskOptions<S> {
  /** The position of an answer before. Absent: only events that arrive from now on. */
  readonly position?: string | undefined;
}

/** The options of `tail`. */
export interface TailOptions<S extends Signal = Signal> extends SinceOptions<S> {
  /** Called with the position to resume from, once all events before it have been consumed. */
  readonly onPosition?: ((position: string) => void) | undefined;
}

/**
 * What may be asked of one tenant's events, in process and over HTTP alike. A call whose signal is aborted
 * rejects with the signal's reason; where it has none, with an error whose `name` is `AbortError`. In process
 * every method throws ApiError, (400) for an invalid body; over HTTP `EventQueryError`. `P` is the type that
 * the caller expects of the properties; nothing checks it.
 */
export interface TenantQuestions<S extends Signal = Signal> {
  /** A page of the events that match, newest first. */
  query<P = JsonObject>(body?: QueryBody, options?: AskOptions<S>): Promise<EventPage<Event<P>>>;
  /** How many events match. */
  count(body?: CountBody, options?: AskOptions<S>): Promise<number>;
  /**
   * Groups of the events that match, by the values of a path, a unit of time (2,000 buckets at most) or
   * lateness, or by two of these; or all of them together. Of each it may tell distinct values, exact sums
   * and percentiles.
   */
  breakdown<Body extends BreakdownBody>(body: Body, options?: AskOptions<S>): Promise<BreakdownOf<Body>>;
  /**
   * How many distinct values came how far in a sequence of steps, each in order of time, with percentiles of
   * the times between steps.
   */
  sequence(body: SequenceBody, options?: AskOptions<S>): Promise<Sequence>;
  /**
   * The events that match with the largest or the smallest numbers at a path, ordered by these; those with
   * equal numbers newest first. Events without a number there are left out.
   */
  top<P = JsonObject>(body: TopBody, options?: AskOptions<S>): Promise<readonly Event<P>[]>;
  /** A page of the distinct values at a path, by key, with what their events say. */
  userPage(body?: UsersBody, options?: AskOptions<S>): Promise<UserPage>;
  /** All of them, by pages of `pagination.size` users; 1,000 when absent. */
  users(body?: UsersBody, options?: AskOptions<S>): AsyncGenerator<User, void>;
  /** How many of the values that started in a cohort returned in each period after that. */
  retention(body: RetentionBody, options?: AskOptions<S>): Promise<Retention>;
  /**
   * What differs between the selected events and the others that match: the values of all paths whose shares
   * of the two differ most.
   */
  compare(body: CompareBody, options?: AskOptions<S>): Promise<Differences>;
  /**
   * The property paths of the events of one name, or of all events, with the values there; at most 10,000.
   */
  properties(
    question?: { readonly event?: string | undefined },
    options?: AskOptions<S>,
  ): Promise<Properties>;
  /**
   * Explains what a question means, which of its paths no event ever had, and how it will be answered: the
   * question that `question` names, a query when absent. It costs no quota.
   */
  explain(body?: ExplainBody, options?: AskOptions<S>): Promise<Explanation>;
  /** The distinct event names, ascending by code point. */
  eventNames(options?: AskOptions<S>): Promise<readonly string[]>;
  /** All pages from the given one on, of `pagination.size` events; 1,000 when absent. */
  pages<P = JsonObject>(body?: QueryBody, options?: AskOptions<S>): AsyncGenerator<readonly Event<P>[], void>;
  /** Every event that matches, newest first, by pages of `pagination.size` events; 1,000 when absent. */
  events<P = JsonObject>(body?: QueryBody, options?: AskOptions<S>): AsyncGenerator<Event<P>, void>;
  /**
   * Every event that matches, newest first, at the cost of one question. A slow reader slows the source down,
   * and leaving the loop ends it. After an error, resume after the last event with `pagination.after`.
   */
  export<P = JsonObject>(body?: ExportBody, options?: AskOptions<S>): AsyncGenerator<Event<P>, void>;
  /**
   * The events that match and arrived after a position, in the order of their arrival: at most 1,000, and
   * about a mebibyte. Throws (501) where the store does not keep the order of arrival.
   */
  since<P = JsonObject>(body?: TailBody, options?: SinceOptions<S>): Promise<EventArrivals<Event<P>>>;
  /**
   * Yields the events that match as they arrive, including ones with an old time, until the signal ends it.
   * Each wait of up to 25 seconds costs one question. Throws as `since`.
   */
  tail<P = JsonObject>(body?: TailBody, options?: TailOptions<S>): AsyncGenerator<Event<P>, void>;
}

/** The events of one tenant, in process. */
export interface TenantEvents extends TenantQuestions {
  /**
   * Permanently erases the events that match a count body, as `EventStore.erase`. Resolves to their number.
   */
  erase(body: CountBody): Promise<number>;
  /**
   * Stores the valid events of a batch and reports on the others. The events are durable when it resolves.
   * Every element of the batch is checked; an ApiError stands for an event that could not be read. Throws
   * ApiError (400) with the first reason where all are refused and none was stored before; duplicates are no
   * refusal. Of a dry run it only reports.
   */
  append(events: Iterable<EventInput | ApiError>, options?: IngestOptions): Promise<IngestReport>;
}
