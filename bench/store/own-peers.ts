import { join } from 'node:path';
import { nodeResources } from '../../adapters/node-http/index.ts';
import Database from 'better-sqlite3';
import { memoryStores } from '../../adapters/memory/index.ts';
import { sqliteStores, type SqliteDatabase, type SqliteOptions } from '../../adapters/sqlite/index.ts';
import { createEngine, type Stores } from '../../src/index.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { writtenByThread } from '../../test/support/writer-thread.ts';
import { sampleEvents } from '../events.ts';
import type { OpenPeer, PeerSetting, StorePeer } from './peer.ts';

/** The tenant that owns all events of the benches. */
export const TENANT = '6c7a2f0e-7f0b-4c58-9a52-3f1f4f0c9a11';
const BATCH = 2000;
const DAY_MS = 86_400_000;

/** Opens this project's SQLite store on a file in a folder. */
export function openSqlite(folder: string, options: Partial<SqliteOptions> = {}): Stores {
  // The driver fits; its types are those of every way to bind parameters at once, which no interface fits.
  const connect = () => new Database(join(folder, 'events.db')) as unknown as SqliteDatabase;
  return sqliteStores({ connect, resources: nodeResources(), ...options });
}

/** Room for the columns of ten million events, of which half is for what is made ahead. */
const LEDGER_BYTES = 3 * 2 ** 30;

/** The same as `serve` has it: one thread writes, others read for columns that are made ahead. */
export function openAsServe(folder: string, options: Partial<SqliteOptions> = {}): Stores {
  const threads = writtenByThread(join(folder, 'events.db'));
  const resources = nodeResources({ memoryMax: LEDGER_BYTES });
  return openSqlite(folder, { prepareColumns: true, resources, ...threads, ...options });
}

/** Events in batches. */
export function* batchesOf(events: Iterable<StoredEvent>, size: number): Generator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = [];
  for (const event of events) {
    if (batch.push(event) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Stores events in batches. */
export async function fill(stores: Stores, events: Iterable<StoredEvent>): Promise<void> {
  for (const batch of batchesOf(events, BATCH)) await stores.events.append(TENANT, batch);
}

/** Asks stores through the engine, as an embedding program does: bodies are checked at each call. */
export function toPeer(stores: Stores): StorePeer {
  const tenant = createEngine({ events: stores.events, resources: nodeResources() }).tenant(TENANT);
  return {
    count: ({ body }) => tenant.count(body),
    page: async ({ body }, offset, size) => {
      const { events } = await tenant.query({ ...body, pagination: { offset, size } });
      return events;
    },
    groups: async ({ body, order }) => {
      const { groups } = await tenant.breakdown(body);
      const toKey = (key: unknown) => (order === 'by key' ? Date.parse(String(key)) / DAY_MS : String(key));
      return groups.map(({ key, count, distinct }) =>
        distinct === undefined ? [toKey(key), count] : [toKey(key), count, distinct],
      );
    },
    table: ({ own }) => own(tenant),
    names: () => tenant.eventNames(),
    close: () => stores.close(),
  };
}

async function open(stores: Stores, { rows }: PeerSetting): Promise<StorePeer> {
  await fill(stores, sampleEvents(rows));
  return toPeer(stores);
}

export const openSqlitePeer: OpenPeer = (setting) => open(openSqlite(setting.folder), setting);
export const openMemoryPeer: OpenPeer = (setting) =>
  open(memoryStores({ resources: nodeResources() }), setting);
