import type { ApiError, EventInput } from '../../../src/index.ts';
import { createInsertIds } from './insert-ids.ts';
import type { SourceRecord } from './readers/records.ts';

/** The events of some records of a file, which are stored together. */
export interface RecordBatch {
  /** The event of each record, or an ApiError for a bad record. */
  readonly events: readonly (EventInput | ApiError)[];
  /** The number of each event's record. */
  readonly numbers: readonly number[];
  /** The number of the last record that was read for it. */
  readonly last: number;
}

const EVENTS_MAX = 2000;
const BYTES_MAX = 4_194_304;

/**
 * Groups the events of records into batches and skips records that hold nothing. When reading fails, it
 * yields the events read so far as a last batch, and then throws the error.
 */
export async function* toBatches(records: AsyncIterable<SourceRecord>): AsyncGenerator<RecordBatch> {
  const withInsertId = createInsertIds();
  let events: (EventInput | ApiError)[] = [];
  let numbers: number[] = [];
  let [bytes, last] = [0, 0];
  const take = (): RecordBatch => {
    const batch = { events, numbers, last };
    [events, numbers, bytes] = [[], [], 0];
    return batch;
  };
  try {
    for await (const { number, bytes: size, value, identity } of records) {
      last = number;
      if (value === undefined) continue;
      // The engine checks whether the value is an event.
      events.push(withInsertId(value, identity) as EventInput);
      numbers.push(number);
      bytes += size;
      if (events.length >= EVENTS_MAX || bytes >= BYTES_MAX) yield take();
    }
  } catch (error) {
    if (events.length > 0) yield take();
    throw error;
  }
  if (events.length > 0) yield take();
}
