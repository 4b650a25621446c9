import { invalid, type ApiError, type EventInput } from '../../../src/index.ts';
import { parseJsonLine } from '../../../src/internal.ts';
import { createInsertIds } from './insert-ids.ts';
import type { FileLine } from './lines.ts';

/** The events of some lines, which are stored together. */
export interface LineBatch {
  /** What stands on each line, or an ApiError in its place. */
  readonly events: readonly (EventInput | ApiError)[];
  /** The number of each event's line. */
  readonly lineNumbers: readonly number[];
  /** The number of the last line that was read for it. */
  readonly lastLine: number;
}

const EVENTS_MAX = 2000;
const BYTES_MAX = 4_194_304;

/**
 * Gathers the events of lines into batches; blank lines hold none. Where the lines cannot be read on, what
 * was read still leaves as a batch before the error does.
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
      // What it is, is checked by the engine.
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

/** The value of a line, an ApiError in its place where it has none, undefined for a blank line. */
function parseLine(line: FileLine): unknown {
  if ('problem' in line) return invalid('event', `its line ${line.problem}`);
  return line.text.trim() === '' ? undefined : parseJsonLine(line.text);
}
