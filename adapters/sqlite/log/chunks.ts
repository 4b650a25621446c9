import type { ChunkStore, SavedChunk } from '../../../src/index.ts';
import { transact, type SqliteDatabase } from '../database.ts';

/** How many bytes of the file columns may take in any case, where nothing else is asked for: 256 MiB. */
const DISK_BYTES_DEFAULT = 268_435_456;

/** How much of the whole file they may take where that is more: a quarter. */
const FILE_SHARE_DEFAULT = 0.25;

/**
 * Keeps chunks of columns beside the events. `cache` is a connection that does not wait for another writer:
 * to lose a chunk is better than to keep a query waiting, and a file that is full or read-only still answers.
 * All chunks together take `bytesMax` at most, by default 256 MiB or a quarter of the file, whichever is
 * more: the paths go first whose chunks were neither loaded nor saved for longest.
 */
export function prepareChunks(cache: SqliteDatabase, bytesMax?: number): (log: number) => ChunkStore {
  const select = cache.prepare(
    'SELECT entries, codes, checksum FROM column_chunks WHERE log = ? AND path = ? AND chunk = ?',
  );
  const upsert = cache.prepare(
    `INSERT OR REPLACE INTO column_chunks (log, path, chunk, entries, codes, checksum)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = cache.prepare('DELETE FROM column_chunks WHERE log = ? AND path = ?');
  const paths = preparePaths(cache);
  const selectFileBytes = cache.prepare(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  const room = () =>
    bytesMax ??
    Math.max(DISK_BYTES_DEFAULT, FILE_SHARE_DEFAULT * (selectFileBytes.get() as { bytes: number }).bytes);
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch {
      return otherwise;
    }
  };

  function dropPath(log: number, path: string): void {
    remove.run(log, path);
    paths.forget(log, path);
  }

  function save(log: number, path: string, chunk: number, { entries, codes, checksum }: SavedChunk): boolean {
    const before = select.get(log, path, chunk) as SavedChunk | undefined;
    const bytes =
      bytesOf(entries, codes) - (before === undefined ? 0 : bytesOf(before.entries, before.codes));
    // A path that takes more than all may have is not kept, and displaces nothing.
    if (paths.bytesOf(log, path) + bytes > room()) return false;
    upsert.run(log, path, chunk, entries, codes, checksum);
    paths.use(log, path, bytes);
    for (let over = paths.total() - room(); over > 0;) {
      const oldest = paths.oldest();
      dropPath(oldest.log, oldest.path);
      over -= oldest.bytes;
    }
    return true;
  }

  return (log) => ({
    load: (path, chunk) =>
      attempt(() => {
        // The first chunk says that the path is in use again; whether that can be noted is no matter.
        if (chunk === 0) attempt(() => paths.use(log, path, 0), undefined);
        return select.get(log, path, chunk) as SavedChunk | undefined;
      }, undefined),
    save: (path, chunk, saved) => attempt(() => transact(cache, () => save(log, path, chunk, saved)), false),
    drop: (path) => attempt(() => transact(cache, () => dropPath(log, path)), undefined),
  });
}

/** What each path takes, and when it was used. */
function preparePaths(cache: SqliteDatabase) {
  const selectBytes = cache.prepare('SELECT bytes FROM column_paths WHERE log = ? AND path = ?');
  const selectTotal = cache.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM column_paths');
  const selectOldest = cache.prepare('SELECT log, path, bytes FROM column_paths ORDER BY used LIMIT 1');
  const touch = cache.prepare(
    `UPDATE column_paths SET bytes = bytes + ?, used = (SELECT max(used) + 1 FROM column_paths)
     WHERE log = ? AND path = ?`,
  );
  const insert = cache.prepare(
    `INSERT INTO column_paths (log, path, bytes, used)
     VALUES (?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM column_paths))`,
  );
  const forget = cache.prepare('DELETE FROM column_paths WHERE log = ? AND path = ?');
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

function bytesOf(entries: string, codes: Uint8Array): number {
  return Buffer.byteLength(entries) + codes.length;
}
