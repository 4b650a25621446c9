/** A piece of a file that may be an event: its number from 1, and its value or an ApiError. */
export interface SourceRecord<Value = unknown> {
  readonly number: number;
  readonly bytes: number;
  /** What it holds; an ApiError for a bad piece; undefined for one that holds nothing. */
  readonly value: Value;
  /** What identifies an event without an `insertId`; without it, its content does. */
  readonly identity?: RecordIdentity;
}

/** What an `insertId` is derived from: equal contents in a file are told apart by a number. */
export interface RecordIdentity {
  readonly prefix: string;
  readonly content: string;
}

/** What the pieces of a file are called. */
export type RecordUnit = 'line' | 'item' | 'row';
