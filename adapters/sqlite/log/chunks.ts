import type { ChunkStore, SavedChunk } from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';
import type { Writer } from '../writer/writer.ts';
import { bytesOfChunk, SELECT_CHUNK } from '../writes/chunks.ts';

/** How long a question waits for a chunk to be kept: to lose one is better than to keep a query waiting. */
const PATIENCE_MS = 100;

/**
 * Keeps chunks of columns beside the events. They can be made again: one that cannot be written at once is
 * not kept, and a file that is full, locked or read-only still answers.
 */
export function prepareChunks(database: SqliteDatabase, writer: Writer): (editionId: number) => ChunkStore {
  const select = database.prepare(SELECT_CHUNK);
  const attempt = (written: Promise<unknown>) => void written.catch(() => undefined);
  return (log) => ({
    load: (path, chunk) => {
      // The first chunk says that the path is in use again; whether that can be noted is no matter.
      if (chunk === 0) attempt(writer.run('useChunks', [log, path]));
      try {
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
  });
}

function giveUp(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref());
}
