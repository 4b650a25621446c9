import { connectToDamaged, guard, type SqliteDatabase } from '../file/database.ts';
import { connectExplained } from '../file/explained.ts';
import {
  isCurrent,
  refuseForeignFile,
  refuseUnbegunFile,
  versionOf,
  type FileContents,
} from '../file/schema.ts';
import { prepareCheckColumns } from './columns.ts';
import { findDamagedRows } from './control.ts';
import { prepareCheckLog, rowsOfLog, type CatalogueLog } from './events.ts';
import { damageOf, toFinding, type FileFinding } from './finding.ts';
import { findEventsWithoutLog, findOrphans, findWrongNames } from './orphans.ts';
import { findDamagedList, findDamagedPages } from './pages.ts';
import { TABLES } from './tables.ts';

/** What is known of a file that was verified. */
export interface Verification extends FileContents {
  /** What is wrong; empty for a sound file. */
  readonly findings: readonly FileFinding[];
  /** What was not looked at or is not finished yet, as sentences. */
  readonly remarks: readonly string[];
}

/** Options of a verification. */
export interface VerifyOptions {
  /** How long to wait for another process that has locked the file, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Whether the file holds the tenants of its events, as it does by default. */
  readonly holdsTenants?: boolean;
  /** Receives how many of the events have been looked at, and how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Looks for damage in a file while other processes read and write it: what SQLite finds (`integrity_check`),
 * and what only event-query knows: whether each log is as the catalogue says, whether stored columns fit the
 * events, and what has no tenant. One transaction reads everything except the list of tables. It writes
 * nothing; `connect` opens connections, which are closed again. Throws an Error for a file that is empty,
 * not event-query's or of a newer version, and `unavailable` if it cannot be read now.
 */
export function verifySqlite(
  connect: () => SqliteDatabase,
  { busyTimeoutMs = 5000, holdsTenants = true, onProgress }: VerifyOptions = {},
): Verification {
  const { database } = connectExplained(() => connectToDamaged(connect));
  try {
    return guard(() => {
      database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
      // Every page that is read is looked at before it is believed.
      database.exec('PRAGMA cell_size_check = ON');
      refuseForeignFile(database);
      const schema = versionOf(database);
      refuseUnbegunFile(schema);
      database.exec('BEGIN');
      const tables = isCurrent(schema) ? TABLES : {};
      const pages = [...findDamagedList(connect, tables), ...findDamagedPages(database)];
      if (isCurrent(schema)) return { schema, ...lookAtContents(database, pages, holdsTenants, onProgress) };
      const remarks = [
        `the file has schema ${schema}: run "event-query migrate" to have the rest checked too`,
      ];
      return { schema, ...countAll(database), findings: pages, remarks };
    });
  } finally {
    database.close();
  }
}

function lookAtContents(
  database: SqliteDatabase,
  pages: readonly FileFinding[],
  holdsTenants: boolean,
  onProgress: VerifyOptions['onProgress'],
): Omit<Verification, 'schema'> {
  const findings = [...pages];
  /** Looks at one thing: where that cannot be read, it is a finding too. */
  const look = (what: string, work: () => readonly FileFinding[]) => {
    try {
      for (const finding of work()) findings.push(finding);
    } catch (error) {
      findings.push(toFinding('damagedPage', `${what} cannot be read (${damageOf(error)})`));
    }
  };

  let logs: readonly CatalogueLog[] = [];
  look('the catalogue of logs', () => {
    logs = listLogs(database);
    return holdsTenants ? findOrphanedLogs(database, logs) : [];
  });
  const total = logs.reduce((sum, log) => sum + rowsOfLog(log), 0);
  let done = 0;
  const progress = (rows: number) => onProgress?.((done += rows), total);
  const [checkLog, checkColumns] = [prepareCheckLog(database), prepareCheckColumns(database)];
  for (const log of logs) {
    look(`the log of ${log.tenant}`, () => checkLog(log, progress));
    look(`the columns of ${log.tenant}`, () => checkColumns(log));
  }
  look('the events', () => findEventsWithoutLog(database));
  if (holdsTenants) {
    look('the keys', () => findOrphans(database));
    look('the names of tenants and keys', () => findWrongNames(database));
    look('what tenants, keys and administrators have', () => findDamagedRows(database));
  }
  let counts = { tenants: 0, events: total };
  look('the tenants', () => {
    counts = countAll(database);
    return [];
  });
  const remarks: string[] = [];
  look('what is left to erase', () => {
    remarks.push(...listUnfinished(database));
    return [];
  });
  return { ...counts, findings, remarks };
}

/** The logs that belong to tenants. */
function listLogs(database: SqliteDatabase): CatalogueLog[] {
  return database
    .prepare(
      `SELECT number, logs.tenant_id AS tenantId, coalesce(place, logs.tenant_id) AS tenant, size,
         logs.version
       FROM logs LEFT JOIN documents ON kind = 'tenant' AND id = logs.tenant_id
       WHERE logs.tenant_id IS NOT NULL ORDER BY number`,
    )
    .all() as CatalogueLog[];
}

function findOrphanedLogs(database: SqliteDatabase, logs: readonly CatalogueLog[]): FileFinding[] {
  const exists = database.prepare("SELECT 1 FROM documents WHERE kind = 'tenant' AND id = ?");
  return logs
    .filter(({ tenantId }) => exists.get(tenantId) === undefined)
    .map(({ number, tenantId, size }) =>
      toFinding(
        'logWithoutTenant',
        `log ${number} with ${size} rows is of tenant ${tenantId}, which is not there`,
        tenantId,
      ),
    );
}

/** What every schema has. */
function countAll(database: SqliteDatabase): Omit<FileContents, 'schema'> {
  return database
    .prepare(
      `SELECT (SELECT count(*) FROM documents WHERE kind = 'tenant') AS tenants,
         (SELECT count(*) FROM events NOT INDEXED) AS events`,
    )
    .get() as Omit<FileContents, 'schema'>;
}

/** What an erasure has hidden and a server still removes. */
function listUnfinished(database: SqliteDatabase): string[] {
  const { logs, chunks } = database
    .prepare(
      `SELECT (SELECT count(*) FROM logs WHERE tenant_id IS NULL) AS logs,
         (SELECT count(*) FROM erased_rows WHERE swept < 32768) AS chunks`,
    )
    .get() as { logs: number; chunks: number };
  return logs + chunks > 0
    ? ['erased events are hidden and not all removed yet: a server or "event-query compact" goes on with it']
    : [];
}
