import type { StoredEvent } from '../../event/event.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { InstantRange } from '../../filter/instants.ts';
import type { Path } from '../../filter/path.ts';
import type { Position } from '../../query/event-query.ts';
import { liveRowsOf, type ErasedRows } from './erased-rows.ts';
import { SEGMENT_ROWS } from './sizes.ts';

/**
 * One tenant's events in order of arrival, as the column index reads them. Rows are numbered from 0 without a
 * gap, and keep their numbers for ever: an erased row stays a row without an event. This is the log as one
 * erasure has left it. After the next erasure every method throws `LogGoneError`, except for `events` of rows
 * that are still there. Every method answers at once.
 */
export interface EventLog {
  /** Identifies these rows for ever. After an erasure of all events the log has another id. */
  readonly id: number;
  /** How many erasures of some events the log has had. */
  readonly version: number;
  /** How many rows there are now, with erased rows and those that other processes have appended. */
  size(): number;
  /** The erased rows. It is the same object each time. */
  erased(): ErasedRows;
  /**
   * What paths find in the rows from `from` on and before `to`: one list for each path, all of the same
   * length. It reads the rows once. Null and undefined mean the same, and an erased row has undefined. If
   * values are large it may stop earlier, after about a mebibyte of stored text, but not before it has one
   * row.
   */
  values(paths: readonly Path[], from: number, to: number): readonly (readonly FoundValue[])[];
  /**
   * As `values`, read by another thread while this one does something else; absent if there is no such
   * thread. It rejects if the rows cannot be read now. If the log was erased, it rejects or finds arbitrary
   * values.
   */
  valuesAhead?(paths: readonly Path[], from: number, to: number): Promise<readonly CodedRows[]>;
  /**
   * As `values`, of rows that ascend and are not erased, wherever they are: of the first ones, at least one.
   */
  valuesAt(paths: readonly Path[], rows: readonly number[]): readonly (readonly FoundValue[])[];
  /** The store's own index of the log by time; absent if it has none. */
  readonly byTime?: TimeIndex | undefined;
  /** As `valuesAhead`, for the order: sorts the rows from `from` on and before `to`, all of one segment. */
  sortedAhead?(from: number, to: number): Promise<SortedRows>;
  /** The `insertId` of one row that is not erased. */
  insertIdAt(row: number): string;
  /**
   * The events of these rows, none of them erased, in the same order: all if they are small, else the first
   * ones, about a mebibyte and at least one. It throws `LogGoneError` if one of them was erased since.
   */
  events(rows: readonly number[]): readonly StoredEvent[];
  /** About how many bytes the events of these rows take as JSON. */
  bytesOf(rows: readonly number[]): number;
  /** Where the log stores chunks of columns; absent if they would not outlive the process. */
  readonly chunks?: ChunkStore | undefined;
}

/** Rows of a log whose events lie in a range of time. */
export interface IndexedSpan extends InstantRange {
  /** Only events that follow this position in the order of answers. */
  readonly after?: Position | undefined;
  /** Only rows before this one. */
  readonly end: number;
}

/** A store's own index of a log by time. Like all reads, it throws `LogGoneError` after the next erasure. */
export interface TimeIndex {
  /**
   * The rows of a span in the order of answers, at most `limit`. Erased rows are among them until the store
   * has removed their data.
   */
  rows(span: IndexedSpan, limit: number): readonly number[];
  /** How many they are. */
  count(span: IndexedSpan, limit: number): number;
}

/** One code for each row of a segment, as narrow as the dictionary allows. */
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

/** Consecutive rows of one segment, and the order among them. */
export interface SortedRows {
  /** The number of the first row. */
  readonly first: number;
  /** The `eventTs` of each row, by row; -Infinity for an erased row. */
  readonly instants: Float64Array;
  /** The rows less `first`, by `eventTs` ascending, then `insertId` ascending by code point. */
  readonly local: Uint16Array;
}

/**
 * Stores chunks next to a log, so that a new process need not read the log again. A chunk is what a column or
 * the order has of one whole segment. It is a
 * cache: it may lose anything at any time, and what it returns is checked before it is used. No method
 * throws.
 */
export interface ChunkStore {
  /** The stored chunk of a path and a segment; undefined if there is none. */
  load(path: string, segment: number): SavedChunk | undefined;
  /** Stores a chunk. Returns whether it is stored now. */
  save(path: string, segment: number, saved: SavedChunk): boolean | Promise<boolean>;
  /** Drops all chunks of a path. */
  drop(path: string): void;
  /** Whether the store is nearly full, so that another chunk may displace chunks of other tenants. */
  isScarce?(): boolean;
}

/** A chunk as it is stored: see chunk.ts for what is in it. */
export interface SavedChunk {
  /**
   * As JSON: the checksum of the chunk before it, and of a column the values that the chunk adds to the
   * dictionary, with the code of the first of them before them.
   */
  readonly entries: string;
  /** The codes of its rows, as bytes. */
  readonly codes: Uint8Array;
  /**
   * Binds the chunk to its content, its path and segment, and the rows. A chunk that does not fit its
   * checksum is not used.
   */
  readonly checksum: number;
}

/** The segment of a row. */
export const segmentOf = (row: number): number => Math.floor(row / SEGMENT_ROWS);

/** The row that begins the segment after the one of a row. */
export const segmentEnd = (row: number): number => row - (row % SEGMENT_ROWS) + SEGMENT_ROWS;

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

/** Events of consecutive rows, and the row after the last that was looked at. */
export interface RowEvents {
  readonly events: readonly StoredEvent[];
  /** The row of each event. */
  readonly rows: readonly number[];
  readonly end: number;
}

/** The events of the rows from `from` on and before `to`: of the first ones, unless all are erased. */
export function readRows(log: EventLog, from: number, to: number): RowEvents {
  const rows = liveRowsOf(log.erased(), from, to);
  if (rows.length === 0) return { events: [], rows, end: to };
  const events = readSample(log, rows);
  const end = events.length === rows.length ? to : rows[events.length]!;
  return { events, rows, end };
}

/** The events of the first of some rows that ascend, at least one. None of the rows is erased. */
export function readSample(log: EventLog, rows: readonly number[]): readonly StoredEvent[] {
  const events = log.events(rows);
  if (log.size() <= rows.at(-1)! || events.length === 0)
    throw new LogGoneError('The log has fewer rows than it had.');
  return events;
}
