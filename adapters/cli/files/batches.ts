import { invalid, type ApiError, type EventInput } from '../../../src/index.ts';
import { parseJsonLine } from '../../../src/internal.ts';
import { createInsertIds } from './insert-ids.ts';
import type { FileLine } from './lines.ts';

/** The events of some lines of a file, which are stored together. */
export interface LineBatch {
  /** The event of each line, or an ApiError for a bad line. */
  readonly events: readonly (EventInput | ApiError)[];
  /** The number of each event's line. */
  readonly lineNumbers: readonly number[];
  /** The number of the last line that was read for it. */
  readonly lastLine: number;
}

const EVENTS_MAX = 2000;
const BYTES_MAX = 4_194_304;

/**
 * Groups the events of lines into batches and skips blank lines. When reading fails, it yields the events
 * read so far as a last batch, and then throws the error.
 */
export async function* toBatches(lines: AsyncIterable<FileLine>): AsyncGenerator<LineBatch> {
  const withInsertId = createInsertIds();
  let events: (EventInput | ApiError)[] = [];
  let lineNumbers: number[] = [];
  let [bytes, lastLine] = [0, 0];
  const take = (): LineBatch => {
    const batch = { events, lineNumbers, lastLine };
    [events, lineNumbers, bytes] = [[], [], 0];
    return batch;
  };
  try {
    for await (const line of lines) {
      lastLine = line.number;
      const value = parseLine(line);
      if (value === undefined) continue;
      // The engine checks whether the value is an event.
      events.push(withInsertId(value) as EventInput);
      lineNumbers.push(line.number);
      bytes += line.bytes;
      if (events.length >= EVENTS_MAX || bytes >= BYTES_MAX) yield take();
    }
  } catch (error) {
    if (events.length > 0) yield take();
    throw error;
  }
  if (events.length > 0) yield take();
}

/** The JSON value of a line, an ApiError for a bad line, undefined for a blank line. */
function parseLine(line: FileLine): unknown {
  if ('problem' in line) return invalid('event', `its line ${line.problem}`);
  return line.text.trim() === '' ? undefined : parseJsonLine(line.text);
}
