import { invalid, isApiError } from './errors.ts';
import { toEvent, type Event, type StoredEvent } from './event/event.ts';
import { parseEvent, type EventInput, type EventSource } from './event/parse-event.ts';
import { createUuidV7 } from './event/uuid-v7.ts';
import type { EventStore } from './ports.ts';
import type { CountBody, QueryBody } from './query/body.ts';
import { toCursor } from './query/cursor.ts';
import type { EventQuery } from './query/event-query.ts';
import { parseCountBody, parseQueryBody, type PagedQuery } from './query/parse-query.ts';
import { collect } from './query/stored-page.ts';
import type { Runtime } from './runtime.ts';

/** A page of events. */
export interface EventPage<T = Event> {
  /** Newest first; fewer than the page's size only on the last page. */
  readonly events: readonly T[];
  /** Continues behind this page as `pagination.cursor`; undefined when the page was not full. */
  readonly nextCursor: string | undefined;
}

/** What became of a batch. */
export interface IngestReport {
  /** How many events are stored now that were not before. */
  readonly accepted: number;
  /** How many were there already, or came earlier in the batch; the first write stays. */
  readonly duplicates: number;
  /** The events that were refused, by their index in the batch, and why. */
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}

export interface IngestOptions {
  /** Refuse events of any other user: the `sub` of a token (SPEC, "JWT rules"). */
  readonly userId?: string;
}

/** The engine answers for any tenant that it is told; who may ask is the service's business. */
export interface Engine {
  /**
   * The events that match a query body, newest first. Throws ApiError (400) for a body that it does not
   * understand.
   */
  query(tenantId: string, body: QueryBody): Promise<EventPage>;
  /** How many events match a count body. Throws ApiError (400) for a body that it does not understand. */
  count(tenantId: string, body: CountBody): Promise<number>;
  /** The distinct event names, ascending by code point. */
  eventNames(tenantId: string): Promise<readonly string[]>;
  /** Stores the good events of a batch and says what became of each. Durable when it resolves. */
  append(tenantId: string, events: readonly EventInput[], options?: IngestOptions): Promise<IngestReport>;
  /**
   * As `append`, for values that came from outside; an ApiError among them is an event that could not be
   * read.
   */
  appendUnknown(tenantId: string, events: readonly unknown[], options?: IngestOptions): Promise<IngestReport>;
  /**
   * As `query`, for a body that is parsed already, and with the events as they are stored: for transports.
   */
  page(tenantId: string, paged: PagedQuery): Promise<EventPage<StoredEvent>>;
  /** As `count`, for a body that is parsed already. */
  countOf(tenantId: string, query: EventQuery): Promise<number>;
}

export interface EngineOptions {
  readonly events: EventStore;
  readonly runtime: Pick<Runtime, 'now' | 'randomBytes'>;
}

/** Makes the engine: what is asked, without keys, plans and limits. */
export function createEngine({ events: store, runtime }: EngineOptions): Engine {
  const source: EventSource = { now: () => runtime.now(), newInsertId: createUuidV7(runtime) };
  const page = async (tenantId: string, { query, page }: PagedQuery): Promise<EventPage<StoredEvent>> => {
    const found = await store.query(tenantId, query, page);
    const events = await collect(found);
    const last = found.length === page.size ? found.last : undefined;
    return { events, nextCursor: last === undefined ? undefined : toCursor(query, last) };
  };
  const appendUnknown = async (tenantId: string, inputs: readonly unknown[], options: IngestOptions = {}) => {
    const { accepted, rejected } = parseEvents(inputs, options, source);
    const { duplicates } =
      accepted.length === 0 ? { duplicates: [] } : await store.append(tenantId, accepted);
    return { accepted: accepted.length - duplicates.length, duplicates: duplicates.length, rejected };
  };
  return {
    query: async (tenantId, body) => {
      const { events, nextCursor } = await page(tenantId, parseQueryBody(body));
      return { events: events.map(toEvent), nextCursor };
    },
    count: async (tenantId, body) => store.count(tenantId, parseCountBody(body)),
    eventNames: (tenantId) => store.eventNames(tenantId),
    append: appendUnknown,
    appendUnknown,
    page,
    countOf: (tenantId, query) => store.count(tenantId, query),
  };
}

function parseEvents(inputs: readonly unknown[], options: IngestOptions, source: EventSource) {
  const accepted: StoredEvent[] = [];
  const rejected: { index: number; error: string }[] = [];
  inputs.forEach((input, index) => {
    try {
      if (isApiError(input)) throw input;
      const event = parseEvent(input, source);
      if (options.userId !== undefined && event.userId !== options.userId) {
        throw invalid('userId', 'must equal the sub claim of the access token');
      }
      accepted.push(event);
    } catch (error) {
      if (!isApiError(error)) throw error;
      rejected.push({ index, error: error.message });
    }
  });
  return { accepted, rejected };
}
