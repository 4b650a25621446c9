import type { EventStore } from '../../src/index.ts';
import { createDatabase, type ClickhouseClient } from './database.ts';
import { clickhouseEventStore } from './events.ts';
import { prepareTables, schemaOf, type ClickhouseCluster } from './schema.ts';

export type { ClickhouseClient } from './database.ts';
export type { ClickhouseCluster } from './schema.ts';

export interface ClickhouseOptions {
  /** `createClient({ url: 'http://user:password@host:8123' })` of `@clickhouse/client`. */
  readonly client: ClickhouseClient;
  /** The database of the tables, which is made where it is missing. Default `event_query`. */
  readonly database?: string;
  /** The cluster on which the tables lie. Default: one node. */
  readonly cluster?: ClickhouseCluster;
  /** How long a statement may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Events in ClickHouse; tenants, keys and limits are kept elsewhere. */
export interface ClickhouseEvents {
  readonly events: EventStore;
  /** Resolves when ClickHouse answers; throws `unavailable` otherwise. */
  ready(): Promise<void>;
  /** Closes the client. */
  close(): Promise<void>;
}

/**
 * The event store in ClickHouse, whose tables are made here. Several servers may share it: see the page of
 * this adapter for what holds between them. Throws `unavailable` where ClickHouse cannot be reached, and an
 * Error that says why for tables of a newer version.
 */
export async function clickhouseEvents(options: ClickhouseOptions): Promise<ClickhouseEvents> {
  const { client, database: name = 'event_query', cluster, timeoutMs = 30_000 } = options;
  // On a cluster most replicas of a shard have an event before it counts as stored.
  const database = createDatabase(client, {
    timeoutMs,
    ...(cluster && { insertSettings: { insert_quorum: 'auto' } }),
  });
  const schema = schemaOf(name, cluster);
  await prepareTables(database, name, schema);
  return {
    events: clickhouseEventStore(database, schema.layout),
    ready: async () => {
      await database.ask({ text: `select 1 from ${schema.layout.read.droppedTenants} limit 1`, values: [] });
    },
    close: () => client.close(),
  };
}
