import { mkdtempSync, rmSync } from 'node:fs';
import { nodeResources } from '../adapters/node-http/index.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createEngine, type EventInput, type JsonObject } from '../src/index.ts';
import type { StoredEvent } from '../src/store-kit.ts';
import { sampleEvents } from './events.ts';
import { median, now, readFlags, report, type Target } from './harness.ts';
import { openSqlite, TENANT } from './store/own-peers.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 5000 : 200_000);
const ROUNDS = flags.small ? 1 : 5;
const BATCH = 500;

/** Stores all batches in a fresh file, each batch durable before the next. */
type Ingest = (folder: string) => Promise<void>;

const batches: StoredEvent[][] = [];
const inputs: EventInput[][] = [];
for (const event of sampleEvents(ROWS)) {
  if ((batches.at(-1)?.length ?? BATCH) === BATCH) {
    batches.push([]);
    inputs.push([]);
  }
  const { propertiesJson, ...fields } = event;
  batches.at(-1)!.push(event);
  inputs.at(-1)!.push({ ...fields, properties: JSON.parse(propertiesJson) as JsonObject });
}

/** A loop as a programmer writes it: one table, one prepared statement, one transaction a batch. */
function bareLoop(index: string, value: string): Ingest {
  return (folder) => {
    const database = new Database(join(folder, 'events.db'));
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE events (tenant TEXT, ts INTEGER, insert_id TEXT, name TEXT, user_id TEXT, props ANY);
      ${index}`);
    const insert = database.prepare(`INSERT INTO events VALUES (?, ?, ?, ?, ?, ${value})`);
    const insertBatch = database.transaction((batch: readonly StoredEvent[]) => {
      for (const { eventTs, insertId, eventName, userId, propertiesJson } of batch) {
        insert.run(TENANT, eventTs, insertId, eventName, userId, propertiesJson);
      }
    });
    for (const batch of batches) insertBatch(batch);
    database.close();
    return Promise.resolve();
  };
}

const UNIQUE = 'CREATE UNIQUE INDEX identity ON events (tenant, ts, insert_id)';
const peers: Record<string, Ingest> = {
  'event-query, SQLite store': async (folder) => {
    const stores = openSqlite(folder);
    for (const batch of batches) await stores.events.append(TENANT, batch);
    await stores.close();
  },
  'event-query, engine that checks each event': async (folder) => {
    const stores = openSqlite(folder);
    const engine = createEngine({
      events: stores.events,
      resources: nodeResources(),
    });
    for (const batch of inputs) await engine.tenant(TENANT).append(batch);
    await stores.close();
  },
  'bare loop, JSON text, no index': bareLoop('', '?'),
  'bare loop, JSON text, unique index': bareLoop(UNIQUE, '?'),
  'bare loop, JSONB, unique index': bareLoop(UNIQUE, 'jsonb(?)'),
};

const samples = new Map(Object.keys(peers).map((peer) => [peer, [] as number[]]));
for (let round = 0; round < ROUNDS; round++) {
  const entries = Object.entries(peers);
  for (const [peer, ingest] of round % 2 === 0 ? entries : entries.reverse()) {
    const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
    const start = now();
    await ingest(folder);
    samples.get(peer)?.push(ROWS / ((now() - start) / 1e9));
    rmSync(folder, { recursive: true });
  }
}

const rates = new Map([...samples].map(([peer, values]) => [peer, median(values)]));
const of = (peer: string) => rates.get(peer) ?? NaN;
const targets: Target[] = ['bare loop, JSON text, no index', 'bare loop, JSON text, unique index'].map(
  (peer) => ({
    what: `durable ingestion / ${peer}`,
    ratio: of('event-query, SQLite store') / of(peer),
    bound: 'at least',
    target: 0.7,
  }),
);
report({
  bench: 'ingest',
  settings: { events: ROWS, batch: BATCH, rounds: ROUNDS },
  measures: [...rates].map(([peer, value]) => ({
    question: 'durable ingestion',
    peer,
    unit: 'events/s',
    value,
  })),
  targets: flags.small ? [] : targets,
  notes: [],
});
