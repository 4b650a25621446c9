import { createAdmin, type Admin, type IssuedKey } from '../../access/admin.ts';
import { fieldsOf } from '../../access/admin-options.ts';
import { hideCredentials } from '../../access/credentials.ts';
import type { ApiKey } from '../../access/key.ts';
import { ingestionWindows, PLAN_NAMES, planOf, requestWindows } from '../../access/plan.ts';
import { ingestionOf, parseJwtSettings, type Tenant, type TokenVerifier } from '../../access/tenant.ts';
import { ApiError, invalid, isApiError } from '../../errors.ts';
import { DAY_MS } from '../../event/time.ts';
import { COMPARISONS } from '../../filter/filter.ts';
import type { HttpResponse, Stores } from '../../ports.ts';
import type { Runtime } from '../../runtime.ts';
import type { Call } from '../operation.ts';
import { refuseParameters } from '../operation.ts';
import { parseJson, readJsonText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import { isFor, isOwner, type Visit } from './gate.ts';

/** What is done on one route of the Admin API. Throws ApiError. */
export type AdminOperation = (call: Call, visit: Visit) => Promise<HttpResponse>;

export interface DeskOptions {
  readonly stores: Stores;
  readonly runtime: Runtime;
  readonly tokens: TokenVerifier;
}

/** What only who administers all tenants may change of one. */
const OWNERS_FIELDS = ['plan', 'limits', 'ingestion', 'retentionDays'];

/** Answers a value as JSON. */
export const toJson = (call: Call, value: unknown) => jsonResponse(call, JSON.stringify(value));

/** Reads the JSON of a body. */
export async function readBody({ request, target }: Call, owner: string): Promise<unknown> {
  refuseParameters(target.queryString);
  return parseJson(await readJsonText(request, owner));
}

/** Tenants, keys, strategies and limits, as their owner sees and changes them over HTTP. */
export function createDesk({ stores, runtime, tokens }: DeskOptions) {
  const adminOf = ({ by }: Visit): Admin => createAdmin({ stores, runtime, by });
  const toIssued = ({ key, secret }: IssuedKey) => ({ key: toKeyView(key, runtime.now()), secret });

  /** An operation on the tenant of the path, without a body. */
  const showing =
    (show: (tenant: Tenant, visit: Visit) => unknown): AdminOperation =>
    async (call, visit) => {
      refuseParameters(call.target.queryString);
      return toJson(call, await show(visit.tenant!, visit));
    };

  /** An operation that changes the tenant of the path. */
  const changing =
    (
      change: (admin: Admin, tenant: Tenant, body: unknown, visit: Visit) => Promise<unknown>,
    ): AdminOperation =>
    async (call, visit) => {
      const tenant = visit.tenant!;
      return toJson(call, await change(adminOf(visit), tenant, await readBody(call, tenant.id), visit));
    };

  async function usageOf(tenant: Tenant) {
    const look = async (id: string, windows: Parameters<typeof stores.limits.take>[1]) =>
      (await stores.limits.take(id, windows, 0)).windows.map(({ limit, windowMs, remaining, fullInMs }) => ({
        ...{ limit, windowMs, fullInMs },
        // What leases keep in reserve was used by nobody.
        remaining: fullInMs === 0 ? limit : remaining,
      }));
    const allowed = ingestionOf(tenant);
    const plan = planOf(tenant);
    const requests = plan.queryApi && plan.limits !== null ? requestWindows(plan.limits) : null;
    const keys = (await stores.keys.list(tenant.id)).filter(({ revokedAt }) => revokedAt === null);
    return {
      queryApi: plan.queryApi,
      ingestion: allowed === null ? null : await look(tenant.id, ingestionWindows(allowed)),
      keys: await Promise.all(
        keys.map(async ({ id, name }) => ({
          ...{ id, name },
          windows: requests === null ? null : await look(id, requests),
        })),
      ),
    };
  }

  return {
    choices: (call) => {
      refuseParameters(call.target.queryString);
      return Promise.resolve(toJson(call, toChoices()));
    },
    listTenants: async (call, { pass }) => {
      refuseParameters(call.target.queryString);
      const tenants = (await stores.tenants.list()).filter((tenant) => isFor(pass, tenant));
      return toJson(call, tenants.map(toTenantView));
    },
    createTenant: async (call, visit) => {
      const body = await readBody(call, visit.pass.id);
      return toJson(call, toTenantView(await adminOf(visit).createTenant(body as never)));
    },
    showTenant: showing(toTenantView),
    setTenant: changing(async (admin, { alias }, body, { pass }) => {
      const isOwners = Object.keys(body ?? {}).some((name) => OWNERS_FIELDS.includes(name));
      if (isOwners && !isOwner(pass)) throw new ApiError('roleTooLow');
      return toTenantView(await admin.updateTenant(alias, body as never));
    }),
    deleteTenant: changing(async (admin, { alias }, body) => {
      const { alias: said } = fieldsOf('body', body, ['alias']);
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
      const { id, overlapMs = DAY_MS } = fieldsOf('body', body, ['id', 'overlapMs']);
      return toIssued(await admin.rotateKey(alias, id as string, overlapMs as number));
    }),
    revokeKey: changing(async (admin, { alias }, body) => {
      const { id } = fieldsOf('body', body, ['id']);
      return toKeyView(await admin.revokeKey(alias, id as string), runtime.now());
    }),
    checkToken: changing(async (_admin, tenant, body) => {
      const { token, jwt = tenant.jwt } = fieldsOf('body', body, ['token', 'jwt']);
      if (typeof token !== 'string') throw invalid('token', 'takes an access token as a text');
      if (jwt === null) throw invalid('jwt', 'the tenant has no settings for JWT yet');
      return checkToken(tokens, token, jwt);
    }),
    usage: showing(usageOf),
  } satisfies Record<string, AdminOperation>;
}

async function checkToken(tokens: TokenVerifier, token: string, jwt: unknown) {
  try {
    return { valid: true, userId: await tokens.verify(token, parseJwtSettings(jwt)) };
  } catch (error) {
    if (!isApiError(error) || error.code !== 'invalidToken') throw error;
    return { valid: false, error: hideCredentials(reasonOf(error)) };
  }
}

/** Why a token was refused: a sender is never told, but whoever sets the keys and tries one has to know. */
function reasonOf({ cause }: ApiError): string {
  if (cause instanceof Error) return cause.message;
  if (typeof cause === 'string') return cause;
  return 'not signed by these keys for this issuer and audience, or not in its times';
}

/** What can be chosen: the plans, and the comparisons of filters. */
function toChoices() {
  return {
    plans: PLAN_NAMES.map((plan) => planOf({ plan, limits: null })),
    comparisons: Object.entries(COMPARISONS).map(([name, { said, takes }]) => ({ name, said, takes })),
  };
}

/** A tenant as it is answered, with the limits that hold now. */
function toTenantView(tenant: Tenant) {
  const { queryApi, limits } = planOf(tenant);
  return { ...tenant, queryApi, requestLimits: limits, ingestionLimits: ingestionOf(tenant) };
}

/** A key as it is answered: never a secret, nor its hash. */
function toKeyView({ secrets, ...key }: ApiKey, now: number) {
  const isPast = (at: number | null) => at !== null && now >= at;
  const state = key.revokedAt !== null ? 'revoked' : isPast(key.expiresAt) ? 'expired' : 'active';
  const live = secrets.filter(({ expiresAt }) => state === 'active' && !isPast(expiresAt));
  return {
    ...key,
    state,
    secrets: live.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
  };
}
