import { ApiError, invalid, isApiError, unavailable } from '../errors.ts';
import { toEventJson } from '../event/event.ts';
import { quote } from '../event/text.ts';
import type { HttpHandler, HttpRequest, HttpResponse, Logger, Runtime } from '../ports.ts';
import type { Outcome, QueryCaller, Service } from '../service.ts';
import { readEvents, readJsonBody } from './request.ts';
import { errorResponse, jsonResponse, limitHeaders, type Headers } from './response.ts';
import { findRoute, ROUTE_METHODS, splitTarget, type Route } from './route.ts';

export interface HttpHandlerOptions {
  readonly service: Service;
  /** Resolves when the stores answer. */
  readonly ready: () => Promise<void>;
  readonly runtime: Pick<Runtime, 'uuid'>;
  readonly log: Logger;
}

const OPEN_TO_BROWSERS: Headers = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT: Headers = {
  ...OPEN_TO_BROWSERS,
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'authorization, content-type, content-encoding',
  'Access-Control-Max-Age': '86400',
};

/** Makes the whole API of the spec as one function of plain requests. It never rejects. */
export function createHttpHandler({ service, ready, runtime, log }: HttpHandlerOptions): HttpHandler {
  return async (request) => {
    const requestId = runtime.uuid();
    const response = await dispatch(request).catch((error: unknown) => fail(request, requestId, error));
    return { ...response, headers: { ...response.headers, 'X-Request-Id': requestId } };
  };

  /** Answers an error, and tells the log what the answer must not: the cause of a 5xx. */
  function fail(request: HttpRequest, requestId: string, error: unknown): HttpResponse {
    const response = errorResponse(error);
    if (response.status >= 500) {
      const { method, target } = request;
      const cause = isApiError(error) ? (error.cause ?? error) : error;
      log.error(
        { requestId, method, path: splitTarget(target).path, status: response.status, err: cause },
        'request failed',
      );
    }
    return response;
  }

  async function dispatch(request: HttpRequest): Promise<HttpResponse> {
    const route = findRoute(splitTarget(request.target).path);
    if (route === undefined) throw new ApiError('routeNotFound');
    const methods: readonly string[] = ROUTE_METHODS[route.name];
    if (!methods.includes(request.method)) {
      const allow = methods.join(', ');
      throw new ApiError('methodNotAllowed', `Method not allowed. Use ${allow}.`, {
        headers: { Allow: allow },
      });
    }
    return run(route, request);
  }

  async function run(route: Route, request: HttpRequest): Promise<HttpResponse> {
    switch (route.name) {
      case 'query': {
        const outcome = await service.query(toCaller(route.alias, request), () => readQueryBody(request));
        return respond(outcome, ({ events, nextCursor }) =>
          jsonResponse(
            200,
            `[${events.map(toEventJson).join(',')}]`,
            nextCursor === undefined ? {} : { 'X-Next-Cursor': nextCursor },
          ),
        );
      }
      case 'count': {
        const outcome = await service.count(toCaller(route.alias, request), () => readQueryBody(request));
        return respond(outcome, (count) => jsonResponse(200, `{"count":${count}}`));
      }
      case 'eventNames': {
        const outcome = await service.eventNames(toCaller(route.alias, request), () => readNothing(request));
        return respond(outcome, (names) => jsonResponse(200, JSON.stringify(names)));
      }
      case 'ingest':
        return request.method === 'OPTIONS' ? preflight(route.alias) : ingest(route.alias, request);
      case 'healthz':
        return jsonResponse(200, '{"status":"up"}');
      case 'readyz':
        await ready().catch((error: unknown) =>
          Promise.reject(isApiError(error) ? error : unavailable(error)),
        );
        return jsonResponse(200, '{"status":"ready"}');
    }
  }

  async function preflight(alias: string): Promise<HttpResponse> {
    const open = await service.isOpenToBrowsers(alias);
    return { status: 204, headers: open ? PREFLIGHT : { Allow: ROUTE_METHODS.ingest.join(', ') }, body: '' };
  }

  async function ingest(alias: string, request: HttpRequest): Promise<HttpResponse> {
    const open = await service.isOpenToBrowsers(alias);
    const caller = { alias, authorization: request.header('authorization') };
    const cors = open ? OPEN_TO_BROWSERS : {};
    try {
      const report = await service.ingest(caller, () => readEvents(request));
      return jsonResponse(200, JSON.stringify(report), cors);
    } catch (error) {
      // A page can read why its events were refused only when the refusal carries the header too.
      throw isApiError(error) ? withHeaders(error, cors) : error;
    }
  }
}

function toCaller(alias: string, request: HttpRequest): QueryCaller {
  return { alias, apiKey: request.header('x-api-key') };
}

function respond<T>(outcome: Outcome<T>, toResponse: (value: T) => HttpResponse): HttpResponse {
  const headers = limitHeaders(outcome.limits);
  if (!outcome.ok) throw isApiError(outcome.error) ? withHeaders(outcome.error, headers) : outcome.error;
  const response = toResponse(outcome.value);
  return { ...response, headers: { ...response.headers, ...headers } };
}

function withHeaders(error: ApiError, headers: Headers): ApiError {
  return new ApiError(error.code, error.message, {
    cause: error.cause,
    headers: { ...headers, ...error.headers },
  });
}

function readQueryBody(request: HttpRequest): Promise<unknown> {
  refuseParameters(request);
  return readJsonBody(request);
}

function readNothing(request: HttpRequest): undefined {
  refuseParameters(request);
}

/**
 * The Query API has no query parameters; one that were ignored would be a filter that silently does nothing.
 */
function refuseParameters(request: HttpRequest): void {
  const { queryString } = splitTarget(request.target);
  if (queryString === '') return;
  throw invalid(
    'query string',
    `takes no parameters, got ${quote(queryString)}; filters go into the body of a POST`,
  );
}
