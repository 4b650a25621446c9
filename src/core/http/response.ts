import type { BucketState, WindowState } from '../access/token-bucket.ts';
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
  const { minute, day, allowed, retryAfterMs, at } = state;
  const scarce = day.remaining < minute.remaining ? day : minute;
  headers['X-RateLimit-Limit'] = String(scarce.limit);
  headers['X-RateLimit-Remaining'] = String(scarce.remaining);
  headers['X-RateLimit-Reset'] = String(Math.ceil((at + scarce.fullInMs) / 1000));
  headers['RateLimit-Policy'] = `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`;
  headers.RateLimit = `${toItem('minute', minute)}, ${toItem('day', day)}`;
  if (!allowed) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

function toItem(name: string, { remaining, fullInMs }: WindowState): string {
  return `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1000)}`;
}
