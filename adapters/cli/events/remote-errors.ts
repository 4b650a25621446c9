import { describeTlsFault } from '../../../src/store-kit.ts';
import { EventQueryError } from '../../client/index.ts';
import { CliError, EXIT, messageOf, misuse } from '../process/errors.ts';

/** A server that a command talks to. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
}

/** A server, and the key that a command shows it to ask. */
export interface RemoteServer extends Server {
  /** The secret of an API key. */
  readonly key: string;
}

const NOT_HERE = '--url is not the address of event-query';

/** What to do about an answer of this status, when a command asks and when it sends. */
const ADVICE: Readonly<Record<'asking' | 'sending', Readonly<Record<number, string>>>> = {
  asking: {
    401: 'give a key with the permission query of this tenant (--key-file, EVENT_QUERY_KEY)',
    404: `the key belongs to another tenant, or ${NOT_HERE}`,
  },
  sending: {
    401:
      'give a key with the permission ingest of this tenant (--key-file, EVENT_QUERY_KEY), or an access ' +
      'token where the tenant takes those (--token-file)',
    404: `there is no such tenant, or ${NOT_HERE}`,
  },
};

/** An error of the network without a text of its own, as when both addresses of a name refuse. */
const codeOf = (error: unknown) => (error as { code?: string }).code ?? 'no reason given';

/** The failure of a server, or of the way to it. */
export class ServerError extends CliError {
  constructor(message: string) {
    super(EXIT.failure, message);
  }
}

/** Why a request had no answer. */
export function whyNoAnswer(error: unknown): string {
  // `fetch` throws a TypeError whose message says only that it failed.
  const inner = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  return describeTlsFault(inner) ?? (messageOf(inner) || codeOf(inner));
}

/** Says in one line that a server cannot be reached, and why. */
export const whyUnreachable = (url: string, error: unknown): string =>
  `cannot reach ${url}: ${whyNoAnswer(error)}`;

/** Throws an error of one line: which server, what it said, and what to do. */
export function named({ url }: Server, error: unknown, task: keyof typeof ADVICE = 'asking'): never {
  if (!(error instanceof EventQueryError)) throw error;
  const { status, message, cause, requestId } = error;
  // A server's refusal of a flag's value reads as the command's own.
  if (status === 400) throw misuse(message);
  // `fetch` throws a TypeError where it got no answer.
  if (status === 0 && cause instanceof TypeError) throw new ServerError(whyUnreachable(url, cause));
  const advice = ADVICE[task][status] === undefined ? '' : `; ${ADVICE[task][status]}`;
  const place = status >= 500 && requestId !== undefined ? ` (X-Request-Id ${requestId})` : '';
  throw new ServerError(`${url}: ${message}${place}${advice}`);
}

/** The error of an answer that names another address. */
class RedirectError extends TypeError {
  override readonly name = 'RedirectError';
}

/** Whether a request failed because its answer named another address: trying again does not help. */
export function isRedirect(error: unknown): boolean {
  return error instanceof RedirectError;
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
  throw new RedirectError(`it redirects to ${origin}; if you trust that server, name it with --url`);
}
