import { isApiError, type ApiError, type EventInput, type IngestReport } from '../../../src/index.ts';
import { parseEvent, toEventJson } from '../../../src/internal.ts';

/** Takes the events of a batch, and says what became of each. */
export type TakeBatch = (events: readonly (EventInput | ApiError)[]) => Promise<IngestReport>;

/** How many events a dry run shows. */
const SHOWN = 3;

/** Judges batches by `judge`, and shows the first events that it takes, as they would be stored. */
export function showingFirst(judge: TakeBatch, show: (event: string) => void): TakeBatch {
  const shown = new Set<string>();
  // A server may have another clock, and it has said already that these times are right.
  const source = { now: () => Number.MAX_SAFE_INTEGER, newInsertId: () => 'none' };
  return async (events) => {
    const report = await judge(events);
    const refused = new Set(report.rejected.map(({ index }) => index));
    for (const [index, event] of events.entries()) {
      if (shown.size >= SHOWN) break;
      if (refused.has(index) || isApiError(event)) continue;
      const text = toEventJson(parseEvent(event, source));
      // The second of two equal events is a duplicate.
      if (!shown.has(text)) show(text);
      shown.add(text);
    }
    return report;
  };
}
