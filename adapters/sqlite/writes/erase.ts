import type { SqliteDatabase } from '../file/database.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import { prepareEraseRows, prepareSweepRows } from './erase-rows.ts';
import type { OpenLogs } from './open-logs.ts';

/** How many events of an erased log are removed at once: some milliseconds of work. */
const SWEEP_ROWS = 2000;

/** The same if one of them is large: an event may have a mebibyte, all of which is overwritten with zeros. */
const SWEEP_LARGE_ROWS = 4;

/** Prepares the steps of an erasure: the first one hides the events, the last one removes them. */
export function prepareErase(database: SqliteDatabase, logs: OpenLogs) {
  const detach = database.prepare(
    'UPDATE logs SET tenant_id = NULL WHERE tenant_id = ? RETURNING number, size',
  );
  const selectErased = database.prepare(
    'SELECT coalesce(sum(count), 0) AS count FROM erased_rows WHERE log = ?',
  );
  const insertDropped = database.prepare('INSERT OR IGNORE INTO dropped_tenants (id) VALUES (?)');
  /** Detaches the log; returns how many events it had. */
  const detachLog = (tenantId: string): number => {
    const log = detach.get(tenantId) as { number: number; size: number } | undefined;
    logs.forget();
    return log === undefined ? 0 : log.size - (selectErased.get(log.number) as { count: number }).count;
  };
  return {
    detachLog,
    dropTenant: (tenantId: string): number => {
      insertDropped.run(tenantId);
      return detachLog(tenantId);
    },
    eraseRows: prepareEraseRows(database, logs),
    ...prepareSweeps(database),
  };
}

/** Prepares the removal of part of what a number identifies; returns whether all of it is gone. */
export function prepareSweeps(database: SqliteDatabase) {
  return {
    sweepLog: prepareSweep(database),
    sweepRows: prepareSweepRows(database),
    sweepChunks: prepareSweepChunks(database),
  };
}

/** Removes part of a detached log, and the log itself once it is empty. */
function prepareSweep(database: SqliteDatabase): (number: number) => boolean {
  const removeEvents = database.prepare(
    `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id >= ? AND id < ? LIMIT ?)`,
  );
  const removeNames = database.prepare('DELETE FROM event_names WHERE log = ?');
  const removeErased = database.prepare('DELETE FROM erased_rows WHERE log = ?');
  const removeLog = database.prepare('DELETE FROM logs WHERE number = ?');
  const selectLarge = database.prepare(
    `SELECT id FROM events INDEXED BY large_events
     WHERE length(properties) > 4096 AND id >= ? AND id < ? ORDER BY id LIMIT 1`,
  );
  return (number) => {
    const [first, end] = [number * ROWS_PER_LOG, (number + 1) * ROWS_PER_LOG];
    const large = selectLarge.get(first, end) as { id: number } | undefined;
    const removed = removeEvents.run(first, large?.id ?? end, SWEEP_ROWS).changes;
    if (Number(removed) > 0) return false;
    if (Number(removeEvents.run(first, end, SWEEP_LARGE_ROWS).changes) > 0) return false;
    removeNames.run(number);
    removeErased.run(number);
    removeLog.run(number);
    return true;
  };
}

/** Removes part of the columns of an obsolete version of a log. */
function prepareSweepChunks(database: SqliteDatabase): (versionId: number) => boolean {
  const removeChunk = database.prepare(
    'DELETE FROM column_chunks WHERE rowid = (SELECT rowid FROM column_chunks WHERE log = ? LIMIT 1)',
  );
  const removePaths = database.prepare('DELETE FROM column_paths WHERE log = ?');
  return (versionId) => {
    if (Number(removeChunk.run(versionId).changes) > 0) return false;
    removePaths.run(versionId);
    return true;
  };
}
