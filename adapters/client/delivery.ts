import { excerpt } from '../../src/store-kit.ts';
import { createDeadline } from './deadline.ts';
import { readJson } from './body.ts';
import { EventQueryError, toError, toUnanswered } from './errors.ts';
import { isPage } from './page.ts';
import { apiOf, isHeaderWord, type TargetOptions } from './options.ts';

/** How a sender authenticates; which of these is right depends on the strategy of the tenant. */
export interface SenderCredentials {
  /** For `SERVER_SIDE`: a key with the permission `ingest`. Use it on servers only, never in a browser. */
  readonly secretKey?: string;
  /**
   * For `JWT`: gives the access token. It is called for each request, so keep the token until it expires.
   * After a 401 it is called with `refresh: true`, and should then give a new token.
   */
  readonly getToken?: (asked: { readonly refresh: boolean }) => string | Promise<string>;
}

/** The answer to a batch: which of its events were refused, and why. */
export interface BatchAnswer {
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
  readonly headers: Headers;
}

/** How one request is sent. */
export interface DeliveryOptions {
  /** Whether the server has refused the token before. */
  readonly refresh: boolean;
  /** Whether the request may outlive its page. */
  readonly keepalive: boolean;
  readonly signal: AbortSignal;
}

/** Sends batches: one call is one request. */
export interface Delivery {
  /** Resolves to the answer of a server that has stored the batch. Throws EventQueryError for any other. */
  deliver(body: string, options: DeliveryOptions): Promise<BatchAnswer>;
  /**
   * Sends a batch from a page that is left, with the last token. Resolves to whether the server has stored
   * it; undefined where there is no token yet, and nothing was sent.
   */
  leave(body: string): Promise<boolean> | undefined;
}

/** A report names each refused event of 2,000 at most, with its reason. */
const REPORT_BYTES_MAX = 4_194_304;

/** Makes the delivery to a tenant. */
export function createDelivery(options: TargetOptions & SenderCredentials): Delivery {
  const { url, tenant, secretKey, getToken, fetch = globalThis.fetch, timeoutMs = 30_000 } = options;
  // The origin contains no user name and no password of the URL.
  const { origin } = new URL(url);
  const address = `${apiOf(url)}/events/${encodeURIComponent(tenant)}/multi`;
  let authorization = secretKey === undefined ? undefined : `Chase ${secretKey}`;

  const request = (body: string, keepalive: boolean, signal?: AbortSignal) =>
    fetch(address, {
      method: 'POST',
      headers: {
        // A page then needs no preflight, for which a page that is left has no time.
        'Content-Type': isPage() ? 'text/plain' : 'application/json',
        ...(authorization === undefined ? {} : { Authorization: authorization }),
      },
      body,
      // Another server would get the events, and its answer would count as if they were stored.
      redirect: 'manual',
      // Some runtimes without pages do not know this option and throw.
      ...(keepalive ? { keepalive } : {}),
      ...(signal === undefined ? {} : { signal }),
    });

  return {
    async deliver(body, { refresh, keepalive, signal }) {
      const deadline = createDeadline(timeoutMs, signal);
      try {
        if (getToken !== undefined) {
          authorization = `Bearer ${await tokenOf(() => getToken({ refresh }), deadline.signal)}`;
        }
        const answer = await request(body, keepalive, deadline.signal);
        if (!answer.ok) throw await toError(answer);
        return { rejected: await rejectedOf(answer), headers: answer.headers };
      } catch (error) {
        if (error instanceof EventQueryError) throw error;
        throw toUnanswered(error, origin, deadline.isOver() ? timeoutMs : undefined);
      } finally {
        deadline.rest();
      }
    },
    leave(body) {
      if (getToken !== undefined && authorization === undefined) return undefined;
      return request(body, true).then(
        ({ ok }) => ok,
        () => false,
      );
    },
  };
}

/** Reads which events were refused. A 2xx of something else than this API, such as a proxy, is an error. */
async function rejectedOf(answer: Response): Promise<BatchAnswer['rejected']> {
  const { rejected } = Object(await readJson(answer, REPORT_BYTES_MAX)) as { readonly rejected?: unknown };
  if (!Array.isArray(rejected) || !rejected.every(isRejection))
    throw new TypeError('the answer has no "rejected"');
  return rejected.map(({ index, error }) => ({ index, error: excerpt(error) }));
}

function isRejection(value: unknown): value is BatchAnswer['rejected'][number] {
  const { index, error } = Object(value) as Readonly<Record<string, unknown>>;
  return Number.isInteger(index) && typeof error === 'string';
}

/** Resolves to a token. Throws EventQueryError if there is none before the signal is aborted. */
async function tokenOf(getToken: () => string | Promise<string>, signal: AbortSignal): Promise<string> {
  try {
    const token: unknown = await Promise.race([getToken(), abortOf(signal)]);
    if (typeof token === 'string' && isHeaderWord(token)) return token;
    throw new TypeError('a token is a text without blanks');
  } catch (cause) {
    throw new EventQueryError('getToken gave no token', 0, { cause });
  }
}

/** Rejects when the signal is aborted. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
