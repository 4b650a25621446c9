import type { Pacer } from '../../bounds/scheduler.ts';
import { openCodes, type CodedChunk } from './chunk.ts';
import { encode, type Dictionary } from './dictionary.ts';
import { type EventLog, type SavedChunk, type Codes } from '../log/log.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/** Makes a chunk for storage; undefined if it is not worth storing. */
type Pack = (chunk: number) => SavedChunk | undefined | Promise<SavedChunk | undefined>;

/** The stored chunks of one part of the index. */
export interface StoredChunks {
  /** The stored chunk that begins at a row; undefined if the log has to be read from there on. */
  at(row: number): SavedChunk | undefined;
  /** Notes that a chunk was loaded. */
  markLoaded(chunk: number): void;
  /** Notes that a chunk is not trusted. From there on the log is read. */
  distrust(): void;
  /** Drops all stored chunks of the part. */
  drop(): void;
  /**
   * Keeps the whole chunks of the first `indexedRows` rows that are not kept yet, up to one that is not worth
   * it; whether none was refused. What was refused is offered again when there are more rows, or with
   * `again`.
   */
  save(indexedRows: number, pack: Pack, pacer: Pacer, again?: boolean): Promise<boolean>;
}

/** Opens the chunks that a log stores under a name. A log without a chunk store never stores any. */
export function openStoredChunks(log: EventLog, name: string): StoredChunks {
  const { chunks } = log;
  let mayLoad = chunks !== undefined;
  let saved = 0;
  /** How many rows there were when storing failed, on a read-only file for instance. More rows try again. */
  let refusedAt = -1;
  return {
    at(row) {
      if (!mayLoad || row % CHUNK_ROWS !== 0 || row + CHUNK_ROWS > log.size()) return undefined;
      const found = chunks?.load(name, row / CHUNK_ROWS);
      mayLoad = found !== undefined;
      return found;
    },
    markLoaded: (chunk) => void (saved = Math.max(saved, chunk + 1)),
    distrust: () => void (mayLoad = false),
    drop: () => chunks?.drop(name),
    async save(indexedRows, pack, pacer, again = false) {
      if (chunks === undefined) return true;
      if (refusedAt === indexedRows && !again) return false;
      while ((saved + 1) * CHUNK_ROWS <= indexedRows) {
        const chunk = saved;
        const packed = await pack(chunk);
        const isStored = packed !== undefined && (await chunks.save(name, chunk, packed));
        if (!isStored) {
          refusedAt = indexedRows;
          return packed === undefined;
        }
        saved = Math.max(saved, chunk + 1);
        await pacer.yieldIfDue();
      }
      return true;
    },
  };
}

/** Loads rows of a column without reading the log, step by step. */
export interface RowLoader {
  /**
   * Adds some values of the next rows to the dictionary. It returns the rows' codes, within a chunk, when the
   * dictionary has all values.
   */
  step(row: number, dictionary: Dictionary): Codes | 'more' | 'none';
  /** Drops a chunk that is half loaded. */
  stop(): void;
}

/** How many values of a stored chunk are added to the dictionary in one step. */
const LOADED_VALUES = 4096;

/** Loads stored chunks from the first on. A chunk that does not fit the dictionary is not trusted. */
export function createChunkLoader(log: EventLog, name: string, chunks: StoredChunks): RowLoader {
  let loading: { readonly chunk: CodedChunk; taken: number } | undefined;
  return {
    step(row, dictionary) {
      const number = row / CHUNK_ROWS;
      if (loading === undefined) {
        const saved = chunks.at(row);
        const opened = saved && openCodes(log, name, number, saved);
        if (opened?.first !== dictionary.values.length) {
          if (saved !== undefined) chunks.distrust();
          return 'none';
        }
        loading = { chunk: opened, taken: 0 };
      }
      const { added, codes } = loading.chunk;
      const end = Math.min(added.length, loading.taken + LOADED_VALUES);
      for (; loading.taken < end; loading.taken++) encode(dictionary, added[loading.taken]);
      if (end < added.length) return 'more';
      loading = undefined;
      chunks.markLoaded(number);
      return codes;
    },
    stop: () => void (loading = undefined),
  };
}
