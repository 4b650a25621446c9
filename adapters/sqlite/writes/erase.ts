import type { SqliteDatabase } from '../database.ts';
import { ROWS_PER_LOG } from '../log/event-log.ts';
import type { OpenLogs } from './open-logs.ts';

/** How many events of an erased log are removed at once: some milliseconds of work. */
const SWEEP_ROWS = 2000;

/** How many where one is large: it may have a mebibyte, and all of it is overwritten with zeros. */
const SWEEP_LARGE_ROWS = 4;

/** Prepares the parts of an erasure: from the first on nobody sees the events, the last removes them. */
export function prepareErase(database: SqliteDatabase, logs: OpenLogs) {
  const detach = database.prepare('UPDATE logs SET tenant_id = NULL WHERE tenant_id = ?');
  const insertDropped = database.prepare('INSERT OR IGNORE INTO dropped_tenants (id) VALUES (?)');
  const detachLog = (tenantId: string) => {
    detach.run(tenantId);
    logs.forget();
  };
  return {
    detachLog,
    dropTenant: (tenantId: string) => {
      insertDropped.run(tenantId);
      detachLog(tenantId);
    },
    sweepLog: prepareSweep(database),
  };
}

/** Prepares the removal of some of a detached log, or of the log when it has no more: whether it is gone. */
export function prepareSweep(database: SqliteDatabase): (number: number) => boolean {
  const removeEvents = database.prepare(
    `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id >= ? AND id < ? LIMIT ?)`,
  );
  const removeNames = database.prepare('DELETE FROM event_names WHERE log = ?');
  const removeChunk = database.prepare(
    'DELETE FROM column_chunks WHERE rowid = (SELECT rowid FROM column_chunks WHERE log = ? LIMIT 1)',
  );
  const removePaths = database.prepare('DELETE FROM column_paths WHERE log = ?');
  const removeLog = database.prepare('DELETE FROM logs WHERE number = ?');
  const selectLarge = database.prepare(
    `SELECT id FROM events INDEXED BY large_events
     WHERE octet_length(properties) > 4096 AND id >= ? AND id < ? ORDER BY id LIMIT 1`,
  );
  return (number) => {
    const [first, end] = [number * ROWS_PER_LOG, (number + 1) * ROWS_PER_LOG];
    const large = selectLarge.get(first, end) as { id: number } | undefined;
    const removed = removeEvents.run(first, large?.id ?? end, SWEEP_ROWS).changes;
    if (Number(removed) > 0) return false;
    if (Number(removeEvents.run(first, end, SWEEP_LARGE_ROWS).changes) > 0) return false;
    if (Number(removeChunk.run(number).changes) > 0) return false;
    removeNames.run(number);
    removePaths.run(number);
    removeLog.run(number);
    return true;
  };
}
