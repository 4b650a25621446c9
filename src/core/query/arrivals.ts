import { invalid } from '../base/errors.ts';
import type { StoredEvent } from '../event/event.ts';

/** A place in the order in which a tenant's events arrived. */
export interface ArrivalPosition {
  /** Names the log: events that were erased and begun anew have another. */
  readonly log: number;
  /** How many events of it lie before the place. */
  readonly row: number;
}

/** Events in the order in which they arrived, whatever their `eventTs`. */
export interface Arrivals {
  /** The events, the first that arrived first. */
  readonly events: readonly StoredEvent[];
  /** The place behind the last event that was looked at: whoever asks from there on misses none. */
  readonly position: ArrivalPosition;
  /** Whether it ended for want of time, without a match and before the last event. Absent: it did not. */
  readonly more?: boolean;
}

/** What a store without `since` cannot do, as its refusal says it. */
export const ARRIVAL_ORDER = 'tell in which order events arrived';

const POSITION_PATTERN = /^(\d{1,15})\.(\d{1,15})$/;

/** A position as a text that clients send back. */
export function toPositionText({ log, row }: ArrivalPosition): string {
  return `${log}.${row}`;
}

/** Reads what `toPositionText` wrote. Throws ApiError (400) for any other text. */
export function parsePosition(text: string, where: string): ArrivalPosition {
  const match = POSITION_PATTERN.exec(text);
  if (match === null) throw invalid(where, 'takes the position of the answer before, unchanged');
  return { log: Number(match[1]), row: Number(match[2]) };
}
