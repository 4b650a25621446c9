import type { HttpRequest } from './message.ts';
import type { Headers } from './response.ts';
import { findRoute, isForBrowsers } from './route.ts';
import { splitTarget } from './target.ts';

/** Printable ASCII without space and comma: it matches every origin that a browser sends, also `null`. */
const ORIGIN_PATTERN = /^[!-+\--~]{1,1024}$/;

/**
 * The headers that let the page that sent a request read the answer. Browsers send beacons with credentials
 * and then accept no wildcard, so the answer repeats the origin. This is safe because this API ignores
 * cookies.
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
 * The headers of an answer that is sent before the handler has seen the request, such as "overloaded". They
 * let a page read it on the paths where pages may read answers.
 */
export function pageHeaders(request: HttpRequest): Headers {
  const { path } = splitTarget(request.target);
  return isForBrowsers(path, findRoute(path)) ? crossOriginHeaders(request) : {};
}

/** Names of headers as browsers list them in a preflight, in all at most 4,096 characters. */
const HEADERS_PATTERN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z, \t]{1,4096}$/;

/**
 * The headers of a preflight answer besides those of `crossOriginHeaders`. It allows the headers that the
 * page asks for, whatever they are: tools that trace pages add their own to each request, and here only those
 * mean something that this API reads.
 */
export function preflightHeaders(request: HttpRequest): Headers {
  const asked = request.header('access-control-request-headers') ?? '';
  return {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': HEADERS_PATTERN.test(asked) ? asked : USUAL_HEADERS,
    'Access-Control-Max-Age': '86400',
  };
}

/** What pages send with events. */
const USUAL_HEADERS = 'authorization, content-type, content-encoding, idempotency-key, traceparent';
