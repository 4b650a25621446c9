import { unavailable } from '../../../src/index.ts';
import { isNotOurs, resultOf } from './trouble.ts';

/** The methods of a prepared statement that the stores call; they bind null, numbers, strings and bytes. */
export interface SqliteStatement {
  /** Executes it; `changes` is the number of changed rows. */
  run(...values: unknown[]): { readonly changes: number | bigint };
  /** The first row as an object; undefined for none. */
  get(...values: unknown[]): unknown;
  /** All rows as objects; empty for none. */
  all(...values: unknown[]): unknown[];
  /** The rows one by one: those before one that cannot be read are not lost. */
  iterate(...values: unknown[]): Iterable<unknown>;
}

/**
 * The methods of a driver that the stores call: the database of better-sqlite3 fits, and that of node:sqlite.
 */
export interface SqliteDatabase {
  /** Compiles a statement, which can be run any number of times. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements without parameters or results. */
  exec(sql: string): unknown;
  /** Closes the connection. */
  close(): unknown;
}

/** How durable a commit is: FULL survives a power loss, NORMAL a crash of the process. */
export type Synchronous = 'FULL' | 'NORMAL';

/** How many KiB of pages a connection caches. */
const PAGE_CACHE_KIB = 4096;

/**
 * Configures a new connection. The file is in WAL mode, so that readers and the one writer do not block each
 * other. Deleted data is overwritten with zeros, because a deleted tenant must not be readable in the file.
 * The engine maps no part of the file into memory.
 */
export function configure(database: SqliteDatabase): void {
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA secure_delete = ON');
  database.exec('PRAGMA mmap_size = 0');
  database.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  database.exec('PRAGMA synchronous = FULL');
}

/** What drivers do not let the engine do by default: better-sqlite3, and newer versions of node:sqlite. */
interface Defended {
  unsafeMode?(on: boolean): unknown;
  enableDefensive?(on: boolean): unknown;
}

/**
 * Opens a connection, which only reads, to a file that may be truncated: of one that is shorter than its
 * header says, the engine otherwise reads no table.
 */
export function connectToDamaged(connect: () => SqliteDatabase): SqliteDatabase {
  const database: SqliteDatabase & Defended = connect();
  database.unsafeMode?.(true);
  database.enableDefensive?.(false);
  database.exec('PRAGMA query_only = ON');
  database.exec('PRAGMA writable_schema = ON');
  return database;
}

/**
 * Runs `work` in one write transaction: everything is stored, or nothing. It takes the lock at the start,
 * because SQLite may refuse to turn a reader into a writer without waiting. `work` must be synchronous.
 */
export function transact<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // The engine has already rolled back, as it does when the disk is full.
    }
    throw error;
  }
}

/**
 * A connection that compiles statements on first use. The stores have about a hundred, of which a process
 * that answers its first query needs ten: compiling them all took longer than opening the file. `hear`
 * converts every error of the engine.
 */
export function compileLate(database: SqliteDatabase, hear: (error: unknown) => unknown): SqliteDatabase {
  const heard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw hear(error);
    }
  };
  return {
    exec: (sql) => heard(() => database.exec(sql)),
    close: () => database.close(),
    prepare(sql) {
      let compiled: SqliteStatement | undefined;
      const statement = () => (compiled ??= database.prepare(sql));
      return {
        run: (...values) => heard(() => statement().run(...values)),
        get: (...values) => heard(() => statement().get(...values)),
        all: (...values) => heard(() => statement().all(...values)),
        *iterate(...values) {
          try {
            yield* statement().iterate(...values);
          } catch (error) {
            throw hear(error);
          }
        },
      };
    },
  };
}

/**
 * Prepares to empty the write-ahead log, which contains deleted data until it is moved into the file; returns
 * whether the log is now empty. It never throws: if a reader prevents it, it does as much as possible.
 */
export function prepareEmptyLog(database: SqliteDatabase): () => boolean {
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  return () => {
    try {
      return (checkpoint.get() as { busy: number }).busy === 0;
    } catch {
      return false;
    }
  };
}

/**
 * Runs `work`; if the engine cannot serve it now, throws `unavailable` with the engine's error as its cause.
 */
export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Like `guard`, for the store methods that return promises. */
export function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(guard(work)));
}

/** Converts an error of the engine to the one that a store throws. */
export function toStoreError(error: unknown): unknown {
  if (resultOf(error) === undefined && !isNotOurs(error)) return error;
  return unavailable(error, 1, (error as { told?: boolean }).told === true);
}
