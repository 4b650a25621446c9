import type { AskOptions } from '../../src/index.ts';
import { readJson, toExactJson } from './body.ts';
import { EventQueryError, toError, toUnanswered } from './errors.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { apiOf, checkOptions, isHeaderWord, TIMER_MS_MAX, type TargetOptions } from './options.ts';

/** Which server a client uses, and how. */
export interface ClientOptions extends TargetOptions {
  /** An API key with the permission `query`. Use it on servers only, never in a browser. */
  readonly apiKey: string;
}

/** The longest `Retry-After` that is waited for: enough for a limit per minute, but not for one per day. */
const WAIT_SECONDS_MAX = 60;

/** How often a question is asked again while the server builds its index: for some minutes. */
const INDEXING_RETRIES = 10;

/** The largest answer that is read without events or groups: that to `properties` may have some MiB. */
const ANSWER_BYTES_MAX = 33_554_432;
/** The largest answer that is read with events or groups: a server writes pages of about 256 MiB at most. */
export const PAGE_ANSWER_BYTES_MAX = 301_989_888;
/** The longest line that is read of an export: one event, of 1 MiB before it is written as JSON. */
const LINE_LENGTH_MAX = 8_388_608;

/** The last line of an answer in lines. No event is like it. */
const LAST_LINE = '{"end":true}';

/** How a request is sent. */
export interface Asking extends AskOptions<AbortSignal> {
  /** How long the server waits before it answers, in milliseconds; it extends the timeout. */
  readonly waitsMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A larger answer is an error. */
  readonly answerBytesMax?: number;
}

/** An answer whose status and headers have arrived, but not yet its body. */
interface Begun {
  readonly answer: Response;
  readonly deadline: Deadline;
}

/** A complete answer. */
interface Answered<T> {
  readonly value: T;
  readonly headers: Headers;
}

/**
 * Sends requests. On 429 it waits as long as `Retry-After` says, up to a minute, and retries once, as the API
 * asks of its clients. A longer wait throws at once, and so does a second 429. While the server builds an
 * index for a question, the question is asked again, each time after `Retry-After`. Nothing else is retried.
 */
export interface Requests {
  /** Resolves to the JSON of an answer. An incomplete answer is an error, never a shorter result. */
  readonly ask: <T>(path: string, body: unknown, sent?: Asking) => Promise<Answered<T>>;
  /**
   * Yields the JSON of each line of an answer as it arrives; it reads no further than the caller does. The
   * answer ends with a line that says so, because what carries it may lose its end unseen.
   */
  readonly lines: <T>(path: string, body: unknown, sent?: Asking) => AsyncGenerator<T, void>;
}

/** Makes the requests to a server's Query API. */
export function createRequests(options: ClientOptions): Requests {
  checkOptions('createClient', options, { needed: ['apiKey'] });
  if (!isHeaderWord(options.apiKey))
    throw new TypeError('createClient: apiKey takes an API key of the tenant');
  const { url, apiKey, fetch = globalThis.fetch, timeoutMs = 40_000 } = options;
  // The origin contains no user name and no password of the URL.
  const { origin } = new URL(url);
  const base = `${apiOf(url)}/api/query`;

  async function send(path: string, body: unknown, { signal, waitsMs = 0, headers }: Asking): Promise<Begun> {
    const deadlineMs = Math.min(TIMER_MS_MAX, timeoutMs + waitsMs);
    const deadline = createDeadline(deadlineMs, signal);
    const request = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'X-API-Key': apiKey,
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: toExactJson(body)! }),
      signal: deadline.signal,
      // `fetch` follows a redirect to another server with all headers but `Authorization`, so with the key.
      redirect: 'manual' as const,
    };
    try {
      return { answer: await fetch(`${base}${path}`, request), deadline };
    } catch (cause) {
      deadline.rest();
      signal?.throwIfAborted();
      throw toUnanswered(cause, origin, deadline.isOver() ? deadlineMs : undefined);
    }
  }

  async function begin(path: string, body: unknown, sent: Asking): Promise<Begun> {
    for (let retries = 0; ; retries++) {
      const begun = await send(path, body, sent);
      if (begun.answer.ok) return begun;
      const refusal = await refusalOf(begun);
      const { retryAfterSeconds = 1 } = refusal;
      if (retries >= retriesOf(begun.answer) || retryAfterSeconds > WAIT_SECONDS_MAX) throw refusal;
      await sleep(retryAfterSeconds * 1000, sent.signal);
    }
  }

  return {
    async ask<T>(path: string, body: unknown, sent: Asking = {}): Promise<Answered<T>> {
      const { answer, deadline } = await begin(path, body, sent);
      const { answerBytesMax = ANSWER_BYTES_MAX } = sent;
      try {
        return { value: (await readJson(answer, answerBytesMax)) as T, headers: answer.headers };
      } catch (cause) {
        throw toBroken(answer, cause, sent);
      } finally {
        deadline.rest();
      }
    },
    async *lines<T>(path: string, body: unknown, sent: Asking = {}) {
      const headers = { ...sent.headers, Accept: 'application/x-ndjson; end=present' };
      const { answer, deadline } = await begin(path, body, { ...sent, headers });
      let isOver = false;
      const parse = (line: string): T => {
        try {
          return JSON.parse(line) as T;
        } catch (cause) {
          throw toBroken(answer, cause, sent);
        }
      };
      let rest = '';
      for await (const text of textsOf(answer, deadline, sent)) {
        const [first, ...others] = text.split('\n');
        rest += first!;
        for (const other of others) {
          if (rest === LAST_LINE) isOver = true;
          else yield parse(rest);
          rest = other;
        }
        if (rest.length > LINE_LENGTH_MAX) throw toBroken(answer, undefined, sent);
      }
      if (!isOver || rest !== '') throw toBroken(answer, undefined, sent);
    },
  };
}

/** How often a request is sent again after answers such as this. */
function retriesOf({ status, headers }: Response): number {
  if (status === 429) return 1;
  // Each try builds more of the index.
  return status === 503 && headers.has('x-index-progress') ? INDEXING_RETRIES : 0;
}

/** Yields the text of an answer in chunks. */
async function* textsOf(answer: Response, deadline: Deadline, sent: Asking): AsyncGenerator<string, void> {
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
    // Stop the server's work when the caller stops reading; an error of the cancellation does not matter.
    await reader?.cancel().catch(() => undefined);
  }
}

async function refusalOf({ answer, deadline }: Begun): Promise<EventQueryError> {
  const error = await toError(answer);
  deadline.rest();
  return error;
}

function toBroken({ status, headers }: Response, cause: unknown, { signal }: Asking): EventQueryError {
  signal?.throwIfAborted();
  const what = cause instanceof RangeError ? cause.message : 'the answer broke off or is no JSON';
  return new EventQueryError(what, status, { headers, cause });
}

/** Waits for `ms` milliseconds, or throws the signal's reason. */
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
