import type { OptionalAnswers } from '../answers.ts';
import type { Ledger } from '../bounds/ledger.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import { isAlias } from '../access/tenant.ts';
import type { Engine } from '../engine.ts';
import { ApiError, isAborted, isApiError, unavailable } from '../errors.ts';
import type { HttpHandler, HttpResponse, Logger, Stores } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import type { Service } from '../service.ts';
import { crossOriginHeaders, PREFLIGHT_HEADERS } from './cors.ts';
import { createBreakdown } from './extensions/breakdown.ts';
import { createExplaining } from './extensions/explain.ts';
import { createExport } from './extensions/export.ts';
import { createProperties } from './extensions/properties.ts';
import { createTail } from './extensions/tail.ts';
import { createIngestion } from './ingestion.ts';
import { openApiDocument } from './openapi.ts';
import { createAdmit, type Call, type Operation } from './operation.ts';
import { createPageWriter } from './page-text.ts';
import { createQuestions } from './questions.ts';
import { errorResponse, jsonHeaders, jsonResponse } from './response.ts';
import {
  findRoute,
  isForBrowsers,
  splitTarget,
  toLogPath,
  type FoundRoute,
  type RouteName,
} from './route.ts';

export interface HttpHandlerOptions {
  readonly stores: Pick<Stores, 'events' | 'ready'>;
  /** The answers that the store may leave out. */
  readonly answers: OptionalAnswers;
  readonly engine: Engine;
  readonly service: Service;
  readonly runtime: Pick<Runtime, 'uuid' | 'now' | 'sleep'>;
  readonly log: Logger;
  /** Whether each request leaves a line in the log. */
  readonly accessLog: boolean;
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
}

/** What is answered where nobody is there to hear it; common logs call it so. */
const CLIENT_GONE = 499;

/** Makes the whole API of the spec as one function of plain requests. It never rejects. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const { runtime, log, accessLog } = options;
  const tools = { admit: createAdmit(options.service), writePage: createPageWriter(options) };
  const asking = { ...options, ...tools };
  const operations = {
    ...createQuestions(asking),
    ...createBreakdown(asking),
    ...createProperties(asking),
    ...createTail(asking),
    ...createExport(asking),
    ...createExplaining(asking),
    ...createIngestion(options),
    ...createProbes(options),
  };

  return async (request) => {
    const begunAt = runtime.now();
    const target = splitTarget(request.target);
    const found = findRoute(target.path);
    const call: Call = {
      request,
      target,
      alias: found?.alias ?? '',
      headers: jsonHeaders(runtime.uuid()),
      isForBrowsers: isForBrowsers(target.path, found),
    };
    const response = await dispatch(call, found).catch((error: unknown) => fail(call, error));
    if (accessLog) note(call, found, response.status, Math.max(0, runtime.now() - begunAt));
    if (!call.isForBrowsers) return response;
    return { ...response, headers: { ...response.headers, ...crossOriginHeaders(request) } };
  };

  async function dispatch(call: Call, found: FoundRoute | undefined): Promise<HttpResponse> {
    const { method } = call.request;
    if (method === 'OPTIONS' && call.isForBrowsers) return preflight(call, found);
    if (found === undefined) throw new ApiError('routeNotFound');
    const methods: readonly string[] = found.route.methods;
    if (methods.includes(method)) return operations[found.route.name](call);
    const allow = [...methods, ...(call.isForBrowsers ? ['OPTIONS'] : [])].join(', ');
    throw new ApiError('methodNotAllowed', [allow], { headers: { Allow: allow } });
  }

  /** Answers alike on every path, known or not; only where servers send, no page may. */
  async function preflight(call: Call, found: FoundRoute | undefined): Promise<HttpResponse> {
    if (found !== undefined) {
      const ingestion = await options.service.ingestion(call.alias).catch(unlessUnknown);
      call.isForBrowsers = ingestion?.isOpenToBrowsers ?? true;
    }
    const id = { 'X-Request-Id': call.headers['X-Request-Id'] ?? '' };
    const headers = call.isForBrowsers ? { ...id, ...PREFLIGHT_HEADERS } : id;
    return { status: 204, headers, body: '' };
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
  function note(call: Call, found: FoundRoute | undefined, status: number, durationMs: number): void {
    const requestId = call.headers['X-Request-Id'];
    const tenant = isAlias(call.alias) ? call.alias : undefined;
    const operation = found?.route.name ?? 'unknown';
    log.info({ requestId, tenant, operation, method: call.request.method, status, durationMs }, 'request');
  }
}

/** What anyone may ask: the document of the API, and how the server is. */
function createProbes({ stores }: HttpHandlerOptions) {
  let openApi: string | undefined;
  return {
    openapi: (call) => jsonResponse(call, (openApi ??= JSON.stringify(openApiDocument()))),
    healthz: (call) => jsonResponse(call, '{"status":"up"}'),
    readyz: async (call) => {
      await stores
        .ready()
        .catch((error: unknown) => Promise.reject(isApiError(error) ? error : unavailable(error)));
      return jsonResponse(call, '{"status":"ready"}');
    },
  } satisfies Partial<Record<RouteName, Operation>>;
}

function unlessUnknown(error: unknown): undefined {
  if (isApiError(error) && error.code === 'tenantNotFound') return undefined;
  throw error;
}
