import {
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  LogGoneError,
  PIECE_BYTES,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import type { RecentEvents } from './recent-events.ts';

/** From how many stored bytes of properties on an event is in the index `large_events`. */
export const LARGE_BYTES = 4096;

/** Reads events by their ids. */
export interface Events {
  /** The events of the first of these ids: all where they are small, else about a mebibyte of them. */
  events(ids: readonly number[]): StoredEvent[];
  /** How many of the first ids are read at once: the small events between large ones do not count. */
  countAtOnce(ids: readonly number[]): number;
  /** About how many bytes all of them take as JSON. */
  bytesOf(ids: readonly number[]): number;
}

/** An event as the engine reads it. */
type EventRow = Omit<StoredEvent, 'receivedAt'> & { receivedAt: number | null | undefined };

/** An arrival that was not recorded is null in SQL and absent elsewhere. */
function toStored(row: EventRow): StoredEvent {
  if (row.receivedAt === null) row.receivedAt = undefined;
  return row as StoredEvent;
}

/** Prepares the reading of events wherever they stand; small ones that are read again are remembered. */
export function prepareEvents(database: SqliteDatabase, recent: RecentEvents): Events {
  const selectEvents = database.prepare(
    `SELECT name AS eventName, user_id AS userId, ts AS eventTs, insert_id AS insertId,
       json(properties) AS propertiesJson, received_at AS receivedAt
     FROM json_each(?) AS wanted CROSS JOIN events ON events.id = wanted.value ORDER BY wanted.key`,
  );
  // Most files have no large event at all, and then none has to be looked for among a thousand ids.
  const selectAnyLarge = database.prepare(
    `SELECT 1 FROM events INDEXED BY large_events WHERE length(properties) > ${LARGE_BYTES} LIMIT 1`,
  );
  const selectLarge = database.prepare(
    `SELECT wanted.key AS place, length(properties) AS bytes
     FROM json_each(?) AS wanted CROSS JOIN events INDEXED BY large_events ON events.id = wanted.value
     WHERE length(properties) > ${LARGE_BYTES}
     ORDER BY wanted.key LIMIT ${PIECE_BYTES / LARGE_BYTES}`,
  );
  const sumBytes = database.prepare(
    `SELECT sum(length(properties) + ${EVENT_OVERHEAD_BYTES}) AS bytes
     FROM json_each(?) AS wanted CROSS JOIN events ON events.id = wanted.value`,
  );

  function countAtOnce(ids: readonly number[]): number {
    if (selectAnyLarge.get() === undefined) return ids.length;
    const large = selectLarge.all(JSON.stringify(ids)) as { place: number; bytes: number }[];
    return large[countOfPiece(large.length, (i) => large[i]!.bytes)]?.place ?? ids.length;
  }

  function readMissing(ids: readonly number[]): StoredEvent[] {
    const known = ids.map((id) => recent.get(id));
    const missing = ids.filter((_, i) => known[i] === undefined);
    const piece = missing.slice(0, countAtOnce(missing));
    const read = (selectEvents.all(JSON.stringify(piece)) as EventRow[]).map(toStored);
    if (read.length !== piece.length) throw new LogGoneError('The log was erased.');
    read.forEach((event, i) => recent.note(piece[i]!, event));
    const found: StoredEvent[] = [];
    let next = 0;
    for (const event of known) {
      const own = event ?? read[next++];
      if (own === undefined) break;
      found.push(own);
    }
    return found;
  }

  return {
    countAtOnce,
    events(ids) {
      const found: StoredEvent[] = [];
      for (const id of ids) {
        const known = recent.get(id);
        if (known === undefined) return [...found, ...readMissing(ids.slice(found.length))];
        found.push(known);
      }
      return found;
    },
    bytesOf: (ids) => (sumBytes.get(JSON.stringify(ids)) as { bytes: number | null }).bytes ?? 0,
  };
}
