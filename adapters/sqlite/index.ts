import type { Ledger, Scheduler, Stores } from '../../src/index.ts';
import { configure, guard, promised, type SqliteDatabase, type Synchronous } from './database.ts';
import { sqliteEventStore } from './events.ts';
import { createFileWatch } from './file-watch.ts';
import { sqliteKeyStore } from './keys.ts';
import { sqliteRateLimiter, type Clock } from './limits.ts';
import { migrate, refuseForeignFile } from './schema.ts';
import { sqliteTenantStore } from './tenants.ts';

export type { SqliteDatabase, SqliteStatement } from './database.ts';
export { compactSqlite, type Compaction } from './compact.ts';
export type { Clock } from './limits.ts';

export interface SqliteOptions {
  /** Opens one more connection to the same file, with any driver that fits: `() => new Database(file)`. */
  readonly connect: () => SqliteDatabase;
  /** The time by which limits are judged. */
  readonly clock: Clock;
  /** How long a statement waits for another process that writes, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Where what questions need is booked. Default one of 512 MiB for these stores. */
  readonly ledger?: Ledger;
  /** Gives turns to the questions of tenants. Default one for these stores. */
  readonly scheduler?: Scheduler;
  /**
   * How many distinct values a path may have before it is read from the file each time. Default 2,097,152.
   */
  readonly distinctMax?: number;
  /**
   * How many bytes of the file columns may take that are kept between starts; the paths go first that were
   * used least lately. Default 256 MiB or a quarter of the file, whichever is more.
   */
  readonly columnDiskBytesMax?: number;
}

/**
 * All stores in one SQLite file, which several processes may share. It opens three connections: commits of
 * events, tenants and keys are durable against a loss of power, those of limits and of last uses against a
 * crash of the process, and the third keeps what can be made again.
 * Throws an Error that says why for a file of a newer version or that is none of event-query's, and
 * `unavailable` where the file cannot be opened now. SQLite must be 3.45 or newer, and the file a real one:
 * with `:memory:` each connection would see a database of its own.
 */
export function sqliteStores({ connect, clock, busyTimeoutMs = 5000, ...options }: SqliteOptions): Stores {
  const opened: SqliteDatabase[] = [];
  const close = () => {
    for (const connection of opened.splice(0)) connection.close();
  };
  const open = (synchronous: Synchronous, waitMs: number) => {
    const database = connect();
    opened.push(database);
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
    refuseForeignFile(database);
    configure(database, synchronous);
    migrate(database);
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(waitMs)}`);
    return database;
  };
  try {
    return guard(() => {
      const durable = open('FULL', busyTimeoutMs);
      const quick = open('NORMAL', busyTimeoutMs);
      const cache = open('NORMAL', 0);
      const connections = { durable, quick, cache };
      const watch = createFileWatch(quick);
      const ping = durable.prepare('SELECT max(number) FROM logs');
      const events = sqliteEventStore(connections, watch, options);
      return {
        events,
        tenants: sqliteTenantStore(connections, watch),
        keys: sqliteKeyStore(connections, watch),
        limits: sqliteRateLimiter(quick, clock),
        ready: () => promised(() => void ping.get()),
        close: () =>
          promised(() => {
            events.stop();
            close();
          }),
      };
    });
  } catch (error) {
    close();
    throw error;
  }
}
