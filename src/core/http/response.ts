import type { BucketState, WindowState } from '../base/token-bucket.ts';
import { MINUTE_MS } from '../base/token-bucket.ts';
import { ApiError, isApiError } from '../base/errors.ts';
import type { HttpResponse } from './message.ts';

/** The headers of an answer under construction. */
export type Headers = Record<string, string | readonly string[]>;

/** The headers of a JSON answer, for more to be added. */
export function jsonHeaders(requestId: string): Headers {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

/** An answer of one JSON text. It ends with its line, so that a terminal shows it as one. */
export function jsonResponse(
  { headers }: { readonly headers: Headers },
  json: string,
  status = 200,
): HttpResponse & { readonly body: string } {
  return { status, headers, body: `${json}\n` };
}

/**
 * The answer to an error: the table's text for ApiErrors, with the caller's limits where they are known, and
 * nothing of the cause for any other.
 */
export function errorResponse(error: unknown, headers: Headers): HttpResponse & { readonly body: string } {
  const known = isApiError(error) ? error : new ApiError('internal');
  const all = { ...headers };
  // An error of an older copy of this package has none.
  addLimitHeaders(all, known.limits ?? null);
  const body = JSON.stringify({ error: known.message });
  return jsonResponse({ headers: { ...all, ...known.headers } }, body, known.status);
}

/**
 * Adds the headers that tell of a caller's limits: three for the window with fewest tokens left,
 * and the IETF draft's two (draft-ietf-httpapi-ratelimit-headers) for all.
 */
export function addLimitHeaders(headers: Headers, state: BucketState | null): void {
  if (state === null) return;
  const { windows, at } = state;
  let scarce = windows[0]!;
  let policy = '';
  let left = '';
  // In one pass: each answer has these, and an array of texts to join would cost a fifth more.
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

function nameOf({ windowMs }: WindowState): string {
  return windowMs === MINUTE_MS ? 'minute' : 'day';
}

function toPolicy(window: WindowState): string {
  return `"${nameOf(window)}";q=${window.limit};w=${window.windowMs / 1000}`;
}

function toItem(window: WindowState): string {
  return `"${nameOf(window)}";r=${window.remaining};t=${Math.ceil(window.fullInMs / 1000)}`;
}
