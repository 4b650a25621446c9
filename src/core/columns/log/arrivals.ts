import type { Pacer } from '../../bounds/scheduler.ts';
import type { StoredEvent } from '../../event/event.ts';
import { toEventView } from '../../filter/predicate.ts';
import type { ArrivalPosition, Arrivals } from '../../query/arrivals.ts';
import type { EventQuery } from '../../query/event-query.ts';
import { compilePredicate } from '../../query/predicate.ts';
import { PIECE_BYTES } from '../../query/stored-page.ts';
import { readRows, type EventLog } from './log.ts';

/** Which events are asked for. */
export interface ArrivalsRequest {
  readonly query: EventQuery;
  /** Where to begin; undefined for behind the last event that there is. */
  readonly position: ArrivalPosition | undefined;
  readonly size: number;
}

/** How many events are read in one step. */
const STEP_ROWS = 256;

/**
 * How many events are looked at for one answer: whoever asks for what none of them is goes on behind them,
 * where a look at the whole of a long log would be given up half way, time and again.
 */
const LOOKED_ROWS_MAX = 32_768;

/**
 * The events of a log that match, from a position on, in the order of their rows: at most `size`, and about a
 * mebibyte, of some ten thousand events that are looked at. A position that the log does not have is that of
 * another log, so that all of this one is new.
 */
export async function readArrivals(
  log: EventLog,
  { query, position, size }: ArrivalsRequest,
  pacer: Pacer,
): Promise<Arrivals> {
  const liveRows = log.liveRows?.();
  const end = log.size();
  const toPosition = (row: number): ArrivalPosition => ({
    log: liveRows?.log ?? log.id,
    row: liveRows?.sequenceOf(row) ?? row,
  });
  const last = toPosition(end);
  const isOwn = position?.log === last.log && position.row <= last.row;
  const begin = isOwn ? (liveRows?.rowAt(position.row) ?? position.row) : 0;
  let row = position === undefined ? end : begin;
  const events: StoredEvent[] = [];
  if (row === end) return { events, position: last };
  const belongs = compilePredicate(query);
  const stop = Math.min(end, row + LOOKED_ROWS_MAX);
  for (let bytes = 0; row < stop && events.length < size && bytes < PIECE_BYTES;) {
    for (const event of readRows(log, row, Math.min(stop, row + STEP_ROWS))) {
      row += 1;
      if (!belongs(toEventView(event))) continue;
      events.push(event);
      bytes += event.propertiesJson.length;
      if (events.length === size || bytes >= PIECE_BYTES) break;
    }
    await pacer.yieldIfDue();
  }
  const more = row < end && events.length === 0;
  return { events, position: toPosition(row), ...(more ? { more } : {}) };
}
