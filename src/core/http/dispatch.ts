import { isAlias } from '../access/tenant.ts';
import { ApiError, isAborted, isApiError } from '../base/errors.ts';
import type { HttpHandler, HttpResponse } from './message.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import type { Call } from './operation.ts';
import { errorResponse, jsonHeaders, type Headers } from './response.ts';
import type { FoundRoute, Route } from './route.ts';
import { crossOriginHeaders } from './cors.ts';
import { splitTarget, toLogPath } from './target.ts';

export interface DispatchOptions {
  readonly runtime: Pick<Runtime, 'uuid' | 'now'>;
  readonly log: Logger;
  /** Whether each request leaves a line in the log. */
  readonly accessLog: boolean;
}

/** What is served: a table of routes, and what is done there. */
export interface Served<R extends Route> {
  readonly find: (path: string) => FoundRoute<R> | undefined;
  /** Answers a request that came by one of the methods of its place. */
  readonly answer: (call: Call, found: FoundRoute<R>) => HttpResponse | Promise<HttpResponse>;
  /** Headers that every answer has beside those of JSON. */
  readonly headers?: Headers;
  /** What pages of other origins may do; absent: nothing. */
  readonly browsers?: {
    /**
     * Whether they may come to a path. Whoever answers there says whether they may read it, which may take a
     * look at the tenant.
     */
    readonly mayCome: (path: string, found: FoundRoute<R> | undefined) => boolean;
    readonly preflight: (call: Call, found: FoundRoute<R> | undefined) => Promise<HttpResponse>;
  };
}

/** What is answered where nobody is there to hear it; common logs call it so. */
const CLIENT_GONE = 499;

/** Makes a table of routes one function of plain requests. It never rejects. */
export function createDispatch<R extends Route>(
  { runtime, log, accessLog }: DispatchOptions,
  { find, answer, headers = {}, browsers }: Served<R>,
): HttpHandler {
  function dispatch(call: Call, found: FoundRoute<R> | undefined): HttpResponse | Promise<HttpResponse> {
    const { method } = call.request;
    const isForBrowsers = browsers?.mayCome(call.target.path, found) ?? false;
    if (method === 'OPTIONS' && isForBrowsers) return browsers!.preflight(call, found);
    if (found?.route.methods.includes(method) === true) return answer(call, found);
    if (isForBrowsers) letPagesRead(call);
    if (found === undefined) throw new ApiError('routeNotFound');
    const allow = [...found.route.methods, ...(isForBrowsers ? ['OPTIONS'] : [])].join(', ');
    throw new ApiError('methodNotAllowed', [allow], { headers: { Allow: allow } });
  }

  /** Answers an error, and tells the log what the answer must not: the cause of a 5xx. */
  function fail({ request, headers }: Call, error: unknown): HttpResponse {
    if (isAborted(error)) return { status: CLIENT_GONE, headers, body: '' };
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

  /**
   * One line for each request. What is no alias and no route is not repeated, since a secret may be there;
   * nor is anything of a body.
   */
  function note(call: Call, found: FoundRoute<R> | undefined, status: number, durationMs: number): void {
    const requestId = call.headers['X-Request-Id'];
    const tenant = isAlias(call.alias) ? call.alias : undefined;
    const operation = found?.route.name ?? 'unknown';
    log.info({ requestId, tenant, operation, method: call.request.method, status, durationMs }, 'request');
  }

  return async (request) => {
    const begunAt = runtime.now();
    const target = splitTarget(request.target);
    const found = find(target.path);
    const call: Call = {
      request,
      target,
      alias: found?.alias ?? '',
      // V8 takes ten times as long to add a header to an object that was made of two others.
      headers: Object.assign(jsonHeaders(runtime.uuid()), headers),
    };
    let response: HttpResponse;
    try {
      response = await dispatch(call, found);
    } catch (error) {
      response = fail(call, error);
    }
    if (accessLog) note(call, found, response.status, Math.max(0, runtime.now() - begunAt));
    return response;
  };
}

/** Lets a page of another origin read the answer to a call. */
export function letPagesRead({ request, headers }: Call): void {
  Object.assign(headers, crossOriginHeaders(request));
}
