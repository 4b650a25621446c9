import type { RefusalNotes } from '../access/refusal-notes.ts';
import type { NoteUsage } from '../access/usage-ledger.ts';
import { ApiError, isAborted, isApiError } from '../base/errors.ts';
import { utf8Length } from '../event/text.ts';
import { toFinished, watched } from './finished.ts';
import type { HttpHandler, HttpResponse } from './message.ts';
import type { Meter } from '../base/metrics.ts';
import { piecesWithin, type RequestSpan, type Tracer } from '../base/tracing.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import type { Call } from './operation.ts';
import { errorResponse, jsonHeaders, type Headers } from './response.ts';
import { createRequestLog, type RequestLogOptions } from './request-log.ts';
import { createRequestMeter } from './request-meter.ts';
import type { FoundRoute, Route } from './route.ts';
import { crossOriginHeaders } from './cors.ts';
import { splitTarget, toLogPath } from './target.ts';

export interface DispatchOptions extends RequestLogOptions {
  readonly runtime: Pick<Runtime, 'uuid' | 'now' | 'elapsed' | 'utf8Length' | 'randomBytes'>;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
  /** Hears of each request for an existing tenant that is over. */
  readonly noteUsage?: NoteUsage | undefined;
  /** Hears of each request that is refused the events that it sent to an existing tenant. */
  readonly noteRefused?: RefusalNotes['request'] | undefined;
}

/** A table of routes and the functions that answer them. */
export interface Served<R extends Route> {
  readonly find: (path: string) => FoundRoute<R> | undefined;
  /** Answers a request whose method its route allows. */
  readonly answer: (call: Call, found: FoundRoute<R>) => HttpResponse | Promise<HttpResponse>;
  /** Headers that every answer has besides those of JSON. */
  readonly headers?: Headers;
  /** What pages of other origins may do. Absent: nothing. */
  readonly browsers?: {
    /**
     * Whether they may send requests to a path. Whether they may read its answers can depend on the tenant,
     * so `answer` decides that.
     */
    readonly mayCome: (path: string, found: FoundRoute<R> | undefined) => boolean;
    readonly preflight: (call: Call, found: FoundRoute<R> | undefined) => Promise<HttpResponse>;
  };
}

/** The status for a client that has disconnected, as nginx logs it. */
const CLIENT_GONE = 499;

/** The refusal of a path that no route has. Two paths are tried by people who look for the right one. */
function routeNotFound(path: string): ApiError {
  if (path === '/') return new ApiError('routeNotFound', ['The paths of the API are in /v1/openapi.json.']);
  if (/^\/v1\/events(\/[^/]*)?\/?$/.test(path))
    return new ApiError('routeNotFound', ['Send events to /v1/events/{tenantId}/multi.']);
  return new ApiError('routeNotFound');
}

/** Makes the handler that answers requests by a table of routes. The handler never rejects. */
export function createDispatch<R extends Route>(
  { runtime, log, meter, tracer, noteUsage, noteRefused, ...logged }: DispatchOptions,
  { find, answer, headers = {}, browsers }: Served<R>,
): HttpHandler {
  const requests = createRequestMeter(meter);
  const logRequest = createRequestLog(logged, { log, runtime });
  const isNoted = (logRequest ?? requests ?? tracer ?? noteUsage ?? noteRefused) !== undefined;
  const elapsed = () => runtime.elapsed?.() ?? runtime.now();

  function dispatch(call: Call, found: FoundRoute<R> | undefined): HttpResponse | Promise<HttpResponse> {
    const { method } = call.request;
    const isForBrowsers = browsers?.mayCome(call.target.path, found) ?? false;
    if (method === 'OPTIONS' && isForBrowsers) return browsers!.preflight(call, found);
    if (found?.route.methods.includes(method) === true) return answer(call, found);
    if (isForBrowsers) letPagesRead(call);
    if (found === undefined) throw routeNotFound(call.target.path);
    const allow = [...found.route.methods, ...(isForBrowsers ? ['OPTIONS'] : [])].join(', ');
    throw new ApiError('methodNotAllowed', [allow], { headers: { Allow: allow } });
  }

  /** Answers an error, and logs the cause of a 5xx, which the answer must not contain. */
  function fail({ request, headers, notes }: Call, error: unknown, traceId?: string): HttpResponse {
    notes.error = error;
    if (isAborted(error)) return { status: CLIENT_GONE, headers, body: '' };
    const response = errorResponse(error, headers);
    if (response.status >= 500 && !(isApiError(error) && error.logged)) {
      const path = toLogPath(request.target);
      const { status } = response;
      const err = isApiError(error) ? (error.cause ?? error) : error;
      const requestId = headers['X-Request-Id'];
      log.error({ requestId, traceId, method: request.method, path, status, err }, 'request failed');
    }
    return response;
  }

  const lengthOf = (text: string) => runtime.utf8Length?.(text) ?? utf8Length(text);

  /**
   * Makes the record of a request that is over, once its answer is made, and hands it to all that watch. Of
   * the path, it holds only the alias and the route, since the rest may hold a secret. It holds nothing of
   * the body.
   */
  function noted(
    call: Call,
    route: R | undefined,
    { status, headers, body }: HttpResponse,
    begunAt: number,
    span: RequestSpan | undefined,
  ): HttpResponse {
    const note = (bytesOut: number, sent = status) => {
      const durationMs = Math.max(0, elapsed() - begunAt);
      // Written out, because a spread of the call would take 6 microseconds.
      const { request, headers: own, alias, notes } = call;
      const traceId = span?.traceId;
      const ending = {
        request,
        headers: own,
        route,
        alias,
        notes,
        status: sent,
        bytesOut,
        durationMs,
        traceId,
      };
      const finished = toFinished(ending);
      const { tenantId, namedTenantId, sentToTenantId, batch } = notes;
      requests?.end(finished, tenantId);
      span?.end(finished);
      const usedTenantId = tenantId ?? namedTenantId;
      if (usedTenantId !== undefined) noteUsage?.(usedTenantId, finished, batch?.bytes);
      const { error } = finished;
      if (sentToTenantId !== undefined && error !== undefined) noteRefused?.(sentToTenantId, error);
      logRequest?.(finished, call);
    };
    if (typeof body !== 'string') {
      const ended = (bytes: number, error: unknown) => {
        call.notes.error = error;
        // Before the first piece, the transport still answers the error.
        note(bytes, bytes === 0 && error !== undefined ? statusOf(error) : status);
      };
      const pieces = span === undefined ? body : piecesWithin(span, body);
      return { status, headers, body: watched(pieces, lengthOf, ended) };
    }
    note(call.request.method === 'HEAD' ? 0 : lengthOf(body));
    return { status, headers, body };
  }

  return async (request) => {
    const begunAt = elapsed();
    const target = splitTarget(request.target);
    const found = find(target.path);
    requests?.begin(request.method);
    const call: Call = {
      request,
      target,
      alias: found?.alias ?? '',
      parameter: found?.parameter ?? '',
      // V8 adds a header ten times as slowly to an object that a spread has made of two others.
      headers: Object.assign(jsonHeaders(request.requestId ?? runtime.uuid()), headers),
      notes: {
        tenantId: undefined,
        namedTenantId: undefined,
        sentToTenantId: undefined,
        keyId: undefined,
        rows: undefined,
        batch: undefined,
        asked: undefined,
        error: undefined,
      },
    };
    const span = tracer?.begin({
      ...{ request, route: found?.route.path, operation: found?.route.name },
      ...{ queryString: target.queryString, requestId: call.headers['X-Request-Id'] as string },
    });
    let response: HttpResponse;
    try {
      response = await (span === undefined
        ? dispatch(call, found)
        : span.within(() => dispatch(call, found)));
    } catch (error) {
      response = fail(call, error, span?.traceId);
    }
    return isNoted ? noted(call, found?.route, response, begunAt, span) : response;
  };
}

function statusOf(error: unknown): number {
  if (isAborted(error)) return CLIENT_GONE;
  return isApiError(error) ? error.status : 500;
}

/** Lets a page of another origin read the answer to a call. */
export function letPagesRead({ request, headers }: Call): void {
  Object.assign(headers, crossOriginHeaders(request));
}
