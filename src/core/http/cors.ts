import type { HttpRequest } from './message.ts';
import type { Headers } from './response.ts';
import { findRoute, isForBrowsers } from './route.ts';
import { splitTarget } from './target.ts';

/** Printable ASCII without what separates headers: every origin that a browser sends, `null` too. */
const ORIGIN_PATTERN = /^[!-+\--~]{1,1024}$/;

/**
 * Lets the page that sent a request read the answer. A beacon is sent with credentials, for which a browser
 * takes no wildcard, so the origin is sent back to it. No cookie means anything to this API, so a page gets
 * with them what it gets without.
 */
export function crossOriginHeaders(request: HttpRequest): Headers {
  const origin = request.header('origin');
  if (origin === undefined || !ORIGIN_PATTERN.test(origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': 'x-request-id, retry-after',
  };
}

/**
 * The headers by which a page may read what is answered before anybody has looked at a request, such as that
 * the server is overloaded: wherever it may read answers at all.
 */
export function pageHeaders(request: HttpRequest): Headers {
  const { path } = splitTarget(request.target);
  return isForBrowsers(path, findRoute(path)) ? crossOriginHeaders(request) : {};
}

/** What a preflight is told beside whether the page may read the answer: the same on every path. */
export const PREFLIGHT_HEADERS: Headers = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'authorization, content-type, content-encoding, idempotency-key',
  'Access-Control-Max-Age': '86400',
};
