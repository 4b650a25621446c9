/** The only door of the core: everything that an adapter or an embedding program may import, by name. */

// The rings put together, or one by one: what an embedding program asks.
export { createApi, type Api, type ApiOptions } from './core/api.ts';
export {
  createEngine,
  type Engine,
  type EngineOptions,
  type EventPage,
  type IngestOptions,
  type IngestReport,
  type TenantEvents,
} from './core/engine.ts';
export {
  createService,
  type Credentials,
  type IngestGrant,
  type Ingestion,
  type QueryCaller,
  type QueryGrant,
  type Service,
  type ServiceOptions,
} from './core/service.ts';

// Tenants, keys, plans and limits, for their owner and for the stores that keep them.
export { createAdmin, type Admin, type IssuedKey } from './core/access/admin.ts';
export {
  AUTH_STRATEGIES,
  ingestionOf,
  isAlias,
  isJwksUrl,
  parseAlias,
  parseJwtSettings,
  type AuthStrategy,
  type JwtSettings,
  type Tenant,
  type TenantChanges,
  type TenantOptions,
} from './core/access/tenant.ts';
export {
  createSecret,
  isSecret,
  isUsable,
  parsePermissions,
  PERMISSIONS,
  type ApiKey,
  type KeySecret,
  type Permission,
} from './core/access/key.ts';
export {
  DEFAULT_INGESTION,
  INGESTION_LIMIT_MAX,
  ingestionWindows,
  LIMIT_MAX,
  parseIngestion,
  parsePlan,
  PLAN_NAMES,
  planOf,
  PLANS,
  REQUEST_COST,
  requestWindows,
  type IngestionLimits,
  type Limits,
  type Plan,
  type PlanChoice,
  type PlanName,
} from './core/access/plan.ts';
export {
  fullBuckets,
  MINUTE_MS,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type Window,
  type WindowState,
} from './core/access/token-bucket.ts';
export { hideCredentials } from './core/access/credentials.ts';

// What adapters bind: stores, limiters, verifiers, transports, time and chance.
export type {
  AppendOptions,
  AppendResult,
  EventStore,
  HttpHandler,
  HttpRequest,
  HttpResponse,
  KeyStore,
  Logger,
  RateLimiter,
  Signal,
  Stores,
  TenantStore,
  TokenVerifier,
} from './core/ports.ts';
export type { Runtime } from './core/runtime.ts';

// The one table of errors, and how to refuse.
export {
  aborted,
  ApiError,
  ERRORS,
  invalid,
  isAborted,
  isApiError,
  overloaded,
  rateLimited,
  unavailable,
  type ErrorCode,
} from './core/errors.ts';

// What an event is.
export {
  toEvent,
  toEventJson,
  type Event,
  type JsonObject,
  type JsonValue,
  type StoredEvent,
} from './core/event/event.ts';
export { EVENT_INPUT_FIELDS, type EventField } from './core/event/event-fields.ts';
export { EVENT_BYTES_MAX, parseEvent, type EventInput } from './core/event/parse-event.ts';
export { parseJsonLine } from './core/event/ndjson.ts';
export { canonicalJson } from './core/event/canonical-json.ts';
export {
  codePointLength,
  compareCodePoints,
  describeValue,
  isStorableText,
  quote,
  utf8Length,
} from './core/event/text.ts';
export { DAY_MS, EVENT_TS_MAX, parseDay, parseInstant, toIsoDay, toIsoInstant } from './core/event/time.ts';
export { createUuidV7 } from './core/event/uuid-v7.ts';

// What may be asked, as an embedding program writes it.
export type { CountBody, Pagination, QueryBody } from './core/query/body.ts';
export type { AllOf, AnyOf, Filter, FilterEntry, FilterTaking, NotEntry } from './core/filter/filter.ts';

// What a store is asked, and what a right answer is.
export type { EventQuery, Page, Position, StoredPage } from './core/query/event-query.ts';
export { collect, pageOf } from './core/query/stored-page.ts';
export { parseCountBody, parseQueryBody, type PagedQuery } from './core/query/parse-query.ts';
export { cursorAfter, parseCursor, toCursor } from './core/query/cursor.ts';
export { compilePredicate, type CompileOptions } from './core/query/predicate.ts';
export type { All, Any, Atom, Condition, During, Not, Test } from './core/filter/condition.ts';
export type { InstantRange } from './core/filter/instants.ts';
export { EVENT_FIELDS, parsePath, pathText, type FilterPath, type Path } from './core/filter/path.ts';
export { toEventView, valueBelow, type EventView, type Predicate } from './core/filter/predicate.ts';

// What is known of each operator.
export {
  comparisonOf,
  COMPARISONS,
  OPERATORS,
  type ComparisonName,
  type FoundValue,
  type Operator,
} from './core/filter/operators.ts';
export {
  OPERAND_WORDS,
  type Operand,
  type OperandKind,
  type Operands,
  type Scalar,
} from './core/filter/operands.ts';

// The column index, for stores that answer from columns.
export { createColumnIndex, type ColumnIndex, type ColumnIndexOptions } from './core/columns/column-index.ts';
export { LogGoneError, type ChunkStore, type EventLog, type SavedChunk } from './core/columns/log.ts';
export { createKeyedHash, type HashSeed, type KeyedHash } from './core/columns/keyed-hash.ts';

// One account of memory and one scheduler of turns for a process.
export {
  createLedger,
  type Account,
  type Kept,
  type Ledger,
  type LedgerOptions,
} from './core/bounds/ledger.ts';
export {
  createScheduler,
  type Pacer,
  type Scheduler,
  type SchedulerOptions,
} from './core/bounds/scheduler.ts';

// HTTP as plain data, for transports.
export { findRoute, ROUTES, splitTarget, toLogPath } from './core/http/route.ts';
export { parseJson, QUERY_BODY_BYTES_MAX } from './core/http/request.ts';
export { addLimitHeaders, errorResponse, jsonHeaders, type Headers } from './core/http/response.ts';
export { createMemo } from './core/http/memo.ts';
export { openApiDocument } from './core/http/openapi.ts';
