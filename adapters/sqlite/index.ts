import type { Stores } from '../../src/index.ts';
import { configure, guard, promised, type SqliteDatabase } from './database.ts';
import { sqliteEventStore } from './events.ts';
import { sqliteKeyStore } from './keys.ts';
import { sqliteRateLimiter, type Clock } from './limits.ts';
import { migrate, refuseForeignFile } from './schema.ts';
import { sqliteTenantStore } from './tenants.ts';

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './database.ts';
export type { Clock } from './limits.ts';

export interface SqliteOptions {
  /** Opens one more connection to the same file, with any driver that fits: `() => new Database(file)`. */
  readonly connect: () => SqliteDatabase;
  /** The time by which limits are judged. */
  readonly clock: Clock;
  /** How long a statement waits for another process that writes, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** How many bytes of memory the column index may keep between queries. Default 512 MiB. */
  readonly columnCacheBytesMax?: number;
}

/**
 * All stores in one SQLite file, which several processes may share. It opens two connections: commits of the first are
 * durable against a loss of power, those of the second (limits, last uses of keys) against a crash of the process.
 * Throws an Error that says why for a file of a newer version or that is none of event-query's, and `unavailable` where
 * the file cannot be opened now. SQLite must be 3.45 or newer.
 */
export function sqliteStores({ connect, clock, busyTimeoutMs = 5000 }: SqliteOptions): Stores {
  const connections: SqliteDatabase[] = [];
  const open = (synchronous: 'FULL' | 'NORMAL') => {
    const database = connect();
    connections.push(database);
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
    refuseForeignFile(database);
    configure(database, synchronous);
    return database;
  };
  try {
    return guard(() => {
      const database = open('FULL');
      migrate(database);
      const quick = open('NORMAL');
      const ping = database.prepare('SELECT max(number) FROM logs');
      return {
        events: sqliteEventStore(database),
        tenants: sqliteTenantStore(database),
        keys: sqliteKeyStore(database, quick),
        limits: sqliteRateLimiter(quick, clock),
        ready: () =>
          promised(() => {
            ping.get();
          }),
        close: () =>
          promised(() => {
            for (const connection of connections.splice(0)) connection.close();
          }),
      };
    });
  } catch (error) {
    for (const connection of connections) connection.close();
    throw error;
  }
}
