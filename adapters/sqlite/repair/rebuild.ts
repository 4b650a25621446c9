import { ORPHANED, REBUILD_NAMES } from '../check/orphans.ts';
import type { FileFinding } from '../check/finding.ts';
import { listForeignParts } from '../check/foreign.ts';
import { verifySqlite, type Verification, type VerifyOptions } from '../check/verify.ts';
import { configure, guard, transact, type SqliteDatabase } from '../file/database.ts';
import { takeForItself } from '../file/exclusive.ts';
import { connectExplained } from '../file/explained.ts';
import { ERASED_ROWS, prepareErasedEnd } from '../log/erased-rows.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import { prepareSweepRows } from '../writes/erase-rows.ts';

/** The result of a repair: what was found before, and what the file is like now. */
export interface Rebuild extends Verification {
  /** What was wrong and is repaired. */
  readonly repaired: readonly FileFinding[];
}

/**
 * Rebuilds what is computed from the events of a file: indexes, columns, event names and the number of
 * events. It also removes keys of nobody, and erased events that are still there. Where something else is
 * wrong, it changes nothing: `salvageSqlite` saves the rest. It needs the file for itself. `connect` opens a
 * connection, which is closed again. Throws an Error if another process has the file open.
 */
export function rebuildSqlite(connect: () => SqliteDatabase, options: VerifyOptions = {}): Rebuild {
  const before = verifySqlite(connect, options);
  const { findings } = before;
  if (findings.length === 0 || findings.some(({ repair }) => repair !== 'here'))
    return { ...before, repaired: [] };
  const { database, file } = connectExplained(connect);
  try {
    guard(() => {
      takeForItself(database, file);
      configure(database);
      transact(database, () => rebuild(database, new Set(findings.map(({ kind }) => kind))));
    });
  } finally {
    database.close();
  }
  return { ...verifySqlite(connect, options), repaired: findings };
}

/** Removes what a schema of this version does not have. */
function dropForeignParts(database: SqliteDatabase): void {
  for (const { type, name } of listForeignParts(database))
    database.exec(`DROP ${type.toUpperCase()} "${name.replaceAll('"', '""')}"`);
}

function rebuild(database: SqliteDatabase, kinds: ReadonlySet<FileFinding['kind']>): void {
  if (kinds.has('foreignParts')) dropForeignParts(database);
  if (kinds.has('indexes')) database.exec('REINDEX');
  if (kinds.has('columns') || kinds.has('columnSizes'))
    database.exec('DELETE FROM column_chunks; DELETE FROM column_paths');
  if (kinds.has('uncountedEvents') || kinds.has('logSizes')) countRows(database);
  if (kinds.has('returnedEvents')) database.exec('UPDATE erased_rows SET swept = 0');
  if (
    kinds.has('returnedEvents') ||
    kinds.has('eventNames') ||
    kinds.has('uncountedEvents') ||
    kinds.has('logSizes')
  ) {
    removeErased(database);
    database.exec('DELETE FROM event_names; INSERT INTO event_names SELECT DISTINCT log, name FROM events');
  }
  if (kinds.has('documentsWithoutTenant')) database.exec(`DELETE FROM documents WHERE ${ORPHANED}`);
  if (kinds.has('documentsWithoutTenant') || kinds.has('documentNames')) database.exec(REBUILD_NAMES);
}

/**
 * Each row of a log is there or was erased, so the last of both tells how many there are. No row is given to
 * a second event: the list of erased rows would hide it, and a reader behind that row would not get it.
 */
function countRows(database: SqliteDatabase): void {
  const findErasedEnd = prepareErasedEnd(database);
  const update = database.prepare(
    `UPDATE logs SET size = max(iif(size BETWEEN 0 AND ${ROWS_PER_LOG}, size, 0), ?) WHERE number = ?`,
  );
  const logs = database
    .prepare(
      `SELECT number, (SELECT coalesce(max(id) + 1 - number * ${ROWS_PER_LOG}, 0) FROM events
         WHERE id >= number * ${ROWS_PER_LOG} AND id < (number + 1) * ${ROWS_PER_LOG}) AS end
       FROM logs`,
    )
    .all() as { number: number; end: number }[];
  for (const { number, end } of logs) update.run(Math.max(end, findErasedEnd(number)), number);
}

function removeErased(database: SqliteDatabase): void {
  const sweep = prepareSweepRows(database);
  const logs = database
    .prepare(`SELECT DISTINCT log FROM erased_rows WHERE swept < ${ERASED_ROWS}`)
    .all() as { log: number }[];
  for (const { log } of logs) while (!sweep(log));
}
