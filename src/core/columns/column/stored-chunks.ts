import type { Pacer } from '../../bounds/scheduler.ts';
import { openCodes, type ChunkPlace, type CodedChunk } from './chunk.ts';
import { addUnused, encode, type Dictionary } from './dictionary.ts';
import type { Codes, EventLog, SavedChunk } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';

/** Makes a chunk for storage; undefined if it is not worth storing. */
type Pack = (place: ChunkPlace) => SavedChunk | undefined;

/** The stored chunks of one part of the index. */
export interface StoredChunks {
  /**
   * The stored chunk that begins at a row, and its place; undefined if the log has to be read from there on.
   */
  at(row: number): { readonly place: ChunkPlace; readonly saved: SavedChunk } | undefined;
  /** Notes that a chunk was loaded. */
  markLoaded(segment: number, saved: SavedChunk): void;
  /** Notes that a chunk is not trusted. From there on the log is read. */
  distrust(): void;
  /** Drops all stored chunks of the part. */
  drop(): void;
  /** Stores all chunks again. */
  restart(): void;
  /**
   * Stores the chunks of the whole segments among the first `indexedRows` rows that are not stored yet, up to
   * one that is not worth it; whether none was refused. What was refused is offered again when there are more
   * rows, or with `again`.
   */
  save(indexedRows: number, pack: Pack, pacer: Pacer, again?: boolean): Promise<boolean>;
}

/**
 * Opens the chunks that a log stores under a name. A log without a chunk store never stores any. An erasure
 * makes all chunks obsolete, since they may have values of erased rows: they are stored again.
 */
export function openStoredChunks(log: EventLog, name: string): StoredChunks {
  let version = log.version;
  let mayLoad = true;
  /** The checksums of the chunks that are stored, from the first segment on. */
  let saved: number[] = [];
  /** How many rows there were when storing failed, on a read-only file for instance. More rows try again. */
  let refusedAt = -1;

  /** The store of the log's version. */
  function open(): EventLog['chunks'] {
    if (log.version !== version) [version, mayLoad, saved, refusedAt] = [log.version, true, [], -1];
    return log.chunks;
  }

  const placeOf = (segment: number): ChunkPlace => ({
    ...{ path: name, segment },
    after: saved[segment - 1] ?? 0,
  });

  return {
    at(row) {
      const chunks = open();
      const segment = row / SEGMENT_ROWS;
      // A chunk is trusted only after the chunks that it follows.
      if (!mayLoad || saved.length !== segment || row + SEGMENT_ROWS > log.size()) return undefined;
      const found = chunks?.load(name, segment);
      mayLoad = found !== undefined;
      return found && { place: placeOf(segment), saved: found };
    },
    markLoaded: (segment, { checksum }) => void (saved[segment] = checksum),
    distrust: () => void (mayLoad = false),
    drop: () => open()?.drop(name),
    restart: () => void ([saved, refusedAt] = [[], -1]),
    async save(indexedRows, pack, pacer, again = false) {
      const chunks = open();
      if (chunks === undefined) return true;
      if (refusedAt === indexedRows && !again) return false;
      while ((saved.length + 1) * SEGMENT_ROWS <= indexedRows) {
        const own = saved;
        const segment = own.length;
        const packed = pack(placeOf(segment));
        const isStored = packed !== undefined && (await chunks.save(name, segment, packed));
        if (!isStored) {
          refusedAt = indexedRows;
          return packed === undefined;
        }
        // Another question may have stored it meanwhile, or an erasure has made it obsolete.
        if (own === saved && saved.length === segment) saved.push(packed.checksum);
        else if (own !== saved) return false;
        await pacer.yieldIfDue();
      }
      return true;
    },
  };
}

/** Loads rows of a column without reading the log, step by step. */
export interface RowLoader {
  /**
   * Adds some values of the segment that begins at a row to the dictionary. It returns the codes of the
   * segment when the dictionary has all values.
   */
  step(row: number, dictionary: Dictionary): Codes | 'more' | 'none';
  /** Drops a chunk that is half loaded. */
  stop(): void;
}

/** How many values of a stored chunk are added to the dictionary in one step. */
const LOADED_VALUES = 4096;

/** Loads stored chunks from the first on. A chunk that does not fit the dictionary is not trusted. */
export function createChunkLoader(log: EventLog, chunks: StoredChunks): RowLoader {
  interface Loading {
    readonly row: number;
    readonly version: number;
    readonly saved: SavedChunk;
    readonly chunk: CodedChunk;
    taken: number;
  }
  let loading: Loading | undefined;

  function begin(row: number, dictionary: Dictionary): Loading | undefined {
    const found = row % SEGMENT_ROWS === 0 ? chunks.at(row) : undefined;
    if (found === undefined) return undefined;
    const chunk = openCodes(log, found.place, found.saved);
    if (chunk?.first === dictionary.values.length)
      return { row, version: log.version, saved: found.saved, chunk, taken: 0 };
    chunks.distrust();
    return undefined;
  }

  /** Whether a value of the chunk has the code that it had when the chunk was stored. */
  function take({ chunk, taken }: Loading, dictionary: Dictionary): boolean {
    const value = chunk.added[taken];
    const code = chunk.first + taken;
    if (value === null || value === undefined) return addUnused(dictionary) === code;
    return encode(dictionary, value) === code;
  }

  return {
    step(row, dictionary) {
      if (loading?.row !== row || loading.version !== log.version) loading = begin(row, dictionary);
      if (loading === undefined) return 'none';
      const { added, codes } = loading.chunk;
      const end = Math.min(added.length, loading.taken + LOADED_VALUES);
      for (; loading.taken < end; loading.taken++) {
        if (take(loading, dictionary)) continue;
        // The chunk of another process gave a new code to a value that this dictionary knows. The values that
        // were added so far stay: other rows may have them, and it does no harm if none has.
        chunks.distrust();
        loading = undefined;
        return 'none';
      }
      if (end < added.length) return 'more';
      chunks.markLoaded(row / SEGMENT_ROWS, loading.saved);
      loading = undefined;
      return codes;
    },
    stop: () => void (loading = undefined),
  };
}
