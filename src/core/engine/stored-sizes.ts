import type { Pacer, Scheduler } from '../bounds/scheduler.ts';
import type { Signal } from '../base/signal.ts';
import { toEventJson } from '../event/event.ts';
import { compareCodePoints, utf8Length } from '../event/text.ts';
import type { EventStore } from '../query/event-store.ts';
import { parseCountBody } from '../query/parse-query.ts';
import { piecesOf } from '../query/stored-page.ts';

/** How many events there are, and how large. */
export interface StoredSize {
  /** How many. */
  readonly events: number;
  /** How many bytes they have as an export writes them: JSON in UTF-8, a line each. */
  readonly bytes: number;
}

/** What a tenant has stored. */
export interface StoredSizes extends StoredSize {
  /** The same of each name, the most bytes first, then by code point. */
  readonly names: readonly (StoredSize & { readonly eventName: string })[];
}

/**
 * Makes the operation that measures the events of a tenant. It reads every one of them, as an export does, in
 * turns of the background.
 */
export function createStoredSizes(store: Pick<EventStore, 'query'>, scheduler: Scheduler) {
  return async (tenantId: string, signal?: Signal): Promise<StoredSizes> => {
    const sizes = new Map<string, { events: number; bytes: number }>();
    for await (const piece of piecesOf(store, { tenantId, query: parseCountBody({}), signal })) {
      const job = async (pacer: Pacer) => {
        for (const event of piece) {
          const size = sizes.get(event.eventName) ?? { events: 0, bytes: 0 };
          size.events += 1;
          size.bytes += utf8Length(toEventJson(event)) + 1;
          sizes.set(event.eventName, size);
          const pause = pacer.yieldIfDue();
          if (pause !== undefined) await pause;
        }
      };
      await scheduler.run(tenantId, signal, job, 'background');
    }
    const names = [...sizes].map(([eventName, size]) => ({ eventName, ...size }));
    names.sort((a, b) => b.bytes - a.bytes || compareCodePoints(a.eventName, b.eventName));
    const sum = (of: 'events' | 'bytes') => names.reduce((total, each) => total + each[of], 0);
    return { events: sum('events'), bytes: sum('bytes'), names };
  };
}
