import type { Pacer } from '../../bounds/scheduler.ts';
import type { StoredEvent } from '../../event/event.ts';
import { toEventView } from '../../filter/predicate.ts';
import type { ArrivalPosition, Arrivals } from '../../query/arrivals.ts';
import type { EventQuery } from '../../query/event-query.ts';
import { compilePredicate } from '../../query/predicate.ts';
import { PIECE_BYTES } from '../../query/stored-page.ts';
import { readRows, type EventLog } from './log.ts';

/** Which events a tail asks for. */
export interface ArrivalsRequest {
  readonly query: EventQuery;
  /** Where to begin; undefined to begin after the last event. */
  readonly position: ArrivalPosition | undefined;
  readonly size: number;
}

/** How many events are read in one step. */
const STEP_ROWS = 256;

/**
 * How many events one answer looks at. If none of them matches, the client continues after them. A request
 * that reads a whole long log would time out again and again.
 */
const LOOKED_ROWS_MAX = 32_768;

/**
 * The matching events of a log from a position on, in order of arrival: at most `size`, about a mebibyte, and
 * from at most `LOOKED_ROWS_MAX` rows. A position that the log does not have belongs to another log, so all
 * events of this one are new.
 */
export async function readArrivals(
  log: EventLog,
  { query, position, size }: ArrivalsRequest,
  pacer: Pacer,
): Promise<Arrivals> {
  const end = log.size();
  const toPosition = (row: number): ArrivalPosition => ({ log: log.id, row });
  const isOwn = position?.log === log.id && position.row <= end;
  let row = position === undefined ? end : isOwn ? position.row : 0;
  const events: StoredEvent[] = [];
  if (row === end) return { events, position: toPosition(end) };
  const belongs = compilePredicate(query);
  const stop = Math.min(end, row + LOOKED_ROWS_MAX);
  for (let bytes = 0; row < stop && events.length < size && bytes < PIECE_BYTES;) {
    const read = readRows(log, row, Math.min(stop, row + STEP_ROWS));
    row = read.end;
    for (const [i, event] of read.events.entries()) {
      if (!belongs(toEventView(event))) continue;
      events.push(event);
      bytes += event.propertiesJson.length;
      if (events.length < size && bytes < PIECE_BYTES) continue;
      row = read.rows[i]! + 1;
      break;
    }
    await pacer.yieldIfDue();
  }
  const more = row < end && events.length === 0;
  return { events, position: toPosition(row), ...(more ? { more } : {}) };
}
