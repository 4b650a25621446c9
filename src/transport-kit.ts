/**
 * The door for whoever writes a transport: requests and answers as plain data, and what every transport does
 * in the same way.
 */

// A request and its answer.
export type { HttpRequest, HttpResponse } from './core/http/message.ts';

// What all transports do in the same way.
export {
  begin,
  toErrorAnswer,
  type PiecesResponse,
  type TextResponse,
} from './core/http/transport/answer.ts';
export {
  bodyIsTaken,
  createBodyParts,
  beginsAsGzip,
  beginsAsJson,
  judgeHead,
  UNPACK_RATIO_MAX,
  unreadableBody,
  withOwnBytes,
  type BodyBounds,
  type BodyParts,
} from './core/http/transport/body.ts';
export { createAdmission, ownerOf, type Admission, type Visitor } from './core/http/transport/admission.ts';
export { networkOf } from './core/bounds/network.ts';
export { belowPrefix, isHealth, toLogPath, toTarget } from './core/http/target.ts';
export { pagesUrl } from './core/http/admin/auth-guard.ts';
export { quote } from './core/event/text.ts';
export { toCsvLine, type Separator } from './core/table/csv-line.ts';

// What the resources of a process are made of, in a runtime that is neither Node nor one of the web.
export type { ResourcesOptions } from './core/bounds/resources.ts';
export {
  METRICS,
  SILENT_METER,
  type Meter,
  type MetricLabels,
  type MetricName,
  type MetricOf,
  type MetricRow,
} from './core/base/metrics.ts';
export type { RequestBeginning, RequestEnd, RequestSpan, TracedPart, Tracer } from './core/base/tracing.ts';
export { createMemoryBudget } from './core/bounds/memory-budget.ts';
export { createScheduler } from './core/bounds/scheduler.ts';

// Who waits, and how many at once.
export { createLimit, type Limit } from './core/bounds/limit.ts';

// What the Admin API answers.
export type {
  AuditAnswer,
  BeginSignInAnswer,
  BucketAnswer,
  Choices,
  ErasedAnswer,
  InvitationAnswer,
  IssuedKeyAnswer,
  KeyAnswer,
  PersonSession,
  SessionAnswer,
  SignInAnswer,
  SignOutAnswer,
  TenantAnswer,
  TokenCheck,
  UsageAnswer,
  ViewAnswer,
  WaysToSignIn,
} from './core/http/schemas/admin-answer.ts';
export type { Plan } from './core/access/plan.ts';
export type { Comparison } from './core/filter/filter.ts';
