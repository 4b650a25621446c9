import { availableParallelism } from 'node:os';
import { requireOptions, type Ledger, type Resources, type Stores } from '../../src/index.ts';
import { sqliteAdminStore } from './admins.ts';
import { compileLate, guard, promised, type SqliteDatabase } from './database.ts';
import { fileOf, identify } from './file-identity.ts';
import { createFileState, type FileState } from './file-state.ts';
import { sqliteEventStore } from './events.ts';
import { createFileWatch } from './file-watch.ts';
import { sqliteKeyStore } from './keys.ts';
import { sqliteRateLimiter } from './limits.ts';
import { createRowReader, type RowReader } from './log/row-reader.ts';
import { openFile, type SchemaUse } from './schema.ts';
import { createReserve, NO_RESERVE } from './reserve.ts';
import { sqliteTenantStore } from './tenants.ts';
import { explain } from './trouble.ts';
import { carryInline } from './writer/inline.ts';
import { carryToThread, type ThreadOptions } from './writer/thread.ts';
import { createWriter, type WriterChannel } from './writer/writer.ts';
import type { OperationOptions } from './writes/operations.ts';

export type { SqliteDatabase, SqliteStatement } from './database.ts';
export { compactSqlite, type CompactOptions, type Compaction } from './compact.ts';
export { checkSqlite, migrateSqlite } from './migrate.ts';
export type { Migration, SchemaUse } from './schema.ts';
export type { ThreadOptions } from './writer/thread.ts';

/** What threads are begun with, or none. */
type CarrierOptions = OperationOptions & Pick<SqliteOptions, 'writer' | 'thread'>;

/** What the stores in a file of SQLite work with. */
export interface SqliteOptions {
  /** Opens one more connection to the same file, with any driver that fits: `() => new Database(file)`. */
  readonly connect: () => SqliteDatabase;
  /** What the API has as well: `nodeResources()`. What questions need, and what waits, is booked there. */
  readonly resources: Resources;
  /** How long a statement waits for another process that writes, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * Who writes. `inline`, the default: the thread that asks, which waits for the disk and for locks of other
   * processes meanwhile. `thread`: a thread of its own, beside an event loop that only reads.
   */
  readonly writer?: 'inline' | 'thread';
  /** What the writing thread works with, where there is one. */
  readonly thread?: ThreadOptions;
  /** What may be done to the schema of the file; `migrate`, the default, does all that it needs. */
  readonly schema?: SchemaUse;
  /**
   * How many distinct values a path may have before it is read from the file each time. Default 2,097,152.
   */
  readonly distinctMax?: number;
  /**
   * How many bytes of the file columns may take that are kept between starts; the paths go first that were
   * used least lately. Default 256 MiB or a quarter of the file, whichever is more.
   */
  readonly columnDiskBytesMax?: number;
  /**
   * Whether columns of the paths that events commonly have are made while nobody works, so that a first
   * question about one need not read the events. Default false: a program that embeds the stores has other
   * uses for its idle time, and `serve` has not.
   */
  readonly prepareColumns?: boolean;
  /**
   * How many bytes of the disk are kept, in a file beside the database, for erasing when it is full. Where a
   * thread writes it is made when the stores open, and no events are taken while it cannot be. Default 0.
   */
  readonly reserveBytes?: number;
  /**
   * Is told once, in a sentence, what is wrong with the whole file: it is not in its place, of a newer
   * schema, damaged, or its disk is full; and undefined when it is well again. No log is told of each error
   * of that any more.
   */
  readonly onTrouble?: (trouble: string | undefined) => void;
}

/** What a reading thread takes of the process, by measurement: its heap, and the cache of its connection. */
const READER_BYTES = 41_943_040;
/** How much of what questions may take the reading threads may take beside. */
const READERS_SHARE = 0.2;
/** Two read as fast as the event loop takes in. */
const READERS_MAX = 2;

/**
 * All stores in one SQLite file, which several processes may share. Everything that is written waits for its
 * turn; what is for one tenant is stored in the order in which it came, what waits together in one
 * transaction. Events, tenants and keys are durable against a loss of power, limits and last uses against a
 * crash of the process.
 * Throws an Error that says why for a file of a newer version or that is none of event-query's, and
 * `unavailable` where the file cannot be opened now. SQLite must be 3.45 or newer, and the file a real one:
 * with `:memory:` each connection would see a database of its own.
 *
 * @throws {TypeError} Where `connect` or the resources are missing.
 * @throws {Error} For a file of a newer version, and for one that is none of event-query's.
 * @throws {ApiError} 503 where the file cannot be opened now.
 * @example
 * ```ts
 * import Database from 'better-sqlite3';
 * import { nodeResources } from 'event-query/node-http';
 * import { sqliteStores } from 'event-query/sqlite';
 *
 * const file = 'example-events.db';
 * const stores = sqliteStores({ connect: () => new Database(file), resources: nodeResources() });
 * const signUp = { eventName: 'signed_up', userId: 'ada', eventTs: 0, insertId: '1', propertiesJson: '{}' };
 * await stores.events.append('a tenant', [signUp]);
 * console.log(await stores.events.eventNames('a tenant'));
 * // prints: [ 'signed_up' ]
 * await stores.close();
 * ```
 */
export function sqliteStores(all: SqliteOptions): Stores {
  requireOptions('sqliteStores', all, ['connect', 'resources']);
  const { connect, resources, busyTimeoutMs = 5000, ...options } = all;
  const { schema = 'migrate', reserveBytes = 0, onTrouble } = options;
  const { memory: ledger, scheduler, runtime } = resources;
  let state: FileState | undefined;
  const connection = guard(connect);
  const file = fileOf(connection);
  const hear = (error: unknown) => (state === undefined ? explain(error, file) : state.hear(error));
  const database = compileLate(connection, hear);
  try {
    return guard(() => {
      openFile(database, busyTimeoutMs, schema);
      const identity = identify(database);
      const reserve = createReserve(file, reserveBytes);
      const isServer = options.writer === 'thread';
      if (isServer) reserve.make(1);
      const kept = isServer ? reserve : NO_RESERVE;
      state = identity && createFileState(database, { identity, reserve: kept, onTrouble });
      const watch = createFileWatch(database, state);
      const channel = openCarrier(database, { ...options, busyTimeoutMs, identity });
      const { changed } = watch;
      const writer = createWriter({ channel, ledger, changed, hear, releaseRoom: () => reserve.release() });
      const ping = database.prepare('SELECT max(number) FROM logs');
      const reader = openReader(ledger, { ...options, busyTimeoutMs });
      const events = sqliteEventStore(database, writer, watch, {
        ...options,
        ledger,
        scheduler,
        reader,
        state,
        reserve,
      });
      let closed: Promise<void> | undefined;
      const close = async () => {
        await events.stop();
        await writer.close();
        state?.stop();
        guard(() => database.close());
      };
      return {
        events,
        tenants: sqliteTenantStore(database, writer, watch),
        keys: sqliteKeyStore(database, writer, watch),
        admins: sqliteAdminStore(database, writer),
        limits: sqliteRateLimiter(database, writer, runtime),
        ready: async () => {
          await promised(() => void ping.get());
          await writer.ready();
          state?.ready();
        },
        close: () => (closed ??= close()),
      };
    });
  } catch (error) {
    state?.stop();
    database.close();
    throw error;
  }
}

function openCarrier(
  database: SqliteDatabase,
  { writer = 'inline', thread, busyTimeoutMs, columnDiskBytesMax, identity }: CarrierOptions,
): WriterChannel {
  const settings = { busyTimeoutMs, columnDiskBytesMax, identity };
  if (writer === 'inline') return carryInline(database, settings);
  if (thread === undefined) throw new Error("writer: 'thread' needs thread: { driver, file }");
  // From here on this connection waits for no lock, because it never asks for one.
  database.exec('PRAGMA query_only = ON');
  const { driver, file, entry } = thread;
  return carryToThread({ ...settings, driver, file }, entry);
}

/**
 * Where a thread writes, others read what columns are made of, as far as there are processors for them and
 * memory: none where they would take what questions need.
 */
function openReader(
  ledger: Ledger,
  { writer, thread, busyTimeoutMs }: CarrierOptions,
): RowReader | undefined {
  if (writer !== 'thread' || thread === undefined) return undefined;
  const fitting = Math.floor((ledger.bytesMax * READERS_SHARE) / READER_BYTES);
  const threads = Math.min(READERS_MAX, fitting, Math.max(1, availableParallelism() - 1));
  if (threads === 0) return undefined;
  const { driver, file, entry } = thread;
  const carry = () =>
    carryToThread({ busyTimeoutMs, driver, file, isIdle: true }, entry, 'event-query-reader');
  return createRowReader(carry, threads);
}
