import type { Pacer } from '../../bounds/scheduler.ts';
import { openCodes, type CodedChunk } from './chunk.ts';
import { encode, type Dictionary } from './dictionary.ts';
import { type EventLog, type SavedChunk, type Codes } from '../log/log.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

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
   * Keeps the whole chunks of the first `covered` rows that are not kept yet, up to one that is not worth it;
   * whether none was refused. What was refused is offered again when there are more rows, or with `again`.
   */
  save(covered: number, pack: Pack, pacer: Pacer, again?: boolean): Promise<boolean>;
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
    async save(covered, pack, pacer, again = false) {
      if (chunks === undefined) return true;
      if (refusedAt === covered && !again) return false;
      while ((saved + 1) * CHUNK_ROWS <= covered) {
        const chunk = saved;
        const packed = await pack(chunk);
        const kept = packed !== undefined && (await chunks.save(name, chunk, packed));
        if (!kept) {
          refusedAt = covered;
          return packed === undefined;
        }
        saved = Math.max(saved, chunk + 1);
        await pacer.yieldIfDue();
      }
      return true;
    },
  };
}

/** Takes in what is known of the rows of a column without the log, step by step. */
export interface Restoring {
  /**
   * Takes some values of the rows from one on into the dictionary; their codes, within a chunk, when all are
   * there.
   */
  step(row: number, dictionary: Dictionary): Codes | 'more' | 'none';
  /** Lets go of what was not taken in to its end. */
  stop(): void;
}

/** How many values of a kept chunk are taken into the dictionary in one step. */
const RESTORED_VALUES = 4096;

/** Takes in kept chunks, from the first on; one that does not fit the dictionary as it is, is not trusted. */
export function createRestoring(log: EventLog, name: string, chunks: KeptChunks): Restoring {
  let restored: { readonly chunk: CodedChunk; taken: number } | undefined;
  return {
    step(row, dictionary) {
      const number = row / CHUNK_ROWS;
      if (restored === undefined) {
        const saved = chunks.at(row);
        const opened = saved && openCodes(log, name, number, saved);
        if (opened?.first !== dictionary.values.length) {
          if (saved !== undefined) chunks.distrust();
          return 'none';
        }
        restored = { chunk: opened, taken: 0 };
      }
      const { added, codes } = restored.chunk;
      const end = Math.min(added.length, restored.taken + RESTORED_VALUES);
      for (; restored.taken < end; restored.taken++) encode(dictionary, added[restored.taken]);
      if (end < added.length) return 'more';
      restored = undefined;
      chunks.took(number);
      return codes;
    },
    stop: () => void (restored = undefined),
  };
}
