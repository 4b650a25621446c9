import type { StoredEvent } from '../../event/event.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import type { LiveRows } from './live-rows.ts';
import { CHUNK_ROWS } from './sizes.ts';

/**
 * One tenant's events in order of arrival, as the column index reads them. Rows are numbered from 0 without a
 * gap, and a row never changes. Every method answers at once, and throws `LogGoneError` if the log was
 * erased.
 */
export interface EventLog {
  /** Identifies these rows for ever. After an erasure the log has another id. */
  readonly id: number;
  /** How many rows there are now, including rows that other processes have appended. */
  size(): number;
  /**
   * What paths find in the rows from `from` on and before `to`: one list for each path, all of the same
   * length. It reads the rows once. Null and undefined mean the same. If values are large it may stop
   * earlier, after about a mebibyte of stored text, but not before it has one row.
   */
  values(paths: readonly Path[], from: number, to: number): readonly (readonly FoundValue[])[];
  /**
   * As `values`, read by another thread while this one does something else; absent if there is no such
   * thread. It rejects if the rows cannot be read now. If the log was erased, it rejects or finds arbitrary
   * values.
   */
  valuesAhead?(paths: readonly Path[], from: number, to: number): Promise<readonly CodedRows[]>;
  /** As `valuesAhead`, for the order: sorts the rows from `from` on and before `to`, all of one chunk. */
  sortedAhead?(from: number, to: number): Promise<SortedChunk>;
  /** The `insertId` of one row. */
  insertIdAt(row: number): string;
  /**
   * The events of these rows, in the same order: all if they are small, else the first ones, about a mebibyte
   * and at least one.
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

/** What a path finds in rows: either a value for each row, or the distinct values and a code for each row. */
export interface FoundRows {
  /** A value for each row, or the distinct ones. */
  readonly values: readonly FoundValue[];
  /** Which of the distinct values each row has; absent if there is a value for each row. */
  readonly codes?: Codes;
}

/** The same with codes: other threads have less to send, and a column has less to look up. */
export type CodedRows = Required<FoundRows>;

/** Consecutive rows of a log, at most a chunk, and the order among them. */
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

/** A log was erased while it was read. The index asks the question again, of the current log. */
export class LogGoneError extends Error {
  override readonly name = 'LogGoneError';
}

/** How often a question is asked, or rows are chosen, if the log is erased each time. */
export const ATTEMPTS = 3;

/** As `EventLog.values` with at least one path, and throws `LogGoneError` if rows are missing. */
export function readTogether(
  log: EventLog,
  paths: readonly Path[],
  from: number,
  to: number,
): readonly (readonly FoundValue[])[] {
  const lists = log.values(paths, from, to);
  // Any rows of an erased log may be missing. Then a value's index does not say which row it belongs to.
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
