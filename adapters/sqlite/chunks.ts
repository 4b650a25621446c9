import type { ChunkStore, SavedChunk } from '../../src/index.ts';
import type { SqliteDatabase } from './database.ts';

/**
 * Keeps chunks of columns beside the events. `cache` is a connection that does not wait for another writer:
 * to lose a chunk is better than to keep a query waiting, and a file that is full or read-only still answers.
 */
export function prepareChunks(cache: SqliteDatabase): (log: number) => ChunkStore {
  const select = cache.prepare(
    'SELECT entries, codes, checksum FROM column_chunks WHERE log = ? AND path = ? AND chunk = ?',
  );
  const upsert = cache.prepare(
    `INSERT OR REPLACE INTO column_chunks (log, path, chunk, entries, codes, checksum)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = cache.prepare('DELETE FROM column_chunks WHERE log = ? AND path = ?');
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch {
      return otherwise;
    }
  };
  return (log) => ({
    load: (path, chunk) => attempt(() => select.get(log, path, chunk) as SavedChunk | undefined, undefined),
    save: (path, chunk, { entries, codes, checksum }) =>
      attempt(() => upsert.run(log, path, chunk, entries, codes, checksum).changes, 0) !== 0,
    drop: (path) => void attempt(() => remove.run(log, path), undefined),
  });
}
