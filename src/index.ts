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
export * from './core/columns/event-index.ts';
export * from './core/columns/log.ts';
export * from './core/columns/pace.ts';
export * from './core/engine.ts';
export * from './core/errors.ts';
export * from './core/event/canonical-json.ts';
export * from './core/event/event.ts';
export * from './core/event/ndjson.ts';
export * from './core/event/parse-event.ts';
export * from './core/event/text.ts';
export * from './core/event/time.ts';
export * from './core/filter/compile.ts';
export * from './core/filter/condition.ts';
export * from './core/filter/filter-schema.ts';
export * from './core/filter/interpret.ts';
export * from './core/filter/operators.ts';
export * from './core/filter/parse-filter.ts';
export * from './core/filter/path.ts';
export * from './core/http/handler.ts';
export * from './core/http/memo.ts';
export * from './core/http/openapi.ts';
export * from './core/http/request.ts';
export * from './core/http/response.ts';
export * from './core/http/route.ts';
export * from './core/ports.ts';
export * from './core/query/body.ts';
export * from './core/query/cursor.ts';
export * from './core/query/event-query.ts';
export * from './core/query/parse-query.ts';
export * from './core/query/stored-page.ts';
export * from './core/query/validate.ts';
export * from './core/service.ts';
