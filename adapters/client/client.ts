import type {
  AskOptions,
  BreakdownBody,
  Event,
  EventArrivals,
  EventPage,
  QueryBody,
  SinceOptions,
  TailOptions,
  TenantQuestions,
  TopBody,
  User,
  UserPage,
  UsersBody,
} from '../../src/index.ts';
import { pagesOf, usersOf, type ExportBody, type TailBody } from '../../src/store-kit.ts';
import { EventQueryError } from './errors.ts';
import { warnInPages } from './page.ts';
import {
  createRequests,
  PAGE_ANSWER_BYTES_MAX as answerBytesMax,
  sleep,
  type ClientOptions,
  type Asking,
} from './requests.ts';

/**
 * Asks about one tenant's events over HTTP what an engine answers in process. Every method throws
 * `EventQueryError`, or its signal's reason.
 */
export type Client = TenantQuestions<AbortSignal>;

/** How a question is asked over HTTP. */
type HttpOptions = AskOptions<AbortSignal>;

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

  async function query<P>(body: QueryBody = {}, options?: HttpOptions): Promise<EventPage<Event<P>>> {
    const sent = { ...options, answerBytesMax };
    const { value: events, headers } = await ask<Event<P>[]>(`/${alias}`, body, sent);
    return { events, nextCursor: headers.get('x-next-cursor') ?? undefined };
  }

  /** Asks for the events after a position. Without a header, the server waits for the first one. */
  async function arrivals<P>(
    body: TailBody,
    { position, signal }: SinceOptions<AbortSignal>,
    waiting: Asking,
  ): Promise<EventArrivals<Event<P>>> {
    const own = position === undefined ? {} : { [POSITION_HEADER]: position };
    const sent = { signal, answerBytesMax, ...waiting, headers: { ...waiting.headers, ...own } };
    const { value: events, headers } = await ask<Event<P>[]>(`/tail/${alias}`, body, sent);
    const after = headers.get(POSITION_HEADER);
    if (after === null) throw new EventQueryError(`the answer has no header ${POSITION_HEADER}`, 0);
    return { events, position: after };
  }

  async function* tail<P>(
    body: TailBody = {},
    { position: first, signal, onPosition }: TailOptions<AbortSignal> = {},
  ): AsyncGenerator<Event<P>, void> {
    let idleMs = IDLE_MS;
    for (let before = first; ;) {
      const began = performance.now();
      const asked = { position: before, signal };
      const { events, position } = await arrivals<P>(body, asked, { waitsMs: TAIL_MS });
      yield* events;
      onPosition?.(position);
      const isIdle = events.length === 0 && performance.now() - began < IDLE_MS;
      if (!isIdle || position !== before) idleMs = IDLE_MS;
      before = position;
      if (!isIdle) continue;
      await sleep(idleMs, signal);
      idleMs = Math.min(TAIL_MS, idleMs * 2);
    }
  }

  async function userPage(body: UsersBody = {}, options?: HttpOptions): Promise<UserPage> {
    const sent = { ...options, answerBytesMax };
    const { value: users, headers } = await ask<User[]>(`/users/${alias}`, body, sent);
    return { users, nextCursor: headers.get('x-next-cursor') ?? undefined };
  }

  const valueOf = async <T>(path: string, body: unknown, sent?: Asking): Promise<T> =>
    (await ask<T>(path, body, sent)).value;
  return {
    query,
    tail,
    count: async (body = {}, options) =>
      (await valueOf<{ count: number }>(`/count/${alias}`, body, options)).count,
    breakdown: (body: BreakdownBody, options) =>
      valueOf(`/breakdown/${alias}`, body, { ...options, answerBytesMax }),
    sequence: (body, options) => valueOf(`/sequence/${alias}`, body, { ...options, answerBytesMax }),
    top: <P>(body: TopBody, options?: HttpOptions) =>
      valueOf<Event<P>[]>(`/top/${alias}`, body, { ...options, answerBytesMax }),
    userPage,
    users: (body, options) => usersOf(userPage, body, options),
    retention: (body, options) => valueOf(`/retention/${alias}`, body, { ...options, answerBytesMax }),
    compare: (body, options) => valueOf(`/compare/${alias}`, body, { ...options, answerBytesMax }),
    explain: (body = {}, options) => valueOf(`/explain/${alias}`, body, options),
    properties: ({ event } = {}, options) => {
      const query = event === undefined ? '' : `?event=${encodeURIComponent(event)}`;
      return valueOf(`/properties/${alias}${query}`, undefined, options);
    },
    eventNames: (options) => valueOf(`/events/${alias}`, undefined, options),
    export: <P>(body: ExportBody = {}, options?: HttpOptions) =>
      lines<Event<P>>(`/export/${alias}`, body, options),
    since: <P>(body: TailBody = {}, options: SinceOptions<AbortSignal> = {}) =>
      arrivals<P>(body, options, { headers: { Prefer: 'wait=0' } }),
    pages: <P>(body?: QueryBody, options?: HttpOptions) => pagesOf(query<P>, body, options),
    async *events<P>(body?: QueryBody, options?: HttpOptions) {
      for await (const page of pagesOf(query<P>, body, options)) yield* page;
    },
  };
}
