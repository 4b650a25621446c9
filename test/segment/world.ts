import { createFolder, withAdmin, type TestTenant } from '../support/file.ts';
import { startServer } from '../support/server-process.ts';
import { fetchAll } from '../support/traffic.ts';
import { openGate, type Gate } from './gate.ts';
import { messagesIn, toStored, type StoredEvent } from './messages.ts';

/** A server on a file, and a gate before it. */
export interface World {
  readonly db: string;
  readonly gate: Gate;
  /** Makes a tenant that nobody has used, and forgets what has passed the gate. */
  createTenant(): Promise<TestTenant>;
  /** The events of all messages that were sent, each once, and those that are stored, both by their ids. */
  readBoth(tenant: TestTenant): Promise<{ readonly sent: StoredEvent[]; readonly stored: StoredEvent[] }>;
  stop(): Promise<void>;
}

/** Starts all of it. */
export async function startWorld(): Promise<World> {
  const folder = createFolder();
  const db = folder.file('events.db');
  const server = await startServer({ db });
  const gate = await openGate(server.origin);
  let tenants = 0;
  return {
    ...{ db, gate },
    createTenant: async () => {
      gate.passed.length = 0;
      const alias = `shop-${++tenants}`;
      return withAdmin(db, async (admin) => {
        await admin.createTenant({ alias, plan: 'custom', limits: null });
        const { secret } = await admin.createKey(alias, { name: 'k', permissions: ['query', 'ingest'] });
        return { alias, secret };
      });
    },
    readBoth: async (tenant) => {
      const messages = gate.passed.flatMap(messagesIn);
      const sent = new Map(messages.map((message) => [message.messageId, toStored(message)]));
      const stored = (await fetchAll(server.origin, tenant)).map(withoutDate);
      return { sent: [...sent.values()].sort(byId), stored: stored.sort(byId) };
    },
    stop: async () => {
      gate.close();
      await server.stop();
      folder.remove();
    },
  };
}

function byId(a: StoredEvent, b: StoredEvent): number {
  return a.insertId < b.insertId ? -1 : 1;
}

function withoutDate(event: StoredEvent): StoredEvent {
  const { eventName, userId, eventTs, insertId, properties } = event;
  return { eventName, userId, eventTs, insertId, properties };
}

/** An event without what differs with each attempt: the time of sending, and what the SDK counts. */
export function withoutAttempt({ properties, ...event }: StoredEvent): object {
  const key = 'segment_' in properties ? 'segment_' : 'segment';
  const segment = { ...(properties[key] as object), sentAt: '', _metadata: '' };
  return { ...event, properties: { ...properties, [key]: segment } };
}
