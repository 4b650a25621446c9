/**
 * The front door: what a program that embeds the engine or the API meets. A name stands here for ever, and in
 * one door only: what stores are written with is in `store-kit.ts`, what transports are written with in
 * `transport-kit.ts`.
 */

// The whole API, or the engine by itself.
export { createApi, type Api, type ApiOptions, type OpenTenant } from './core/api.ts';
export type { AccessLogOptions } from './core/http/request-log.ts';
export { createEngine, type Engine, type EngineOptions } from './core/engine/engine.ts';
export type { EventArrivals, EventPage, TenantEvents, TenantQuestions } from './core/engine/tenant-events.ts';
export type { IngestOptions, IngestReport } from './core/engine/intake.ts';

// Tenants and keys, and who may change them.
export { createAdmin, type Admin, type AdminOptions, type IssuedKey } from './core/access/admin.ts';
export type { EraseExpired, EraseExpiredOptions } from './core/access/retention.ts';
export type { SignInOptions } from './core/identity/identities.ts';
export type { RoleRule } from './core/identity/rights.ts';
export type { AdminCredentials } from './core/access/admin-credentials.ts';
export type { Tenant, TenantChanges, TenantOptions } from './core/access/tenant.ts';
export type { TokenVerifier } from './core/access/token.ts';
export type { ApiKey } from './core/access/key.ts';

// What is missing, said where something is made.
export { requireOptions, type OptionKind } from './core/base/options.ts';

// What these are made with: stores, and what all parts of a process share.
export type { EventStore } from './core/query/event-store.ts';
export type { HttpHandler } from './core/http/message.ts';
export type { Signal } from './core/base/signal.ts';
export type { Stores } from './core/access/stores.ts';
export type { Logger, Runtime } from './core/base/runtime.ts';
export type { Resources } from './core/bounds/resources.ts';
export type { ServedApi } from './core/http/message.ts';

// How a request is refused.
export {
  aborted,
  ApiError,
  invalid,
  isAborted,
  isApiError,
  overloaded,
  unavailable,
} from './core/base/errors.ts';

// Events.
export type { Event, JsonObject, JsonValue } from './core/event/event.ts';
export type { EventInput } from './core/event/parse-event.ts';

// What may be asked.
export type { BreakdownBody, CountBody, QueryBody } from './core/query/body.ts';
export type { AllOf, AnyOf, Filter, FilterEntry, NotEntry } from './core/filter/filter.ts';
export type { ComparisonName } from './core/filter/operators.ts';

// What is answered.
export type { Breakdown } from './core/query/grouping.ts';
export type { Properties } from './core/query/properties.ts';
export type { Explanation } from './core/explain/explanation.ts';

// The memory budget and the scheduler of a process.
export type { Reservation, MemoryBudget } from './core/bounds/memory-budget.ts';
export type { Scheduler } from './core/bounds/scheduler.ts';
