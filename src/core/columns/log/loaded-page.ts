import type { Pacer } from '../../bounds/scheduler.ts';
import { unavailable } from '../../base/errors.ts';
import type { StoredEvent } from '../../event/event.ts';
import type { StoredPage } from '../../query/event-query.ts';
import { pageOf } from '../../query/stored-page.ts';
import { LogGoneError, type EventLog } from './log.ts';

/** Runs a short job in a time slice of its owner. */
type Turn = <T>(job: (pacer: Pacer) => T) => Promise<T>;

/**
 * The page of these rows. Its first events are read at once, which mostly is all. The others are read on
 * demand, each mebibyte in a time slice of its own.
 */
export function loadPage(
  { log, rows }: { readonly log: EventLog; readonly rows: readonly number[] },
  turn: Turn,
): StoredPage {
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

/** If the log is erased while a page is read, no other page can replace it, so the read fails. */
function readLater(log: EventLog, rows: readonly number[]): readonly StoredEvent[] {
  try {
    return readEvents(log, rows);
  } catch (error) {
    throw error instanceof LogGoneError ? unavailable(error) : error;
  }
}
