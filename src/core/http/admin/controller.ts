import { openAdmin, type Admin, type IssuedKey } from '../../access/admin.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import type { AdminCredentials } from '../../access/admin-credentials.ts';
import { findAuditEntries } from '../../access/audit-log.ts';
import { keyStateOf, liveSecretsOf, type ApiKey } from '../../access/key.ts';
import { createPeople } from '../../access/people.ts';
import { PLAN_NAMES, planOf } from '../../access/plan.ts';
import { isAdminOf, isSamePerson, tenantIdsOf, type Caller } from '../../access/reach.ts';
import type { SavedView } from '../../access/saved-view.ts';
import type { StoresWithRecords } from '../../access/records.ts';
import { ingestionOf, type Tenant } from '../../access/tenant.ts';
import type { TokenVerifier } from '../../access/token.ts';
import { createViews } from '../../access/views.ts';
import { invalid } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { DAY_MS } from '../../event/time.ts';
import { COMPARISONS } from '../../filter/filter.ts';
import type { ComparisonName } from '../../filter/operators.ts';
import type { AdminAnswer } from '../schemas/admin-route-schema.ts';
import type {
  IssuedKeyAnswer,
  KeyAnswer,
  PersonSession,
  TenantAnswer,
  ViewAnswer,
} from '../schemas/admin-schema.ts';
import type { OwnAdminRouteName } from '../admin-routes.ts';
import type { AdminFunctions } from './admin-operation.ts';
import type { AuthGuard } from './auth-guard.ts';
import type { createSessionView } from './session-view.ts';
import type { ArrivalName } from './sign-in.ts';

export interface ControllerOptions {
  readonly stores: StoresWithRecords;
  readonly credentials: AdminCredentials;
  readonly runtime: Runtime;
  readonly tokens: TokenVerifier;
  /** The engine's operations, of which one erases events. */
  readonly operations: EventOperations;
}

interface ControllerParts {
  readonly guard: Pick<AuthGuard, 'pagesUrlOf' | 'cookieOf'>;
  readonly toView: ReturnType<typeof createSessionView>;
}

/** How many sessions the list has at most. */
const SESSIONS_MAX = 1_000;
/** How many tenants one page of the list has at most. */
const TENANTS_PAGE_SIZE = 1_000;
/** How many days of usage are answered by default. */
const USAGE_DAYS_DEFAULT = 30;

/**
 * Makes the functions of the Admin API's own routes, but for those that begin and end sessions. Each asks the
 * operation that commands and programs ask, and answers what the row of its route says.
 */
export function createController(
  { stores, credentials, runtime, tokens, operations }: ControllerOptions,
  { guard, toView }: ControllerParts,
): AdminFunctions<Exclude<OwnAdminRouteName, ArrivalName>> {
  const { tenants, keys, admins } = stores;
  const people = createPeople({ credentials, tenants });
  const views = createViews({ stores, runtime });
  const adminOf = ({ by, credential }: Caller): Admin =>
    openAdmin({ stores, runtime, by, credential, tokens, operations });
  const toKey = (key: ApiKey) => toKeyAnswer(key, runtime.now());
  const toIssued = ({ key, ...rest }: IssuedKey): IssuedKeyAnswer => ({ key: toKey(key), ...rest });

  return {
    session: ({ credential }) => toView(credential),
    listSessions: async (asked) => {
      const { sessions, aliases } = await people.list(asked, SESSIONS_MAX);
      return sessions.map((session) => toPersonSession(session, aliases, asked.credential));
    },
    endSessions: async ({ body, call, ...caller }) => {
      const ended = await people.end(caller, body);
      // Who ends the own session is signed out.
      if (ended.some(({ id }) => id === caller.credential.id))
        call.headers['Set-Cookie'] = guard.cookieOf(call.request);
      return { ended: ended.length };
    },
    invite: async ({ body, call, ...caller }) => {
      const { secret, credential } = await people.invite(caller, body);
      const url = `${guard.pagesUrlOf(call.request)}/sign-in#${secret}`;
      return { id: credential.id, url, expiresAt: credential.expiresAt! };
    },
    choices: toChoices,
    listTenants: async ({ credential, parameters: { after } }) => {
      const page = { ids: tenantIdsOf(credential), after, size: TENANTS_PAGE_SIZE };
      return (await tenants.list(page)).map(toTenantAnswer);
    },
    createTenant: async ({ body, ...caller }) => toTenantAnswer(await adminOf(caller).createTenant(body)),
    showTenant: ({ tenant }) => toTenantAnswer(tenant),
    setTenant: async ({ body, tenant, ...caller }) =>
      toTenantAnswer(await adminOf(caller).updateTenant(tenant.alias, body)),
    deleteTenant: async ({ body, tenant, ...caller }) => {
      checkConfirmation(body.alias, tenant);
      await adminOf(caller).deleteTenant(tenant.alias);
      return {};
    },
    listKeys: async ({ tenant }) => (await keys.list(tenant.id)).map(toKey),
    createKey: async ({ body, tenant, ...caller }) =>
      toIssued(await adminOf(caller).createKey(tenant.alias, body)),
    setKey: async ({ body: { id, restrictions }, tenant, ...caller }) =>
      toKey(await adminOf(caller).updateKey(tenant.alias, id, { restrictions })),
    rotateKey: async ({ body: { id, overlapMs = DAY_MS }, tenant, ...caller }) =>
      toIssued(await adminOf(caller).rotateKey(tenant.alias, id, overlapMs)),
    revokeKey: async ({ body, tenant, ...caller }) =>
      toKey(await adminOf(caller).revokeKey(tenant.alias, body.id)),
    listConfig: ({ tenant }) => tenants.remoteConfig(tenant.id),
    setConfig: ({ body: { key, value }, tenant, ...caller }) =>
      adminOf(caller).setConfig(tenant.alias, key, value),
    unsetConfig: ({ body, tenant, ...caller }) => adminOf(caller).unsetConfig(tenant.alias, body.key),
    checkToken: ({ body, tenant, ...caller }) => adminOf(caller).checkToken(tenant.alias, body),
    usage: ({ tenant, ...caller }) => adminOf(caller).usage(tenant.alias),
    usageHistory: ({ parameters: { days = USAGE_DAYS_DEFAULT }, tenant, ...caller }) =>
      adminOf(caller).usageHistory(tenant.alias, days),
    storedSizes: ({ tenant, call }) => operations.storedSizes(tenant.id, call.request.signal),
    resetLimits: async ({ body, tenant, ...caller }) => {
      await adminOf(caller).resetLimits(tenant.alias, body.id);
      return {};
    },
    listRefusals: ({ tenant, ...caller }) => adminOf(caller).listRefusals(tenant.alias),
    clearRefusals: async ({ tenant, ...caller }) => {
      await adminOf(caller).clearRefusals(tenant.alias);
      return {};
    },
    eraseEvents: ({ body: { alias, query }, tenant, ...caller }) => {
      checkConfirmation(alias, tenant);
      return adminOf(caller).eraseEvents(tenant.alias, query);
    },
    listViews: async (asked) => (await views.list(asked)).map((view) => toViewAnswer(view, asked)),
    createView: async ({ body, ...caller }) => toViewAnswer(await views.create(caller, body), caller),
    changeView: async ({ body, ...caller }) => toViewAnswer(await views.change(caller, body), caller),
    deleteView: async ({ body, ...caller }) => {
      await views.remove(caller, body.id);
      return {};
    },
    listMarks: ({ parameters, tenant, ...caller }) => adminOf(caller).listMarks(tenant.alias, parameters),
    createMark: ({ body, tenant, ...caller }) => adminOf(caller).createMark(tenant.alias, body),
    deleteMark: async ({ body, tenant, ...caller }) => {
      await adminOf(caller).deleteMark(tenant.alias, body.id);
      return {};
    },
    audit: ({ parameters, pacer, ...caller }) =>
      findAuditEntries({ admins, tenants, pacer }, caller, parameters),
  };
}

/** Checks that a body that removes something for good repeats the tenant's alias. Throws ApiError 400. */
function checkConfirmation(said: string, { alias }: Tenant): void {
  if (said !== alias) throw invalid('alias', 'takes the alias of the tenant once more, to be sure');
}

/** The choices that forms offer: the plans, and the comparisons of filters. */
function toChoices(): AdminAnswer<'choices'> {
  const names = Object.keys(COMPARISONS) as ComparisonName[];
  return {
    plans: PLAN_NAMES.map((plan) => planOf({ plan, limits: null })),
    comparisons: names.map((name) => ({
      name,
      said: COMPARISONS[name].said,
      takes: COMPARISONS[name].takes,
    })),
  };
}

/** A tenant as answers show it, with the limits in force. */
function toTenantAnswer(tenant: Tenant): TenantAnswer {
  const { queryApi, limits } = planOf(tenant);
  return { ...tenant, queryApi, requestLimits: limits, ingestionLimits: ingestionOf(tenant) };
}

/** A key as answers show it, without hashes; only a public write key has a text that may be shown. */
function toKeyAnswer({ secrets, ...key }: ApiKey, now: number): KeyAnswer {
  return {
    ...key,
    state: keyStateOf(key, now),
    secrets: liveSecretsOf({ ...key, secrets }, now).map(({ createdAt, expiresAt, text, ending }) => ({
      ...{ createdAt, expiresAt },
      ...(text === undefined ? {} : { text }),
      ...(ending === undefined ? {} : { ending }),
    })),
  };
}

/** A session or an unused link as answers show it, never its secret. */
function toPersonSession(
  session: AdminCredential,
  aliases: ReadonlyMap<string, string>,
  caller: AdminCredential,
): PersonSession {
  const { id, kind, name, role, identity, invitation, createdAt, lastUsedAt, expiresAt } = session;
  return {
    ...{ id, name, role, createdAt, lastUsedAt },
    isPending: kind === 'link',
    // A tenant that was deleted has no alias any more.
    tenants: tenantIdsOf(session)?.flatMap((each) => aliases.get(each) ?? []) ?? null,
    provider: identity?.issuer ?? null,
    subject: identity?.subject ?? null,
    invitedBy: invitation?.by ?? null,
    expiresAt: expiresAt!,
    isOwn: isSamePerson(caller, session),
    isCurrent: session.id === caller.id,
  };
}

function toViewAnswer(
  view: SavedView,
  { credential, tenant }: Parameters<ReturnType<typeof createViews>['list']>[0],
): ViewAnswer {
  const { id, owner, name, question, by, createdAt, changedAt } = view;
  const isShared = owner === null;
  const mayChange = !isShared || isAdminOf(credential, tenant);
  return { id, name, question, isShared, by, createdAt, changedAt, mayChange };
}
