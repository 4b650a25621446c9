import { isApiError, type ApiError, type EventInput, type IngestReport } from '../../../src/index.ts';
import { parseEvent, toEventJson } from '../../../src/internal.ts';

/** Takes the events of a batch, and says what became of each. */
export type TakeBatch = (events: readonly (EventInput | ApiError)[]) => Promise<IngestReport>;

/** How many events a dry run shows. */
const SHOWN = 3;

/** Checks events as the engine does, and stores none. It shows the first ones, as they would be stored. */
export function createDryRun(show: (event: string) => void): TakeBatch {
  let shown = 0;
  const source = { now: () => Date.now(), newInsertId: () => 'none' };
  return (events) => {
    const rejected: { index: number; error: string }[] = [];
    events.forEach((event, index) => {
      try {
        if (isApiError(event)) throw event;
        const stored = parseEvent(event, source);
        if (shown < SHOWN) show(toEventJson(stored));
        shown += 1;
      } catch (error) {
        if (!isApiError(error)) throw error;
        rejected.push({ index, error: error.message });
      }
    });
    return Promise.resolve({ accepted: events.length - rejected.length, duplicates: 0, rejected });
  };
}
