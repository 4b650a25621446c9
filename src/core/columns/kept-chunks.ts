import type { Pacer } from '../bounds/scheduler.ts';
import { CHUNK_ROWS, type EventLog, type SavedChunk } from './log.ts';

/** Makes a chunk for keeping; undefined where it is not worth it. */
type Pack = (chunk: number) => SavedChunk | undefined | Promise<SavedChunk | undefined>;

/** How a part of an index comes by the chunks that were kept of it, and keeps its own. */
export interface KeptChunks {
  /** The kept chunk that begins at a row; undefined where the log has to be read from there on. */
  at(row: number): SavedChunk | undefined;
  /** Notes that a chunk was taken in. */
  took(chunk: number): void;
  /** Notes that a chunk is not to be trusted: from there on the log is read. */
  distrust(): void;
  /** Forgets what is kept. */
  drop(): void;
  /**
   * Keeps the whole chunks of the first `covered` rows that are not kept yet, up to one that is not worth it.
   */
  save(covered: number, pack: Pack, pacer: Pacer): Promise<void>;
}

/** Opens what a log keeps under a name; nothing is ever kept where the log has no place for it. */
export function openKeptChunks(log: EventLog, name: string): KeptChunks {
  const { chunks } = log;
  let restoring = chunks !== undefined;
  let saved = 0;
  /** Where keeping failed, on a read-only file for instance: it is tried again when there are more rows. */
  let refusedAt = -1;
  return {
    at(row) {
      if (!restoring || row % CHUNK_ROWS !== 0 || row + CHUNK_ROWS > log.size()) return undefined;
      const found = chunks?.load(name, row / CHUNK_ROWS);
      restoring = found !== undefined;
      return found;
    },
    took: (chunk) => void (saved = Math.max(saved, chunk + 1)),
    distrust: () => void (restoring = false),
    drop: () => chunks?.drop(name),
    async save(covered, pack, pacer) {
      if (chunks === undefined || refusedAt === covered) return;
      while ((saved + 1) * CHUNK_ROWS <= covered) {
        const chunk = saved;
        const packed = await pack(chunk);
        const kept = packed !== undefined && (await chunks.save(name, chunk, packed));
        if (!kept) return void (refusedAt = covered);
        saved = Math.max(saved, chunk + 1);
        await pacer.pause();
      }
    },
  };
}
