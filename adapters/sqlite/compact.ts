import { guard, prepareEmptyLog, transact, type SqliteDatabase } from './file/database.ts';
import { connectExplained } from './file/explained.ts';
import { createReserve } from './file/reserve.ts';
import { isFull } from './file/trouble.ts';
import { openFile } from './file/schema.ts';
import { prepareSweeps } from './writes/erase.ts';
import { createSweeper } from './sweeper.ts';

/** The result of a compaction. */
export interface Compaction {
  /** The size of all pages before, in bytes. */
  readonly bytesBefore: number;
  /** Their size now, in bytes. */
  readonly bytesAfter: number;
  /**
   * Whether the write-ahead log is empty now. If another process was reading it is not, and may still contain
   * deleted data.
   */
  readonly logEmptied: boolean;
}

/**
 * Rewrites the file without deleted data: it becomes as small as possible, and neither it nor its write-ahead
 * log keeps a byte of an erased event, key or tenant. Concurrent writers wait, and the disk needs as much
 * free space as the size of the file. `connect` opens one connection, which is closed again. Throws if some
 * of the erased data cannot be removed now.
 */
export async function compactSqlite(
  connect: () => SqliteDatabase,
  { busyTimeoutMs = 5000, reserveBytes = 0 }: CompactOptions = {},
): Promise<Compaction> {
  const { database, file } = connectExplained(connect);
  const reserve = createReserve(file, reserveBytes);
  /** Runs work that needs disk space in order to free more. */
  const freeing = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (!isFull(error) || !reserve.release()) throw error;
      return work();
    }
  };
  try {
    guard(() => openFile(database, busyTimeoutMs, 'keep'));
    const bytesBefore = bytesOf(database);
    const sweeps = prepareSweeps(database);
    const sweeper = createSweeper(database, (sweep, number) =>
      freeing(() => transact(database, () => sweeps[sweep](number))),
    );
    await sweeper.sweep(() => undefined);
    return guard(() => {
      const emptyLog = prepareEmptyLog(database);
      // The log may be as large as it has ever been, and all of it is obsolete.
      emptyLog();
      freeing(() => database.exec('VACUUM'));
      const logEmptied = emptyLog();
      return { bytesBefore, bytesAfter: bytesOf(database), logEmptied };
    });
  } finally {
    database.close();
    reserve.restore();
  }
}

/** Options of a compaction. */
export interface CompactOptions {
  /** How long to wait for another process that writes, in milliseconds. */
  readonly busyTimeoutMs?: number;
  /** The disk space that the file's stores reserve for a full disk, as in their `reserveBytes`. */
  readonly reserveBytes?: number;
}

function bytesOf(database: SqliteDatabase): number {
  const sizes = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  return sizes.bytes;
}
