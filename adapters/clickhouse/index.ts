import { requireOptions, type EventStore, type Resources } from '../../src/index.ts';
import { createDatabase, type ClickhouseClient } from './database.ts';
import { clickhouseEventStore } from './events.ts';
import { NOBODY, prepareTables, schemaOf, type ClickhouseCluster } from './schema.ts';
import { createTypedColumns } from './typed.ts';

export type { ClickhouseCall, ClickhouseClient, ClickhouseRows } from './database.ts';
export type { ClickhouseCluster } from './schema.ts';

/** Options of the event store in ClickHouse. */
export interface ClickhouseOptions {
  /** `createClient({ url: 'http://user:password@host:8123' })` of `@clickhouse/client`. */
  readonly client: ClickhouseClient;
  /** The database of the tables, created if it is missing. Default `event_query`. */
  readonly database?: string;
  /** The cluster that holds the tables. Default: one node. */
  readonly cluster?: ClickhouseCluster;
  /**
   * How many statements run at once; one tenant gets at most half of them. Set it to the client's number of
   * connections (`max_open_connections`), whose default it shares. Default 10.
   */
  readonly connections?: number;
  /** How long a statement may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * Paths, such as `properties.plan`, whose values are also stored in their own columns: queries on them are
   * faster, and events are slower to store. Default: none.
   */
  readonly typed?: readonly string[];
  /** The resources that the API uses too: `nodeResources()`. Their memory budget covers large results. */
  readonly resources: Resources;
}

/** Events in ClickHouse; tenants, keys and limits are stored elsewhere. */
export interface ClickhouseEvents {
  /** The event store, one of a server's `Stores`. */
  readonly events: EventStore;
  /** Resolves if ClickHouse responds; throws `unavailable` otherwise. */
  ready(): Promise<void>;
}

/**
 * The event store in ClickHouse; this call creates its tables. Several servers may share it: see this
 * adapter's README for the guarantees between them. Throws `unavailable` if ClickHouse cannot be reached, and
 * an Error that explains the reason for tables of a newer version.
 *
 * @throws {TypeError} If the client or the resources are missing.
 * @throws {Error} For tables of a newer version.
 * @throws {ApiError} 503 if ClickHouse cannot be reached.
 * @example
 * ```ts
 * import { createClient } from '@clickhouse/client';
 * import type { EventStore, Resources } from 'event-query';
 * import { clickhouseEvents } from 'event-query/clickhouse';
 *
 * async function openEvents(url: string, resources: Resources): Promise<EventStore> {
 *   const { events } = await clickhouseEvents({ client: createClient({ url }), resources });
 *   return events;
 * }
 * console.log(typeof openEvents);
 * // prints: function
 * ```
 */
export async function clickhouseEvents(options: ClickhouseOptions): Promise<ClickhouseEvents> {
  requireOptions('clickhouseEvents', options, ['resources'], {
    client: { such: "createClient({ url }) of '@clickhouse/client'", fields: ['query', 'insert'] },
  });
  const { client, database: name = 'event_query', cluster, timeoutMs = 30_000, typed = [] } = options;
  const { connections, resources } = options;
  const columns = createTypedColumns(typed);
  // On a cluster, an event counts as stored once most replicas of a shard have it.
  const database = createDatabase(client, {
    ...{ timeoutMs, connections },
    ...(cluster && { insertSettings: { insert_quorum: 'auto' } }),
  });
  const schema = schemaOf(name, cluster);
  await prepareTables(database, name, schema);
  for (const statement of schema.events.flatMap(columns.statements)) await database.run(NOBODY, statement);
  return {
    events: clickhouseEventStore(database, schema.layout, { typed: columns, memory: resources.memory }),
    ready: async () => {
      const text = `select 1 from ${schema.layout.read.droppedTenants} limit 1`;
      await database.ask(NOBODY, { text, values: [] });
    },
  };
}
