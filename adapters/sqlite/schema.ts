import { configure, transact, type SqliteDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

/** Marks the file as one of event-query: the letters "evtq". */
const APPLICATION_ID = 0x65767471;

/** The version of the schema that this package writes. */
const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Sets a new connection up, and brings the file to this version of the schema. Throws an Error, without
 * having changed anything, for a file of a newer version, of another application, or that is no database.
 */
export function openFile(database: SqliteDatabase, busyTimeoutMs: number): void {
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
  refuseForeignFile(database);
  configure(database);
  migrate(database);
}

/** In one transaction. */
function migrate(database: SqliteDatabase): void {
  if (versionOf(database) === SCHEMA_VERSION) return;
  transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    const version = versionOf(database);
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** Throws an Error for a file that this version of event-query must not touch. */
function refuseForeignFile(database: SqliteDatabase): void {
  const version = guardNotDatabase(() => versionOf(database));
  const application = readPragma(database, 'application_id');
  const tables = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (application !== APPLICATION_ID && (application !== 0 || version !== 0 || tables.tables > 0)) {
    throw new Error('The file is a SQLite database of another application. Use another file.');
  }
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The file was written by a newer event-query: its schema is version ${version}, and this one knows ` +
        `up to version ${SCHEMA_VERSION}. Upgrade event-query, or use another file.`,
    );
  }
}

function versionOf(database: SqliteDatabase): number {
  return readPragma(database, 'user_version');
}

function readPragma(database: SqliteDatabase, name: 'user_version' | 'application_id'): number {
  return (database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}

function guardNotDatabase<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, errcode } = error as { code?: unknown; errcode?: unknown };
    if (code !== 'SQLITE_NOTADB' && errcode !== 26) throw error;
    throw new Error('The file is not a SQLite database. Use another file.', { cause: error });
  }
}
