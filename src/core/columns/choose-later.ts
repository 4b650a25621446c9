import type { Pacer } from '../bounds/scheduler.ts';
import type { StoredEvent } from '../event/event.ts';
import { toAll, toDuring } from '../filter/condition.ts';
import { compileCondition, toEventView } from '../filter/predicate.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { ChosenRows } from './choose.ts';
import { createBitmap, setBit } from './log/erased-rows.ts';
import { readRows, segmentOf, type EventLog } from './log/log.ts';
import { SEGMENT_ROWS } from './log/sizes.ts';

/** How many rows are read in one step. */
const STEP_ROWS = 256;

/** What an erasure takes of rows that came after its choice, and the names of events with them. */
export interface LaterRows extends Pick<ChosenRows, 'names' | 'kept'> {
  /** How many of the events come before each one that is taken. */
  readonly places: readonly number[];
}

/**
 * Chooses among events that came after an erasure had chosen its rows. An erasure takes everything that
 * matches in the moment in which it is decided. If it left out what came since it chose, an append beside it
 * would be neither before nor after it: some of its events would be duplicates of events that are gone, and
 * others would stay although they match.
 */
export function chooseLater(
  { names: namesBefore, kept: keptBefore }: Pick<ChosenRows, 'names' | 'kept'>,
  query: EventQuery,
  events: readonly StoredEvent[],
): LaterRows {
  const belongs = compileCondition(toAll([toDuring([query]), query.condition]));
  const [names, kept] = [new Set(namesBefore), new Set(keptBefore)];
  const places: number[] = [];
  for (const [place, event] of events.entries()) {
    if (belongs(toEventView(event))) {
      places.push(place);
      if (!kept.has(event.eventName)) names.add(event.eventName);
    } else {
      kept.add(event.eventName);
      names.delete(event.eventName);
    }
  }
  return { places, names, kept };
}

/** Adds to a choice what it takes of the next rows of its log. */
export function withLater(chosen: ChosenRows, query: EventQuery, events: readonly StoredEvent[]): ChosenRows {
  const { places, names, kept } = chooseLater(chosen, query, events);
  const bitmaps = [...chosen.bitmaps];
  const own = new Set<number>();
  for (const place of places) {
    const row = chosen.end + place;
    const segment = segmentOf(row);
    // The bitmaps of the former choice do not change.
    if (!own.has(segment)) bitmaps[segment] = bitmaps[segment]?.slice() ?? createBitmap();
    own.add(segment);
    setBit(bitmaps[segment]!, row % SEGMENT_ROWS);
  }
  const count = chosen.count + places.length;
  return { log: chosen.log, count, bitmaps, end: chosen.end + events.length, names, kept };
}

/** Adds to a choice all rows that came since, until there are none. */
export async function catchUp(
  log: EventLog,
  query: EventQuery,
  chosen: ChosenRows,
  pacer: Pacer,
): Promise<ChosenRows> {
  let latest = chosen;
  for (let end = log.size(); latest.end < end; end = log.size()) {
    // No row of a version is erased that the choice does not know, so the rows follow each other.
    const { events } = readRows(log, latest.end, Math.min(end, latest.end + STEP_ROWS));
    latest = withLater(latest, query, events);
    await pacer.yieldIfDue();
  }
  return latest;
}
