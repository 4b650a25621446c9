import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, TenantEvents } from '../../../src/index.ts';
import {
  collect,
  cursorAfter,
  parseExportBody,
  parseQueryBody,
  parseTailBody,
  piecesOf,
} from '../../../src/internal.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { failure } from '../process/errors.ts';
import type { EventReader } from './reader.ts';

/** How often the store is polled for new events. */
const LOOK_MS = 250;

/** How many new events are read at once. */
const SIZE = 1000;

/** Reads the events of a tenant from a store that this process has opened. */
export function localReader(store: EventStore, events: TenantEvents, tenantId: string): EventReader {
  return {
    isFree: true,
    async query(body) {
      const asked = parseQueryBody(body);
      const found = await store.query(tenantId, asked.query, asked.page);
      return { events: await collect(found), nextCursor: cursorAfter(asked, found) };
    },
    count: (body) => events.count(body),
    eventNames: () => events.eventNames(),
    properties: ({ event }) => events.properties(event === undefined ? {} : { event }),
    breakdown: (body) => events.breakdown(body),
    explain: (body) => events.explain(body),
    async *export(body, signal) {
      const { query, after } = parseExportBody(body);
      for await (const piece of piecesOf(store, { tenantId, query, after })) {
        // Yield between two pieces so that signals are noticed: some stores answer without yielding.
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        yield piece;
      }
    },
    async *tail(body, signal) {
      const { query } = parseTailBody(body);
      if (store.since === undefined) throw failure('this store does not tell in which order events arrived');
      let { position } = await store.since(tenantId, query, undefined, SIZE);
      while (!signal.aborted) {
        const found: { readonly events: readonly StoredEvent[]; readonly position: typeof position } =
          await store.since(tenantId, query, position, SIZE);
        position = found.position;
        if (found.events.length > 0) yield found.events;
        else await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
