import type { CredentialRecords } from '../../access/credential-records.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import type { HttpHandler } from '../message.ts';
import type { Identities } from '../../identity/identities.ts';
import type { AdminCredentials } from '../../access/admin-credentials.ts';
import type { DispatchOptions } from '../dispatch.ts';
import { createDispatch } from '../dispatch.ts';
import { refuseParameters, type Authorize, type Question } from '../operation.ts';
import type { HttpQuestions } from '../api/questions.ts';
import { readJsonText } from '../request.ts';
import { createFinder } from '../route.ts';
import { createAudit } from './audit.ts';
import { createAtOnce } from './at-once.ts';
import { toJson, turnOf, type AdminOperation } from './admin-operation.ts';
import { createController, type ControllerOptions } from './controller.ts';
import { createAuthGuard, type AuthContext } from './auth-guard.ts';
import { ADMIN_ROUTES, type AdminRouteName } from '../admin-routes.ts';
import { createPeople } from './people.ts';
import { createSessionView } from './session-view.ts';
import { createSignInController } from './sign-in.ts';
import { createViewOperations } from './views.ts';

export interface AdminHandlerOptions extends Omit<DispatchOptions, 'runtime'>, ControllerOptions {
  /** The questions of the Query API, which administrators ask as well. */
  readonly questions: HttpQuestions;
  readonly credentials: AdminCredentials;
  readonly admins: CredentialRecords;
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
  const arrivals = createSignInController({ guard, credentials, identities, toView, runtime });
  const operations: Readonly<Record<Exclude<AdminRouteName, keyof typeof arrivals>, AdminOperation>> = {
    ...createController(options),
    ...createSession(options, toView),
    ...createAudit(options),
    ...createPeople(options, guard),
    ...createViewOperations(options),
    ...askedByVisitors(questions),
  };

  const limited = createAtOnce();
  const isArrival = (name: AdminRouteName): name is keyof typeof arrivals => name in arrivals;
  return createDispatch<(typeof ADMIN_ROUTES)[number]>(options, {
    find: createFinder(ADMIN_ROUTES),
    answer: async (call, { route }) => {
      const { name } = route;
      if (isArrival(name)) return arrivals[name](call);
      const auth = await guard.authorize(call, route);
      call.request.admit?.(auth.credential.id);
      call.notes.keyId = auth.credential.id;
      call.notes.tenantId = auth.tenant?.id;
      return limited(operations[name])(call, auth);
    },
    // No page of another origin may load these answers, not even without reading them.
    headers: { 'Cross-Origin-Resource-Policy': 'same-origin' },
  });
}

/** The questions of the Query API, asked by administrators. */
function askedByVisitors(questions: HttpQuestions): Readonly<Record<keyof HttpQuestions, AdminOperation>> {
  const byVisitor =
    (question: Question): AdminOperation =>
    (call, auth) =>
      question(call, admitOf(auth));
  const asked = Object.entries(questions).map(([name, question]) => [name, byVisitor(question)]);
  return Object.fromEntries(asked) as Record<keyof HttpQuestions, AdminOperation>;
}

/** Makes the `Authorize` of an administrator whom the auth guard let in. It takes no tokens. */
function admitOf({ tenant, confirm }: AuthContext): Authorize {
  const { id } = tenant!;
  return async (call, parse, { hasParameters = false } = {}) => {
    if (!hasParameters) refuseParameters(call.target.queryString);
    const text = call.request.method === 'GET' ? '' : await readJsonText(call.request, id);
    const asked = parse(text);
    call.notes.asked = asked ?? null;
    return { tenantId: id, asked, confirm, take: () => Promise.resolve() };
  };
}

/** Makes the operation that shows the caller's session. */
function createSession(
  { scheduler }: Pick<AdminHandlerOptions, 'scheduler'>,
  toView: ReturnType<typeof createSessionView>,
) {
  const turn = turnOf(scheduler);
  return {
    session: async (call, auth) => {
      refuseParameters(call.target.queryString);
      return turn(call, auth, async () => toJson(call, await toView(auth.credential)));
    },
  } satisfies Partial<Record<AdminRouteName, AdminOperation>>;
}
