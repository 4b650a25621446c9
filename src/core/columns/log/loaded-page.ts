import type { Pacer } from '../../bounds/scheduler.ts';
import { unavailable } from '../../base/errors.ts';
import type { StoredEvent } from '../../event/event.ts';
import type { StoredPage } from '../../query/event-query.ts';
import { pageOf } from '../../query/stored-page.ts';
import { LogGoneError, type EventLog } from './log.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

/** Runs a short job when its owner has a turn. */
type Turn = <T>(job: (pacer: Pacer) => MaybePromise<T>) => Promise<T>;

/**
 * The page of these rows, whose first events are read at once: mostly these are all. The others are read when
 * they are asked for, each mebibyte in a turn of its own.
 */
export function loadPage(log: EventLog, rows: readonly number[], turn: Turn): StoredPage {
  if (rows.length === 0) return pageOf([]);
  const first = readEvents(log, rows);
  const page = pageOf(first);
  if (first.length === rows.length) return page;
  const rest = rows.slice(first.length);
  const last = readEvents(log, rows.slice(-1))[0]!;
  return {
    length: rows.length,
    last: { eventTs: last.eventTs, insertId: last.insertId },
    bytes: page.bytes + log.bytesOf(rest),
    pieces: () => readOn(log, first, rest, turn),
  };
}

async function* readOn(
  log: EventLog,
  first: readonly StoredEvent[],
  rest: readonly number[],
  turn: Turn,
): AsyncGenerator<readonly StoredEvent[]> {
  yield first;
  for (let read = 0; read < rest.length;) {
    const events = await turn(() => readLater(log, rest.slice(read)));
    read += events.length;
    yield events;
  }
}

function readEvents(log: EventLog, rows: readonly number[]): readonly StoredEvent[] {
  const events = log.events(rows);
  if (events.length === 0) throw new LogGoneError('The log has fewer rows than it had.');
  return events;
}

/** Nobody can choose another page any more when the log of this one is erased while it is read. */
function readLater(log: EventLog, rows: readonly number[]): readonly StoredEvent[] {
  try {
    return readEvents(log, rows);
  } catch (error) {
    throw error instanceof LogGoneError ? unavailable(error) : error;
  }
}
