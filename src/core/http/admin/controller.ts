import { createAdmin, type Admin, type IssuedKey } from '../../access/admin.ts';
import { fieldsOf } from '../../access/admin-options.ts';
import { hideCredentials } from '../../base/credentials.ts';
import { isLive, type ApiKey } from '../../access/key.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import { ingestionWindows, PLAN_NAMES, planOf, requestWindows } from '../../access/plan.ts';
import {
  ingestionOf,
  isAlias,
  parseJwtSettings,
  type JwtSettings,
  type Tenant,
} from '../../access/tenant.ts';
import { checkPublicKey, type TokenVerifier } from '../../access/token.ts';
import { MINUTE_MS, type Window } from '../../base/token-bucket.ts';
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
import type { HttpResponse } from '../message.ts';
import type { Stores } from '../../access/stores.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Call } from '../operation.ts';
import { refuseParameters } from '../operation.ts';
import { parseJson, readJsonText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import { isOwner, tenantIdsOf, type AuthContext } from './auth-guard.ts';

/** What is done on one route of the Admin API. Throws ApiError. */
export type AdminOperation = (call: Call, auth: AuthContext) => Promise<HttpResponse>;

export interface ControllerOptions {
  readonly stores: Stores;
  readonly runtime: Runtime;
  readonly tokens: TokenVerifier;
  readonly scheduler: Scheduler;
}

/** How often one person, or one key for programs, may change something: a bucket of its own. */
const CHANGES: readonly Window[] = [{ limit: 60, windowMs: MINUTE_MS }];
/** How many tenants are answered at once. */
const TENANTS_PAGE_SIZE = 1_000;

/** What only who administers all tenants may change of one. */
const OWNERS_FIELDS = ['plan', 'limits', 'ingestion', 'retentionDays'];

/** Answers a value as JSON. */
export const toJson = (call: Call, value: unknown) => jsonResponse(call, JSON.stringify(value));

/** Reads the JSON of a body. */
export async function readBody({ request, target }: Call, owner: string): Promise<unknown> {
  refuseParameters(target.queryString);
  return parseJson(await readJsonText(request, owner));
}

/** Makes what does a job in the turns of the tenant that it is about, or where there is none, of the pass. */
export const turnOf =
  (scheduler: Scheduler) =>
  <T>(
    { request }: Call,
    { tenant, credential }: AuthContext,
    job: (pacer: Pacer) => Promise<T>,
  ): Promise<T> =>
    scheduler.run(tenant?.id ?? credential.id, request.signal, job);

/** Tenants, keys, strategies and limits, as their owner sees and changes them over HTTP. */
export function createController({ stores, runtime, tokens, scheduler }: ControllerOptions) {
  const turn = turnOf(scheduler);
  const adminOf = ({ by }: AuthContext): Admin => createAdmin({ stores, runtime, by, tokens });
  const toIssued = ({ key, ...rest }: IssuedKey): IssuedKeyAnswer => ({
    key: toKeyView(key, runtime.now()),
    ...rest,
  });

  /** Counts a change of a person or a key for programs. Throws ApiError 429. */
  async function countChange({ credential: { id, identity } }: AuthContext): Promise<void> {
    // Who signs in anew has the same bucket.
    const holder = identity === null ? id : `${identity.issuer} ${identity.subject}`;
    const state = await stores.limits.take(`changes ${holder}`, CHANGES, [1]);
    if (state.allowed) return;
    const seconds = String(Math.ceil(state.retryAfterMs / 1000));
    throw new ApiError('tooManyChanges', [], { headers: { 'Retry-After': seconds } });
  }

  /** An operation on the tenant of the path, without a body. */
  const showing =
    (show: (tenant: Tenant, pacer: Pacer) => unknown): AdminOperation =>
    async (call, auth) => {
      refuseParameters(call.target.queryString);
      return turn(call, auth, async (pacer) => toJson(call, await show(auth.tenant!, pacer)));
    };

  /** An operation that changes the tenant of the path. */
  const changing =
    (
      change: (admin: Admin, tenant: Tenant, body: unknown, auth: AuthContext) => Promise<unknown>,
    ): AdminOperation =>
    async (call, auth) => {
      const tenant = auth.tenant!;
      const body = await readBody(call, tenant.id);
      await countChange(auth);
      return turn(call, auth, async () => toJson(call, await change(adminOf(auth), tenant, body, auth)));
    };

  async function usageOf(tenant: Tenant, pacer: Pacer): Promise<UsageAnswer> {
    const look = async (id: string, windows: Parameters<typeof stores.limits.take>[1]) =>
      (await stores.limits.take(id, windows, 0)).windows.map(({ limit, windowMs, remaining, fullInMs }) => ({
        ...{ limit, windowMs, fullInMs },
        // What leases keep in reserve was used by nobody.
        remaining: fullInMs === 0 ? limit : remaining,
      }));
    const allowed = ingestionOf(tenant);
    const plan = planOf(tenant);
    const requests = plan.queryApi && plan.limits !== null ? requestWindows(plan.limits) : null;
    const keys = [];
    for (const key of await stores.keys.list(tenant.id)) {
      if (!isLive(key, runtime.now())) continue;
      await pacer.yieldIfDue();
      const { id, name, createdAt, lastUsedAt } = key;
      const windows = requests === null ? null : await look(id, requests);
      keys.push({ id, name, createdAt, lastUsedAt, windows });
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
    createTenant: async (call, auth) => {
      const body = await readBody(call, auth.credential.id);
      await countChange(auth);
      return turn(call, auth, async () =>
        toJson(call, toTenantView(await adminOf(auth).createTenant(body as never))),
      );
    },
    showTenant: showing(toTenantView),
    setTenant: changing(async (admin, tenant, body, { credential }) => {
      const isOwners = Object.keys(body ?? {}).some((name) => OWNERS_FIELDS.includes(name));
      if (isOwners && !isOwner(credential)) throw new ApiError('roleTooLow');
      checkAddress((body as { jwt?: unknown } | null)?.jwt, tenant, credential);
      return toTenantView(await admin.updateTenant(tenant.alias, body as never));
    }),
    deleteTenant: changing(async (admin, { alias }, body) => {
      const { alias: said } = fieldsOf('body', body, 'DeleteTenantBody');
      if (said !== alias) throw invalid('alias', 'takes the alias of the tenant once more, to be sure');
      await admin.deleteTenant(alias);
      return {};
    }),
    listKeys: showing(async ({ id }) =>
      (await stores.keys.list(id)).map((key) => toKeyView(key, runtime.now())),
    ),
    createKey: changing(async (admin, { alias }, body) =>
      toIssued(await admin.createKey(alias, body as never)),
    ),
    rotateKey: changing(async (admin, { alias }, body) => {
      const { id, overlapMs = DAY_MS } = fieldsOf('body', body, 'RotateKeyBody');
      return toIssued(await admin.rotateKey(alias, id as string, overlapMs as number));
    }),
    revokeKey: changing(async (admin, { alias }, body) => {
      const { id } = fieldsOf('body', body, 'RevokeKeyBody');
      return toKeyView(await admin.revokeKey(alias, id as string), runtime.now());
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
    usage: showing(usageOf),
  } satisfies Record<string, AdminOperation>;
}

/**
 * Whoever is for some tenants only lets the server fetch keys from no address of this machine itself, where
 * others may listen; one that the tenant has already was set by who may. Throws ApiError 400.
 */
function checkAddress(jwt: unknown, tenant: Tenant, credential: AdminCredential): void {
  const url = (jwt as { jwksUrl?: unknown } | null | undefined)?.jwksUrl;
  if (isOwner(credential) || typeof url !== 'string' || url === tenant.jwt?.jwksUrl) return;
  if (!url.startsWith('https://'))
    throw invalid('jwt keys', 'takes an https address; http on a loopback host is for who administers all');
}

/** The alias behind which the tenants are that are asked for; undefined for all. */
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
    // Whoever sets the keys is told what is wrong with them, and not that the server is unwell.
    const { message } = error.cause;
    const keys = jwt.jwksUrl === undefined ? 'The public key' : `The keys at ${jwt.jwksUrl}`;
    return { valid: false, error: `${keys} could not be read: ${message}` };
  }
}

/** Why a token was refused: a sender is never told, but whoever sets the keys and tries one has to know. */
function reasonOf({ cause }: ApiError): string {
  if (cause instanceof Error) return cause.message;
  if (typeof cause === 'string') return cause;
  return 'not signed by these keys for this issuer and audience, or not in its times';
}

/** What can be chosen: the plans, and the comparisons of filters. */
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

/** A tenant as it is answered, with the limits that hold now. */
function toTenantView(tenant: Tenant): TenantAnswer {
  const { queryApi, limits } = planOf(tenant);
  return { ...tenant, queryApi, requestLimits: limits, ingestionLimits: ingestionOf(tenant) };
}

/** A key as it is answered: never a secret, nor its hash. */
function toKeyView({ secrets, ...key }: ApiKey, now: number): KeyAnswer {
  const isPast = (at: number | null) => at !== null && now >= at;
  const state = key.revokedAt !== null ? 'revoked' : isPast(key.expiresAt) ? 'expired' : 'active';
  const live = secrets.filter(({ expiresAt }) => state === 'active' && !isPast(expiresAt));
  return {
    ...key,
    state,
    secrets: live.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
  };
}
