import { openAdmin, PROGRAM, type Admin } from './access/admin.ts';
import { eraseEvents, type EraseEventsOptions } from './access/erasing.ts';
import { createRetention, type EraseExpired } from './access/retention.ts';
import { createRefusalLedger } from './access/refusal-ledger.ts';
import { createRefusalNotes } from './access/refusal-notes.ts';
import { createUsageLedger, createUsageNotes } from './access/usage-ledger.ts';
import { createTrim } from './access/trim.ts';
import {
  createOperations,
  tenantEventsOf,
  tenantQuestionsOf,
  type EventOperations,
} from './engine/engine.ts';
import { ApiError } from './base/errors.ts';
import { createAdminHandler } from './http/admin/handler.ts';
import { createHttpHandler } from './http/api/handler.ts';
import { createHttpQuestions } from './http/api/questions.ts';
import { createIdentities, type SignInOptions } from './identity/identities.ts';
import { createAdminCredentials, type AdminCredentials } from './access/admin-credentials.ts';
import { requireOptions } from './base/options.ts';
import type { Protocol } from './http/protocol.ts';
import type { AccessLogOptions } from './http/request-log.ts';
import type { HttpHandler } from './http/message.ts';
import { withRecords, type StoresWithRecords } from './access/records.ts';
import type { Stores } from './access/stores.ts';
import type { Resources } from './bounds/resources.ts';
import type { ServedApi } from './http/message.ts';
import { createService, type Service } from './access/service.ts';
import { pricedOperations } from './engine/priced.ts';
import type { TenantEvents, TenantQuestions } from './engine/tenant-events.ts';
import type { TokenVerifier } from './access/token.ts';

/** What the API is put together from. */
export interface ApiOptions {
  /** Where events, tenants, keys and limits are kept. Whoever made them closes them. */
  readonly stores: Stores;
  /** What the stores have as well: `nodeResources()` in Node. */
  readonly resources: Resources;
  /** Verifies access tokens. Absent: every token is refused. */
  readonly tokens?: TokenVerifier;
  /** How people sign in to the dashboard by an identity provider. Absent: by a link alone. */
  readonly signIn?: SignInOptions | undefined;
  /**
   * The URL below which browsers reach the dashboard, without a slash at its end: an origin, or an origin and
   * a path that a proxy leaves out. Absent: the names of this machine only.
   */
  readonly dashboardOrigin?: string | undefined;
  /** Whether each request leaves a line in the log, or which do and how. Default true. */
  readonly accessLog?: boolean | AccessLogOptions;
  /** From how many milliseconds on an answer to a question leaves a warning in the log. Default: never. */
  readonly slowMs?: number | undefined;
  /** How many distinct event names a tenant may have. Default 10,000. */
  readonly eventNamesMax?: number;
  /**
   * How SDKs of others send events, besides this API's own way: those of `event-query/sdks`, or a program's
   * own. Default: none.
   */
  readonly protocols?: readonly Protocol[];
}

/** Opens the events of the tenant with an alias. */
export interface OpenTenant {
  /**
   * All that can be done with its events, without keys and limits. An erasure is `admin.eraseEvents`. Throws
   * ApiError 404.
   */
  (alias: string): Promise<TenantEvents>;
  /**
   * What the holder of a key may ask. The key is the secret of one for queries. Each question checks the key
   * and the plan, and takes a token of the key's limits, as over HTTP. Throws ApiError 401, 403 and 404, and
   * each question also 429, whose `headers` say when to ask again. A program that knows its customers by
   * other means keeps a key for each of them.
   */
  (alias: string, as: { readonly key: string | undefined }): Promise<TenantQuestions>;
}

/** The rings put together, for a transport and for the program that embeds them. */
export interface Api extends ServedApi {
  /**
   * The Admin API, for a transport to serve what lies below `/v1/admin/`.
   */
  readonly adminHandler: HttpHandler;
  /** Who may administer over HTTP. */
  readonly credentials: AdminCredentials;
  /** Tenants, keys and limits: what their owner does. */
  readonly admin: Admin;
  /** Opens the events of a tenant. */
  readonly tenant: OpenTenant;
  /**
   * Erases events that are older than tenants keep them, and notes that are too many; to be asked now and
   * then, it looks once an hour. Where the clock stands more than two days from the last look it erases none
   * of these events, and logs an error, until it is asked with the date as it is: `acceptDate`.
   */
  readonly eraseExpired: EraseExpired;
  /**
   * Stores what was counted since the last call: refusals and usage. To be asked every few seconds, and
   * before the stores close. It never rejects: what cannot be stored is kept, and the log says so.
   */
  readonly flushCounts: () => Promise<void>;
}

const NO_TOKENS: TokenVerifier = { verify: () => Promise.reject(new ApiError('invalidToken')) };

/**
 * Puts the rings together: engine, service and HTTP over one set of stores.
 *
 * @throws {TypeError} Where the stores or the resources are missing, or two protocols take the same address.
 * @example
 * ```ts
 * import { createApi } from 'event-query';
 * import { memoryStores } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 *
 * const resources = nodeResources();
 * const api = createApi({ stores: memoryStores({ resources }), resources });
 * await api.admin.createTenant({ alias: 'shop', plan: 'growth' });
 * const shop = await api.tenant('shop');
 * const { rejected } = await shop.append([{ eventName: 'signed_up', userId: 'ada' }]);
 * if (rejected.length > 0) console.error(rejected);
 * console.log(await shop.eventNames());
 * // prints: [ 'signed_up' ]
 * ```
 */
export function createApi(options: ApiOptions): Api {
  requireOptions('createApi', options, ['stores', 'resources']);
  const { resources, tokens = NO_TOKENS, accessLog = true } = options;
  const { eventNamesMax, signIn, slowMs, dashboardOrigin: origin, protocols = [] } = options;
  const { runtime, memory, scheduler, log, meter, tracer } = resources;
  const kept = withRecords(options.stores);
  const refusals = createRefusalLedger({ refusals: kept.refusals, log });
  const usage = createUsageLedger({ usage: kept.usage, log });
  const stores: StoresWithRecords = { ...kept, refusals, usage };
  const refused = createRefusalNotes(refusals, runtime);
  const operations = createOperations({ events: stores.events, resources, eventNamesMax }, refused.events);
  const service = createService({ ...stores, tokens, runtime, meter });
  const admin = openAdmin({ stores, runtime, tokens, operations });
  const { admins } = stores;
  const trim = createTrim(stores.control, runtime, log);
  const eraseExpired = createRetention({ stores, runtime, log, meter });
  const credentials = createAdminCredentials({ admins, runtime });
  const identities = signIn && createIdentities({ ...signIn, ...stores, admins, credentials, runtime, log });
  const questions = createHttpQuestions({ operations, scheduler, memory, meter });
  const serving = { stores, questions, runtime, log, meter, tracer, accessLog, slowMs, scheduler };
  return {
    resources,
    admin,
    eraseExpired: async (...asked) => {
      await trim();
      await eraseExpired(...asked);
    },
    credentials,
    adminHandler: createAdminHandler({
      ...serving,
      ...{ operations, tokens, credentials, identities, origin },
    }),
    flushCounts: async () => {
      await Promise.all([refusals.flush(), usage.flush()]);
    },
    tenant: createOpenTenant({ stores, runtime, operations, by: PROGRAM }, admin, service),
    handler: createHttpHandler({
      ...{ ...serving, operations, service, memory, protocols },
      noteRefused: refused.request,
      noteUsage: createUsageNotes(usage, runtime),
    }),
  };
}

interface OpenTenantOptions extends EraseEventsOptions {
  readonly operations: EventOperations;
}

function createOpenTenant(options: OpenTenantOptions, admin: Admin, service: Service): OpenTenant {
  const { operations } = options;

  /** All that the owner may do. An erasure leaves its audit entry, as by any other way. */
  async function openOwn(alias: string): Promise<TenantEvents> {
    const tenant = await admin.getTenant(alias);
    const erase: TenantEvents['erase'] = async (body) => (await eraseEvents(options, tenant, body)).erased;
    return { ...tenantEventsOf(operations, tenant.id), erase };
  }

  function open(alias: string): Promise<TenantEvents>;
  function open(alias: string, as: { readonly key: string | undefined }): Promise<TenantQuestions>;
  async function open(alias: string, as?: { readonly key: string | undefined }): Promise<TenantQuestions> {
    // Without `as` the owner asks. An undefined key is one that a program did not find, and is refused.
    if (as === undefined) return openOwn(alias);
    const authorize = () => service.authorize({ apiKey: as.key, alias });
    const { tenantId } = await authorize();
    const take = async () => (await authorize()).take();
    return tenantQuestionsOf(pricedOperations(operations, take), tenantId);
  }
  return open;
}
