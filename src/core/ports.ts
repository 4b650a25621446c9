import type { AdminStore } from './admin-store.ts';
import type { AuditNote } from './access/audit.ts';
import type { ApiKey, KeySecret } from './access/key.ts';
import type { Tenant, TenantChanges } from './access/tenant.ts';
import type { BucketState, Cost, Window } from './access/token-bucket.ts';
import type { StoredEvent } from './event/event.ts';
import type { AnswerPlan } from './explain/answer-plan.ts';
import type { ArrivalPosition, Arrivals } from './query/arrivals.ts';
import type { EventQuery, Page, StoredPage } from './query/event-query.ts';
import type { Breakdown, Grouping } from './query/grouping.ts';
import type { Properties } from './query/properties.ts';

/** Whether anybody still waits for the result of some work: an `AbortSignal` fits. */
export interface Signal {
  /** Once it is true it stays true, and whoever works for it throws `aborted()` soon. */
  readonly aborted: boolean;
}

/**
 * Where events are kept. Any store answers exactly as `compilePredicate(query)` over the sorted events of the
 * tenant would; `event-query/conformance` checks one. `tenantId` is the tenant's UUID. A store that is away,
 * full or locked throws `unavailable(cause)`.
 *
 * @example
 * ```ts
 * import { ApiError, type EventStore } from 'event-query';
 * import { compareCodePoints, compareNewestFirst, compilePredicate, pageOf } from 'event-query/store-kit';
 * import { parseCountBody, toEventView, type EventQuery, type StoredEvent } from 'event-query/store-kit';
 *
 * // Answers over the events of one tenant, which never change.
 * function readOnlyStore(events: readonly StoredEvent[]): EventStore {
 *   const select = (query: EventQuery) => {
 *     const matches = compilePredicate(query);
 *     return events.filter((event) => matches(toEventView(event))).sort(compareNewestFirst);
 *   };
 *   const refuse = () => Promise.reject(new ApiError('notSupported', ['change its events']));
 *   return {
 *     query: async (_tenantId, query, { offset, size, after }) => {
 *       const found = select(query).filter((event) => !after || compareNewestFirst(after, event) < 0);
 *       return pageOf(found.slice(offset, offset + size));
 *     },
 *     count: async (_tenantId, query) => select(query).length,
 *     eventNames: async () => [...new Set(events.map(({ eventName }) => eventName))].sort(compareCodePoints),
 *     append: refuse,
 *     erase: refuse,
 *     drop: refuse,
 *   };
 * }
 *
 * const store = readOnlyStore([
 *   { eventName: 'signed_up', userId: 'ada', eventTs: 0, insertId: '1', propertiesJson: '{}' },
 * ]);
 * console.log(await store.count('a tenant', parseCountBody({ event: 'signed_up' })));
 * // prints: 1
 * ```
 */
export interface EventStore {
  /**
   * Stores events, all or none, durable when the promise resolves. An event whose (`eventTs`, `insertId`) the
   * tenant has already, or that came earlier in `events`, is a duplicate: the first write stays, for ever.
   * Throws ApiError `tenantNotFound` for a tenant that was dropped.
   */
  append(tenantId: string, events: readonly StoredEvent[], options?: AppendOptions): Promise<AppendResult>;
  /**
   * The page of matching events, newest first: `eventTs` descending, then `insertId` descending by code
   * point. Which events are on it is settled when the promise resolves; they are loaded as they are read.
   */
  query(tenantId: string, query: EventQuery, page: Page, signal?: Signal): Promise<StoredPage>;
  /** How many events match. */
  count(tenantId: string, query: EventQuery, signal?: Signal): Promise<number>;
  /** How what matches falls into groups; left out, pages are read. Throws ApiError 400 (2,001 buckets). */
  breakdown?(tenantId: string, query: EventQuery, grouping: Grouping, signal?: Signal): Promise<Breakdown>;
  /** The paths that events of one name, or of all, have, and what they hold; events are read without it. */
  properties?(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties | undefined>;
  /**
   * Events that match, in the order in which they arrived, from a position on, or where there is none, from
   * behind the last one: at most `size`, and about a mebibyte; the position that comes back goes on. A store
   * that does not know in which order events came leaves it out.
   */
  since?(
    tenantId: string,
    query: EventQuery,
    position: ArrivalPosition | undefined,
    size: number,
    signal?: Signal,
  ): Promise<Arrivals>;
  /** How a query would be answered now, found without reading events. A store may leave it out. */
  plan?(tenantId: string, query: EventQuery, signal?: Signal): Promise<AnswerPlan>;
  /** The distinct names of the tenant's events, ascending by code point. */
  eventNames(tenantId: string, signal?: Signal): Promise<readonly string[]>;
  /**
   * Removes the events that match, every one where there is no query, and whatever was derived from them; how
   * many they were. Whoever asks meanwhile sees all of them or none; what comes meanwhile stays; the identity
   * of an erased event is free again. A store that knows no way by query throws ApiError `notSupported`. Once
   * `signal` is aborted nothing more is chosen; what was decided stays so, and is removed another time.
   */
  erase(tenantId: string, query?: EventQuery, signal?: Signal): Promise<number>;
  /** Removes every event, and for good: whatever is appended afterwards is refused. */
  drop(tenantId: string): Promise<void>;
}

/** How a batch is stored. */
export interface AppendOptions {
  /** How many distinct event names the tenant may have. Absent: as many as there are. */
  readonly namesMax?: number;
}

/** What became of a batch in a store. Events of neither list are stored now. */
export interface AppendResult {
  /** The indexes, ascending, of the events that were there already. */
  readonly duplicates: readonly number[];
  /** The indexes, ascending, of events with a name too many. That is judged first: none is a duplicate. */
  readonly overNames: readonly number[];
}

/**
 * Where tenants are kept. A change that comes with a note keeps the note too, in one transaction: both are
 * there or none is. Where nothing is changed, nothing is noted.
 */
export interface TenantStore {
  /** Adds a tenant; false when its alias is taken. */
  create(tenant: Tenant, note?: AuditNote): Promise<boolean>;
  /** The tenant with this UUID; undefined when there is none. */
  findById(id: string): Promise<Tenant | undefined>;
  /** The tenant that is called so now; undefined when there is none. */
  findByAlias(alias: string): Promise<Tenant | undefined>;
  /** All tenants, or those of a page, by alias ascending. */
  list(page?: TenantPage): Promise<readonly Tenant[]>;
  /**
   * Changes the named fields in one step; the tenant as it is now, or undefined when there is none. Without a
   * field it keeps the note alone.
   */
  update(id: string, changes: TenantChanges, note?: AuditNote): Promise<Tenant | undefined>;
  /** Removes the tenant; false when there was none. Its events and keys are removed by their own stores. */
  delete(id: string, note?: AuditNote): Promise<boolean>;
}

/** Which tenants are asked for. */
export interface TenantPage {
  /** Only these; absent or null for all. */
  readonly ids?: readonly string[] | null;
  /** Only those whose alias comes behind this one, by code point. */
  readonly after?: string | undefined;
  /** At most so many, the first ones. */
  readonly size?: number;
}

/** Where API keys are kept: hashes of secrets, never the secrets. Notes are kept as by a `TenantStore`. */
export interface KeyStore {
  /**
   * Adds a key, whose id and hashes no other key has; false where the tenant has `liveMax` keys already that
   * are not revoked and, when this one was made, not expired: also of all who add one at once.
   */
  create(key: ApiKey, note?: AuditNote, liveMax?: number): Promise<boolean>;
  /** The key that has a secret with this hash, in any state: the caller judges expiry and revocation. */
  findBySecretHash(hash: string): Promise<ApiKey | undefined>;
  /** The keys of a tenant, oldest first, revoked ones included. */
  list(tenantId: string): Promise<readonly ApiKey[]>;
  /**
   * Adds a secret to a key and lets its others end at `othersExpireAt` (epoch milliseconds) where they would
   * live longer; of more than ten the oldest go. The key as it is now, or undefined when there is none or it
   * is revoked.
   */
  addSecret(
    id: string,
    secret: KeySecret,
    othersExpireAt: number,
    note?: AuditNote,
  ): Promise<ApiKey | undefined>;
  /**
   * Ends a key at once; the key as it is now, or undefined when there is none. A revoked key keeps its first
   * time, and nothing more is noted.
   */
  revoke(keyId: string, revokedAt: number, note?: AuditNote): Promise<ApiKey | undefined>;
  /** Notes that a key was used. Losing one on a crash is allowed. */
  touch(keyId: string, usedAt: number): Promise<void>;
  /** Removes keys of a tenant, with their secrets: every one, or those of these ids. */
  erase(tenantId: string, ids?: readonly string[]): Promise<void>;
}

/** Keeps the token buckets of keys and tenants. */
export interface RateLimiter {
  /**
   * Takes the cost from all buckets of an id, one bucket for each window, or from none; with `cost` 0 it only
   * looks. The buckets survive a restart and are shared by all processes that use the same store; their time
   * never steps back. `takeTokens` says the rest.
   */
  take(id: string, windows: readonly Window[], cost: Cost): Promise<BucketState>;
  /** Forgets the buckets of these ids. */
  erase(ids: readonly string[]): Promise<void>;
}

/** All that a server keeps. Stores mix by spread: `{ ...sqliteStores(…), limits: redisRateLimiter(…) }`. */
export interface Stores {
  /** The events of all tenants. */
  readonly events: EventStore;
  /** The tenants, with their settings. */
  readonly tenants: TenantStore;
  /** The API keys of all tenants. */
  readonly keys: KeyStore;
  /** What keys and tenants have used of their limits. */
  readonly limits: RateLimiter;
  /** Absent: nobody administers over HTTP, and changes leave no note. */
  readonly admins?: AdminStore | undefined;
  /** Resolves when the stores answer; throws otherwise. */
  ready(): Promise<void>;
  /** Releases what the stores hold. */
  close(): Promise<void>;
}

/** A request as plain data. */
export interface HttpRequest {
  /** In capitals. */
  readonly method: string;
  /** The target as it came: path and query string, still percent-encoded. */
  readonly target: string;
  /** One header by its lower-case name. */
  header(name: string): string | undefined;
  /** The client's address, or that of the proxy before it; absent where the transport does not know it. */
  readonly address?: string;
  /** Aborted as soon as the client has gone, so that nobody goes on working for it. */
  readonly signal: Signal;
  /**
   * Tells the transport which tenant the request is for, as soon as somebody has judged that: what it costs
   * from here on is the tenant's, and no longer its address's.
   */
  readonly admit?: (tenantId: string) => void;
  /** Whether the server ends, so that an answer that waits for events to come waits no longer. */
  readonly isClosing?: () => boolean;
  /**
   * Reads the whole body as text, decompressed as `Content-Encoding` says (`gzip` or `identity`). Throws
   * ApiError: `bodyTooLarge` past `bytesMax` (of the wire or of the text), `unsupportedMediaType` for another
   * encoding, `unreadableBody` for broken gzip, a body that stops half way, or text that is not UTF-8.
   * Its memory and its place are those of `tenantId`, once the tenant is known.
   */
  text(bytesMax: number, tenantId?: string): Promise<string>;
}

/** An answer as plain data. */
export interface HttpResponse {
  /** The status code of HTTP, such as 200. */
  readonly status: number;
  /** Each with its value; one that stands several times, as that of cookies does, with all of them. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Empty for none. A body in pieces is written as fast as the client takes it, and its first piece is asked
   * for before the status leaves. Where a later piece fails, the connection ends without the end of the body.
   */
  readonly body: string | AsyncIterable<string>;
}

/** The whole API as one function. It never rejects: what goes wrong is an answer. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;
