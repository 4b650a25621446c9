import type { EventStore } from '../../../src/index.ts';
import { eventsOf } from '../../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../../src/store-kit.ts';

/** A tenant's events are copied from the source to the target. */
export interface Sides {
  readonly tenantId: string;
  readonly source: EventStore;
  readonly target: EventStore;
}

/** Called with the number of further events that are done. Throws to end the work. */
export type Advance = (events: number) => void;

/** Matches all events. */
export const EVERYTHING: EventQuery = {
  from: -Infinity,
  until: Infinity,
  condition: { kind: 'all', of: [] },
};

/** How many events are sent at once; batches are large because ClickHouse writes a file for each. */
export const BATCH_EVENTS = 5_000;
/** About how many bytes are sent at once. */
const BATCH_BYTES = 4_194_304;

/** The largest instant of a JavaScript date, in milliseconds. */
const INSTANT_MAX = 8.64e15;

/** A time span, `until` exclusive. */
type TimeSpan = Pick<EventQuery, 'from' | 'until'>;

/**
 * Copies the events that the target lacks, and returns how many. It reads nothing in a time span where both
 * have the same count, so a killed copy continues where it stopped, and late events are found too.
 * The comparison detects spans with the same count but different events.
 */
export async function copyMissing({ tenantId, source, target }: Sides, advance: Advance): Promise<number> {
  let copied = 0;

  const count = (store: EventStore, window: TimeSpan) => store.count(tenantId, { ...EVERYTHING, ...window });

  async function copyWindow(window: TimeSpan): Promise<void> {
    const query = { ...EVERYTHING, ...window };
    for await (const batch of toBatches(eventsOf(source, { tenantId, query }))) {
      const { duplicates } = await target.append(tenantId, batch);
      copied += batch.length - duplicates.length;
      advance(batch.length);
    }
  }

  async function visit(window: TimeSpan): Promise<void> {
    const [ours, theirs] = await Promise.all([count(source, window), count(target, window)]);
    const { from, until } = window;
    if (ours === theirs || ours === 0) advance(ours);
    else if (theirs === 0 || ours <= BATCH_EVENTS || until - from <= 1) await copyWindow(window);
    else {
      const middle = Math.floor((from + until) / 2);
      await visit({ from: middle, until });
      await visit({ from, until: middle });
    }
  }

  await visit({ from: -INSTANT_MAX, until: INSTANT_MAX + 1 });
  return copied;
}

async function* toBatches(events: AsyncIterable<StoredEvent>): AsyncGenerator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = [];
  let bytes = 0;
  for await (const event of events) {
    batch.push(event);
    bytes += event.propertiesJson.length;
    if (batch.length < BATCH_EVENTS && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
