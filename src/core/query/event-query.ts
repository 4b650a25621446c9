import type { StoredEvent } from '../event/event.ts';
import type { Condition } from '../filter/condition.ts';

/**
 * The complete query that a store answers. Times are milliseconds, paths are split, operands are typed,
 * negative comparisons are complements, and the name from `event` is one more test of the condition.
 */
export interface EventQuery {
  /** Events before this instant do not match, epoch milliseconds; `-Infinity` if the body sets no bound. */
  readonly from: number;
  /** Events from this instant on do not match, epoch milliseconds; `Infinity` if the body sets no bound. */
  readonly until: number;
  /** The remaining condition that each matching event meets. */
  readonly condition: Condition;
}

/**
 * The position of an event in the order of answers: `eventTs` descending, then `insertId` descending by code
 * point.
 */
export interface Position {
  /** The event's instant, epoch milliseconds. */
  readonly eventTs: number;
  /** The event's id, which distinguishes events of one instant. */
  readonly insertId: string;
}

/** Selects a page of the matching events, in the order of answers. */
export interface Page {
  /** How many matching events to skip, 0 or more. 0 when `after` is set. */
  readonly offset: number;
  /** 1 to 1000. */
  readonly size: number;
  /** Only events that follow this position in the order of answers. */
  readonly after?: Position;
}

/** A page whose events are already chosen; they are loaded as the page is read. */
export interface StoredPage {
  /** How many events it has; fewer than its size only on the last page. */
  readonly length: number;
  /** The position of its last event; undefined for an empty page. */
  readonly last: Position | undefined;
  /** About how many bytes its events take as JSON. */
  readonly bytes: number;
  /** The events in order, in pieces of about a mebibyte or a single larger event. May be called once. */
  pieces(): AsyncIterable<readonly StoredEvent[]>;
}
