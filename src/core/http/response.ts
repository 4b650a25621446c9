import { MINUTE_MS, type BucketState, type WindowState } from '../access/token-bucket.ts';
import { ApiError, isApiError } from '../errors.ts';
import type { HttpResponse } from '../ports.ts';

/** The headers of an answer under construction. */
export type Headers = Record<string, string>;

/** The headers of a JSON answer, for more to be added. */
export function jsonHeaders(requestId: string): Headers {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

/** The answer to an error: the table's text for ApiErrors, and nothing of the cause for any other. */
export function errorResponse(error: unknown, headers: Headers): HttpResponse & { readonly body: string } {
  const { status, message, headers: own } = isApiError(error) ? error : new ApiError('internal');
  return { status, headers: { ...headers, ...own }, body: JSON.stringify({ error: message }) };
}

/**
 * Adds the headers that tell of a caller's limits: the spec's three for the bucket with fewest tokens
 * left, the IETF draft's two (draft-ietf-httpapi-ratelimit-headers) for both, and `Retry-After` when the
 * take was refused.
 */
export function addLimitHeaders(headers: Headers, state: BucketState | null): void {
  if (state === null) return;
  const { windows, allowed, retryAfterMs, at } = state;
  const scarce = windows.reduce((least, window) => (window.remaining < least.remaining ? window : least));
  headers['X-RateLimit-Limit'] = String(scarce.limit);
  headers['X-RateLimit-Remaining'] = String(scarce.remaining);
  headers['X-RateLimit-Reset'] = String(Math.ceil((at + scarce.fullInMs) / 1000));
  headers['RateLimit-Policy'] = windows.map(toPolicy).join(', ');
  headers.RateLimit = windows.map(toItem).join(', ');
  if (!allowed) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

function nameOf({ windowMs }: WindowState): string {
  return windowMs === MINUTE_MS ? '"minute"' : '"day"';
}

function toPolicy(window: WindowState): string {
  return `${nameOf(window)};q=${window.limit};w=${window.windowMs / 1000}`;
}

function toItem(window: WindowState): string {
  return `${nameOf(window)};r=${window.remaining};t=${Math.ceil(window.fullInMs / 1000)}`;
}
