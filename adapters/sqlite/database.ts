import { unavailable } from '../../src/index.ts';
import { isNotOurs, resultOf } from './trouble.ts';

/** The few methods of a prepared statement that the stores call: they bind null, numbers, texts and bytes. */
export interface SqliteStatement {
  /** Runs it for what it does; how many rows it changed. */
  run(...values: unknown[]): { readonly changes: number | bigint };
  /** The first row as an object, undefined for none. */
  get(...values: unknown[]): unknown;
  /** All rows as objects; empty for none. */
  all(...values: unknown[]): unknown[];
}

/**
 * The few methods of a driver that the stores call: the database of better-sqlite3 fits, and that of
 * node:sqlite.
 */
export interface SqliteDatabase {
  /** Compiles one statement, to be run as often as one likes. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that take and give nothing. */
  exec(sql: string): unknown;
  /** Closes the connection. */
  close(): unknown;
}

/** How durable a commit is: FULL survives a loss of power, NORMAL a crash of the process. */
export type Synchronous = 'FULL' | 'NORMAL';

/** How many KiB of the file's pages a connection keeps in memory. */
const PAGE_CACHE_KIB = 4096;

/**
 * Sets a new connection up. The file is in WAL mode, so that readers and the one writer do not wait for each
 * other. What is deleted is overwritten with zeros, since a tenant that was deleted must not be readable in
 * the file; the engine maps nothing of the file into memory.
 */
export function configure(database: SqliteDatabase): void {
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA secure_delete = ON');
  database.exec('PRAGMA mmap_size = 0');
  database.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  database.exec('PRAGMA synchronous = FULL');
}

/**
 * Runs `work` in one write transaction: all of it is stored, or nothing. The lock is taken at the beginning,
 * since a reader that becomes a writer half way can be refused without waiting. `work` must not wait for
 * anything.
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
      // The engine has rolled back by itself, as it does when the disk is full.
    }
    throw error;
  }
}

/**
 * A connection whose statements are compiled when they are first used. The stores name some hundred, of which
 * a process that starts to answer one question needs ten: to compile them all took longer than the opening.
 * Whatever the engine throws is what `hear` makes of it.
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
      };
    },
  };
}

/**
 * Prepares the emptying of the write-ahead log, where what was deleted still stands until it is moved into
 * the file: whether it is empty now. It never throws: while somebody reads, it does what can be done.
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
 * Runs `work`; where the engine cannot serve now, throws `unavailable` with the engine's error as its cause.
 */
export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** As `guard`, for the methods of a store, which answer with promises. */
export function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(guard(work)));
}

/** The error that a store throws for one of the engine. */
export function toStoreError(error: unknown): unknown {
  if (resultOf(error) === undefined && !isNotOurs(error)) return error;
  return unavailable(error, 1, (error as { told?: boolean }).told === true);
}
