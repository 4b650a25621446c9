import { isSecret, isUsable, type ApiKey, type Permission } from './key.ts';
import { takesOrigin, writeWindows, type KeyRestrictions } from './key-restrictions.ts';
import { ingestionWindows, planOf, REQUEST_COST, requestWindows, windowName } from './plan.ts';
import { ingestionOf, isAlias, type Tenant } from './tenant.ts';
import type { TokenBearer, TokenVerifier } from './token.ts';
import { parseFilterSet } from '../filter/parse-filter.ts';
import type { Condition } from '../filter/condition.ts';
import type { BucketState, Window } from '../base/token-bucket.ts';
import { ApiError, isApiError, rateLimited } from '../base/errors.ts';
import type { KeyRecords } from './key-records.ts';
import type { RateLimiter } from './stores.ts';
import type { TenantRecords } from './tenant-records.ts';
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
  /** The secret of a key, or a public write key, for the strategy SERVER_SIDE. */
  readonly secret?: string;
  /** A public write key from the address, where no secret may be. It counts where there is no `secret`. */
  readonly writeKey?: string;
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
  /** The events that the key reads; undefined for all. */
  readonly readable: Condition | undefined;
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
  /** The tenant that the events are for. */
  readonly tenantId: string;
  /**
   * Whether browser pages may send. A strategy that needs server secrets excludes them, unless the tenant has
   * a public write key.
   */
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
  /** The names that events may have; undefined for any. */
  readonly eventNames: readonly string[] | undefined;
  /** Whether anybody may send: nothing has shown who the sender is. */
  readonly isAnonymous: boolean;
  /**
   * Takes the batch's events and bytes from the limits of the tenant and of a public write key, after
   * checking a key again, since the batch may have arrived slowly. Throws ApiError 401 and 429.
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
  /**
   * Finds the tenant that events are sent to, by a page of `origin` or by a sender without one. Throws
   * ApiError 404.
   */
  ingestion(alias: string, origin?: string): Promise<Ingestion>;
}

export interface ServiceOptions {
  readonly tenants: TenantRecords;
  readonly keys: KeyRecords;
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

/** A valid public write key of a tenant. */
interface WriteProof extends AuthenticatedKey {
  readonly restrictions: KeyRestrictions;
}

/**
 * How old the recorded last use of a key may get before it is recorded again, because each record is a write.
 */
const TOUCH_INTERVAL_MS = 60_000;

/** Creates the service over tenants, keys and limits. */
export function createService({ tenants, keys, limits, tokens, runtime, meter }: ServiceOptions): Service {
  /** The key that a secret belongs to, if it grants `permission` now. */
  async function authenticate(secret: string, permission: Permission): Promise<AuthenticatedKey | undefined> {
    if (!isSecret(secret, permission)) return undefined;
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
      readable: key.filterSet === null ? undefined : parseFilterSet(key.filterSet, 'filterSet'),
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

  /**
   * The public write key of a sender, if it is valid here and for the origin. Throws ApiError 401 and 403.
   */
  async function authenticateWriteKey(
    tenant: Tenant,
    text: string,
    origin: string | undefined,
  ): Promise<WriteProof> {
    const proof = await authenticate(text, 'write');
    const restrictions = proof?.key.restrictions ?? undefined;
    if (proof?.key.tenantId !== tenant.id || restrictions === undefined)
      throw new ApiError('invalidWriteKey');
    if (!takesOrigin(restrictions, origin)) throw new ApiError('originRefused');
    return { ...proof, restrictions };
  }

  /** Authenticates a sender by the tenant's own strategy. */
  async function authorizeSender(
    tenant: Tenant,
    { secret, writeKey, token, bearer }: Credentials,
    origin: string | undefined,
  ): Promise<IngestGrant> {
    const publicKey = secret === undefined ? writeKey : isSecret(secret, 'write') ? secret : undefined;
    switch (tenant.authStrategy) {
      case 'NONE': {
        if (publicKey === undefined) return toIngestGrant(tenant);
        // Nobody needs a key here, so one that is not valid is no reason to lose events. A valid one applies.
        const write = await authenticateWriteKey(tenant, publicKey, origin).catch(unlessRefused);
        return toIngestGrant(tenant, { write });
      }
      case 'SERVER_SIDE': {
        if (publicKey !== undefined)
          return toIngestGrant(tenant, {
            write: await authenticateWriteKey(tenant, publicKey, origin),
          });
        const proof = secret === undefined ? undefined : await authenticate(secret, 'ingest');
        if (proof?.key.tenantId !== tenant.id) throw new ApiError('invalidSecret');
        return toIngestGrant(tenant, { proof });
      }
      case 'JWT': {
        // A public write key opens nothing here: it says nothing of the user of an event.
        if (token === undefined || tenant.jwt === null) throw new ApiError('invalidToken');
        return toIngestGrant(tenant, {
          userId: await tokens.verify(token, tenant.jwt, bearer),
        });
      }
      default:
        // Stored data comes from outside: an unknown strategy must not admit anyone.
        throw new Error(`The tenant has a strategy that is not known: ${String(tenant.authStrategy)}`);
    }
  }

  function toIngestGrant(
    tenant: Tenant,
    by: {
      proof?: AuthenticatedKey;
      write?: WriteProof | undefined;
      userId?: string;
    } = {},
  ): IngestGrant {
    meter.meetTenant?.(tenant.id, tenant.alias);
    const { write, proof = write } = by;
    const allowed = ingestionOf(tenant);
    return {
      tenantId: tenant.id,
      keyId: proof?.key.id,
      userId: by.userId,
      eventNames: write?.restrictions.eventNames ?? undefined,
      isAnonymous: by.proof === undefined && by.userId === undefined,
      take: async (events, bytes) => {
        await proof?.confirm(() => new ApiError(write === undefined ? 'invalidSecret' : 'invalidWriteKey'));
        const giveBack = write && (await takeOfKey(write, events));
        if (allowed === null) return;
        try {
          await takeAll('ingestion', tenant.id, tenant.id, ingestionWindows(allowed), [events, bytes]);
        } catch (error) {
          await giveBack?.();
          throw error;
        }
      },
    };
  }

  /** Takes what a batch costs, all of it or nothing. Throws ApiError 429. */
  async function takeAll(
    window: 'ingestion' | 'write_key',
    tenantId: string,
    ...[id, windows, cost]: readonly [string, readonly Window[], readonly number[]]
  ): Promise<BucketState> {
    const state = await limits.take(id, windows, cost);
    const decision = state.allowed ? 'allowed' : 'refused';
    meter.count('event_query_limit_decisions_total', { window, decision }, 1, tenantId);
    if (!state.allowed) throw rateLimited(state.retryAfterMs);
    return state;
  }

  /** Takes events from the limits of a public write key. Gives a function that gives them back. */
  async function takeOfKey({ key, restrictions }: WriteProof, events: number) {
    const windows = writeWindows(restrictions);
    const { at } = await takeAll('write_key', key.tenantId, key.id, windows, [events, events]);
    // A batch that is larger than its limit has taken the limit.
    const tokens = windows.map(({ limit }) => Math.min(events, limit));
    return () => limits.take(key.id, windows, { tokens, takenAt: at }).catch(() => undefined);
  }

  /** Whether a page of `origin` may send to a tenant, as far as is known without its key. */
  async function takesPages({ id, authStrategy }: Tenant, origin: string | undefined): Promise<boolean> {
    if (authStrategy === 'NONE' || authStrategy === 'JWT') return true;
    // Browsers name the origin, and servers do not.
    return origin !== undefined && keys.hasLiveWriteKey(id, runtime.now());
  }

  return {
    authorize: admit,
    ingestion: async (alias, origin) => {
      const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
      if (tenant === undefined) throw new ApiError('tenantNotFound');
      return {
        tenantId: tenant.id,
        needsSecret: tenant.authStrategy === 'SERVER_SIDE',
        isOpenToBrowsers: await takesPages(tenant, origin),
        authorize: (credentials) => authorizeSender(tenant, credentials, origin),
      };
    },
  };
}

/** Takes a refusal as nothing, and rethrows any other error. */
function unlessRefused(error: unknown): undefined {
  if (isApiError(error) && error.status < 500) return undefined;
  throw error;
}
