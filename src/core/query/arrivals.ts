import { invalid } from '../base/errors.ts';
import type { StoredEvent } from '../event/event.ts';

/** A position in the order in which a tenant's events arrived. */
export interface ArrivalPosition {
  /** Identifies the log: if the events are erased and a new log begins, it has another number. */
  readonly log: number;
  /** How many events of the log precede the position. */
  readonly row: number;
}

/** Events in the order in which they arrived, whatever their `eventTs`. */
export interface Arrivals {
  /** The events, in order of arrival. */
  readonly events: readonly StoredEvent[];
  /** The position after the last event that was examined: a reader that continues from here misses none. */
  readonly position: ArrivalPosition;
  /** Whether time ran out before a match and before the last event. Absent means false. */
  readonly more?: boolean;
}

/** The capability that a store without `since` lacks, worded for the error message. */
export const ARRIVAL_ORDER = 'tell in which order events arrived';

const POSITION_PATTERN = /^(\d{1,15})\.(\d{1,15})$/;

/** Writes a position as a text that clients send back. */
export function toPositionText({ log, row }: ArrivalPosition): string {
  return `${log}.${row}`;
}

/** Reads what `toPositionText` wrote. Throws ApiError (400) for any other text. */
export function parsePosition(text: string, where: string): ArrivalPosition {
  const match = POSITION_PATTERN.exec(text);
  if (match === null) throw invalid(where, 'takes the position of the answer before, unchanged');
  return { log: Number(match[1]), row: Number(match[2]) };
}
