/** A piece of a file that may be an event: its number from 1, and its value or an ApiError. */
export interface SourceRecord<Value = unknown> {
  readonly number: number;
  readonly bytes: number;
  /** What it holds; an ApiError for a bad piece; undefined for one that holds nothing. */
  readonly value: Value;
}

/** What the pieces of a file are called. */
export type RecordUnit = 'line' | 'item' | 'row';
