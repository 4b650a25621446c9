import { clickhouseEvents } from '../../adapters/clickhouse/index.ts';
import { memoryEventStore } from '../../adapters/memory/index.ts';
import { postgresStores } from '../../adapters/postgres/index.ts';
import type { EventStore } from '../../src/index.ts';
import { HAS_CLICKHOUSE, startClickhouse } from '../adapters/clickhouse/clickhouse-server.ts';
import { HAS_POSTGRES, startPostgres } from '../adapters/postgres/postgres-server.ts';
import { sqliteFixture } from '../conformance/sqlite-fixture.ts';

/** A run of hours beside other work takes what it gets, and an answer that comes late is no wrong one. */
const PATIENCE_MS = 600_000;

/** A store that is asked, by its name. */
export interface Asked {
  readonly name: string;
  readonly store: EventStore;
  readonly close: () => Promise<unknown>;
}

/** Opens every store whose engine is here; says of the others, loudly, that they are not asked. */
export async function openAll(): Promise<Asked[]> {
  const memory: Asked = { name: 'memory', store: memoryEventStore(), close: () => Promise.resolve() };
  const sqlite = sqliteFixture('events');
  const all = [
    memory,
    { name: 'sqlite', store: sqlite.store, close: () => Promise.resolve(sqlite.close?.()) },
  ];
  if (HAS_POSTGRES) all.push(await openPostgres());
  else console.log('POSTGRESQL IS NOT ASKED: install postgresql');
  if (HAS_CLICKHOUSE) all.push(await openClickhouse());
  else console.log('CLICKHOUSE IS NOT ASKED: npm install --prefix test/clickhouse');
  return all;
}

async function openPostgres(): Promise<Asked> {
  const server = await startPostgres();
  const clock = { now: () => Date.now() };
  const stores = await postgresStores({
    pool: await server.pool('differential', { connectionTimeoutMillis: 0 }),
    clock,
  });
  const close = async () => {
    await stores.close();
    await server.stop();
  };
  return { name: 'postgres', store: stores.events, close };
}

async function openClickhouse(): Promise<Asked> {
  const server = await startClickhouse();
  const opened = await clickhouseEvents({
    client: server.connect({ request_timeout: PATIENCE_MS }),
    timeoutMs: PATIENCE_MS,
  });
  return {
    name: 'clickhouse',
    store: opened.events,
    close: async () => {
      await opened.close();
      await server.stop();
    },
  };
}
