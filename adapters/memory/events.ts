import {
  compareCodePoints,
  matches,
  toEventView,
  type EventQuery,
  type EventStore,
  type Position,
  type StoredEvent,
} from '../../src/index.ts';

/** The order of answers: newest first, then `insertId` descending by code point. */
function compareNewestFirst(a: Position, b: Position): number {
  return b.eventTs - a.eventTs || compareCodePoints(b.insertId, a.insertId);
}

/** Events in memory. */
export function memoryEventStore(): EventStore {
  const events = new Map<string, Map<string, StoredEvent>>();
  const matching = (tenantId: string, { from, until, condition }: EventQuery) =>
    [...(events.get(tenantId)?.values() ?? [])]
      .filter(({ eventTs }) => eventTs >= from && eventTs < until)
      .filter((event) => matches(condition, toEventView(event)))
      .sort(compareNewestFirst);
  return {
    append: (tenantId, batch) => {
      const own = events.get(tenantId) ?? new Map<string, StoredEvent>();
      const fresh = new Map<string, StoredEvent>();
      const duplicates: number[] = [];
      batch.forEach((event, index) => {
        const identity = `${event.eventTs}/${event.insertId}`;
        if (own.has(identity) || fresh.has(identity)) duplicates.push(index);
        else fresh.set(identity, event);
      });
      // Only a batch that was read to its end is stored: all of it, or nothing.
      for (const [identity, event] of fresh) own.set(identity, event);
      events.set(tenantId, own);
      return Promise.resolve({ duplicates });
    },
    query: (tenantId, query, { offset, size, after }) => {
      const all = matching(tenantId, query).filter(
        (event) => after === undefined || compareNewestFirst(after, event) < 0,
      );
      return Promise.resolve(all.slice(offset, offset + size));
    },
    count: (tenantId, query) => Promise.resolve(matching(tenantId, query).length),
    eventNames: (tenantId) => {
      const names = new Set([...(events.get(tenantId)?.values() ?? [])].map(({ eventName }) => eventName));
      return Promise.resolve([...names].sort(compareCodePoints));
    },
    erase: (tenantId) => {
      events.delete(tenantId);
      return Promise.resolve();
    },
  };
}
