import { availableParallelism } from 'node:os';
import { requireOptions, type MemoryBudget, type Resources, type Stores } from '../../src/index.ts';
import { sqliteControlStore } from './control.ts';
import { compileLate, guard, promised, type SqliteDatabase } from './file/database.ts';
import { fileOf, identify } from './file/identity.ts';
import { protectNewFile } from './file/new-file.ts';
import { createFileState, type FileState } from './file/state.ts';
import { sqliteEventStore } from './events.ts';
import { createFileWatch } from './file/watch.ts';
import { sqliteRateLimiter } from './limits.ts';
import { createRowReader, type RowReader } from './row-reader.ts';
import { openFile, type SchemaUse } from './file/schema.ts';
import { createReserve, NO_RESERVE } from './file/reserve.ts';
import { measureSize } from './file/size.ts';
import { explain } from './file/trouble.ts';
import { carryInline } from './writer/inline.ts';
import { carryToThread, type ThreadOptions } from './writer/thread.ts';
import { createWriter, type WriterChannel } from './writer/writer.ts';
import type { OperationOptions } from './writes/operations.ts';

export type { SqliteDatabase, SqliteStatement } from './file/database.ts';
export { backupSqlite, inspectSqlite, type Backup, type BackupOptions, type Connect } from './backup.ts';
export type { FileFinding } from './check/finding.ts';
export { verifySqlite, type Verification, type VerifyOptions } from './check/verify.ts';
export { compactSqlite, type CompactOptions, type Compaction } from './compact.ts';
export { rebuildSqlite, type Rebuild } from './repair/rebuild.ts';
export type { Copied, Loss } from './repair/copying.ts';
export {
  salvageSqlite,
  type Salvage,
  type SalvageConnections,
  type SalvageOptions,
} from './repair/salvage.ts';
export { checkSqlite, migrateSqlite, type MigrateOptions } from './migrate.ts';
export type { FileContents, Migration, SchemaUse } from './file/schema.ts';
export { wrongFileName } from './file/name.ts';
export { giveFolderToOwnerOf, giveToOwnerOf } from './file/owner.ts';
export type { ThreadOptions } from './writer/thread.ts';

/** The options for starting threads, if any. */
type CarrierOptions = OperationOptions & Pick<SqliteOptions, 'writer' | 'thread'>;

/** Options of the stores in a SQLite file. */
export interface SqliteOptions {
  /** Opens another connection to the same file, with any compatible driver: `() => new Database(file)`. */
  readonly connect: () => SqliteDatabase;
  /**
   * The resources that the API uses too: `nodeResources()`. Queries and waiting writes reserve memory there.
   */
  readonly resources: Resources;
  /** How long a statement waits for another process that writes, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * The thread that writes. `inline`, the default: the calling thread, which blocks on the disk and on locks
   * of other processes. `thread`: a separate thread, while the event loop only reads.
   */
  readonly writer?: 'inline' | 'thread';
  /** The options of the writing thread, if there is one. */
  readonly thread?: ThreadOptions;
  /** Which changes to the file's schema are allowed; `migrate`, the default, allows all that are needed. */
  readonly schema?: SchemaUse;
  /**
   * How many distinct values a path may have before every query reads it from the file. Default 2,097,152.
   */
  readonly distinctMax?: number;
  /**
   * How many bytes of the file may hold columns that are kept across restarts; the least recently used paths
   * are removed first. Default 256 MiB or a quarter of the file, whichever is more.
   */
  readonly columnDiskBytesMax?: number;
  /**
   * Whether idle time is used to build columns of the common paths, so that the first query on one need not
   * read the events. Default false: a program that embeds the stores has other uses for its idle time, unlike
   * `serve`.
   */
  readonly prepareColumns?: boolean;
  /**
   * How many bytes of disk space a file next to the database reserves for erasing on a full disk. If a thread
   * writes, the file is created when the stores open, and no events are accepted until it exists. Default 0.
   */
  readonly reserveBytes?: number;
  /**
   * Receives, once, a sentence that describes a problem of the whole file: it was moved or replaced, has a
   * newer schema, is damaged, or its disk is full; and undefined once the problem is gone. Individual errors
   * of that problem are then no longer logged.
   */
  readonly onTrouble?: (trouble: string | undefined) => void;
}

/** The measured memory of a reading thread: its heap, and its connection's cache. */
const READER_BYTES = 41_943_040;
/** The share of the query memory that reading threads may use in addition. */
const READERS_SHARE = 0.2;
/** Two threads read as fast as the event loop can process. */
const READERS_MAX = 2;

/**
 * All stores in one SQLite file, which several processes may share. Writes are queued. Those of one tenant
 * are stored in the order in which they arrived, and waiting writes share a transaction. Events, tenants and
 * keys survive a power loss, limits and last uses a crash of the process.
 *
 * Throws an Error that says why for a file of a newer version or one that is not event-query's, and
 * `unavailable` if the file cannot be opened now. SQLite must be 3.45 or newer, and the file must be on disk:
 * with `:memory:` each connection would see its own database.
 *
 * @throws {TypeError} If `connect` or the resources are missing.
 * @throws {Error} For a file of a newer version, and for one that is not event-query's.
 * @throws {ApiError} 503 if the file cannot be opened now.
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
  requireOptions('sqliteStores', all, ['resources'], {
    connect: { such: "() => new Database('events.db')", type: 'function' },
  });
  const { connect, resources, busyTimeoutMs = 5000, ...options } = all;
  const { schema = 'migrate', reserveBytes = 0, onTrouble } = options;
  const { memory, scheduler, runtime, meter } = resources;
  let state: FileState | undefined;
  const connection = guard(connect);
  const file = fileOf(connection);
  try {
    protectNewFile(file);
  } catch (error) {
    connection.close();
    throw error;
  }
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
      const writer = createWriter({
        ...{ channel, memory, meter, changed, hear },
        releaseRoom: () => reserve.release(),
      });
      measureSize(meter, database, file);
      const ping = database.prepare('SELECT max(number) FROM logs');
      const reader = openReader(memory, { ...options, busyTimeoutMs });
      const events = sqliteEventStore(database, writer, watch, {
        ...options,
        memory,
        scheduler,
        meter,
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
        control: sqliteControlStore(database, writer, watch),
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
  // This connection never takes a write lock from here on, so it never waits for one.
  database.exec('PRAGMA query_only = ON');
  const { driver, file, entry } = thread;
  return carryToThread({ ...settings, driver, file }, entry);
}

/**
 * If a thread writes, further threads read the rows for building columns, as far as processors and memory
 * allow: none if they would take memory that queries need.
 */
function openReader(
  memory: MemoryBudget,
  { writer, thread, busyTimeoutMs }: CarrierOptions,
): RowReader | undefined {
  if (writer !== 'thread' || thread === undefined) return undefined;
  const fitting = Math.floor((memory.bytesMax * READERS_SHARE) / READER_BYTES);
  const threads = Math.min(READERS_MAX, fitting, Math.max(1, availableParallelism() - 1));
  if (threads === 0) return undefined;
  const { driver, file, entry } = thread;
  const carry = () =>
    carryToThread({ busyTimeoutMs, driver, file, isIdle: true }, entry, 'event-query-reader');
  return createRowReader(carry, threads);
}
