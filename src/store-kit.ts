/**
 * The door for whoever writes a store, a rate limiter, a verifier of tokens or an identity provider: the
 * contracts, what a store is asked, and the parts that the stores of this project are made of.
 */

// What stores keep of tenants, keys, plans, sessions and changes, and what limits are counted with.
export type { Actor, AuditAction, AuditEntry, AuditPage } from './core/access/audit.ts';
export type { AdminCredential, Invitation, CredentialKind, Role } from './core/access/admin-credential.ts';
export type { Ended, Identity, UserClaims } from './core/access/identity.ts';
export type { AccountChoice, IdentityProvider, Login } from './core/identity/provider.ts';
export type { CredentialHolder, EndedCredential, IssuedCredential } from './core/access/admin-credentials.ts';
export type { EventShape, ValueShape } from './core/event/event-shape.ts';
export type { Refusal, RefusalReason, ToldRefusal } from './core/access/refusal.ts';
export type { UsageDay } from './core/access/usage.ts';
export type { ConfigEntry } from './core/access/remote-config.ts';
export { toName } from './core/access/name.ts';
export { isJwksUrl, type AuthStrategy, type JwtSettings } from './core/access/tenant.ts';
export type { TokenBearer } from './core/access/token.ts';
export type { KeySecret, Permission } from './core/access/key.ts';
export type { KeyRestrictions, KeyRestrictionsOptions } from './core/access/key-restrictions.ts';
export type { IngestionLimits, Limits, PlanChoice, PlanName } from './core/access/plan.ts';
export {
  fullBuckets,
  takeTokens,
  type Buckets,
  type BucketState,
  type Cost,
  type GivenBack,
  type Window,
  type WindowState,
} from './core/base/token-bucket.ts';
export { leasedLimiter, type LeasedLimiter, type LeaseOptions } from './core/access/leased-limiter.ts';

// The contracts of stores.
export type { AppendOptions, AppendResult } from './core/query/event-store.ts';
export type { RateLimiter } from './core/access/stores.ts';
export { isKnownDocument, nameOfKind } from './core/access/known-document.ts';
export { toTenantDocument } from './core/access/tenant-records.ts';
export type {
  ControlChange,
  ControlDocument,
  ControlStore,
  DocumentPage,
  StoredDocument,
} from './core/access/control-store.ts';
export type { Clock } from './core/base/runtime.ts';

// What other servers answer.
export { describeTlsFault, excerpt, readAtMost, type ByteReader } from './core/base/foreign-answer.ts';

// How errors are made.
export type {
  AbortedError,
  ApiErrorOptions,
  ErrorArguments,
  ErrorCode,
  ErrorWords,
} from './core/base/errors.ts';

// Events as stores keep them.
export type { Includable, StoredEvent } from './core/event/event.ts';
export { changeJsonText, type JsonTextChanges } from './core/event/json-text.ts';
export { compareNewestFirst, type EventPlace } from './core/event/order.ts';
export { compareCodePoints } from './core/event/text.ts';
export { DAY_MS, toIsoInstant } from './core/event/time.ts';

// Parts of bodies and of filters.
export type { ExportBody, ExportStart, Including, Pagination, TailBody } from './core/query/body.ts';
export { FILTER_LEVELS_MAX, FILTERS_MAX, type FilterTaking } from './core/filter/filter.ts';
export { EQUALITY } from './core/filter/operators.ts';

// What a store is asked, and what a right answer is.
export type { EventQuery, Page, Position, StoredPage } from './core/query/event-query.ts';
export type { AskedStreams, Stream, StreamsPiece } from './core/query/streams.ts';
export type { Ranking, RankingOrder } from './core/query/ranking.ts';
export {
  bucketsOf,
  seriesOf,
  toBucketKey,
  toKey,
  type Dimension,
  type Group,
  type GroupOrder,
  type GroupPath,
  type Grouping,
  type MeasuredGrouping,
  type GroupRow,
  type Span,
  type TimeSeries,
  type Told,
  type Whole,
} from './core/query/grouping.ts';
export {
  bucketGroups,
  compareByFigure,
  emptyBreakdown,
  toBreakdown,
  type GroupKeys,
  type GroupTable,
  type OrderFigure,
} from './core/query/group-table.ts';
export { LATENESS, LATENESS_ROOT } from './core/query/lateness.ts';
export { decimalOf, sumOf, type ExactDecimal } from './core/query/decimal.ts';
export {
  isBetween,
  RANK_MAX,
  takesSum,
  toMeasured,
  type Figure,
  type FoundNumbers,
} from './core/query/measures.ts';
export {
  EXAMPLE_LENGTH_MAX,
  EXAMPLES_MAX,
  JSON_TYPES,
  PATHS_MAX,
  PROPERTIES_LENGTH_MAX,
  type JsonType,
  type Property,
} from './core/query/properties.ts';
export type { ArrivalPosition, Arrivals } from './core/query/arrivals.ts';
export {
  readPathsOf,
  type AnswerPlan,
  type PlannedPath,
  type PlannedStreams,
  type ReadFor,
  type QuestionReading,
  type ReadPath,
} from './core/query/answer-plan.ts';
export type { PathIntoArray, TypeMismatch, UnknownPath } from './core/explain/explanation.ts';
export type { UnderstoodBody } from './core/explain/understood.ts';
export type { TimeUnit } from './core/event/time-unit.ts';
export { pagesOf, usersOf } from './core/query/pages.ts';
export { countOfPiece, EVENT_OVERHEAD_BYTES, pageOf, PIECE_BYTES } from './core/query/stored-page.ts';
export { parseBreakdownBody, parseCountBody, type GroupedQuery } from './core/query/parse-query.ts';
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

// What is known of each operator.
export type { ComparisonTaking, FoundValue, OperandOf, Operator } from './core/filter/operators.ts';
export { OPERAND_KINDS, type OperandKind, type Operands, type Scalar } from './core/filter/operands.ts';

// What is done around every question.
export { aroundEach, type Methods } from './core/base/around-each.ts';

// The column index, for stores that answer from columns, and what reads the events.
export { propertiesByPages } from './core/engine/fallbacks/properties-by-pages.ts';
export {
  createColumnIndex,
  type ColumnAnswers,
  type ColumnIndex,
  type ColumnIndexOptions,
} from './core/columns/column-index.ts';
export type { CommitErasure, Erasing } from './core/columns/erasing.ts';
export type { ChosenRows } from './core/columns/choose.ts';
export { chooseLater, withLater, type LaterRows } from './core/columns/choose-later.ts';
export {
  countBits,
  hasBit,
  isErased,
  NO_ERASED_ROWS,
  toErasedRows,
  unionOf,
  type ErasedRows,
} from './core/columns/log/erased-rows.ts';
export { SEGMENT_ROWS } from './core/columns/log/sizes.ts';
export { createAheadReader } from './core/columns/ahead/reading-ahead.ts';
export {
  LogGoneError,
  type ChunkStore,
  type CodedRows,
  type Codes,
  type EventLog,
  type FoundRows,
  type SavedChunk,
  type SortedRows,
  type TimeIndex,
  type IndexedSpan,
} from './core/columns/log/log.ts';
export { isIntactChunk, type ChunkOrigin } from './core/columns/column/chunk.ts';
export { createBoundedMap, type BoundedMap } from './core/base/bounded-map.ts';
export { createKeyedHash, type HashSeed, type KeyedHash } from './core/base/keyed-hash.ts';

// What bounds the memory, the turns and the waiting of a store.
export {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  type Line,
} from './core/bounds/fair-queue.ts';
export { reserveOrThrow, type CacheEntry, type MemoryBudgetOptions } from './core/bounds/memory-budget.ts';
export { createQueuedLimit, type QueuedLimit, type QueuedLimitOptions } from './core/bounds/limit.ts';
export { createIdleWork, type IdleOptions, type IdleWork } from './core/bounds/idle.ts';
export { createTurns, type Turns } from './core/bounds/turns.ts';
export type { JobPriority, Pacer, SchedulerOptions } from './core/bounds/scheduler.ts';
