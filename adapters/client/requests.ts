import { EventQueryError, toError } from './errors.ts';
import { createDeadline, type Deadline } from './deadline.ts';

/** Which server a client asks, and how. */
export interface ClientOptions {
  /** Where the server is: `http://127.0.0.1:8787`, or with a path before `/v1`. */
  readonly url: string;
  /** The alias of the tenant. */
  readonly tenant: string;
  /** A key with the permission `query`. It belongs on servers only. */
  readonly apiKey: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How long one request may take, in milliseconds; of an export each wait for more of it. Default 30,000.
   */
  readonly timeoutMs?: number;
}

/** How long a limit is waited for: that of a minute is free again by then, that of a day is not. */
const WAIT_SECONDS_MAX = 60;

/** What a call may be given beside its question. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What a request is sent with. */
interface Sent extends CallOptions {
  /** How long the server may wait before it answers. */
  readonly waitsMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that has begun to come. */
interface Begun {
  readonly answer: Response;
  readonly deadline: Deadline;
}

/** An answer that has come. */
interface Answered<T> {
  readonly value: T;
  readonly headers: Headers;
}

/**
 * How questions are sent. On 429 it waits as long as `Retry-After` says, up to a minute, and asks once more,
 * as the API wants it from its clients; a longer wait is thrown at once, and so is a second 429. Nothing else
 * is tried again by itself.
 */
export interface Requests {
  /** The JSON of an answer; one that breaks off is an error, never a shorter answer. */
  readonly ask: <T>(path: string, body: unknown, sent?: Sent) => Promise<Answered<T>>;
  /** The lines of an answer as they come; nothing is read ahead of whoever takes them. */
  readonly lines: (path: string, body: unknown, sent?: Sent) => AsyncGenerator<string, void>;
}

/** Throws a TypeError for options that no question could be sent with. */
function checkOptions(options: ClientOptions): void {
  const given = options as Partial<ClientOptions> | undefined;
  const missing = (['url', 'tenant', 'apiKey'] as const).filter((name) => typeof given?.[name] !== 'string');
  if (missing.length > 0) {
    const got = Object.keys(given ?? {}).join(', ') || 'nothing';
    throw new TypeError(`createClient needs ${missing.join(' and ')}; got ${got}`);
  }
  if (!/^https?:$/.test(URL.canParse(options.url) ? new URL(options.url).protocol : ''))
    throw new TypeError('createClient: url takes an address of http or https');
}

/** Sends to the Query API of a server. */
export function createRequests(options: ClientOptions): Requests {
  checkOptions(options);
  const { url, apiKey, fetch = globalThis.fetch, timeoutMs = 30_000 } = options;
  // Without a name and a password that an address may have.
  const { origin } = new URL(url);
  const base = `${url.endsWith('/') ? url.slice(0, -1) : url}/v1/api/query`;

  async function send(path: string, body: unknown, { signal, waitsMs = 0, headers }: Sent): Promise<Begun> {
    const deadline = createDeadline(timeoutMs + waitsMs, signal);
    const request = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'X-API-Key': apiKey,
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: deadline.signal,
    };
    try {
      return { answer: await fetch(`${base}${path}`, request), deadline };
    } catch (cause) {
      deadline.rest();
      signal?.throwIfAborted();
      const why = deadline.isOver()
        ? `no answer within ${timeoutMs + waitsMs} ms`
        : 'the server cannot be reached';
      throw new EventQueryError(`${why}: ${origin}`, 0, { cause });
    }
  }

  async function begin(path: string, body: unknown, sent: Sent): Promise<Begun> {
    let begun = await send(path, body, sent);
    if (begun.answer.status === 429) {
      const refusal = await refusalOf(begun);
      const { retryAfterSeconds = 1 } = refusal;
      if (retryAfterSeconds > WAIT_SECONDS_MAX) throw refusal;
      await sleep(retryAfterSeconds * 1000, sent.signal);
      begun = await send(path, body, sent);
    }
    if (!begun.answer.ok) throw await refusalOf(begun);
    return begun;
  }

  return {
    async ask<T>(path: string, body: unknown, sent: Sent = {}): Promise<Answered<T>> {
      const { answer, deadline } = await begin(path, body, sent);
      try {
        return { value: (await answer.json()) as T, headers: answer.headers };
      } catch (cause) {
        throw toBroken(answer, cause, sent);
      } finally {
        deadline.rest();
      }
    },
    async *lines(path, body, sent = {}) {
      const { answer, deadline } = await begin(path, body, sent);
      let rest = '';
      for await (const text of textsOf(answer, deadline, sent)) {
        const lines = (rest + text).split('\n');
        rest = lines.pop()!;
        yield* lines;
      }
      if (rest !== '') throw toBroken(answer, undefined, sent);
    },
  };
}

/** The text of an answer, piece by piece. */
async function* textsOf(answer: Response, deadline: Deadline, sent: Sent): AsyncGenerator<string, void> {
  const reader = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  const read = async () => {
    deadline.wait();
    try {
      return await reader?.read();
    } catch (cause) {
      throw toBroken(answer, cause, sent);
    } finally {
      deadline.rest();
    }
  };
  try {
    for (let piece = await read(); piece?.value !== undefined; piece = await read()) {
      yield decoder.decode(piece.value, { stream: true });
    }
  } finally {
    // The server works no longer for whoever has stopped to read; how the stream ends is nobody's concern.
    await reader?.cancel().catch(() => undefined);
  }
}

async function refusalOf({ answer, deadline }: Begun): Promise<EventQueryError> {
  const error = await toError(answer);
  deadline.rest();
  return error;
}

function toBroken({ status, headers }: Response, cause: unknown, { signal }: Sent): EventQueryError {
  signal?.throwIfAborted();
  return new EventQueryError('the answer broke off or is no JSON', status, { headers, cause });
}

/** Waits, or throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
