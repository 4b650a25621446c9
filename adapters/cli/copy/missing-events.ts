import type { EventStore } from '../../../src/index.ts';
import { eventsOf } from '../../../src/internal.ts';
import type { EventQuery, StoredEvent } from '../../../src/store-kit.ts';

/** The events of a tenant in two stores, of which the second is to hold what the first does. */
export interface Sides {
  readonly tenantId: string;
  readonly source: EventStore;
  readonly target: EventStore;
}

/** Told how many events more are known to be there. Throws to end the work. */
export type Advance = (events: number) => void;

/** Restricts nothing. */
export const EVERYTHING: EventQuery = {
  from: -Infinity,
  until: Infinity,
  condition: { kind: 'all', of: [] },
};

/** So many events are sent at once: a ClickHouse makes a file of each batch. */
export const BATCH_EVENTS = 5_000;
/** About so many bytes are sent at once. */
const BATCH_BYTES = 4_194_304;

/** As far as instants go, in milliseconds. */
const INSTANT_MAX = 8.64e15;

/** A part of time, `until` not included. */
type TimeSpan = Pick<EventQuery, 'from' | 'until'>;

/**
 * Copies the events that the target lacks; how many they were. Where both count alike in a part of time
 * nothing is read: so a copy that was killed goes on where it was, and late events are found wherever their
 * time is. A part that counts alike and holds other events is for the comparison to find.
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
