import type { ChunkStore, SavedChunk } from '../../src/store-kit.ts';
import type { SqliteDatabase } from './file/database.ts';
import type { Writer } from './writer/writer.ts';
import { bytesOfChunk, prepareRoom, SELECT_CHUNK } from './writes/chunks.ts';

/**
 * How long a question waits until a chunk is stored. Losing a chunk is better than delaying a query further.
 */
const PATIENCE_MS = 100;

/**
 * Stores chunks of columns next to the events. They can be made again, so a chunk that cannot be written at
 * once is not stored, and queries still work with a file that is full, locked or read-only.
 */
export function prepareChunks(
  database: SqliteDatabase,
  writer: Writer,
  bytesMax?: number,
): (versionId: number) => ChunkStore {
  const select = database.prepare(SELECT_CHUNK);
  const selectBytes = database.prepare('SELECT sum(bytes) AS bytes FROM column_paths');
  /** Whether paths may have to go soon: before that, which were used last is worth no write. */
  const room = prepareRoom(database, bytesMax);
  const isScarce = () => (selectBytes.get() as { bytes: number | null }).bytes! > room() / 2;
  const attempt = (written: Promise<unknown>) => void written.catch(() => undefined);
  return (log) => ({
    load: (path, chunk) => {
      try {
        // The first chunk says that the path is in use again; whether that can be noted is no matter.
        if (chunk === 0 && isScarce()) attempt(writer.run('useChunks', [log, path]));
        return select.get(log, path, chunk) as SavedChunk | undefined;
      } catch {
        return undefined;
      }
    },
    save: (path, chunk, saved) => {
      const size = { owner: 'sqlite', rows: 1, bytes: bytesOfChunk(saved) };
      const written = writer.run('saveChunk', [log, path, chunk, saved], size).catch(() => false);
      return Promise.race([written, giveUp()]);
    },
    drop: (path) => attempt(writer.run('dropChunks', [log, path])),
    isScarce: () => {
      try {
        return isScarce();
      } catch {
        return true;
      }
    },
  });
}

function giveUp(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref());
}
