import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '../../../src/index.ts';
import { canonicalJson, parseInstant } from '../../../src/internal.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { createClient, EventQueryError } from '../../client/index.ts';
import { note } from '../print/output.ts';
import { fetchWithoutRedirects, isRedirect, named, type RemoteServer } from './remote-errors.ts';
import type { EventReader } from './reader.ts';

/** Before the second of this many failures in a row a tail waits so long, then twice as long each time. */
const FAILURES_MAX = 6;
const PAUSE_MS = 500;

/** How many events of an export are written at once. */
const PIECE_EVENTS = 500;

/** Reads the events of a tenant over HTTP. Every error is one line that says what to do. */
export function remoteReader(server: RemoteServer, alias: string): EventReader {
  const { url, key } = server;
  const client = createClient({ url, tenant: alias, apiKey: key, fetch: fetchWithoutRedirects });
  const asked = <T>(answer: Promise<T>): Promise<T> => answer.catch((error: unknown) => named(server, error));
  return {
    isFree: false,
    async storedPage(body) {
      const { events, nextCursor } = await asked(client.query(body));
      return { events: events.map(toStored), nextCursor };
    },
    storedTop: async (body) => (await asked(client.top(body))).map(toStored),
    count: (...given) => asked(client.count(...given)),
    eventNames: (...given) => asked(client.eventNames(...given)),
    properties: (...given) => asked(client.properties(...given)),
    breakdown: (...given) => asked(client.breakdown(...given)),
    userPage: (...given) => asked(client.userPage(...given)),
    retention: (...given) => asked(client.retention(...given)),
    compare: (...given) => asked(client.compare(...given)),
    sequence: (...given) => asked(client.sequence(...given)),
    explain: (...given) => asked(client.explain(...given)),
    async *storedPieces(body, signal) {
      let piece: StoredEvent[] = [];
      try {
        for await (const event of client.export(body, { signal })) {
          piece.push(toStored(event));
          if (piece.length < PIECE_EVENTS) continue;
          yield piece;
          piece = [];
        }
      } catch (error) {
        signal.throwIfAborted();
        named(server, error);
      }
      if (piece.length > 0) yield piece;
    },
    async *storedArrivals(body, signal) {
      let position: string | undefined;
      let failures = 0;
      const onPosition = (next: string) => {
        position = next;
        failures = 0;
      };
      const from = () => (position === undefined ? {} : { position });
      const isAborted = () => signal.aborted;
      while (!isAborted()) {
        try {
          for await (const event of client.tail(body, { signal, onPosition, ...from() }))
            yield [toStored(event)];
        } catch (error) {
          if (isAborted()) return;
          failures += 1;
          // Without a position, events between two tries would be left out.
          if (position === undefined || failures >= FAILURES_MAX || !mayPass(error)) named(server, error);
          if (failures === 1) note(`${url} does not answer; trying again`);
          await sleep(PAUSE_MS * 2 ** (failures - 1), undefined, { signal }).catch(() => undefined);
        }
      }
    },
  };
}

/** Whether a request may succeed when it is sent again, as after a restart of its server. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof EventQueryError) || isRedirect(error.cause)) return false;
  return error.status === 0 || error.status >= 500;
}

/** The event as a store keeps it, so that what commands print is the same from a file and from a server. */
function toStored({ eventName, userId, eventTs, insertId, properties, receivedAt }: Event): StoredEvent {
  const propertiesJson = canonicalJson(properties, 'properties');
  const arrival = typeof receivedAt === 'string' ? parseInstant(receivedAt) : undefined;
  return {
    ...{ eventName, userId, eventTs: parseInstant(eventTs) ?? NaN, insertId, propertiesJson },
    receivedAt: arrival,
  };
}
