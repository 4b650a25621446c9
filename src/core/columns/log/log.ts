import type { StoredEvent } from '../../event/event.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import type { LiveRows } from './live-rows.ts';
import { CHUNK_ROWS } from './sizes.ts';

/**
 * One tenant's events in the order in which they arrived: what the column index reads. Rows are numbered from
 * 0 without a gap, and a row never changes. Every method answers at once, and throws `LogGoneError` when the
 * log was erased.
 */
export interface EventLog {
  /** Names these rows for ever: a log of which anything was erased has another from then on. */
  readonly id: number;
  /** How many rows there are now, those of other processes included. */
  size(): number;
  /**
   * What paths find in the rows from `from` on, without a gap, before `to`: a list for each path, all of one
   * length, from one look at the rows; null and undefined are the same. Where their values are large it may
   * stop earlier, after about a mebibyte of stored text, but not before it has one row.
   */
  values(paths: readonly Path[], from: number, to: number): readonly (readonly FoundValue[])[];
  /**
   * As `values`, read by another thread while this one does something else; absent where there is none. It
   * rejects where they cannot be read now; where the log was erased it may do that, or find anything.
   */
  valuesAhead?(paths: readonly Path[], from: number, to: number): Promise<readonly CodedRows[]>;
  /** The rows from one on before another, all of one chunk, in their order; as `valuesAhead`. */
  sortedAhead?(from: number, to: number): Promise<SortedChunk>;
  /** The `insertId` of one row. */
  insertIdAt(row: number): string;
  /**
   * The events of the first of these rows, in their order: about a mebibyte of them, at least one, all where
   * they are small.
   */
  events(rows: readonly number[]): readonly StoredEvent[];
  /** About how many bytes the events of these rows take as JSON. */
  bytesOf(rows: readonly number[]): number;
  /** Where the log stores chunks of columns; absent if they would not outlive the process. */
  readonly chunks?: ChunkStore;
  /** Its live rows and their sequence numbers; undefined while no event of the log has been erased. */
  liveRows?(): LiveRows | undefined;
}

/** One code for each row of a chunk or a column, as narrow as the dictionary allows. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** What a path finds in rows: a value for each, or with codes the distinct ones, and which each row has. */
export interface FoundRows {
  /** A value for each row, or the distinct ones. */
  readonly values: readonly FoundValue[];
  /** Which of the distinct values each row has; absent where there is a value for each. */
  readonly codes?: Codes;
}

/** The same with codes: other threads have less to send, and whoever takes it in has less to look up. */
export type CodedRows = Required<FoundRows>;

/** Some rows of a log that follow each other, at most a chunk of them, and their own order. */
export interface SortedChunk {
  /** The number of its first row. */
  readonly first: number;
  /** The `eventTs` of each row, by row. */
  readonly instants: Float64Array;
  /** The rows less `first`, by `eventTs` ascending, then `insertId` ascending by code point. */
  readonly local: Uint16Array;
}

/**
 * Stores whole chunks of columns next to a log, so that a new process need not read the log again. It is a
 * cache: it may lose anything at any time, and what it returns is checked before it is used. No method
 * throws.
 */
export interface ChunkStore {
  /** The stored chunk of a path, by its number from 0; undefined if there is none. */
  load(path: string, chunk: number): SavedChunk | undefined;
  /** Stores a chunk. Returns whether it is stored now. */
  save(path: string, chunk: number, saved: SavedChunk): boolean | Promise<boolean>;
  /** Drops all chunks of a path. */
  drop(path: string): void;
  /** Whether the store is nearly full, so that another chunk may displace chunks of other tenants. */
  isScarce?(): boolean;
}

/** A chunk as it is stored: see chunk.ts for what is in it. */
export interface SavedChunk {
  /** The values that it adds to the dictionary, and the code of the first of them, as JSON. */
  readonly entries: string;
  /** The codes of its rows, as bytes. */
  readonly codes: Uint8Array;
  /** Binds the chunk to its place and to the rows. A chunk that does not fit its checksum is not used. */
  readonly checksum: number;
}

/** The row that begins the chunk after the one of a row. */
export const chunkEnd = (row: number): number => row - (row % CHUNK_ROWS) + CHUNK_ROWS;

/** A log was erased while it was read. The question is asked again, of the log that there is now. */
export class LogGoneError extends Error {
  override readonly name = 'LogGoneError';
}

/** How often a question is asked, or rows are chosen, whose log is erased each time. */
export const ATTEMPTS = 3;

/** As `EventLog.values`, and throws `LogGoneError` where rows are missing. There is at least one path. */
export function readTogether(
  log: EventLog,
  paths: readonly Path[],
  from: number,
  to: number,
): readonly (readonly FoundValue[])[] {
  const lists = log.values(paths, from, to);
  // Of an erased log any rows may be missing, and then a value's place no longer tells its row.
  if (log.size() < to || lists[0]!.length === 0)
    throw new LogGoneError('The log has fewer rows than it had.');
  return lists;
}

/** As `readTogether`, for one path. */
export function readValues(log: EventLog, path: Path, from: number, to: number): readonly FoundValue[] {
  return readTogether(log, [path], from, to)[0]!;
}

/** The values of all rows of a range, for a field whose values are short. */
export function readAllValues(log: EventLog, path: Path, from: number, to: number): readonly FoundValue[] {
  const first = readValues(log, path, from, to);
  if (first.length === to - from) return first;
  const values = [...first];
  while (from + values.length < to) {
    for (const value of readValues(log, path, from + values.length, to)) values.push(value);
  }
  return values;
}

/** The events of the first of some rows, at least one. */
export function readRows(log: EventLog, from: number, to: number): readonly StoredEvent[] {
  return readSample(
    log,
    Array.from({ length: to - from }, (_, i) => from + i),
  );
}

/** As `readRows`, for rows that ascend. */
export function readSample(log: EventLog, rows: readonly number[]): readonly StoredEvent[] {
  const events = log.events(rows);
  if (log.size() <= rows.at(-1)! || events.length === 0)
    throw new LogGoneError('The log has fewer rows than it had.');
  return events;
}
