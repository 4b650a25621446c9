import type {
  Breakdown,
  BreakdownBody,
  CountBody,
  Event,
  Explanation,
  JsonObject,
  Properties,
  QueryBody,
} from '../../src/index.ts';
import type { ExportBody, TailBody } from '../../src/store-kit.ts';
import { warnInPages } from './page.ts';
import {
  createRequests,
  PAGE_ANSWER_BYTES_MAX as answerBytesMax,
  sleep,
  type CallOptions,
  type ClientOptions,
  type Asking,
} from './requests.ts';

/** The options of `tail`. */
export interface TailOptions extends CallOptions {
  /**
   * Where to resume: the last value that `onPosition` received. Absent: only events that arrive from now on.
   */
  readonly position?: string;
  /** Called with the position to resume from, once all events before it have been consumed. */
  readonly onPosition?: (position: string) => void;
}

/** A page of events, newest first. */
export interface ClientPage<P> {
  /** `pagination.size` events, or fewer on the last page. */
  readonly events: readonly Event<P>[];
  /** Pass it as `pagination.cursor` to get the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/** Queries one tenant's events over HTTP. Every method throws `EventQueryError`, or its signal's reason. */
export interface Client {
  /** One page of the events that match. */
  query<P = JsonObject>(body?: QueryBody, options?: CallOptions): Promise<ClientPage<P>>;
  /** Counts the events that match. */
  count(body?: CountBody, options?: CallOptions): Promise<number>;
  /** Groups the events that match by the values of a path or by a unit of time. */
  breakdown(body: BreakdownBody, options?: CallOptions): Promise<Breakdown>;
  /** The property paths of all events, or of those with one name, with their types and some sample values. */
  properties(question?: { readonly event?: string }, options?: CallOptions): Promise<Properties>;
  /** Explains how a query is understood and executed, and names paths that no event has. Costs no quota. */
  explain(body?: QueryBody, options?: CallOptions): Promise<Explanation>;
  /** The distinct names of the tenant's events. */
  eventNames(options?: CallOptions): Promise<readonly string[]>;
  /** All pages from the given one on, one request each, of `pagination.size` events; 1,000 when absent. */
  pages<P = JsonObject>(body?: QueryBody, options?: CallOptions): AsyncGenerator<readonly Event<P>[], void>;
  /**
   * Yields the events that match as they arrive, including ones with an old timestamp, until the signal ends
   * it. Each wait of up to 25 seconds is one request.
   */
  tail<P = JsonObject>(body?: TailBody, options?: TailOptions): AsyncGenerator<Event<P>, void>;
  /**
   * Yields every event that matches, in one request. A slow reader slows the server down, and leaving the
   * loop ends the request. After an error, resume after the last event with `pagination.after`.
   */
  export<P = JsonObject>(body?: ExportBody, options?: CallOptions): AsyncGenerator<Event<P>, void>;
  /** Yields every event that matches, fetched in pages of `pagination.size` events; 1,000 when absent. */
  events<P = JsonObject>(body?: QueryBody, options?: CallOptions): AsyncGenerator<Event<P>, void>;
}

const PAGE_SIZE = 1000;

/** How long the server waits for events before it answers a tail, and the header with the next position. */
const TAIL_MS = 25_000;
const POSITION_HEADER = 'X-Tail-Position';

/** A server without room for another waiting request answers at once; then the client backs off from here. */
const IDLE_MS = 1000;

/**
 * Makes a client.
 *
 * @example
 * ```ts
 * import { createClient, where, type Client } from 'event-query/client';
 *
 * const shop: Client = createClient({ url: 'http://127.0.0.1:8787', tenant: 'shop', apiKey: '<SECRET>' });
 * const countLarge = () => shop.count({ filterSet: [where('properties.total').greaterThan(50)] });
 * console.log(typeof countLarge);
 * // prints: function
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const { ask, lines } = createRequests(options);
  const alias = encodeURIComponent(options.tenant);
  warnInPages('API key');

  async function query<P>(body: QueryBody = {}, options?: CallOptions): Promise<ClientPage<P>> {
    const sent = { ...options, answerBytesMax };
    const { value: events, headers } = await ask<Event<P>[]>(`/${alias}`, body, sent);
    return { events, nextCursor: headers.get('x-next-cursor') ?? undefined };
  }

  async function* pages<P>({ pagination = {}, ...rest }: QueryBody = {}, options?: CallOptions) {
    let next: QueryBody['pagination'] = { size: PAGE_SIZE, ...pagination };
    while (next !== undefined) {
      const { events, nextCursor }: ClientPage<P> = await query<P>({ ...rest, pagination: next }, options);
      if (events.length > 0) yield events;
      next = nextCursor === undefined ? undefined : { size: next.size, cursor: nextCursor };
    }
  }

  async function* tail<P>(body: TailBody = {}, options: TailOptions = {}): AsyncGenerator<Event<P>, void> {
    const { position: first, onPosition, ...rest } = options;
    let idleMs = IDLE_MS;
    for (let position = first; ;) {
      const began = performance.now();
      const own = position === undefined ? {} : { [POSITION_HEADER]: position };
      const sent = { ...rest, headers: own, waitsMs: TAIL_MS, answerBytesMax };
      const { value: events, headers } = await ask<Event<P>[]>(`/tail/${alias}`, body, sent);
      yield* events;
      const before = position;
      position = headers.get(POSITION_HEADER) ?? undefined;
      if (position !== undefined) onPosition?.(position);
      const isIdle = events.length === 0 && performance.now() - began < IDLE_MS;
      if (!isIdle || position !== before) idleMs = IDLE_MS;
      if (!isIdle) continue;
      await sleep(idleMs, options.signal);
      idleMs = Math.min(TAIL_MS, idleMs * 2);
    }
  }

  const valueOf = async <T>(path: string, body: unknown, sent?: Asking): Promise<T> =>
    (await ask<T>(path, body, sent)).value;
  return {
    query,
    tail,
    pages,
    count: async (body = {}, options) =>
      (await valueOf<{ count: number }>(`/count/${alias}`, body, options)).count,
    breakdown: (body, options) => valueOf(`/breakdown/${alias}`, body, { ...options, answerBytesMax }),
    explain: (body = {}, options) => valueOf(`/explain/${alias}`, body, options),
    properties: ({ event } = {}, options) => {
      const query = event === undefined ? '' : `?event=${encodeURIComponent(event)}`;
      return valueOf(`/properties/${alias}${query}`, undefined, options);
    },
    eventNames: (options) => valueOf(`/events/${alias}`, undefined, options),
    export: <P>(body: ExportBody = {}, options?: CallOptions) =>
      lines<Event<P>>(`/export/${alias}`, body, options),
    async *events<P>(body?: QueryBody, options?: CallOptions) {
      for await (const page of pages<P>(body, options)) yield* page;
    },
  };
}
