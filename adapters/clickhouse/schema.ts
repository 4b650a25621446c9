import type { ClickhouseDatabase } from './database.ts';

/** The version of the tables, stored as their comment. */
const VERSION = 1;

/** How a cluster stores the tables. */
export interface ClickhouseCluster {
  /** Its name in the servers' configuration. */
  readonly name: string;
  /**
   * What determines the shard of an event. `tenant`, the default: a batch goes to one shard and is stored
   * atomically. `event`: tenants that are too large for one shard are distributed, and a batch is atomic on
   * each shard only.
   */
  readonly shardBy?: 'tenant' | 'event';
}

/** Where the store writes, reads and erases. */
export interface Layout {
  /** The names of the tables for inserts. */
  readonly write: Tables;
  /** The names of the tables for queries. */
  readonly read: Tables;
  /** The target after `delete from` and `alter table`, for each table that physically stores the rows. */
  readonly erase: Readonly<Record<keyof Tables, readonly string[]>>;
  /** The system table that lists the mutations in progress. */
  readonly mutations: string;
}

/** The four tables. */
interface Tables {
  readonly events: string;
  readonly eventNames: string;
  readonly droppedTenants: string;
  /** The decided erasures whose events may still exist. */
  readonly erasures: string;
}

const NAMES: Tables = {
  events: 'events',
  eventNames: 'event_names',
  droppedTenants: 'dropped_tenants',
  erasures: 'erasures',
};

/**
 * The columns and the key of each table. Of rows with the same key the one with the largest `ver` stays: the
 * one that was written first. `erasure` is the number of the erasure that has marked an event, 0 for none;
 * an event arrived at `received_at`, in epoch milliseconds. Without partitions a batch is one part, which is
 * stored atomically.
 */
const BODIES: Tables = {
  events: `(
    tenant LowCardinality(String), ts Int64 codec(Delta, ZSTD(1)), insert_id String codec(ZSTD(1)),
    event_name LowCardinality(String), user_id String codec(ZSTD(1)), properties String codec(ZSTD(1)),
    ver UInt64 default 18446744073709551615 - toUnixTimestamp64Nano(now64(9)),
    erasure Int64, received_at Nullable(Int64) codec(ZSTD(1)),
    event_time DateTime64(3, 'UTC') alias fromUnixTimestamp64Milli(ts, 'UTC')
  )`,
  eventNames: '(tenant String, event_name String)',
  droppedTenants: '(tenant String)',
  erasures: '(tenant String, erasure Int64)',
};

const KEYS: Tables = {
  events: '(tenant, ts, insert_id)',
  eventNames: '(tenant, event_name)',
  droppedTenants: 'tenant',
  erasures: '(tenant, erasure)',
};

const SETTINGS = 'settings fsync_after_insert = 1, fsync_part_directory = 1';
const COMMENT = `comment 'event-query schema ${VERSION}'`;

/** The tables of a layout and the statements that create the missing ones. */
export interface Schema {
  readonly layout: Layout;
  readonly statements: readonly string[];
  /** The tables that have the columns of events. */
  readonly events: readonly string[];
}

function eachTable<T>(make: (table: keyof Tables) => T): Record<keyof Tables, T> {
  return {
    events: make('events'),
    eventNames: make('eventNames'),
    droppedTenants: make('droppedTenants'),
    erasures: make('erasures'),
  };
}

/** The tables in a database of one node, or on every node of a cluster. */
export function schemaOf(database: string, cluster?: ClickhouseCluster): Schema {
  return cluster === undefined ? schemaOfNode(database) : schemaOfCluster(database, cluster);
}

const quoted = (name: string) => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;

/**
 * A table that physically stores its rows; only the table of events distinguishes the first row from later
 * ones.
 */
function createTable(table: keyof Tables, name: string, engine: string, ...args: string[]): string {
  const versions = table === 'events' ? [...args, 'ver'] : args;
  return (
    `create table if not exists ${name} ${BODIES[table]} engine = ${engine}(${versions.join(', ')}) ` +
    `order by ${KEYS[table]} ${SETTINGS} ${COMMENT}`
  );
}

function schemaOfNode(database: string): Schema {
  const tables = eachTable((table) => `${quoted(database)}.${NAMES[table]}`);
  const create = eachTable((table) => createTable(table, tables[table], 'ReplacingMergeTree'));
  return {
    layout: {
      write: tables,
      read: tables,
      erase: eachTable((table) => [tables[table]]),
      mutations: 'system.mutations',
    },
    statements: [`create database if not exists ${quoted(database)}`, ...Object.values(create)],
    events: [tables.events],
  };
}

function schemaOfCluster(database: string, { name, shardBy = 'tenant' }: ClickhouseCluster): Schema {
  const on = `on cluster ${quoted(name)}`;
  const tables = eachTable((table) => `${quoted(database)}.${NAMES[table]}`);
  const locals = eachTable((table) => `${quoted(database)}.${NAMES[table]}_local ${on}`);
  const whole = `${tables.events} ${on}`;
  const createLocal = eachTable((table) => {
    const path = `'/clickhouse/tables/{shard}/{database}/${NAMES[table]}'`;
    return createTable(table, locals[table], 'ReplicatedReplacingMergeTree', path, "'{replica}'");
  });
  const createWhole = eachTable((table) => {
    // The shard is a function of a row's key, so that duplicates of an event meet on one shard.
    const byEvent = table === 'events' && shardBy === 'event';
    const shard = byEvent ? 'cityHash64(tenant, insert_id)' : 'cityHash64(tenant)';
    const place = `${quoted(name)}, ${quoted(database)}, ${NAMES[table]}_local`;
    return (
      `create table if not exists ${tables[table]} ${on} ${BODIES[table]} ` +
      `engine = Distributed(${place}, ${shard}) ${COMMENT}`
    );
  });
  return {
    layout: {
      write: tables,
      read: tables,
      erase: eachTable((table) => [locals[table]]),
      mutations: `clusterAllReplicas(${quoted(name)}, system.mutations)`,
    },
    statements: [
      `create database if not exists ${quoted(database)} ${on}`,
      ...Object.values(createLocal),
      ...Object.values(createWhole),
    ],
    events: [locals.events, whole],
  };
}

/** The owner of statements that belong to no tenant. */
export const NOBODY = '';

/**
 * Creates the missing tables; several processes may call it at once. Throws an Error for a database that a
 * newer version has written.
 */
export async function prepareTables(
  database: ClickhouseDatabase,
  name: string,
  { statements }: Schema,
): Promise<void> {
  for (const text of statements) await database.run(NOBODY, { text, values: [] });
  const [row] = await database.ask(NOBODY, {
    text: `select comment from system.tables where database = {p1:String} and name = '${NAMES.events}'`,
    values: [name],
  });
  const version = Number(/^event-query schema (\d{1,9})$/.exec(String(row?.comment))?.[1]);
  if (version > VERSION) {
    throw new Error(
      `The database was written by a newer event-query: its tables are of version ${version}, and this one ` +
        `knows up to version ${VERSION}. Upgrade event-query, or use another database.`,
    );
  }
}
