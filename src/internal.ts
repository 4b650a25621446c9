/**
 * What only the command line of this project and its importers need, in addition to the published doors. It
 * is no entry point of the package, so nothing here is promised to anybody.
 */

// What the options of commands may be.
export { toAuditEntry, toAuditedChanges } from './core/access/audit.ts';
export { parseRole, ROLES } from './core/access/admin-credential.ts';
export { createAdminCredentials } from './core/access/admin-credentials.ts';
export { recordsIn, type Records } from './core/access/records.ts';
export { tenantIdsOf } from './core/access/reach.ts';
export { createPeople } from './core/access/people.ts';
export { AUTH_STRATEGIES, ingestionOf } from './core/access/tenant.ts';
export { keyStateOf, liveSecretsOf, PERMISSIONS, type KeyState } from './core/access/key.ts';
export { RETENTION_DAYS_MAX } from './core/access/retention.ts';
export { DEFAULT_WRITE_LIMITS } from './core/access/key-restrictions.ts';
export { PLAN_NAMES, planOf } from './core/access/plan.ts';
export { parsePlan } from './core/access/admin-options.ts';

// Events as stores keep them, and reports on each event of a batch.
export { createOperations, type EventOperations } from './core/engine/engine.ts';
export type { StoredSizes } from './core/engine/stored-sizes.ts';

// Events as lines of text.
export { setOwn } from './core/base/own-keys.ts';
export { canonicalJson } from './core/event/canonical-json.ts';
export { INCLUDABLE, isJsonObject, toEventJson, toReceivedAt } from './core/event/event.ts';
export { EVENT_BYTES_MAX, parseEvent } from './core/event/parse-event.ts';
export { exactJson, isHeld, refuseAmbiguous, refuseRounded } from './core/event/exact-json.ts';
export { parseJsonLine } from './core/event/ndjson.ts';
export {
  EPOCH_UNITS,
  guessEpoch,
  isEpochText,
  toEpochMs,
  toEventTs,
  type EpochUnit,
} from './core/event/epoch.ts';
export { parseDay, parseInstant } from './core/event/time.ts';

// What a command asks and prints.
export { differenceOf } from './core/base/difference.ts';
export { QUERY_BODY_BYTES_MAX } from './core/http/request.ts';
export { BY_WORDS } from './core/query/body.ts';
export { RANKED_WORDS } from './core/query/ranking.ts';
export { TIME_UNITS } from './core/event/time-unit.ts';
export { collect, eventsOf } from './core/query/stored-page.ts';
export { parseExportBody, parseQueryBody, parseTailBody, parseTopBody } from './core/query/parse-query.ts';
export { parseUsersBody } from './core/query/parse-users.ts';
export { parseCompareBody } from './core/query/parse-compare.ts';
export { parseRetentionBody } from './core/query/parse-retention.ts';
export { RETENTION_UNITS } from './core/query/retention.ts';
export { parseSequenceBody } from './core/query/parse-sequence.ts';
export { cursorAfter, parseCursor, toCursor } from './core/query/cursor.ts';

// Events as a table.
export { createCsv, parseCell } from './core/table/csv.ts';
export { withoutGuard } from './core/table/csv-line.ts';
export { PATHS_KEY, toFlatTable, type FlatColumn, type FlatValue } from './core/table/flat-table.ts';

// What is known of each operator.
export { EVENT_FIELDS, parsePath } from './core/filter/path.ts';
export { comparisonOf, COMPARISONS } from './core/filter/filter.ts';
