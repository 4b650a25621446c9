import { isSecret, isUsable, type ApiKey, type Permission } from './access/key.ts';
import { planOf, REQUEST_COST, requestWindows } from './access/plan.ts';
import { isAlias, type Tenant } from './access/tenant.ts';
import type { BucketState } from './access/token-bucket.ts';
import type { Engine, EventPage, IngestReport } from './engine.ts';
import { ApiError, isApiError } from './errors.ts';
import type { StoredEvent } from './event/event.ts';
import type { KeyStore, RateLimiter, TenantStore, TokenVerifier } from './ports.ts';
import type { Runtime } from './runtime.ts';
import type { EventQuery } from './query/event-query.ts';
import type { PagedQuery } from './query/parse-query.ts';

/** Who asks the Query API, as the request says it. */
export interface QueryCaller {
  /** The header `X-API-Key`. */
  readonly apiKey: string | undefined;
  /** The path's tenant, percent-decoded. */
  readonly alias: string;
}

/** Who sends events, as the request says it. */
export interface IngestCaller {
  readonly alias: string;
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
}

/** A result or a refusal, with the caller's buckets where the caller is known and has limits. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly limits: BucketState | null }
  | { readonly ok: false; readonly error: unknown; readonly limits: BucketState | null };

/** Reads and parses what is asked, once the caller has proved a right to be read. Throws ApiError. */
export type Read<T> = () => T | Promise<T>;

/** Who may: key, tenant, plan, limit, then the engine; and the strategies of ingestion. */
export interface Service {
  query(caller: QueryCaller, read: Read<PagedQuery>): Promise<Outcome<EventPage<StoredEvent>>>;
  count(caller: QueryCaller, read: Read<EventQuery>): Promise<Outcome<number>>;
  eventNames(caller: QueryCaller, read: Read<unknown>): Promise<Outcome<readonly string[]>>;
  /** Stores a batch. Throws ApiError. */
  ingest(caller: IngestCaller, readEvents: () => Promise<readonly unknown[]>): Promise<IngestReport>;
  /** Whether browsers of any origin may send events to a tenant. Throws ApiError (404). */
  isOpenToBrowsers(alias: string): Promise<boolean>;
}

export interface ServiceOptions {
  readonly engine: Engine;
  readonly tenants: TenantStore;
  readonly keys: KeyStore;
  readonly limits: RateLimiter;
  readonly tokens: TokenVerifier;
  readonly runtime: Runtime;
}

/** How old the noted last use of a key may get before it is noted again: each note is a write. */
const TOUCH_INTERVAL_MS = 60_000;

const CHASE_PATTERN = /^Chase +(\S+)$/i;
const BEARER_PATTERN = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Makes the service over an engine and the stores of tenants, keys and limits. */
export function createService({ engine, tenants, keys, limits, tokens, runtime }: ServiceOptions): Service {
  /** The key that a secret belongs to, if it opens what needs `permission` now. */
  async function findKey(secret: string, permission: Permission): Promise<ApiKey | undefined> {
    if (!isSecret(secret)) return undefined;
    const hash = await runtime.sha256(secret);
    const key = await keys.findBySecretHash(hash);
    const now = runtime.now();
    if (key === undefined || !isUsable(key, hash, permission, now)) return undefined;
    if (key.lastUsedAt === null || Math.abs(now - key.lastUsedAt) >= TOUCH_INTERVAL_MS) {
      // A note of use that cannot be written must not refuse the request that it notes.
      await keys.touch(key.id, now).catch(() => undefined);
    }
    return key;
  }

  /** Judges the caller, then reads the body, then takes a token, then runs: a refusal costs no token. */
  async function answer<Q, T>(
    { apiKey, alias }: QueryCaller,
    read: Read<Q>,
    run: (tenantId: string, asked: Q) => Promise<T>,
  ): Promise<Outcome<T>> {
    let key: ApiKey | undefined;
    let tenant: Tenant | undefined;
    let state: BucketState | null = null;
    try {
      if (apiKey === undefined || apiKey === '') throw new ApiError('missingKey');
      key = await findKey(apiKey, 'query');
      if (key === undefined) throw new ApiError('invalidKey');
      tenant = await tenants.findById(key.tenantId);
      if (tenant?.alias !== alias) throw new ApiError('tenantNotFound');
      const plan = planOf(tenant);
      if (!plan.queryApi) throw new ApiError('planTooLow');
      const asked = await read();
      if (plan.limits !== null) {
        state = await limits.take(key.id, requestWindows(plan.limits), REQUEST_COST);
        if (!state.allowed) throw new ApiError('rateLimited');
      }
      return { ok: true, value: await run(tenant.id, asked), limits: state };
    } catch (error) {
      return { ok: false, error, limits: state ?? (await look(error, key, tenant)) };
    }
  }

  /** The buckets for the headers of a refusal that took nothing; null for callers without limits. */
  async function look(error: unknown, key?: ApiKey, tenant?: Tenant): Promise<BucketState | null> {
    const refused = isApiError(error) && error.status < 500;
    if (!refused || key === undefined || tenant === undefined) return null;
    const plan = planOf(tenant);
    if (!plan.queryApi || plan.limits === null) return null;
    return limits.take(key.id, requestWindows(plan.limits), 0).catch(() => null);
  }

  async function findTenant(alias: string): Promise<Tenant> {
    const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
    if (tenant === undefined) throw new ApiError('tenantNotFound');
    return tenant;
  }

  /** What the tenant's own strategy asks of a sender; the user that all events must be of, for JWT. */
  async function admit(tenant: Tenant, authorization = ''): Promise<{ userId?: string }> {
    switch (tenant.authStrategy) {
      case 'NONE':
        return {};
      case 'SERVER_SIDE': {
        const secret = CHASE_PATTERN.exec(authorization)?.[1];
        const key = secret === undefined ? undefined : await findKey(secret, 'ingest');
        if (key?.tenantId !== tenant.id) throw new ApiError('invalidSecret');
        return {};
      }
      case 'JWT': {
        const token = BEARER_PATTERN.exec(authorization)?.[1];
        if (token === undefined || tenant.jwt === null) throw new ApiError('invalidToken');
        return { userId: await tokens.verify(token, tenant.jwt) };
      }
      default:
        // A store's data came from outside: what is not known here must not let anyone in.
        throw new Error(`The tenant has a strategy that is not known: ${String(tenant.authStrategy)}`);
    }
  }

  return {
    query: (caller, read) => answer(caller, read, (tenantId, paged) => engine.page(tenantId, paged)),
    count: (caller, read) => answer(caller, read, (tenantId, query) => engine.countOf(tenantId, query)),
    eventNames: (caller, read) => answer(caller, read, (tenantId) => engine.eventNames(tenantId)),
    ingest: async ({ alias, authorization }, readEvents) => {
      const tenant = await findTenant(alias);
      const options = await admit(tenant, authorization);
      const report = await engine.appendUnknown(tenant.id, await readEvents(), options);
      const first = report.rejected[0];
      if (first !== undefined && report.accepted + report.duplicates === 0) {
        throw new ApiError('nothingAccepted', [first.index, first.error]);
      }
      return report;
    },
    isOpenToBrowsers: async (alias) => (await findTenant(alias)).authStrategy !== 'SERVER_SIDE',
  };
}
