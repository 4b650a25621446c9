import { expect } from 'vitest';
import { createFolder, withAdmin, type TestTenant } from '../support/file.ts';
import { startServer } from '../support/server-process.ts';
import { fetchAll } from '../support/traffic.ts';
import { openGate, type Gate, type Passed } from './gate.ts';

/** An event as the Query API answers it. */
export interface StoredEvent {
  readonly eventName: string;
  readonly userId: string;
  readonly eventTs: string;
  readonly insertId: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A server on a file, and a gate before it. */
export interface World {
  readonly db: string;
  readonly gate: Gate;
  /** Makes a tenant that nobody has used, and forgets what has passed the gate. */
  createTenant(): Promise<TestTenant>;
  /** The events of all that was sent, each once, and those that are stored, both by their ids. */
  readBoth(tenant: TestTenant): Promise<{ readonly sent: StoredEvent[]; readonly stored: StoredEvent[] }>;
  /** The same, once as many events are stored and the gate has seen the answer to each of them. */
  readStored(
    tenant: TestTenant,
    count: number,
  ): Promise<{ readonly sent: StoredEvent[]; readonly stored: StoredEvent[] }>;
  stop(): Promise<void>;
}

/**
 * Starts all of it. `eventsIn` gives the events that have to be stored for a request of an SDK, by the page
 * that describes its protocol; of those with one id, the last counts.
 */
export async function startWorld(eventsIn: (passed: Passed) => readonly StoredEvent[]): Promise<World> {
  const folder = createFolder();
  const db = folder.file('events.db');
  const server = await startServer({ db });
  const gate = await openGate(server.origin);
  let tenants = 0;

  async function readBoth(tenant: TestTenant) {
    const sent = new Map(gate.passed.flatMap(eventsIn).map((event) => [event.insertId, event]));
    const stored = (await fetchAll(server.origin, tenant)).map(withoutDate);
    return { sent: [...sent.values()].sort(byId), stored: stored.sort(byId) };
  }

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
    readBoth,
    readStored: async (tenant, count) => {
      const seen = async () => {
        const { stored } = await readBoth(tenant);
        // An event is stored before its answer passes, and an attempt before it may have sent it in vain.
        const answered = gate.passed.filter(({ answer }) => answer !== undefined);
        const ids = new Set(answered.flatMap(eventsIn).map(({ insertId }) => insertId));
        return stored.filter(({ insertId }) => ids.has(insertId)).length;
      };
      await expect.poll(seen).toBe(count);
      return readBoth(tenant);
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
