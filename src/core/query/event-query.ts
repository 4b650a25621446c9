import type { StoredEvent } from '../event/event.ts';
import type { Condition } from '../filter/condition.ts';

/**
 * What a store is asked, complete: all of time has become milliseconds, paths are split, operands are typed,
 * negative comparisons are complements, and the name of `event` is one more test of the condition.
 */
export interface EventQuery {
  /** No event before this instant matches, epoch milliseconds; `-Infinity` where the body sets no bound. */
  readonly from: number;
  /** No event from this instant on matches, epoch milliseconds; `Infinity` where the body sets no bound. */
  readonly until: number;
  /** What else is true of each event that matches. */
  readonly condition: Condition;
}

/**
 * The place of an event in the order of answers: `eventTs` descending, then `insertId` descending by code
 * point.
 */
export interface Position {
  /** The event's instant, epoch milliseconds. */
  readonly eventTs: number;
  /** The event's id, which tells events of one instant apart. */
  readonly insertId: string;
}

/** Which of the matching events a page takes, in the order of answers. */
export interface Page {
  /** How many matching events to skip, 0 or more. 0 when `after` is set. */
  readonly offset: number;
  /** 1 to 1000. */
  readonly size: number;
  /** Only events that come behind this position in the order of answers. */
  readonly after?: Position;
}

/** A page whose events are chosen, and loaded only while they are read. */
export interface StoredPage {
  /** How many events it has; fewer than its size only on the last page. */
  readonly length: number;
  /** The place of its last event, undefined for an empty page. */
  readonly last: Position | undefined;
  /** About how many bytes its events take as JSON. */
  readonly bytes: number;
  /** The events in their order, about a mebibyte or one event at a time. May be called once. */
  pieces(): AsyncIterable<readonly StoredEvent[]>;
}
