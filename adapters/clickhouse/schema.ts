import type { ClickhouseDatabase } from './database.ts';

/** The version of the tables, kept as a comment of theirs. */
const VERSION = 2;

/** How a cluster keeps the tables. */
export interface ClickhouseCluster {
  /** Its name in the configuration of the servers. */
  readonly name: string;
  /**
   * What decides on the shard of an event. `tenant`, the default: a batch goes to one shard and is stored
   * as a whole. `event`: tenants that are too large for one shard spread, and a batch is whole on each
   * shard only.
   */
  readonly shardBy?: 'tenant' | 'event';
}

/** Where the store writes, reads and erases. */
export interface Layout {
  /** The names of tables that rows are inserted into. */
  readonly write: Tables;
  /** The names of tables that questions read. */
  readonly read: Tables;
  /** What stands behind `delete from` and `alter table`, for each table whose rows lie there. */
  readonly erase: Readonly<Record<keyof Tables, readonly string[]>>;
  /** What tells of the changes of tables that are under way. */
  readonly mutations: string;
}

/** The four tables. */
interface Tables {
  readonly events: string;
  readonly eventNames: string;
  readonly droppedTenants: string;
  /** The erasures that were decided, and whose events may still be there. */
  readonly erasures: string;
}

const NAMES: Tables = {
  events: 'events',
  eventNames: 'event_names',
  droppedTenants: 'dropped_tenants',
  erasures: 'erasures',
};

/** The number of the erasure that has marked an event, 0 for none; version 1 had no such column. */
const ERASURE = 'erasure Int64';

/**
 * The columns and the key of each table. Of rows with the same key the one with the largest `ver` stays:
 * the one that was written first. Without partitions a batch is one part, which is there as a whole or not
 * at all.
 */
const BODIES: Tables = {
  events: `(
    tenant LowCardinality(String), ts Int64 codec(Delta, ZSTD(1)), insert_id String codec(ZSTD(1)),
    event_name LowCardinality(String), user_id String codec(ZSTD(1)), properties String codec(ZSTD(1)),
    ver UInt64 default 18446744073709551615 - toUnixTimestamp64Nano(now64(9)),
    ${ERASURE},
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

/** The tables of a layout and the statements that make what is missing. */
export interface Schema {
  readonly layout: Layout;
  readonly statements: readonly string[];
  /** The tables that have the columns of events. */
  readonly events: readonly string[];
  /** What brings tables of version 1 to this one. */
  readonly upgrade: readonly string[];
}

function eachTable<T>(make: (table: keyof Tables) => T): Record<keyof Tables, T> {
  return {
    events: make('events'),
    eventNames: make('eventNames'),
    droppedTenants: make('droppedTenants'),
    erasures: make('erasures'),
  };
}

/** The column comes first and the version last, so that whoever is interrupted begins again. */
function upgradeOf(events: readonly string[], whole: string): readonly string[] {
  const columns = events.map((table) => `alter table ${table} add column if not exists ${ERASURE}`);
  return [...columns, `alter table ${whole} modify ${COMMENT}`];
}

/** Tables in a database of one node, or on every node of a cluster. */
export function schemaOf(database: string, cluster?: ClickhouseCluster): Schema {
  return cluster === undefined ? schemaOfNode(database) : schemaOfCluster(database, cluster);
}

const quoted = (name: string) => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;

/** A table whose rows lie where it is; of the tables only that of events tells the first row from others. */
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
    upgrade: upgradeOf([tables.events], tables.events),
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
    // The shard is a function of the key of a row: the same event twice meets on one shard.
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
    upgrade: upgradeOf([locals.events, whole], whole),
  };
}

/** Who the statements are for that are for no tenant. */
export const NOBODY = '';

/**
 * Makes the tables that are missing, whichever of several processes comes first. Throws an Error for a
 * database that a newer version has written.
 */
export async function prepareTables(
  database: ClickhouseDatabase,
  name: string,
  { statements, upgrade }: Schema,
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
  if (version < VERSION) for (const text of upgrade) await database.run(NOBODY, { text, values: [] });
}
