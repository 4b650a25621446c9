/** The only door of the core: everything that an adapter or an embedding service may import. */
export * from './core/access/admin.ts';
export * from './core/access/credentials.ts';
export * from './core/access/key.ts';
export * from './core/access/plan.ts';
export * from './core/access/tenant.ts';
export * from './core/access/token-bucket.ts';
export * from './core/api.ts';
export {
  createLedger,
  demand,
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
export {
  createColumnIndex,
  DISTINCT_VALUES_MAX,
  type ColumnIndex,
  type ColumnIndexOptions,
} from './core/columns/column-index.ts';
export { createKeyedHash, type HashSeed, type KeyedHash } from './core/columns/keyed-hash.ts';
export { LogGoneError, type ChunkStore, type EventLog, type SavedChunk } from './core/columns/log.ts';
export * from './core/engine.ts';
export * from './core/errors.ts';
export * from './core/event/canonical-json.ts';
export { EVENT_INPUT_FIELDS, INSERT_ID_PATTERN, type EventField } from './core/event/event-fields.ts';
export * from './core/event/event.ts';
export * from './core/event/ndjson.ts';
export * from './core/event/parse-event.ts';
export * from './core/event/text.ts';
export * from './core/event/time.ts';
export { createUuidV7 } from './core/event/uuid-v7.ts';
// What a body may ask, as an embedding program writes it.
export type { AllOf, AnyOf, Filter, FilterEntry, FilterTaking, NotEntry } from './core/filter/filter.ts';
// What a store is asked, and what is known of each operator.
export type { All, Any, Atom, Condition, During, Not, Test } from './core/filter/condition.ts';
export type { InstantRange } from './core/filter/instants.ts';
export {
  OPERAND_WORDS,
  type Operand,
  type OperandKind,
  type Operands,
  type Scalar,
} from './core/filter/operands.ts';
export {
  comparisonOf,
  COMPARISONS,
  OPERATORS,
  type Comparison,
  type ComparisonName,
  type FoundValue,
  type Operator,
} from './core/filter/operators.ts';
export { EVENT_FIELDS, parsePath, pathText, type FilterPath, type Path } from './core/filter/path.ts';
export { toEventView, valueBelow, type EventView, type Predicate } from './core/filter/predicate.ts';
export * from './core/http/handler.ts';
export * from './core/http/memo.ts';
export * from './core/http/openapi.ts';
export * from './core/http/request.ts';
export * from './core/http/response.ts';
export * from './core/http/route.ts';
export * from './core/ports.ts';
export type { CountBody, Pagination, QueryBody } from './core/query/body.ts';
export { cursorAfter, parseCursor, toCursor } from './core/query/cursor.ts';
export type * from './core/query/event-query.ts';
export { parseCountBody, parseQueryBody, type PagedQuery } from './core/query/parse-query.ts';
export { compilePredicate, type CompileOptions } from './core/query/predicate.ts';
export * from './core/runtime.ts';
export * from './core/query/stored-page.ts';
export * from './core/service.ts';
