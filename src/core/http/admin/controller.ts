import { openAdmin, type Admin, type IssuedKey } from '../../access/admin.ts';
import { fieldsOf } from '../../access/admin-options.ts';
import { hideCredentials } from '../../base/credentials.ts';
import { isLive, keyStateOf, liveSecretsOf, type ApiKey } from '../../access/key.ts';
import { writeWindows } from '../../access/key-restrictions.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import { isOwner, tenantIdsOf } from '../../access/reach.ts';
import { ingestionWindows, PLAN_NAMES, planOf, requestWindows } from '../../access/plan.ts';
import {
  ingestionOf,
  isAlias,
  parseJwtSettings,
  type JwtSettings,
  type Tenant,
} from '../../access/tenant.ts';
import { checkPublicKey, type TokenVerifier } from '../../access/token.ts';
import { listUsage, parseUsageDays } from '../../access/usage.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import { ApiError, invalid, isApiError } from '../../base/errors.ts';
import { DAY_MS } from '../../event/time.ts';
import { COMPARISONS } from '../../filter/filter.ts';
import type { ComparisonName } from '../../filter/operators.ts';
import type {
  Choices,
  IssuedKeyAnswer,
  KeyAnswer,
  TenantAnswer,
  TokenCheck,
  UsageAnswer,
} from '../schemas/admin-answer.ts';
import type { StoresWithRecords } from '../../access/records.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { EventOperations } from '../../engine/engine.ts';
import type { Call } from '../operation.ts';
import { refuseParameters } from '../operation.ts';
import type { AuthContext } from './auth-guard.ts';
import { checkConfirmation, createCounted, toJson, turnOf, type AdminOperation } from './admin-operation.ts';
import { readParameters, toNumber } from './parameters.ts';

export interface ControllerOptions {
  readonly stores: StoresWithRecords;
  readonly runtime: Runtime;
  readonly tokens: TokenVerifier;
  readonly scheduler: Scheduler;
  /** The engine's operations, of which one erases events. */
  readonly operations: EventOperations;
}

/** How many tenants one page of the list has at most. */
const TENANTS_PAGE_SIZE = 1_000;

/** How many days of usage are answered by default. */
const USAGE_DAYS_DEFAULT = 30;

/** The fields of a tenant that only an owner may change. */
const OWNERS_FIELDS = ['plan', 'limits', 'ingestion', 'retentionDays'];

/** Makes the operations that show and change tenants, keys, strategies and limits. */
export function createController(options: ControllerOptions) {
  const { stores, runtime, tokens, scheduler, operations } = options;
  const turn = turnOf(scheduler);
  const counted = createCounted(options);
  const adminOf = ({ by }: AuthContext): Admin => openAdmin({ stores, runtime, by, tokens, operations });
  const toIssued = ({ key, ...rest }: IssuedKey): IssuedKeyAnswer => ({
    key: toKeyView(key, runtime.now()),
    ...rest,
  });

  /** Makes an operation that reads the tenant of the path and takes no body. */
  const showing =
    (show: (tenant: Tenant, pacer: Pacer) => unknown): AdminOperation =>
    async (call, auth) => {
      refuseParameters(call.target.queryString);
      return turn(call, auth, async (pacer) => toJson(call, await show(auth.tenant!, pacer)));
    };

  /** Makes an operation that takes a body and counts as a change of the tenant of the path. */
  const changing = (
    change: (admin: Admin, tenant: Tenant, body: unknown, auth: AuthContext) => Promise<unknown>,
  ): AdminOperation => counted((auth, body) => change(adminOf(auth), auth.tenant!, body, auth));

  async function usageOf(tenant: Tenant, pacer: Pacer): Promise<UsageAnswer> {
    const look = async (id: string, windows: Parameters<typeof stores.limits.take>[1]) =>
      (await stores.limits.take(id, windows, 0)).windows.map(({ limit, windowMs, remaining, fullInMs }) => ({
        ...{ limit, windowMs, fullInMs },
        // The tokens that leases keep in reserve are unused, so they count as remaining.
        remaining: fullInMs === 0 ? limit : remaining,
      }));
    const allowed = ingestionOf(tenant);
    const plan = planOf(tenant);
    const requests = plan.queryApi && plan.limits !== null ? requestWindows(plan.limits) : null;
    const keys = [];
    for (const key of await stores.keys.list(tenant.id)) {
      if (!isLive(key, runtime.now())) continue;
      await pacer.yieldIfDue();
      const { id, name, permissions, createdAt, lastUsedAt, restrictions } = key;
      const counted = restrictions === null ? requests : writeWindows(restrictions);
      const windows = counted === null ? null : await look(id, counted);
      keys.push({ id, name, permissions, createdAt, lastUsedAt, windows });
    }
    return {
      queryApi: plan.queryApi,
      ingestion: allowed === null ? null : await look(tenant.id, ingestionWindows(allowed)),
      keys,
    };
  }

  return {
    choices: (call) => {
      refuseParameters(call.target.queryString);
      return Promise.resolve(toJson(call, toChoices()));
    },
    listTenants: async (call, auth) => {
      const page = { ids: tenantIdsOf(auth.credential), after: readAfter(call), size: TENANTS_PAGE_SIZE };
      return turn(call, auth, async () => toJson(call, (await stores.tenants.list(page)).map(toTenantView)));
    },
    createTenant: counted(async (auth, body) =>
      toTenantView(await adminOf(auth).createTenant(body as never)),
    ),
    showTenant: showing(toTenantView),
    setTenant: changing(async (admin, tenant, body, { credential }) => {
      const isOwners = Object.keys(body ?? {}).some((name) => OWNERS_FIELDS.includes(name));
      if (isOwners && !isOwner(credential)) throw new ApiError('roleTooLow');
      checkAddress((body as { jwt?: unknown } | null)?.jwt, tenant, credential);
      return toTenantView(await admin.updateTenant(tenant.alias, body as never));
    }),
    deleteTenant: changing(async (admin, { alias }, body) => {
      checkConfirmation(fieldsOf('body', body, 'DeleteTenantBody').alias, alias);
      await admin.deleteTenant(alias);
      return {};
    }),
    listKeys: showing(async ({ id }) =>
      (await stores.keys.list(id)).map((key) => toKeyView(key, runtime.now())),
    ),
    createKey: changing(async (admin, { alias }, body) =>
      toIssued(await admin.createKey(alias, body as never)),
    ),
    setKey: changing(async (admin, { alias }, body) => {
      const { id, restrictions } = fieldsOf('body', body, 'SetKeyBody');
      return toKeyView(await admin.updateKey(alias, id as string, { restrictions } as never), runtime.now());
    }),
    rotateKey: changing(async (admin, { alias }, body) => {
      const { id, overlapMs = DAY_MS } = fieldsOf('body', body, 'RotateKeyBody');
      return toIssued(await admin.rotateKey(alias, id as string, overlapMs as number));
    }),
    revokeKey: changing(async (admin, { alias }, body) => {
      const { id } = fieldsOf('body', body, 'RevokeKeyBody');
      return toKeyView(await admin.revokeKey(alias, id as string), runtime.now());
    }),
    listConfig: showing(({ id }) => stores.tenants.remoteConfig(id)),
    setConfig: changing((admin, { alias }, body) => {
      const { key, value } = fieldsOf('body', body, 'SetConfigBody');
      return admin.setConfig(alias, key as string, value as string);
    }),
    unsetConfig: changing((admin, { alias }, body) => {
      const { key } = fieldsOf('body', body, 'UnsetConfigBody');
      return admin.unsetConfig(alias, key as string);
    }),
    checkToken: changing(async (_admin, tenant, body, { credential }) => {
      const { token, jwt } = fieldsOf('body', body, 'CheckTokenBody');
      if (typeof token !== 'string') throw invalid('token', 'takes an access token as a text');
      checkAddress(jwt, tenant, credential);
      const settings = jwt ? await checkPublicKey(parseJwtSettings(jwt), tokens) : tenant.jwt;
      if (settings === null) throw invalid('jwt', 'the tenant has no settings for JWT yet');
      return checkToken(tokens, token, settings, credential);
    }),
    resetLimits: changing(async (admin, { alias }, body) => {
      const { id } = fieldsOf('body', body, 'ResetLimitsBody');
      await admin.resetLimits(alias, id as string | undefined);
      return {};
    }),
    listRefusals: async (call, auth) => {
      refuseParameters(call.target.queryString);
      return turn(call, auth, async () => toJson(call, await adminOf(auth).listRefusals(auth.tenant!.alias)));
    },
    clearRefusals: changing(async (admin, { alias }, body) => {
      fieldsOf('body', body, 'EmptyBody');
      await admin.clearRefusals(alias);
      return {};
    }),
    eraseEvents: changing(async (admin, { alias }, body) => {
      const { alias: said, query } = fieldsOf('body', body, 'EraseEventsBody');
      checkConfirmation(said, alias);
      return { erased: await admin.eraseEvents(alias, query as never) };
    }),
    usage: showing(usageOf),
    usageHistory: async (call, auth) => {
      const { days } = readParameters(call.target.queryString, ['days']);
      const asked = days === undefined ? USAGE_DAYS_DEFAULT : parseUsageDays(toNumber(days));
      return turn(call, auth, async () =>
        toJson(call, await listUsage(stores.usage, auth.tenant!.id, asked, runtime.now())),
      );
    },
  } satisfies Record<string, AdminOperation>;
}

/**
 * Refuses a `jwksUrl` without https unless an owner sends it: plain http means a loopback address, where
 * other services of this machine may listen. The tenant's present address passes, since an owner set it.
 * Throws ApiError 400.
 */
function checkAddress(jwt: unknown, tenant: Tenant, credential: AdminCredential): void {
  const url = (jwt as { jwksUrl?: unknown } | null | undefined)?.jwksUrl;
  if (isOwner(credential) || typeof url !== 'string' || url === tenant.jwt?.jwksUrl) return;
  if (!url.startsWith('https://'))
    throw invalid('jwt keys', 'takes an https address; http on a loopback host is for who administers all');
}

/** The alias after which the list of tenants starts; undefined for the beginning. */
function readAfter({ target: { queryString } }: Call): string | undefined {
  if (queryString === '') return undefined;
  const alias = /^after=(.*)$/.exec(queryString)?.[1];
  if (!isAlias(alias)) throw invalid('query string', 'takes after=<the alias of a tenant>, or nothing');
  return alias;
}

async function checkToken(
  tokens: TokenVerifier,
  token: string,
  jwt: JwtSettings,
  { id }: AdminCredential,
): Promise<TokenCheck> {
  try {
    return { valid: true, userId: await tokens.verify(token, jwt, { owner: id }) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.code === 'invalidToken') return { valid: false, error: hideCredentials(reasonOf(error)) };
    if (error.code !== 'unavailable' || !(error.cause instanceof Error)) throw error;
    // An administrator who sets keys needs to know what is wrong with them; a 503 would not say it.
    const { message } = error.cause;
    const keys = jwt.jwksUrl === undefined ? 'The public key' : `The keys at ${jwt.jwksUrl}`;
    return { valid: false, error: `${keys} could not be read: ${message}` };
  }
}

/** Why a token was refused. Senders never learn it, but an administrator who tests the settings has to. */
function reasonOf({ cause }: ApiError): string {
  if (cause instanceof Error) return cause.message;
  if (typeof cause === 'string') return cause;
  return 'not signed by these keys for this issuer and audience, or not in its times';
}

/** The choices that forms offer: the plans, and the comparisons of filters. */
function toChoices(): Choices {
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
function toTenantView(tenant: Tenant): TenantAnswer {
  const { queryApi, limits } = planOf(tenant);
  return { ...tenant, queryApi, requestLimits: limits, ingestionLimits: ingestionOf(tenant) };
}

/** A key as answers show it, without hashes; only a public write key has a text that may be shown. */
function toKeyView({ secrets, ...key }: ApiKey, now: number): KeyAnswer {
  return {
    ...key,
    state: keyStateOf(key, now),
    secrets: liveSecretsOf({ ...key, secrets }, now).map(({ createdAt, expiresAt, text }) => ({
      ...{ createdAt, expiresAt },
      ...(text === undefined ? {} : { text }),
    })),
  };
}
