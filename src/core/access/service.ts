import { isSecret, isUsable, type ApiKey, type Permission } from './key.ts';
import { ingestionWindows, planOf, REQUEST_COST, requestWindows, windowName } from './plan.ts';
import { ingestionOf, isAlias, type Tenant } from './tenant.ts';
import type { TokenBearer, TokenVerifier } from './token.ts';
import type { BucketState, Window } from '../base/token-bucket.ts';
import { ApiError, isApiError, rateLimited } from '../base/errors.ts';
import type { KeyStore, RateLimiter, TenantStore } from './stores.ts';
import type { Meter } from '../base/metrics.ts';
import type { Runtime } from '../base/runtime.ts';

/** The caller of the Query API, as the request identifies it. */
export interface QueryCaller {
  /** The secret of an API key. */
  readonly apiKey: string | undefined;
  readonly alias: string;
}

/** The credentials of a sender of events. */
export interface Credentials {
  /** The secret of a key, for the strategy SERVER_SIDE. */
  readonly secret?: string;
  /** An access token, for the strategy JWT. */
  readonly token?: string;
  /** The sender of the token. */
  readonly bearer?: TokenBearer;
}

/** Permission for one query. */
export interface QueryGrant {
  readonly tenantId: string;
  /** The id of the key that let the query in. */
  readonly keyId: string;
  /**
   * Takes a token for the query, after checking the key again, since its body may have arrived slowly.
   * Returns the caller's limits, null for none. Throws ApiError 401 and 429.
   */
  readonly take: () => Promise<BucketState | null>;
  /** The same for a free query: it takes no token and does not require one. */
  readonly look: () => Promise<BucketState | null>;
  /** Checks the key again before a slow answer is sent. Throws ApiError 401. */
  readonly confirm: () => Promise<void>;
  /** Rethrows the error that refused the query, with the caller's limits. It takes no token. */
  readonly refuse: (error: unknown) => Promise<never>;
}

/** The ingestion of a tenant's events. */
export interface Ingestion {
  /** Whether browser pages may send; a strategy that needs server secrets excludes them. */
  readonly isOpenToBrowsers: boolean;
  /** Whether senders need the secret of a key. */
  readonly needsSecret: boolean;
  /** Authenticates a sender by the tenant's own strategy. Throws ApiError 401. */
  authorize(credentials: Credentials): Promise<IngestGrant>;
}

/** Permission to store one batch of events. */
export interface IngestGrant {
  readonly tenantId: string;
  /** The id of the key that let the sender in; undefined where the strategy needs none. */
  readonly keyId: string | undefined;
  /** The user that all events must belong to; undefined for any. */
  readonly userId: string | undefined;
  /**
   * Takes the batch's events and bytes from the tenant's limits, after checking a key again, since the batch
   * may have arrived slowly. Throws ApiError 401 and 429.
   */
  take(events: number, bytes: number): Promise<void>;
}

/**
 * Authorizes requests: by key, tenant, plan and limit for queries, by the tenant's strategy for ingestion.
 */
export interface Service {
  /**
   * Authorizes a caller of the Query API: key, tenant, plan, in this order. Throws ApiError 401, 404, 403.
   */
  authorize(caller: QueryCaller): Promise<QueryGrant>;
  /** Finds the tenant that events are sent to. Throws ApiError 404. */
  ingestion(alias: string): Promise<Ingestion>;
}

export interface ServiceOptions {
  readonly tenants: TenantStore;
  readonly keys: KeyStore;
  readonly limits: RateLimiter;
  readonly tokens: TokenVerifier;
  readonly runtime: Pick<Runtime, 'now' | 'sha256'>;
  readonly meter: Meter;
}

/** A valid key, and when it was checked. */
interface AuthenticatedKey {
  readonly key: ApiKey;
  /** Throws the error if the key is no longer valid. */
  readonly confirm: (error: () => ApiError) => Promise<void>;
}

/**
 * How old the recorded last use of a key may get before it is recorded again, because each record is a write.
 */
const TOUCH_INTERVAL_MS = 60_000;

/** Creates the service over the stores of tenants, keys and limits. */
export function createService({ tenants, keys, limits, tokens, runtime, meter }: ServiceOptions): Service {
  /** The key that a secret belongs to, if it grants `permission` now. */
  async function authenticate(secret: string, permission: Permission): Promise<AuthenticatedKey | undefined> {
    if (!isSecret(secret)) return undefined;
    const hash = await runtime.sha256(secret);
    const find = async () => {
      const found = await keys.findBySecretHash(hash);
      return found !== undefined && isUsable(found, hash, permission, runtime.now()) ? found : undefined;
    };
    const key = await find();
    if (key === undefined) return undefined;
    const judgedAt = runtime.now();
    if (key.lastUsedAt === null || Math.abs(judgedAt - key.lastUsedAt) >= TOUCH_INTERVAL_MS) {
      // A failure to record the use must not refuse the request.
      await keys.touch(key.id, judgedAt).catch(() => undefined);
    }
    const confirm = async (error: () => ApiError) => {
      // Most bodies have already arrived when they are read, within the same millisecond.
      if (runtime.now() !== judgedAt && (await find()) === undefined) throw error();
    };
    return { key, confirm };
  }

  async function admit({ apiKey, alias }: QueryCaller): Promise<QueryGrant> {
    if (apiKey === undefined || apiKey === '') throw new ApiError('missingKey');
    const proof = await authenticate(apiKey, 'query');
    if (proof === undefined) throw new ApiError('invalidKey');
    const tenant = await tenants.findById(proof.key.tenantId);
    if (tenant === undefined) throw new ApiError('tenantNotFound');
    const grant = toGrant(proof, tenant);
    if (tenant.alias !== alias) return grant.refuse(new ApiError('tenantNotFound'));
    if (!planOf(tenant).queryApi) throw new ApiError('planTooLow');
    return grant;
  }

  function toGrant({ key, confirm }: AuthenticatedKey, tenant: Tenant): QueryGrant {
    meter.meetTenant?.(tenant.id, tenant.alias);
    const plan = planOf(tenant);
    const windows = plan.queryApi && plan.limits !== null ? requestWindows(plan.limits) : undefined;
    const confirmKey = () => confirm(() => new ApiError('invalidKey'));
    return {
      tenantId: tenant.id,
      keyId: key.id,
      confirm: confirmKey,
      take: async () => {
        await confirmKey();
        if (windows === undefined) return null;
        const state = await limits.take(key.id, windows, REQUEST_COST);
        noteDecision(state, tenant.id);
        if (!state.allowed) throw rateLimited(state.retryAfterMs, state);
        return state;
      },
      look: async () => {
        await confirmKey();
        return windows === undefined ? null : limits.take(key.id, windows, 0);
      },
      refuse: async (error) => {
        if (windows !== undefined && isApiError(error) && error.status < 500) {
          // If the limits are unavailable, the caller still gets the reason.
          error.limits = await limits.take(key.id, windows, 0).catch(() => null);
        }
        throw error;
      },
    };
  }

  /** Counts what the limits decided; of a refusal, only the windows that were empty. */
  function noteDecision({ allowed, windows }: BucketState, tenantId: string): void {
    const decision = allowed ? 'allowed' : 'refused';
    for (const window of windows) {
      if (!allowed && window.remaining > 0) continue;
      const labels = { window: windowName(window), decision } as const;
      meter.count('event_query_limit_decisions_total', labels, 1, tenantId);
    }
  }

  /** Authenticates a sender by the tenant's own strategy. */
  async function authorizeSender(
    tenant: Tenant,
    { secret, token, bearer }: Credentials,
  ): Promise<IngestGrant> {
    switch (tenant.authStrategy) {
      case 'NONE':
        return toIngestGrant(tenant);
      case 'SERVER_SIDE': {
        const proof = secret === undefined ? undefined : await authenticate(secret, 'ingest');
        if (proof?.key.tenantId !== tenant.id) throw new ApiError('invalidSecret');
        return toIngestGrant(tenant, { proof });
      }
      case 'JWT': {
        if (token === undefined || tenant.jwt === null) throw new ApiError('invalidToken');
        return toIngestGrant(tenant, { userId: await tokens.verify(token, tenant.jwt, bearer) });
      }
      default:
        // Stored data comes from outside: an unknown strategy must not admit anyone.
        throw new Error(`The tenant has a strategy that is not known: ${String(tenant.authStrategy)}`);
    }
  }

  function toIngestGrant(
    tenant: Tenant,
    by: { proof?: AuthenticatedKey; userId?: string } = {},
  ): IngestGrant {
    meter.meetTenant?.(tenant.id, tenant.alias);
    const allowed = ingestionOf(tenant);
    const windows: readonly Window[] | undefined = allowed === null ? undefined : ingestionWindows(allowed);
    return {
      tenantId: tenant.id,
      keyId: by.proof?.key.id,
      userId: by.userId,
      take: async (events, bytes) => {
        await by.proof?.confirm(() => new ApiError('invalidSecret'));
        if (windows === undefined) return;
        const state = await limits.take(tenant.id, windows, [events, bytes]);
        const decision = state.allowed ? 'allowed' : 'refused';
        const labels = { window: 'ingestion', decision } as const;
        meter.count('event_query_limit_decisions_total', labels, 1, tenant.id);
        if (!state.allowed) throw rateLimited(state.retryAfterMs);
      },
    };
  }

  return {
    authorize: admit,
    ingestion: async (alias) => {
      const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
      if (tenant === undefined) throw new ApiError('tenantNotFound');
      return {
        needsSecret: tenant.authStrategy === 'SERVER_SIDE',
        isOpenToBrowsers: tenant.authStrategy === 'NONE' || tenant.authStrategy === 'JWT',
        authorize: (credentials) => authorizeSender(tenant, credentials),
      };
    },
  };
}
