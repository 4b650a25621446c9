/**
 * The door for whoever writes a transport, or a protocol of SDKs: requests and answers as plain data, what
 * every transport does in the same way, and what finds events in a body.
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
export { belowHosts, belowPrefix, isHealth, toLogPath, toTarget } from './core/http/target.ts';
export { pagesUrl } from './core/http/admin/auth-guard.ts';
export { describeValue, quote } from './core/event/text.ts';
export { BOM, toCsvLine, toSheetTime, type Separator } from './core/table/csv-line.ts';

// What an answer that is not ready yet waits for.
export { indexing } from './core/base/errors.ts';
export type { IndexProgress } from './core/base/signal.ts';

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
export { createZones, type Zones } from './core/bounds/zones.ts';
export type { TimeZone, ZonePiece } from './core/base/zone.ts';

// Who waits, and how many at once.
export { createLimit, type Limit } from './core/bounds/limit.ts';

// How a protocol finds the events and the keys in a request, and answers it.
export {
  findEnvelope,
  findList,
  findText,
  oneMessage,
  type Envelope,
  type ToEvent,
} from './core/http/protocols/members.ts';
export { fieldOf } from './core/http/form.ts';
export { jsonResponse } from './core/http/response.ts';
export { isSecret } from './core/access/key.ts';
export { hideCredentials } from './core/base/credentials.ts';

// What becomes of a message in the same way, whether its SDK sends it or it is imported from an export.
export { ANONYMOUS, freeKey, HASHED_ID, isNothing, isRounded, toInsertId } from './core/compat/fields.ts';
export { INSERT_ID_PATTERN } from './core/event/event-fields.ts';
export { readEpoch, type EpochInstant } from './core/event/epoch.ts';
