import type { ImportedEvent } from './read-events.ts';

const EVENTS_MAX = 2000;
const BYTES_MAX = 4_194_304;

/**
 * Groups events into batches of a size that is good for `append`: at most 2,000 events, and about 4 MiB. When
 * reading fails, it yields the events read so far as a last batch, and then throws the error.
 */
export async function* toBatches(
  events: AsyncIterable<ImportedEvent>,
): AsyncGenerator<readonly ImportedEvent[]> {
  let batch: ImportedEvent[] = [];
  let bytes = 0;
  try {
    for await (const event of events) {
      batch.push(event);
      bytes += event.bytes;
      if (batch.length < EVENTS_MAX && bytes < BYTES_MAX) continue;
      yield batch;
      [batch, bytes] = [[], 0];
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
