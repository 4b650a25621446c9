import { clickhouseEvents } from '../../adapters/clickhouse/index.ts';
import { memoryEventStore } from '../../adapters/memory/index.ts';
import { postgresStores } from '../../adapters/postgres/index.ts';
import type { EventStore } from '../../src/index.ts';
import { HAS_CLICKHOUSE, startClickhouse } from '../adapters/clickhouse/clickhouse-server.ts';
import { openTwoShards } from '../adapters/clickhouse/two-shards.ts';
import { HAS_POSTGRES, startPostgres } from '../adapters/postgres/postgres-server.ts';
import { sqliteFixture } from '../conformance/sqlite-fixture.ts';
import { together } from './together.ts';
import { testResources } from '../support/resources.ts';

/** A run of hours beside other work takes what it gets, and an answer that comes late is no wrong one. */
const PATIENCE_MS = 600_000;

/** A store that is asked, by its name. */
export interface Asked {
  readonly name: string;
  readonly store: EventStore;
  readonly close: () => Promise<unknown>;
}

/**
 * Opens every store whose engine is here, two shards of ClickHouse only where they are wanted, since they
 * take as long as all others together; says of engines that are missing, loudly, that they are not asked.
 */
export async function openAll({ shards }: { readonly shards: boolean }): Promise<Asked[]> {
  const memory: Asked = {
    name: 'memory',
    store: memoryEventStore({ resources: testResources() }),
    close: () => Promise.resolve(),
  };
  const sqlite = sqliteFixture('events');
  const all = [
    memory,
    { name: 'sqlite', store: sqlite.store, close: () => Promise.resolve(sqlite.close?.()) },
  ];
  if (HAS_POSTGRES) all.push(await openPostgres());
  else console.log('POSTGRESQL IS NOT ASKED: install postgresql');
  if (HAS_CLICKHOUSE) all.push(...(await openClickhouse(shards)));
  else console.log('CLICKHOUSE IS NOT ASKED: npm install --prefix test/clickhouse');
  return all;
}

async function openPostgres(): Promise<Asked> {
  const server = await startPostgres();
  const clock = { now: () => Date.now() };
  const stores = await postgresStores({
    pool: await server.pool('differential', { connectionTimeoutMillis: 0 }),
    resources: testResources({ runtime: clock }),
  });
  return { name: 'postgres', store: stores.events, close: () => server.stop() };
}

/** The store of one node, and that of two shards of the same engine. */
async function openClickhouse(withShards: boolean): Promise<Asked[]> {
  const server = await startClickhouse('two-shards.xml');
  const client = together(server.connect({ request_timeout: PATIENCE_MS }));
  // Counts that are asked at once are one statement of the client.
  const opened = await clickhouseEvents({
    resources: testResources(),
    client,
    timeoutMs: PATIENCE_MS,
    connections: Infinity,
  });
  const node = { name: 'clickhouse', store: opened.events, close: () => server.stop() };
  if (!withShards) return [node];
  const shards = await openTwoShards(client, PATIENCE_MS);
  return [node, { name: 'two shards', store: shards, close: () => Promise.resolve() }];
}
