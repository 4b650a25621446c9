import { guard, prepareEmptyLog, transact, type SqliteDatabase } from './database.ts';
import { connectExplained } from './explained.ts';
import { createReserve } from './reserve.ts';
import { isFull } from './trouble.ts';
import { openFile } from './schema.ts';
import { prepareSweeps } from './writes/erase.ts';
import { createSweeper } from './log/sweeper.ts';

/** What became of a file that was written anew. */
export interface Compaction {
  /** How many bytes all pages of the file had. */
  readonly bytesBefore: number;
  /** How many bytes they have now. */
  readonly bytesAfter: number;
  /**
   * Whether the write-ahead log is empty now. It is not while another process reads: then what was deleted
   * may still stand in it.
   */
  readonly logEmptied: boolean;
}

/**
 * Writes the file anew, without what was deleted: it becomes as small as it can be, and no byte of an erased
 * event, key or tenant is left in it or in its write-ahead log. Whoever writes meanwhile waits, and it takes
 * as much free space on the disk as the file has. `connect` opens one connection, which is closed again.
 * Throws where some of what was erased cannot be removed now.
 */
export async function compactSqlite(
  connect: () => SqliteDatabase,
  { busyTimeoutMs = 5000, reserveBytes = 0 }: CompactOptions = {},
): Promise<Compaction> {
  const { database, file } = connectExplained(connect);
  const reserve = createReserve(file, reserveBytes);
  /** Some work that takes room to make some. */
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
      // The log may hold as much as it ever had, of which nothing is needed any more.
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

/** How a file is written anew. */
export interface CompactOptions {
  /** How long it waits for another process that writes, in milliseconds. */
  readonly busyTimeoutMs?: number;
  /** What the stores of the file keep for this on a full disk: as their `reserveBytes`. */
  readonly reserveBytes?: number;
}

function bytesOf(database: SqliteDatabase): number {
  const sizes = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  return sizes.bytes;
}
