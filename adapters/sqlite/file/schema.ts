import { configure, prepareEmptyLog, transact, type SqliteDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

/** What a file holds. */
export interface FileContents {
  /** The version of its schema. */
  readonly schema: number;
  /** How many tenants it has. */
  readonly tenants: number;
  /** How many events all tenants have together. */
  readonly events: number;
}

/** The application id of event-query's files: the letters "evtq". */
const APPLICATION_ID = 0x65767471;

/** The version of the schema that this package writes. */
const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Which changes to a file's schema are allowed. `keep`: none, the file must have this version's schema.
 * `begin`: the schema may also be created in an empty file. `migrate`: an older file may also be upgraded.
 */
export type SchemaUse = 'keep' | 'begin' | 'migrate';

/** The schema versions before and after; 0 for an empty file. */
export interface Migration {
  /** The version before. */
  readonly from: number;
  /** The version now. */
  readonly to: number;
}

/**
 * Configures a new connection, and brings the file to this version of the schema as far as `use` allows. If
 * the file needs more than that, has a newer version, belongs to another application or is not a database, it
 * throws an Error and changes nothing. `before` runs before the schema of an older file changes, while nobody
 * else can write; if it throws, the file stays as it is.
 */
export function openFile(
  database: SqliteDatabase,
  busyTimeoutMs: number,
  use: SchemaUse,
  before?: (migration: Migration) => void,
): Migration {
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
  refuseForeignFile(database);
  refuseOlderFile(versionOf(database), use);
  configure(database);
  const done = migrate(database, use, before);
  // Data that a migration removed must not remain in the write-ahead log either.
  if (done.from > 0 && done.from < done.to) prepareEmptyLog(database)();
  return done;
}

/** Migrates in one transaction. */
function migrate(
  database: SqliteDatabase,
  use: SchemaUse,
  before: ((migration: Migration) => void) | undefined,
): Migration {
  const current = { from: SCHEMA_VERSION, to: SCHEMA_VERSION };
  if (versionOf(database) === SCHEMA_VERSION) return current;
  return transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    refuseForeignFile(database);
    const from = versionOf(database);
    if (from === SCHEMA_VERSION) return current;
    refuseOlderFile(from, use);
    if (from > 0) before?.({ ...current, from });
    writeSchema(database, from);
    return { ...current, from };
  });
}

/** Brings a file of schema `from`, 0 for an empty one, to schema `to`, within the caller's transaction. */
export function writeSchema(database: SqliteDatabase, from: number, to = SCHEMA_VERSION): void {
  for (const migration of MIGRATIONS.slice(from, to)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${to}`);
}

/** Throws an Error if the schema would have to be written and `use` does not allow it. */
function refuseOlderFile(version: number, use: SchemaUse): void {
  if (version === SCHEMA_VERSION || use === 'migrate') return;
  if (version > 0) {
    throw new Error(
      `The file has schema ${version}, and this event-query works with schema ${SCHEMA_VERSION}. To ` +
        'bring it there, stop an older event-query that has it open, and run "event-query migrate" or ' +
        'start "event-query serve".',
    );
  }
  if (use === 'keep') refuseUnbegunFile(version);
}

/** Throws an Error if no schema was ever written to the file. */
export function refuseUnbegunFile(version: number): void {
  if (version > 0) return;
  throw new Error(
    'The file is empty: it holds no database. Put a backup in its place, or begin a new one with ' +
      '"event-query tenant create" or "event-query serve".',
  );
}

/** Throws an Error for a file that this version of event-query must not touch. */
export function refuseForeignFile(database: SqliteDatabase): void {
  const version = guardNotDatabase(() => versionOf(database));
  const application = readPragma(database, 'application_id');
  const tables = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (application !== APPLICATION_ID && (application !== 0 || version !== 0 || tables.tables > 0)) {
    throw new Error('The file is a SQLite database of another application. Use another file.');
  }
  // An empty file has neither a schema nor the number of one.
  if (version < 0 || (version === 0 && tables.tables > 0)) {
    throw new Error(
      `The file is damaged: its header says that its schema is version ${version}, and it has ` +
        `${tables.tables} tables and indexes. Nothing was changed. Put a backup in its place.`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The file was written by a newer event-query: its schema is version ${version}, and this one knows ` +
        `up to version ${SCHEMA_VERSION}. Run that newer event-query, or restore a backup from before: the ` +
        `upgrade left one beside the file, with "before-schema-${version}" in its name.`,
    );
  }
}

/**
 * Prepares a check whether another process has migrated the file to a newer schema; the check returns its
 * version.
 */
export function findNewer(database: SqliteDatabase): () => number | undefined {
  const ask = database.prepare('PRAGMA user_version');
  return () => {
    const { user_version: version } = ask.get() as { user_version: number };
    return version > SCHEMA_VERSION ? version : undefined;
  };
}

/** The version of a file's schema; 0 for an empty file. */
export function versionOf(database: SqliteDatabase): number {
  return readPragma(database, 'user_version');
}

/** Whether a file of that version has the schema of this package. */
export function isCurrent(version: number): boolean {
  return version === SCHEMA_VERSION;
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
