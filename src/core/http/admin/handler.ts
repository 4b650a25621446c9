import type { AdminCredential } from '../../access/admin-credential.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import type { RateLimiter } from '../../access/stores.ts';
import type { EventOperations } from '../../engine/engine.ts';
import type { Identities } from '../../identity/identities.ts';
import { ADMIN_ROUTES, type AdminRoute, type AdminRoutes } from '../admin-routes.ts';
import type { HttpQuestions } from '../api/questions.ts';
import { createDispatch, type DispatchOptions } from '../dispatch.ts';
import type { HttpHandler, HttpResponse } from '../message.ts';
import { refuseParameters, type Authorize, type Call } from '../operation.ts';
import { readJsonText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import { createFinder } from '../route.ts';
import { SETTINGS_JSON_SCHEMAS } from '../../access/json-schemas.ts';
import { ADMIN_TABLE } from '../schemas/admin-table.ts';
import { countChange, createReader, type AnyAdminFunction } from './admin-operation.ts';
import { createAtOnce } from './at-once.ts';
import { createAuthGuard, type AuthContext, type AuthGuard } from './auth-guard.ts';
import { createController, type ControllerOptions } from './controller.ts';
import { createSessionView } from './session-view.ts';
import { createArrivals } from './sign-in.ts';

export interface AdminHandlerOptions extends Omit<DispatchOptions, 'runtime'>, ControllerOptions {
  readonly scheduler: Scheduler;
  /** The questions of the Query API, which administrators ask as well. */
  readonly questions: HttpQuestions;
  /** Sign-in by an identity provider; absent where none is configured. */
  readonly identities?: Identities | undefined;
  /** The URL below which browsers reach the pages, besides loopback names; without a slash at its end. */
  readonly origin?: string | undefined;
}

/** Makes the handler of the Admin API. The handler never rejects. */
export function createAdminHandler(options: AdminHandlerOptions): HttpHandler {
  const { identities, credentials, origin, questions, stores, runtime } = options;
  const { tenants } = stores;
  const keep = async (session: AdminCredential) => {
    if (identities !== undefined) return identities.keep(session);
    // Without a provider, the session of a person whom one signed in can no longer be refreshed.
    return session.identity === null ? session : undefined;
  };
  const guard = createAuthGuard({ credentials, tenants, keep, origin });
  const toView = createSessionView(tenants);
  return createAdminDispatch(
    { ...options, guard, limits: stores.limits },
    {
      routes: ADMIN_ROUTES,
      schemas: ADMIN_TABLE.schemas,
      arrivals: { ...createArrivals({ guard, credentials, identities, toView, runtime }) },
      functions: { ...createController(options, { guard, toView }) },
      asking: { questions: { ...questions }, operations: options.operations },
    },
  );
}

/** What every request needs, whatever its route. */
export interface AdminDispatchOptions extends DispatchOptions {
  readonly guard: Pick<AuthGuard, 'authorize'>;
  readonly limits: Pick<RateLimiter, 'take'>;
  readonly scheduler: Scheduler;
}

/** Routes, and what answers each by its name, in one of three ways. */
export interface AdminTable extends AdminRoutes {
  /** What begins and ends sessions. It authenticates the request itself, and then reads it. */
  readonly arrivals?: Readonly<Record<string, (call: Call, read: () => Promise<never>) => Promise<unknown>>>;
  /** What a caller that is let in asks for. */
  readonly functions: Readonly<Record<string, AnyAdminFunction>>;
  /** The questions that the Query API takes as well, and the operations that answer them. */
  readonly asking?: {
    readonly questions: Readonly<Record<string, HttpQuestions[keyof HttpQuestions]>>;
    readonly operations: EventOperations;
  };
}

/** Makes the handler of a table of routes: it authorizes, reads, checks and counts as the rows say. */
export function createAdminDispatch(
  { guard, limits, scheduler, ...options }: AdminDispatchOptions,
  { routes, schemas, arrivals = {}, functions, asking }: AdminTable,
): HttpHandler {
  // The questions within bodies have validators of their own, so their schemas are left out.
  const read = createReader({ ...SETTINGS_JSON_SCHEMAS, ...schemas });
  const toJson = (call: Call, value: unknown) => jsonResponse(call, JSON.stringify(value));

  /**
   * Answers by the function of a route, in a turn of its tenant or, where there is none, of the
   * credential.
   */
  async function answer(call: Call, route: AdminRoute, auth: AuthContext): Promise<HttpResponse> {
    const question = asking?.questions[route.name];
    if (question !== undefined) return question(call, admitOf(auth, asking!.operations));
    const { credential, by, tenant } = auth;
    const owner = tenant?.id ?? credential.id;
    const asked = await read(call, route, owner);
    if (asked.body !== undefined) await countChange(limits, credential);
    const run = functions[route.name] as (asked: object) => unknown;
    return scheduler.run(owner, call.request.signal, async (pacer) =>
      toJson(call, await run({ ...asked, credential, by, tenant, pacer, call })),
    );
  }

  const atOnce = createAtOnce();
  return createDispatch<AdminRoute>(options, {
    find: createFinder(routes),
    answer: async (call, { route }) => {
      const arrival = arrivals[route.name];
      if (arrival !== undefined) {
        const body = async () => (await read(call, route, 'sign-in')).body as never;
        return toJson(call, await arrival(call, body));
      }
      const auth = await guard.authorize(call, route);
      call.request.admit?.(auth.credential.id);
      call.notes.keyId = auth.credential.id;
      call.notes.tenantId = auth.tenant?.id;
      return atOnce(call, auth.credential.id, () => answer(call, route, auth));
    },
    // No page of another origin may load these answers, not even without reading them.
    headers: { 'Cross-Origin-Resource-Policy': 'same-origin' },
  });
}

/** Makes the `Authorize` of an administrator whom the auth guard let in. It takes no tokens. */
function admitOf({ tenant, confirm }: AuthContext, operations: EventOperations): Authorize {
  const { id } = tenant!;
  return async (call, parse, { hasParameters = false } = {}) => {
    if (!hasParameters) refuseParameters(call.target.queryString);
    const text = call.request.method === 'GET' ? '' : await readJsonText(call.request, id);
    const asked = parse(text);
    call.notes.asked = asked ?? null;
    return { tenantId: id, asked, operations, confirm, take: () => Promise.resolve() };
  };
}
