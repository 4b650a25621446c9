import type { OptionalAnswers } from '../answers.ts';
import type { Courtesy } from '../bounds/courtesy.ts';
import type { Ledger } from '../bounds/ledger.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import type { Engine } from '../engine.ts';
import { ApiError, isApiError, unavailable } from '../errors.ts';
import type { HttpHandler, HttpResponse, Stores } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import type { Service } from '../service.ts';
import { createDispatch, type DispatchOptions } from './dispatch.ts';
import { createBreakdown } from './extensions/breakdown.ts';
import { createExplaining } from './extensions/explain.ts';
import { createExport } from './extensions/export.ts';
import { createProperties } from './extensions/properties.ts';
import { createTail } from './extensions/tail.ts';
import { createIngestion } from './ingestion.ts';
import { openApiDocument } from './openapi.ts';
import { createListWriter } from './list-text.ts';
import { createAdmit, type Admit, type Call, type Operation } from './operation.ts';
import { createPageWriter } from './page-text.ts';
import { createQuestions } from './questions.ts';
import { jsonResponse } from './response.ts';
import { findRoute, isForBrowsers, type FoundRoute, type RouteName } from './route.ts';
import { PREFLIGHT_HEADERS } from './transport/cors.ts';

/** What questions are answered with. */
export interface AskingOptions {
  readonly stores: Pick<Stores, 'events' | 'ready'>;
  /** The answers that the store may leave out. */
  readonly answers: OptionalAnswers;
  readonly runtime: Pick<Runtime, 'uuid' | 'now' | 'sleep'>;
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
  readonly courtesy: Courtesy;
}

export interface HttpHandlerOptions extends AskingOptions, Omit<DispatchOptions, 'runtime'> {
  readonly engine: Engine;
  readonly service: Service;
}

/** What may be asked about events, by whoever is admitted. */
export function createAsking(options: AskingOptions, admit: Admit) {
  const writers = { writePage: createPageWriter(options), writeList: createListWriter(options) };
  const asking = { ...options, ...writers, admit };
  return {
    ...createQuestions(asking),
    ...createBreakdown(asking),
    ...createProperties(asking),
    ...createTail(asking),
    ...createExport(asking),
    ...createExplaining(asking),
  };
}

/** Makes the whole API as one function of plain requests. It never rejects. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const operations = {
    ...createAsking(options, createAdmit(options.service)),
    ...createIngestion(options),
    ...createProbes(options),
  };

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

  return createDispatch(options, {
    find: findRoute,
    answer: (call, { route }) => operations[route.name](call),
    browsers: { mayRead: isForBrowsers, preflight },
  });
}

/** How long an owner may wait for its turn while the server says that it is ready. */
const WAIT_MS_MAX = 1_000;

/** What anyone may ask: the document of the API, and how the server is. */
function createProbes({ stores, scheduler }: HttpHandlerOptions) {
  let openApi: string | undefined;
  return {
    openapi: (call) => jsonResponse(call, (openApi ??= JSON.stringify(openApiDocument()))),
    healthz: (call) => jsonResponse(call, '{"status":"up"}'),
    readyz: async (call) => {
      await stores
        .ready()
        .catch((error: unknown) => Promise.reject(isApiError(error) ? error : unavailable(error)));
      if ((scheduler.longestWaitMs?.() ?? 0) > WAIT_MS_MAX) {
        throw new ApiError('slow', [], { headers: { 'Retry-After': '1' }, logged: true });
      }
      return jsonResponse(call, '{"status":"ready"}');
    },
  } satisfies Partial<Record<RouteName, Operation>>;
}

function unlessUnknown(error: unknown): undefined {
  if (isApiError(error) && error.code === 'tenantNotFound') return undefined;
  throw error;
}
