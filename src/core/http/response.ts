import type { BucketState, WindowState } from '../access/token-bucket.ts';
import { ApiError, isApiError } from '../errors.ts';
import type { HttpResponse } from '../ports.ts';

/** An answer under construction. */
export type Headers = Readonly<Record<string, string>>;

const JSON_HEADERS: Headers = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/** An answer whose body is a JSON text. */
export function jsonResponse(status: number, body: string, headers: Headers = {}): HttpResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body };
}

/** The answer to an error: the table's text for ApiErrors, and nothing of the cause for any other. */
export function errorResponse(error: unknown, headers: Headers = {}): HttpResponse {
  const { status, message, headers: own } = isApiError(error) ? error : new ApiError('internal');
  return jsonResponse(status, JSON.stringify({ error: message }), { ...headers, ...own });
}

/**
 * The headers that tell of a caller's limits: the spec's three for the bucket with fewest tokens left, the
 * IETF draft's two (draft-ietf-httpapi-ratelimit-headers) for both, and `Retry-After` when the take was
 * refused.
 */
export function limitHeaders(state: BucketState | null): Headers {
  if (state === null) return {};
  const { minute, day, allowed, retryAfterMs, at } = state;
  const scarce = day.remaining < minute.remaining ? day : minute;
  const headers = {
    'X-RateLimit-Limit': String(scarce.limit),
    'X-RateLimit-Remaining': String(scarce.remaining),
    'X-RateLimit-Reset': String(Math.ceil((at + scarce.fullInMs) / 1000)),
    'RateLimit-Policy': `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`,
    RateLimit: `${toItem('minute', minute)}, ${toItem('day', day)}`,
  };
  return allowed
    ? headers
    : { ...headers, 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
}

function toItem(name: string, { remaining, fullInMs }: WindowState): string {
  return `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1000)}`;
}
