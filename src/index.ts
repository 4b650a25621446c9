/**
 * The only door of the core: everything that an adapter or an embedding program may import, by name. What
 * stands here is kept for ever, so a name is added for who uses it; tests import what lies behind the door.
 */

// The rings put together, or the engine by itself: what an embedding program asks.
export { createApi, type Api, type ApiOptions } from './core/api.ts';
export { AT_ONCE, createEngine, type Engine, type EngineOptions } from './core/engine.ts';
export type { EventArrivals, EventPage, TenantEvents } from './core/tenant-events.ts';
export type { IngestOptions, IngestReport } from './core/intake.ts';

// Tenants, keys, plans and limits, for their owner and for the stores that keep them.
export { createAdmin, type Admin, type AdminOptions, type IssuedKey } from './core/access/admin.ts';
export type { EraseExpired, EraseExpiredOptions } from './core/access/retention.ts';
export type { AdminStore } from './core/admin-store.ts';
export {
  toNote,
  toNotedChanges,
  type Actor,
  type AuditAction,
  type AuditNote,
  type AuditPage,
} from './core/access/audit.ts';
export { parseRole, ROLES, type Pass, type PassKind, type Renewal, type Role } from './core/access/pass.ts';
export type { Ended, Identity, Told } from './core/identity/identity.ts';
export type { SignInOptions } from './core/identity/identities.ts';
export type { IdentityProvider, Login } from './core/identity/provider.ts';
export type { RoleRule } from './core/identity/rights.ts';
export {
  createPasses,
  type IssuedPass,
  type Passes,
  type PassesOptions,
  type PassHolder,
} from './core/passes.ts';
export {
  AUTH_STRATEGIES,
  ingestionOf,
  isJwksUrl,
  type AuthStrategy,
  type JwtSettings,
  type Tenant,
  type TenantChanges,
  type TenantOptions,
} from './core/access/tenant.ts';
export type { TokenBearer, TokenVerifier } from './core/access/token.ts';
export {
  PERMISSIONS,
  SECRETS_MAX,
  withSecret,
  type ApiKey,
  type KeySecret,
  type Permission,
} from './core/access/key.ts';
export {
  parsePlan,
  PLAN_NAMES,
  planOf,
  type IngestionLimits,
  type Limits,
  type Plan,
  type PlanChoice,
  type PlanName,
} from './core/access/plan.ts';
export {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type GivenBack,
  type Window,
  type WindowState,
} from './core/access/token-bucket.ts';
export { leasedLimiter, type LeasedLimiter, type LeaseOptions } from './core/access/leased-limiter.ts';

// What is missing, said where something is made.
export { requireOptions } from './core/options.ts';

// What adapters bind: stores, limiters, verifiers, transports, time and chance.
export type {
  AppendOptions,
  AppendResult,
  EventStore,
  HttpHandler,
  HttpRequest,
  HttpResponse,
  KeyStore,
  RateLimiter,
  Signal,
  Stores,
  TenantPage,
  TenantStore,
} from './core/ports.ts';
export type { Logger, Runtime } from './core/runtime.ts';

// The one table of errors, and how to refuse.
export {
  aborted,
  ApiError,
  invalid,
  isAborted,
  isApiError,
  overloaded,
  unavailable,
  type AbortedError,
  type ApiErrorOptions,
  type ErrorArguments,
  type ErrorCode,
  type ErrorWords,
} from './core/errors.ts';

// What an event is.
export {
  toEventJson,
  type Event,
  type JsonObject,
  type JsonValue,
  type StoredEvent,
} from './core/event/event.ts';
export { EVENT_BYTES_MAX, type EventInput } from './core/event/parse-event.ts';
export { parseJsonLine } from './core/event/ndjson.ts';
export { createScan, type Scan, type TakeFound } from './core/event/scan.ts';
export { compareNewestFirst, type EventPlace } from './core/event/order.ts';
export { compareCodePoints, quote } from './core/event/text.ts';
export { DAY_MS, parseDay, parseInstant, toIsoInstant } from './core/event/time.ts';

// What may be asked, as an embedding program writes it.
export type {
  BreakdownBody,
  CountBody,
  ExportBody,
  ExportStart,
  Pagination,
  QueryBody,
} from './core/query/body.ts';
export type { AllOf, AnyOf, Filter, FilterEntry, FilterTaking, NotEntry } from './core/filter/filter.ts';

// What a store is asked, and what a right answer is.
export type { EventQuery, Page, Position, StoredPage } from './core/query/event-query.ts';
export {
  bucketsOf,
  emptyBreakdown,
  toKey,
  type Breakdown,
  type Group,
  type Grouping,
  type Span,
  type TimeSeries,
} from './core/query/grouping.ts';
export {
  EXAMPLE_LENGTH_MAX,
  EXAMPLES_MAX,
  JSON_TYPES,
  PATHS_MAX,
  PROPERTIES_LENGTH_MAX,
  type JsonType,
  type Properties,
  type Property,
} from './core/query/properties.ts';
export type { ArrivalPosition, Arrivals } from './core/query/arrivals.ts';
export type { AnswerPlan, PlannedPath } from './core/explain/answer-plan.ts';
export type { Explanation, UnknownPath } from './core/explain/explanation.ts';
export type { UnderstoodBody } from './core/explain/understood.ts';
export { TIME_UNITS, type TimeUnit } from './core/event/time-unit.ts';
export {
  collect,
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  eventsOf,
  pageOf,
  PIECE_BYTES,
  piecesOf,
  type Reading,
} from './core/query/stored-page.ts';
export {
  parseBreakdownBody,
  parseCountBody,
  parseExportBody,
  parseQueryBody,
  type ExportQuery,
  type GroupedQuery,
  type PagedQuery,
} from './core/query/parse-query.ts';
export { cursorAfter, parseCursor, toCursor } from './core/query/cursor.ts';
export { compilePredicate, type CompileOptions } from './core/query/predicate.ts';
export type {
  AllConditions,
  AnyCondition,
  Atom,
  Condition,
  During,
  NotCondition,
  Test,
} from './core/filter/condition.ts';
export type { InstantRange } from './core/filter/instants.ts';
export {
  isAskable,
  PATH_LENGTH_MAX,
  pathText,
  type EventField,
  type FilterPath,
  type NamedPath,
  type Path,
  type StoredField,
} from './core/filter/path.ts';
export { toEventView, valueBelow, type EventView, type Predicate } from './core/filter/predicate.ts';

// Events as a table.
export { createCsv, type Csv } from './core/table/csv.ts';
export { toFlatTable, type FlatColumn, type FlatTable, type FlatValue } from './core/table/flat-table.ts';

// What is known of each operator.
export { comparisonOf, COMPARISONS, type Comparison } from './core/filter/filter.ts';
export type {
  ComparisonName,
  ComparisonTaking,
  FoundValue,
  OperandOf,
  Operator,
} from './core/filter/operators.ts';
export { OPERAND_WORDS, type OperandKind, type Operands, type Scalar } from './core/filter/operands.ts';

// The column index, for stores that answer from columns, and what reads the events.
export { propertiesByPages } from './core/columns/properties/by-pages.ts';
export { createColumnIndex, type ColumnIndex, type ColumnIndexOptions } from './core/columns/column-index.ts';
export type { CommitErasure, Erasing } from './core/columns/erasure/erasing.ts';
export type { ChosenRows } from './core/columns/erasure/choose.ts';
export { createSurvivors, type ArrivalRanges, type Survivors } from './core/columns/erasure/survivors.ts';
export { createAheadReader } from './core/columns/ahead/reading-ahead.ts';
export {
  LogGoneError,
  type ChunkStore,
  type CodedRows,
  type Codes,
  type EventLog,
  type FoundRows,
  type SavedChunk,
  type SortedChunk,
} from './core/columns/log.ts';
export { createKeyedHash, type HashSeed, type KeyedHash } from './core/columns/keyed-hash.ts';

// One account of memory and one scheduler of turns for a process.
export {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  type Line,
} from './core/bounds/fair-queue.ts';
export {
  createLedger,
  type Account,
  type Kept,
  type Ledger,
  type LedgerOptions,
} from './core/bounds/ledger.ts';
export { createPlaces, type Places } from './core/bounds/places.ts';
export { createSemaphore, type Semaphore, type SemaphoreOptions } from './core/bounds/semaphore.ts';
export { createIdleWork, type IdleOptions, type IdleWork } from './core/bounds/idle.ts';
export { createTurns, type Turns } from './core/bounds/turns.ts';
export {
  createScheduler,
  type Pacer,
  type Scheduler,
  type SchedulerOptions,
} from './core/bounds/scheduler.ts';

// HTTP as plain data, for transports, and what all of these do alike.
export { pageOrigin } from './core/http/admin/gate.ts';
export { QUERY_BODY_BYTES_MAX } from './core/http/request.ts';
export {
  begin,
  toErrorAnswer,
  type PiecesResponse,
  type TextResponse,
} from './core/http/transport/answer.ts';
export {
  bodyIsTaken,
  createBodyParts,
  judgeHead,
  UNPACK_RATIO_MAX,
  unreadableBody,
  withOwnBytes,
  type BodyBounds,
  type BodyParts,
} from './core/http/transport/body.ts';
export { createAdmission, ownerOf, type Admission, type Visitor } from './core/http/transport/admission.ts';
export { networkOf } from './core/bounds/network.ts';
export { belowPrefix, isHealth, toLogPath, toTarget } from './core/http/transport/target.ts';
