import { NO_ERASED_ROWS } from './erased-rows.ts';
import type { EventLog } from './log.ts';

/**
 * Some rows of a log as a log of their own, in which each has the number of its place. They ascend, and none
 * is erased.
 */
export function createNarrowLog(log: EventLog, rows: readonly number[]): EventLog {
  const toRows = (places: readonly number[]) => places.map((place) => rows[place]!);
  return {
    id: log.id,
    version: 0,
    size() {
      // It throws if rows were erased since.
      log.size();
      return rows.length;
    },
    erased: () => NO_ERASED_ROWS,
    values: (paths, from, to) => log.valuesAt(paths, rows.slice(from, to)),
    valuesAt: (paths, places) => log.valuesAt(paths, toRows(places)),
    insertIdAt: (place) => log.insertIdAt(rows[place]!),
    events: (places) => log.events(toRows(places)),
    bytesOf: (places) => log.bytesOf(toRows(places)),
  };
}
