import { configure, prepareEmptyLog, transact, type SqliteDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

/** Marks the file as one of event-query: the letters "evtq". */
const APPLICATION_ID = 0x65767471;

/** The version of the schema that this package writes. */
const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * What may be done to the schema of a file: `keep` takes a file that has this version's, `begin` an empty
 * file too, whose schema it writes, and `migrate` an older one as well, which it brings to this version.
 */
export type SchemaUse = 'keep' | 'begin' | 'migrate';

/** The versions of the schema before and after; 0 for a file that was empty. */
export interface Migration {
  /** What the file had. */
  readonly from: number;
  /** What it has now. */
  readonly to: number;
}

/**
 * Sets a new connection up, and brings the file to this version of the schema as far as `use` allows. Throws
 * an Error, without having changed anything, for a file that needs more than that, is of a newer version or
 * of another application, or is no database.
 */
export function openFile(database: SqliteDatabase, busyTimeoutMs: number, use: SchemaUse): Migration {
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
  refuseForeignFile(database);
  refuseOlderFile(versionOf(database), use);
  configure(database);
  const done = migrate(database, use);
  // What a step has taken out must not stand in the write-ahead log either.
  if (done.from > 0 && done.from < done.to) prepareEmptyLog(database)();
  return done;
}

/** In one transaction. */
function migrate(database: SqliteDatabase, use: SchemaUse): Migration {
  const current = { from: SCHEMA_VERSION, to: SCHEMA_VERSION };
  if (versionOf(database) === SCHEMA_VERSION) return current;
  return transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    refuseForeignFile(database);
    const from = versionOf(database);
    if (from === SCHEMA_VERSION) return current;
    refuseOlderFile(from, use);
    for (const migration of MIGRATIONS.slice(from)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    return { ...current, from };
  });
}

/** Throws an Error for a file whose schema would have to be written by somebody who may not. */
function refuseOlderFile(version: number, use: SchemaUse): void {
  if (version === SCHEMA_VERSION || use === 'migrate') return;
  if (version > 0) {
    throw new Error(
      `The file has schema ${version}, and this event-query works with schema ${SCHEMA_VERSION}. To ` +
        'bring it there, run "event-query migrate" or start "event-query serve"; an older event-query that ' +
        'has it open then stops answering.',
    );
  }
  if (use === 'keep') {
    throw new Error(
      'The file is empty: it holds no database. Put a backup in its place, or begin a new one with ' +
        '"event-query tenant create" or "event-query serve".',
    );
  }
}

/** Throws an Error for a file that this version of event-query must not touch. */
export function refuseForeignFile(database: SqliteDatabase): void {
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

/** Prepares to ask whether another process has brought the file to a newer schema, and to which. */
export function findNewer(database: SqliteDatabase): () => number | undefined {
  const ask = database.prepare('PRAGMA user_version');
  return () => {
    const { user_version: version } = ask.get() as { user_version: number };
    return version > SCHEMA_VERSION ? version : undefined;
  };
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
