/**
 * The front door: what a program that embeds the engine or the API meets. A name stands here for ever, and a
 * value in one door only: what stores are written with is in `store-kit.ts`, what transports are written with
 * in `transport-kit.ts`. A type stands here, too, where a declaration of this door names it.
 */

// The whole API, or the engine by itself.
export { createApi, type Api, type ApiOptions, type OpenTenant } from './core/api.ts';
export type { AccessLogOptions } from './core/http/request-log.ts';
export { createEngine, type Engine, type EngineOptions } from './core/engine/engine.ts';
export type {
  AskOptions,
  BreakdownOf,
  EventArrivals,
  EventPage,
  SinceOptions,
  TailOptions,
  TenantEvents,
  TenantQuestions,
} from './core/engine/tenant-events.ts';
export type { IngestOptions, IngestReport } from './core/engine/intake.ts';

// How SDKs of others send events to it.
export type {
  DescribedRoute,
  FindingTools,
  JsonSchema,
  Protocol,
  ProtocolRoute,
  Refused,
  WireFormat,
} from './core/http/protocol.ts';
export type { RoutedRequest } from './core/http/operation.ts';
export type { Target } from './core/http/target.ts';
export type { BatchText, BatchType } from './core/http/request.ts';
export type { Batch } from './core/http/batch.ts';
export type { ArrivingEvent } from './core/event/parse-event.ts';

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
export type { IndexProgress, Signal } from './core/base/signal.ts';
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
export type {
  BreakdownBody,
  CompareBody,
  CountBody,
  ExclusionBody,
  ExportBody,
  ExportStart,
  QueryBody,
  RetentionBody,
  SequenceBody,
  HavingBody,
  ReachBody,
  UsersBody,
  StepBody,
  TopBody,
} from './core/query/body.ts';
export type { ExplainBody, QuestionBodies, QuestionName, QuestionNamed } from './core/query/questions.ts';
export type { AllOf, AnyOf, Filter, FilterEntry, NotEntry } from './core/filter/filter.ts';
export type { ComparisonName } from './core/filter/operators.ts';

// What is answered.
export type { Difference, Differences } from './core/query/compare.ts';
export type { Breakdown, Whole } from './core/query/grouping.ts';
export type { MeasuredNumbers } from './core/query/measures.ts';
export type {
  Cohort,
  PeriodsFrom,
  Retention,
  RetentionPeriod,
  RetentionUnit,
} from './core/query/retention.ts';
export type { User, UserPage } from './core/query/users.ts';
export type { Sequence, SequenceGroup, SequenceStep, StepTimes } from './core/query/sequence.ts';
export type { Properties } from './core/query/properties.ts';
export type { Explanation } from './core/explain/explanation.ts';

// The memory budget and the scheduler of a process.
export type { Reservation, MemoryBudget } from './core/bounds/memory-budget.ts';
export type { Scheduler } from './core/bounds/scheduler.ts';

// The types that the declarations above name, so that a program can name them too; most stand in the door for
// stores as well.

// Tenants, their plans and keys.
export type { AuthStrategy, JwtSettings } from './core/access/tenant.ts';
export type { IngestionLimits, Limits, PlanChoice, PlanName } from './core/access/plan.ts';
export type { KeySecret, Permission } from './core/access/key.ts';
export type { KeyRestrictions, KeyRestrictionsOptions } from './core/access/key-restrictions.ts';
export type { TokenBearer, TokenCheck } from './core/access/token.ts';
export type { CheckedToken } from './core/access/token-check.ts';

// Who administers, and what they did.
export type { AdminCredential, Invitation, CredentialKind, Role } from './core/access/admin-credential.ts';
export type { CredentialHolder, EndedCredential, IssuedCredential } from './core/access/admin-credentials.ts';
export type { Actor, AuditAction, AuditEntry, AuditPage } from './core/access/audit.ts';
export type { ErasingOperations } from './core/access/erasing-operations.ts';
export type { ErasureReceipt } from './core/access/erasure-receipt.ts';
export type { Ended, Identity, UserClaims } from './core/access/identity.ts';
export type { AccountChoice, IdentityProvider, Login } from './core/identity/provider.ts';

// What else is kept of a tenant: its configuration, marks, usage and refusals.
export type { ConfigEntry } from './core/access/remote-config.ts';
export type { Mark, MarkOptions, MarkRange } from './core/access/mark.ts';
export type { UsageDay } from './core/access/usage.ts';
export type { BucketUsage, KeyUsage, TenantUsage } from './core/access/tenant-usage.ts';
export type { Refusal, RefusalReason, ToldRefusal } from './core/access/refusal.ts';
export type { EventShape, ValueShape } from './core/event/event-shape.ts';

// The stores, and how limits are counted.
export type { RateLimiter } from './core/access/stores.ts';
export type {
  ControlChange,
  ControlDocument,
  ControlStore,
  DocumentPage,
  StoredDocument,
} from './core/access/control-store.ts';
export type { BucketState, Cost, GivenBack, Window, WindowState } from './core/base/token-bucket.ts';

// Parts of questions and filters.
export type { ByBody, Including, Pagination, TailBody } from './core/query/body.ts';
export type { FigureName, MeasureBody } from './core/query/measures.ts';
export type { Includable, StoredEvent } from './core/event/event.ts';
export type { TimeUnit } from './core/event/time-unit.ts';
export type { FilterTaking } from './core/filter/filter.ts';
export type { ComparisonTaking, OperandOf, Operator } from './core/filter/operators.ts';
export type { OperandKind, Operands, Scalar } from './core/filter/operands.ts';
export type { EventField, FilterPath, Path, StoredField } from './core/filter/path.ts';

// Parts of answers.
export type {
  Dimension,
  Group,
  GroupOrder,
  GroupPath,
  Grouping,
  MeasuredGrouping,
  GroupRow,
  TimeSeries,
  Told,
} from './core/query/grouping.ts';
export type { Figure, AskedMeasure } from './core/query/measures.ts';
export type { JsonType, Property } from './core/query/properties.ts';
export type { PathIntoArray, TypeMismatch, UnknownPath } from './core/explain/explanation.ts';
export type { UnderstoodBody } from './core/explain/understood.ts';
export type {
  AnswerPlan,
  PlannedPath,
  PlannedStreams,
  ReadFor,
  QuestionReading,
  ReadPath,
} from './core/query/answer-plan.ts';
export type { AnswerBounds } from './core/explain/asked.ts';

// What a store of events is asked.
export type { EventQuery, Page, Position, StoredPage } from './core/query/event-query.ts';
export type { Ranking, RankingOrder } from './core/query/ranking.ts';
export type { AskedStreams, Stream, StreamsPiece } from './core/query/streams.ts';
export type { AppendOptions, AppendResult } from './core/query/event-store.ts';
export type { ArrivalPosition, Arrivals } from './core/query/arrivals.ts';
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

// How requests and errors look.
export type { HttpRequest, HttpResponse } from './core/http/message.ts';
export type {
  AbortedError,
  ApiErrorOptions,
  ErrorArguments,
  ErrorCode,
  ErrorWords,
} from './core/base/errors.ts';

// What all parts of a process share: memory, turns, time zones, metrics, traces.
export type { TimeZone, ZonePiece } from './core/base/zone.ts';
export type { Zones } from './core/bounds/zones.ts';
export type { CacheEntry } from './core/bounds/memory-budget.ts';
export type { JobPriority, Pacer } from './core/bounds/scheduler.ts';
export type { Meter, MetricLabels, MetricName, MetricOf, MetricRow } from './core/base/metrics.ts';
export type { RequestBeginning, RequestEnd, RequestSpan, TracedPart, Tracer } from './core/base/tracing.ts';
