import type { SavedChunk } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { fromChunksId } from '../log/log-name.ts';

/** The minimum default for the bytes of the file that columns may use: 256 MiB. */
const DISK_BYTES_DEFAULT = 268_435_456;

/** The default share of the file that they may use if that is more: a quarter. */
const FILE_SHARE_DEFAULT = 0.25;

/** Reads a chunk by its position. */
export const SELECT_CHUNK =
  'SELECT entries, codes, checksum FROM column_chunks WHERE log = ? AND path = ? AND chunk = ?';

/**
 * Prepares the writes of chunks. All chunks together use at most `bytesMax`, by default 256 MiB or a quarter
 * of the file, whichever is more: the paths whose chunks were neither loaded nor saved for longest are
 * removed first.
 */
export function prepareChunkWrites(database: SqliteDatabase, bytesMax?: number) {
  const select = database.prepare(SELECT_CHUNK);
  const upsert = database.prepare(
    `INSERT OR REPLACE INTO column_chunks (log, path, chunk, entries, codes, checksum)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM column_chunks WHERE log = ? AND path = ?');
  const paths = preparePaths(database);
  const selectVersion = database.prepare(
    'SELECT 1 FROM logs WHERE number = ? AND version = ? AND tenant_id IS NOT NULL',
  );
  const room = prepareRoom(database, bytesMax);

  function dropChunks(log: number, path: string): void {
    remove.run(log, path);
    paths.forget(log, path);
  }

  return {
    saveChunk(log: number, path: string, chunk: number, saved: SavedChunk): boolean {
      const { entries, codes, checksum } = saved;
      // Data that has been erased must not be written again.
      const { number, version } = fromChunksId(log);
      if (selectVersion.get(number, version) === undefined) return false;
      const before = select.get(log, path, chunk) as SavedChunk | undefined;
      const bytes = bytesOfChunk(saved) - (before === undefined ? 0 : bytesOfChunk(before));
      // A path that exceeds the limit by itself is not saved, and evicts nothing.
      if (paths.bytesOf(log, path) + bytes > room()) return false;
      upsert.run(log, path, chunk, entries, codes, checksum);
      paths.use(log, path, bytes);
      for (let over = paths.total() - room(); over > 0;) {
        const oldest = paths.oldest();
        dropChunks(oldest.log, oldest.path);
        over -= oldest.bytes;
      }
      return true;
    },
    useChunks: (log: number, path: string) => paths.use(log, path, 0),
    dropChunks,
  };
}

/** The limit for all chunks together, in bytes: `bytesMax`, or what the file allows. */
export function prepareRoom(database: SqliteDatabase, bytesMax?: number): () => number {
  const selectFileBytes = database.prepare(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  return () =>
    bytesMax ??
    Math.max(DISK_BYTES_DEFAULT, FILE_SHARE_DEFAULT * (selectFileBytes.get() as { bytes: number }).bytes);
}

/** The size of each path, and when it was last used. */
function preparePaths(database: SqliteDatabase) {
  const selectBytes = database.prepare('SELECT bytes FROM column_paths WHERE log = ? AND path = ?');
  const selectTotal = database.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM column_paths');
  const selectOldest = database.prepare('SELECT log, path, bytes FROM column_paths ORDER BY used LIMIT 1');
  const touch = database.prepare(
    `UPDATE column_paths SET bytes = bytes + ?, used = (SELECT max(used) + 1 FROM column_paths)
     WHERE log = ? AND path = ?`,
  );
  const insert = database.prepare(
    `INSERT INTO column_paths (log, path, bytes, used)
     VALUES (?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM column_paths))`,
  );
  const forget = database.prepare('DELETE FROM column_paths WHERE log = ? AND path = ?');
  return {
    bytesOf: (log: number, path: string) =>
      (selectBytes.get(log, path) as { bytes: number } | undefined)?.bytes ?? 0,
    total: () => (selectTotal.get() as { bytes: number }).bytes,
    oldest: () => selectOldest.get() as { log: number; path: string; bytes: number },
    use(log: number, path: string, bytes: number): void {
      const known = Number(touch.run(bytes, log, path).changes) > 0;
      if (!known && bytes > 0) insert.run(log, path, bytes);
    },
    forget: (log: number, path: string) => void forget.run(log, path),
  };
}

/** The size of a chunk in the file, in bytes. */
export function bytesOfChunk({ entries, codes }: SavedChunk): number {
  return Buffer.byteLength(entries) + codes.length;
}
