import type { BucketState, WindowState } from '../base/token-bucket.ts';
import { windowName } from '../access/plan.ts';
import { ApiError, isApiError } from '../base/errors.ts';
import type { HttpResponse } from './message.ts';

/** The headers of an answer under construction. */
export type Headers = Record<string, string | readonly string[]>;

/** The headers that every JSON answer has. Callers may add more. */
export function jsonHeaders(requestId: string): Headers {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

/** An answer with a JSON body. The body ends with a newline, so that a terminal shows it as one line. */
export function jsonResponse(
  { headers }: Pick<HttpResponse, 'headers'>,
  json: string,
  status = 200,
): HttpResponse & { readonly body: string } {
  return { status, headers, body: `${json}\n` };
}

/**
 * The answer to an error. For an ApiError it has the error's text and the caller's limits where they are
 * known; for any other error it says `Internal server error` and nothing of the cause. `said` is its body
 * where a protocol writes errors in another way.
 */
export function errorResponse(
  error: unknown,
  headers: Headers,
  said?: object,
): HttpResponse & { readonly body: string } {
  const known = isApiError(error) ? error : new ApiError('internal');
  const all = { ...headers };
  addLimitHeaders(all, known.limits);
  const body = JSON.stringify(said ?? { error: known.message });
  return jsonResponse({ headers: { ...all, ...known.headers } }, body, known.status);
}

/**
 * Adds the headers that state a caller's limits: three for the window with the fewest tokens left, and the
 * two of an IETF draft (draft-ietf-httpapi-ratelimit-headers) for all windows.
 */
export function addLimitHeaders(headers: Headers, state: BucketState | null): void {
  if (state === null) return;
  const { windows, at } = state;
  let scarce = windows[0]!;
  let policy = '';
  let left = '';
  // One pass, since every answer has these headers and joining arrays of texts takes a fifth longer.
  for (const window of windows) {
    if (window.remaining < scarce.remaining) scarce = window;
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}${toPolicy(window)}`;
    left += `${separator}${toItem(window)}`;
  }
  headers['X-RateLimit-Limit'] = String(scarce.limit);
  headers['X-RateLimit-Remaining'] = String(scarce.remaining);
  headers['X-RateLimit-Reset'] = String(Math.ceil((at + scarce.fullInMs) / 1000));
  headers['RateLimit-Policy'] = policy;
  headers.RateLimit = left;
}

function toPolicy(window: WindowState): string {
  return `"${windowName(window)}";q=${window.limit};w=${window.windowMs / 1000}`;
}

function toItem(window: WindowState): string {
  return `"${windowName(window)}";r=${window.remaining};t=${Math.ceil(window.fullInMs / 1000)}`;
}
