import type { TenantEvents } from '../../../src/index.ts';
import {
  collect,
  cursorAfter,
  parseExportBody,
  parseQueryBody,
  parseTailBody,
  parseTopBody,
  type EventOperations,
} from '../../../src/internal.ts';
import type { EventReader } from './reader.ts';

/** Reads the events of a tenant from a store that this process has opened. */
export function localReader(
  operations: EventOperations,
  events: TenantEvents,
  tenantId: string,
): EventReader {
  return {
    ...events,
    isFree: true,
    async storedPage(body) {
      const asked = parseQueryBody(body, operations.zones);
      const found = await operations.query(tenantId, asked);
      return { events: await collect(found), nextCursor: cursorAfter(asked, found) };
    },
    storedTop: async (body) => collect(await operations.top(tenantId, parseTopBody(body, operations.zones))),
    async *storedPieces(body, signal) {
      for await (const piece of operations.export(tenantId, parseExportBody(body, operations.zones))) {
        // Yield between two pieces so that signals are noticed: some stores answer without yielding.
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        yield piece;
      }
    },
    async *storedArrivals(body, signal) {
      const { query } = parseTailBody(body, operations.zones);
      let { position } = await operations.since(tenantId, query, undefined);
      const isOver = () => signal.aborted;
      while (!isOver()) {
        const found = await operations.waitSince(tenantId, query, position, { isOver });
        position = found.position;
        if (found.events.length > 0) yield found.events;
      }
    },
  };
}
