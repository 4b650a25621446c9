import { ApiError, invalid, isApiError, unavailable } from '../errors.ts';
import { quote } from '../event/text.ts';
import type { HttpHandler, HttpRequest, HttpResponse, Logger } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import { parseCountBody, parseQueryBody } from '../query/parse-query.ts';
import type { Outcome, QueryCaller, Service } from '../service.ts';
import { createMemo } from './memo.ts';
import { openApiDocument } from './openapi.ts';
import { createPageWriter } from './page-text.ts';
import { parseJson, readEvents, readJsonText } from './request.ts';
import { addLimitHeaders, errorResponse, jsonHeaders, type Headers } from './response.ts';
import { findRoute, ROUTE_METHODS, splitTarget, toLogPath } from './route.ts';

export interface HttpHandlerOptions {
  readonly service: Service;
  /** Resolves when the stores answer. */
  readonly ready: () => Promise<void>;
  readonly runtime: Pick<Runtime, 'uuid'>;
  readonly log: Logger;
}

const PREFLIGHT: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'authorization, content-type, content-encoding',
  'Access-Control-Max-Age': '86400',
};

/** Makes the whole API of the spec as one function of plain requests. It never rejects. */
export function createHttpHandler({ service, ready, runtime, log }: HttpHandlerOptions): HttpHandler {
  const toPagedQuery = createMemo((text) => parseQueryBody(parseJson(text)));
  const writePage = createPageWriter();
  let openApi: string | undefined;
  const toEventQuery = createMemo((text) => parseCountBody(parseJson(text)));

  return async (request) => {
    // Every step adds what it knows to the headers of the one answer, so that a refusal carries it as well.
    const headers = jsonHeaders(runtime.uuid());
    try {
      return await dispatch(request, headers);
    } catch (error) {
      return fail(request, headers, error);
    }
  };

  /** Answers an error, and tells the log what the answer must not: the cause of a 5xx. */
  function fail(request: HttpRequest, headers: Headers, error: unknown): HttpResponse {
    const response = errorResponse(error, headers);
    if (response.status >= 500 && !(isApiError(error) && error.logged)) {
      const path = toLogPath(request.target);
      const { status } = response;
      const err = isApiError(error) ? (error.cause ?? error) : error;
      const requestId = headers['X-Request-Id'];
      log.error({ requestId, method: request.method, path, status, err }, 'request failed');
    }
    return response;
  }

  function dispatch(request: HttpRequest, headers: Headers): Promise<HttpResponse> | HttpResponse {
    const route = findRoute(splitTarget(request.target).path);
    if (route === undefined) throw new ApiError('routeNotFound');
    const methods: readonly string[] = ROUTE_METHODS[route.name];
    if (!methods.includes(request.method)) {
      const allow = methods.join(', ');
      throw new ApiError('methodNotAllowed', [allow], { headers: { Allow: allow } });
    }
    switch (route.name) {
      case 'query':
        return query(route.alias, request, headers);
      case 'count':
        return count(route.alias, request, headers);
      case 'eventNames':
        return eventNames(route.alias, request, headers);
      case 'ingest':
        return request.method === 'OPTIONS'
          ? preflight(route.alias, headers)
          : ingest(route.alias, request, headers);
      case 'openapi':
        return { status: 200, headers, body: (openApi ??= JSON.stringify(openApiDocument())) };
      case 'healthz':
        return { status: 200, headers, body: '{"status":"up"}' };
      case 'readyz':
        return readiness(headers);
    }
  }

  async function query(alias: string, request: HttpRequest, headers: Headers): Promise<HttpResponse> {
    const outcome = await service.query(toCaller(alias, request), () => read(request, toPagedQuery));
    const { events, nextCursor } = unwrap(outcome, headers);
    if (nextCursor !== undefined) headers['X-Next-Cursor'] = nextCursor;
    return { status: 200, headers, body: writePage(events) };
  }

  async function count(alias: string, request: HttpRequest, headers: Headers): Promise<HttpResponse> {
    const outcome = await service.count(toCaller(alias, request), () => read(request, toEventQuery));
    return { status: 200, headers, body: `{"count":${unwrap(outcome, headers)}}` };
  }

  async function eventNames(alias: string, request: HttpRequest, headers: Headers): Promise<HttpResponse> {
    const outcome = await service.eventNames(toCaller(alias, request), () => refuseParameters(request));
    return { status: 200, headers, body: JSON.stringify(unwrap(outcome, headers)) };
  }

  async function preflight(alias: string, headers: Headers): Promise<HttpResponse> {
    const open = await service.isOpenToBrowsers(alias);
    const own = open ? PREFLIGHT : { Allow: ROUTE_METHODS.ingest.join(', ') };
    return { status: 204, headers: { ...own, 'X-Request-Id': headers['X-Request-Id'] ?? '' }, body: '' };
  }

  async function ingest(alias: string, request: HttpRequest, headers: Headers): Promise<HttpResponse> {
    // A page can read why its events were refused only when the refusal carries the header too.
    if (await service.isOpenToBrowsers(alias)) headers['Access-Control-Allow-Origin'] = '*';
    const caller = { alias, authorization: request.header('authorization') };
    const report = await service.ingest(caller, () => readEvents(request));
    return { status: 200, headers, body: JSON.stringify(report) };
  }

  async function readiness(headers: Headers): Promise<HttpResponse> {
    await ready().catch((error: unknown) => Promise.reject(isApiError(error) ? error : unavailable(error)));
    return { status: 200, headers, body: '{"status":"ready"}' };
  }
}

function toCaller(alias: string, request: HttpRequest): QueryCaller {
  return { alias, apiKey: request.header('x-api-key') };
}

/** The value of an outcome, its limits told in the headers. Throws the error of a refusal. */
function unwrap<T>(outcome: Outcome<T>, headers: Headers): T {
  addLimitHeaders(headers, outcome.limits);
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

async function read<T>(request: HttpRequest, parse: (text: string) => T): Promise<T> {
  refuseParameters(request);
  return parse(await readJsonText(request));
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
