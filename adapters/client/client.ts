import type {
  Breakdown,
  BreakdownBody,
  CountBody,
  Event,
  JsonObject,
  Properties,
  QueryBody,
} from '../../src/index.ts';
import { EventQueryError, toError } from './errors.ts';

export interface ClientOptions {
  /** Where the server is: `http://127.0.0.1:8787`, or with a path before `/v1`. */
  readonly url: string;
  /** The alias of the tenant. */
  readonly tenant: string;
  /** A key with the permission `query`. It belongs on servers only. */
  readonly apiKey: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long one request may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** What a tail may be given. */
export interface TailOptions extends CallOptions {
  /** Where to go on: what `onPosition` was told last. Absent: only what arrives from now on. */
  readonly position?: string;
  /** Told where to go on, when every event before it was taken. */
  readonly onPosition?: (position: string) => void;
}

/** What a call may be given beside its question. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A page of events, newest first. */
export interface ClientPage<P> {
  readonly events: readonly Event<P>[];
  /** Continues behind this page as `pagination.cursor`; undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/** Asks one tenant's events over HTTP. Every method throws `EventQueryError`, or the reason of its signal. */
export interface Client {
  /** One page of the events that match. */
  query<P = JsonObject>(body?: QueryBody, options?: CallOptions): Promise<ClientPage<P>>;
  /** How many events match. */
  count(body?: CountBody, options?: CallOptions): Promise<number>;
  /** How the events that match fall into groups, by the values of a path or by a unit of time. */
  breakdown(body: BreakdownBody, options?: CallOptions): Promise<Breakdown>;
  /** The paths that events of one name, or of all, have, with the types and a few values that they hold. */
  properties(question?: { readonly event?: string }, options?: CallOptions): Promise<Properties>;
  /** The distinct names of the tenant's events. */
  eventNames(options?: CallOptions): Promise<readonly string[]>;
  /** Every page from here on, each one request, of `pagination.size` events: 1,000 when absent. */
  pages<P = JsonObject>(body?: QueryBody, options?: CallOptions): AsyncGenerator<readonly Event<P>[], void>;
  /**
   * The events that match, one by one as they arrive, late ones too, until the signal ends it. Each wait of
   * up to 25 seconds is one request.
   */
  tail<P = JsonObject>(body?: CountBody, options?: TailOptions): AsyncGenerator<Event<P>, void>;
  /** Every event that matches, one by one, in pages of 1,000 where nothing else is said. */
  events<P = JsonObject>(body?: QueryBody, options?: CallOptions): AsyncGenerator<Event<P>, void>;
}

const PAGE_SIZE = 1000;

/** What a request is sent with. */
interface Sent extends CallOptions {
  /** How long the server may wait before it answers. */
  readonly waitsMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long a tail's answer waits for events, and where it says how to go on. */
const TAIL_MS = 25_000;
const POSITION_HEADER = 'X-Tail-Position';

/** A server that has no room for waiting answers at once: then there is no hurry. */
const IDLE_MS = 1000;

/**
 * Makes a client. On 429 it waits as long as `Retry-After` says and asks once more, as the API wants it from
 * its clients; a second 429 is thrown. Nothing else is tried again by itself.
 */
export function createClient(options: ClientOptions): Client {
  const { url, tenant, apiKey, fetch = globalThis.fetch, timeoutMs = 30_000 } = options;
  const base = `${url.endsWith('/') ? url.slice(0, -1) : url}/v1/api/query`;
  const alias = encodeURIComponent(tenant);
  warnInPages();

  async function send(
    path: string,
    body: unknown,
    { signal, waitsMs = 0, headers }: Sent,
  ): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs + waitsMs);
    const request = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'X-API-Key': apiKey,
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    };
    try {
      return await fetch(`${base}${path}`, request);
    } catch (cause) {
      signal?.throwIfAborted();
      const why = timeout.aborted
        ? `no answer within ${timeoutMs + waitsMs} ms`
        : 'the server cannot be reached';
      throw new EventQueryError(why, 0, { cause });
    }
  }

  async function ask(path: string, body: unknown, options: Sent = {}): Promise<Response> {
    let answer = await send(path, body, options);
    if (answer.status === 429) {
      const { retryAfterSeconds = 1 } = await toError(answer);
      await sleep(retryAfterSeconds * 1000, options.signal);
      answer = await send(path, body, options);
    }
    if (!answer.ok) throw await toError(answer);
    return answer;
  }

  async function query<P>(body: QueryBody = {}, options?: CallOptions): Promise<ClientPage<P>> {
    const answer = await ask(`/${alias}`, body, options);
    const nextCursor = answer.headers.get('x-next-cursor') ?? undefined;
    return { events: await read<Event<P>[]>(answer), nextCursor };
  }

  async function* pages<P>({ pagination = {}, ...rest }: QueryBody = {}, options?: CallOptions) {
    let next: QueryBody['pagination'] = { size: PAGE_SIZE, ...pagination };
    while (next !== undefined) {
      const { events, nextCursor }: ClientPage<P> = await query<P>({ ...rest, pagination: next }, options);
      if (events.length > 0) yield events;
      next = nextCursor === undefined ? undefined : { size: next.size, cursor: nextCursor };
    }
  }

  async function* tail<P>(body: CountBody = {}, options: TailOptions = {}): AsyncGenerator<Event<P>, void> {
    const { position: first, onPosition, ...rest } = options;
    for (let position = first; ;) {
      const began = performance.now();
      const headers = position === undefined ? {} : { [POSITION_HEADER]: position };
      const answer = await ask(`/tail/${alias}`, body, { ...rest, headers, waitsMs: TAIL_MS });
      const events = await read<Event<P>[]>(answer);
      yield* events;
      position = answer.headers.get(POSITION_HEADER) ?? undefined;
      if (position !== undefined) onPosition?.(position);
      if (events.length === 0 && performance.now() - began < IDLE_MS) await sleep(IDLE_MS, options.signal);
    }
  }

  return {
    query,
    tail,
    count: async (body = {}, options) =>
      (await read<{ count: number }>(await ask(`/count/${alias}`, body, options))).count,
    breakdown: async (body, options) => read<Breakdown>(await ask(`/breakdown/${alias}`, body, options)),
    properties: async ({ event } = {}, options) => {
      const query = event === undefined ? '' : `?event=${encodeURIComponent(event)}`;
      return read<Properties>(await ask(`/properties/${alias}${query}`, undefined, options));
    },
    eventNames: async (options) => read<string[]>(await ask(`/events/${alias}`, undefined, options)),
    pages,
    async *events<P>(body?: QueryBody, options?: CallOptions) {
      for await (const page of pages<P>(body, options)) yield* page;
    },
  };
}

/** The JSON of an answer; one that breaks off is an error, never a shorter answer. */
async function read<T>(answer: Response): Promise<T> {
  try {
    return (await answer.json()) as T;
  } catch (cause) {
    throw new EventQueryError('the answer broke off or is no JSON', answer.status, {
      headers: answer.headers,
      cause,
    });
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Whoever opens a page can read its script, and the key in it. */
function warnInPages(): void {
  if ('document' in globalThis && 'window' in globalThis) {
    console.warn('event-query/client runs in a page: everybody who opens it can read the API key.');
  }
}
