import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { ApiError, isApiError, unavailable } from '../../base/errors.ts';
import type { HttpHandler, HttpResponse } from '../message.ts';
import type { StoresWithRecords } from '../../access/records.ts';
import type { Service } from '../../access/service.ts';
import { createDispatch, type DispatchOptions } from '../dispatch.ts';
import { findIngestion } from './ingestion.ts';
import type { FindingTools, Protocol } from '../protocol.ts';
import { routesOf } from '../protocol-routes.ts';
import { createIngestion } from './protocols.ts';
import { createRemoteConfig } from './remote-config.ts';
import { openApiDocument } from '../openapi.ts';
import { createAuthorize, type Call, type Operation } from '../operation.ts';
import type { HttpQuestions } from './questions.ts';
import { jsonResponse } from '../response.ts';
import {
  createFinder,
  isForBrowsers,
  ROUTES,
  type FoundRoute,
  type Route,
  type RouteName,
} from '../route.ts';
import { crossOriginHeaders, preflightHeaders } from '../cors.ts';

export interface HttpHandlerOptions extends DispatchOptions {
  readonly stores: Pick<StoresWithRecords, 'ready' | 'tenants'>;
  readonly operations: EventOperations;
  readonly questions: HttpQuestions;
  readonly service: Service;
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
  readonly runtime: DispatchOptions['runtime'] & FindingTools['runtime'];
  /** How SDKs of others send events. */
  readonly protocols: readonly Protocol[];
}

/**
 * Makes the handler of the Query API, ingestion and the probes. The handler never rejects. Throws TypeError
 * for a protocol that cannot be served beside the others.
 */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const { questions, service, protocols } = options;
  const authorize = createAuthorize(service, options.operations);
  const routes = routesOf(protocols);
  const ingestion = createIngestion(options, routes);
  const own: Readonly<Record<RouteName, Operation>> = {
    ...questions,
    ...ingestion.own,
    ...createRemoteConfig(options),
    ...createProbes(options),
  };
  const answers: Readonly<Record<string, Operation>> = { ...ingestion.ofProtocols, ...own };

  /** Answers every path alike, known or not. Only tenants with events of servers alone refuse pages. */
  async function preflight(call: Call, found: FoundRoute | undefined): Promise<HttpResponse> {
    const id = { 'X-Request-Id': call.headers['X-Request-Id'] ?? '' };
    const ingestion = found && (await findIngestion(service, call).catch(unlessUnknown));
    const isOpen = ingestion?.isOpenToBrowsers ?? true;
    if (!isOpen) return { status: 204, headers: id, body: '' };
    const ofPages = crossOriginHeaders(call.request);
    const vary = { Vary: 'Origin, Access-Control-Request-Headers' };
    const headers = { ...id, ...preflightHeaders(call.request), ...ofPages, ...vary };
    return { status: 204, headers, body: '' };
  }

  return createDispatch(options, {
    find: createFinder<Route>([...ROUTES, ...routes]),
    answer: (call, { route }) => answers[route.name]!(call, authorize),
    browsers: { mayCome: isForBrowsers, preflight },
  });
}

/** How many milliseconds an owner may wait for its turn before the server says that it is not ready. */
const WAIT_MS_MAX = 1_000;

/** Makes the public operations: the OpenAPI document and the health checks. */
function createProbes({ stores, scheduler, protocols }: HttpHandlerOptions) {
  let openApi: string | undefined;
  return {
    openapi: (call) => jsonResponse(call, (openApi ??= JSON.stringify(openApiDocument(protocols)))),
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
