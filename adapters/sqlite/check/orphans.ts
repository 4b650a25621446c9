import { nameOfKind } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import { toFinding, type FileFinding } from './finding.ts';

/** The condition of a document of a tenant that is not there. */
export const ORPHANED = `tenant_id IS NOT NULL
  AND tenant_id NOT IN (SELECT id FROM documents WHERE kind = 'tenant')`;

/** What the documents say of their names. */
const SAID = `SELECT kind, value, sequence
  FROM documents, json_each(iif(json_valid(names), names, '[]'))`;

/** Writes the names of all documents again, as the documents say them. */
export const REBUILD_NAMES = `DELETE FROM document_names;
  INSERT OR IGNORE INTO document_names (kind, name, document) ${SAID}`;

/** How many documents of tenants that are gone there are, by what they are. */
export function countOrphans(database: SqliteDatabase): readonly { what: string; count: number }[] {
  const rows = database
    .prepare(`SELECT kind, count(*) AS count FROM documents WHERE ${ORPHANED} GROUP BY kind ORDER BY kind`)
    .all() as { kind: string; count: number }[];
  return rows.map(({ kind, count }) => ({ what: nameOfKind(kind), count }));
}

/** The documents of tenants that are gone. */
export function findOrphans(database: SqliteDatabase): FileFinding[] {
  return countOrphans(database).map(({ what, count }) =>
    toFinding('documentsWithoutTenant', `${count} ${what} belong to no tenant`),
  );
}

/** Whether documents are found by other names than they have. */
export function findWrongNames(database: SqliteDatabase): FileFinding[] {
  const kept = 'SELECT kind, name, document FROM document_names';
  const { lacking, wrong } = database
    .prepare(
      `SELECT (SELECT count(*) FROM (${SAID} EXCEPT ${kept})) AS lacking,
         (SELECT count(*) FROM (${kept} EXCEPT ${SAID})) AS wrong`,
    )
    .get() as { lacking: number; wrong: number };
  return [
    ...(lacking > 0 ? [toFinding('documentNames', `${lacking} names of documents are not listed`)] : []),
    ...(wrong > 0 ? [toFinding('documentNames', `${wrong} listed names are those of no document`)] : []),
  ];
}

/** Events between the rows of the logs that there are. */
export function findEventsWithoutLog(database: SqliteDatabase): FileFinding[] {
  const logs = database.prepare('SELECT number FROM logs ORDER BY number').all() as { number: number }[];
  const count = database.prepare('SELECT count(*) AS count FROM events NOT INDEXED WHERE id >= ? AND id < ?');
  const findings: FileFinding[] = [];
  let from = Number.MIN_SAFE_INTEGER;
  for (const number of [...logs.map((log) => log.number), undefined]) {
    const to = number === undefined ? Number.MAX_SAFE_INTEGER : number * ROWS_PER_LOG;
    const { count: events } = count.get(from, to) as { count: number };
    if (events > 0) findings.push(toFinding('eventsWithoutLog', `${events} events belong to no log`));
    from = to + ROWS_PER_LOG;
  }
  return findings;
}
