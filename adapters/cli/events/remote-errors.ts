import { EventQueryError } from '../../client/index.ts';
import { failure, messageOf, misuse } from '../process/errors.ts';

/** A server, and the key that a command shows it. */
export interface RemoteServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** The secret of an API key. */
  readonly key: string;
}

/** What to do about an answer of this status. */
const ADVICE: Readonly<Record<number, string>> = {
  401: 'give a key with the permission query of this tenant (--key-file, EVENT_QUERY_KEY)',
  404: 'the key belongs to another tenant, or --url is not the address of event-query',
};

/** An error of the network without a text of its own, as when both addresses of a name refuse. */
const codeOf = (error: unknown) => (error as { code?: string }).code ?? 'no reason given';

/** Throws an error of one line: which server, what it said, and what to do. */
export function named({ url }: RemoteServer, error: unknown): never {
  if (!(error instanceof EventQueryError)) throw error;
  const { status, message, cause, requestId } = error;
  // The server refuses a flag's value like the command itself does.
  if (status === 400) throw misuse(message);
  // `fetch` throws a TypeError where it got no answer.
  if (status === 0 && cause instanceof TypeError) {
    const { cause: inner = cause } = cause;
    throw failure(`cannot reach ${url}: ${messageOf(inner) || codeOf(inner)}`);
  }
  const advice = ADVICE[status] === undefined ? '' : `; ${ADVICE[status]}`;
  const place = status >= 500 && requestId !== undefined ? ` (X-Request-Id ${requestId})` : '';
  throw failure(`${url}: ${message}${place}${advice}`);
}

/**
 * Like `fetch`, but an answer that names another address is an error: a key must reach no server that the
 * caller has not named.
 */
export async function fetchWithoutRedirects(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
): Promise<Response> {
  const answer = await fetch(input, { ...init, redirect: 'manual' });
  const place = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
  if (place === null) return answer;
  await answer.body?.cancel();
  const { origin } = new URL(place, answer.url);
  throw new TypeError(`it redirects to ${origin}; if you trust that server, name it with --url`);
}
