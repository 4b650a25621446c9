import { isJsonObject } from '../../../src/internal.ts';
import type { SourceRecord } from './readers/records.ts';

/**
 * Leaves out when the events of an export arrived at another place: they arrive here now. `say` is told of
 * it once.
 */
export async function* withoutArrivals(
  records: AsyncIterable<SourceRecord>,
  say: (line: string) => void,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    const { value } = record;
    if (isJsonObject(value) && Object.hasOwn(value, 'receivedAt')) {
      say('receivedAt is left out: these events arrive here now; copy keeps it');
      delete value.receivedAt;
    }
    yield record;
  }
}
