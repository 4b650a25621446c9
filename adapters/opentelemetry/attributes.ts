import type { Attributes } from '@opentelemetry/api';
import type { RequestBeginning, RequestEnd, TracedPart } from '../../src/transport-kit.ts';

/** The methods of RFC 9110 and PATCH, which the conventions know. All others are one, `_OTHER`. */
const KNOWN_METHODS: readonly string[] = [
  ...['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
];

/** The conventions write this in place of a value that may be secret. */
const REDACTED = 'REDACTED';

/** The most characters of a header in a span, since clients choose its length. */
const HEADER_LENGTH_MAX = 256;

/** The most parameters of a query string of which the names are recorded. */
const PARAMETERS_MAX = 8;

/** A name of a parameter, and nothing that looks like a secret. */
const PARAMETER_NAME = /^[a-zA-Z]{1,32}$/;

/** A host and its port as a `Host` header has them. */
const HOST = /^(\[[\da-fA-F:.]{2,45}\]|[\w.-]{1,253})(?::(\d{1,5}))?$/;

/** The status with which a request of a client that has gone is logged. It was not sent. */
const CLIENT_GONE = 499;

/** The options of `openTelemetryTracer`. */
export interface OpenTelemetryTracerOptions {
  /** Whether spans have the addresses of clients. Default false. */
  readonly addresses?: boolean | undefined;
  /** The methods that are recorded by their names. Default: those of RFC 9110 and PATCH. */
  readonly knownMethods?: readonly string[] | undefined;
  /** The version of the program, for the scope of its spans. Default: none. */
  readonly version?: string | undefined;
}

/** The name of a request's span: its method and its route, as the conventions want it. */
export function spanName(
  { request: { method }, route }: RequestBeginning,
  { knownMethods = KNOWN_METHODS }: OpenTelemetryTracerOptions,
): string {
  const verb = knownMethods.includes(method) ? method : 'HTTP';
  return route === undefined ? verb : `${verb} ${route}`;
}

/**
 * What the conventions for HTTP servers record when a request begins. The path and the query string are
 * scrubbed: they hold aliases, keys of Segment's SDKs, names of events, and whatever a client sends to a
 * path that does not exist.
 */
export function serverAttributes(
  { request, route, queryString }: RequestBeginning,
  { addresses = false, knownMethods = KNOWN_METHODS }: OpenTelemetryTracerOptions,
): Attributes {
  const { method, scheme = 'http', protocolVersion, address } = request;
  const isKnown = knownMethods.includes(method);
  const [, host, port] = HOST.exec(request.header('host') ?? '') ?? [];
  return {
    'http.request.method': isKnown ? method : '_OTHER',
    ...(!isKnown && { 'http.request.method_original': method.slice(0, HEADER_LENGTH_MAX) }),
    ...(route !== undefined && { 'http.route': route }),
    'url.scheme': scheme,
    'url.path': route?.replace(/\{\w{1,32}\}/g, REDACTED) ?? `/${REDACTED}`,
    ...(queryString !== '' && { 'url.query': scrubQuery(queryString) }),
    ...(host !== undefined && { 'server.address': host.replace(/^\[|\]$/g, '') }),
    ...(port !== undefined && { 'server.port': Number(port) }),
    ...(addresses && address !== undefined && { 'client.address': address }),
    ...(protocolVersion !== undefined && { 'network.protocol.version': protocolVersion }),
    ...textOf('user_agent.original', request.header('user-agent')),
  };
}

/** What is recorded beside the conventions when a request begins. */
export function ownAttributes({ requestId, operation }: RequestBeginning): Attributes {
  return {
    ...(operation !== undefined && { 'event_query.operation': operation }),
    'event_query.request_id': requestId,
  };
}

/** What is recorded beside the conventions when a request has ended. */
export function endAttributes({ error, rows, accepted, duplicates, rejected }: RequestEnd): Attributes {
  return {
    ...(error !== undefined && { 'event_query.error': error }),
    ...(rows !== undefined && { 'event_query.rows': rows }),
    ...(accepted !== undefined && { 'event_query.accepted': accepted }),
    ...(duplicates !== undefined && { 'event_query.duplicates': duplicates }),
    ...(rejected !== undefined && { 'event_query.rejected': rejected }),
  };
}

/** The status code that was sent; undefined where the client had gone before that. */
export function sentStatus({ status }: RequestEnd): number | undefined {
  return status === CLIENT_GONE ? undefined : status;
}

/**
 * What `error.type` says of a request: its status code where that is a 5xx; `aborted` where the client did
 * not wait for the end of the answer; the code of an error that broke off an answer. Undefined for a request
 * that was answered as it should be, also with a 4xx.
 */
export function errorTypeOf({ status, error }: RequestEnd): string | undefined {
  if (error === 'aborted') return error;
  if (status >= 500) return String(status);
  return status < 400 ? error : undefined;
}

/** What is recorded of a part of a request. */
export function partAttributes({ operation, events }: TracedPart): Attributes {
  return {
    ...(operation !== undefined && { 'event_query.operation': operation }),
    ...(events !== undefined && { 'event_query.events': events }),
  };
}

function textOf(name: string, value: string | undefined): Attributes {
  return value === undefined || value === '' ? {} : { [name]: value.slice(0, HEADER_LENGTH_MAX) };
}

/** A query string with the names of its parameters and none of their values. */
function scrubQuery(queryString: string): string {
  return queryString
    .split('&', PARAMETERS_MAX)
    .map((pair) => {
      const [name = '', ...values] = pair.split('=', 2);
      return values.length > 0 && PARAMETER_NAME.test(name) ? `${name}=${REDACTED}` : REDACTED;
    })
    .join('&');
}
