import { createDatabase, type ClickhouseClient } from '../../../adapters/clickhouse/database.ts';
import { clickhouseEventStore } from '../../../adapters/clickhouse/events.ts';
import { schemaOf, type Layout } from '../../../adapters/clickhouse/schema.ts';
import { createTypedColumns } from '../../../adapters/clickhouse/typed.ts';
import type { EventStore } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';

const DATABASE = 'two_shards';
const TABLES = ['events', 'event_names', 'dropped_tenants', 'erasures'] as const;
/** As the store of a cluster shards by event, so that the events of a tenant lie on both. */
const SHARD = {
  events: 'cityHash64(tenant, insert_id)',
  event_names: 'cityHash64(tenant)',
  dropped_tenants: 'cityHash64(tenant)',
  erasures: 'cityHash64(tenant)',
};

/**
 * The store over a plan of two shards in one process. Both shards are this process, so each table has its
 * rows in two others, `_1` and `_2`: a shard reads its own by a view, and what is written is sent to them
 * by hash, as a Distributed table would.
 */
export async function openTwoShards(client: ClickhouseClient, timeoutMs = 30_000): Promise<EventStore> {
  const database = createDatabase(client, { timeoutMs });
  const run = (text: string) => database.run('', { text, values: [] });
  const [createDatabaseText, ...creates] = schemaOf(DATABASE).statements;
  await run(createDatabaseText!);
  for (const [i, name] of TABLES.entries()) {
    const table = `${DATABASE}.${name}`;
    const shards = [`${table}_1`, `${table}_2`];
    for (const shard of shards) await run(creates[i]!.replace(`\`${DATABASE}\`.${name}`, shard));
    await run(`create table if not exists ${table}_in as ${table}_1 engine = Null`);
    for (const [at, shard] of shards.entries()) {
      await run(
        `create materialized view if not exists ${shard}_feed to ${shard} as
         select * from ${table}_in where ${SHARD[name]} % 2 = ${at}`,
      );
    }
    await run(
      `create view if not exists ${table}_local as ${shards
        .map((shard, at) => `select * from ${shard} final where shardNum() = ${at + 1}`)
        .join(' union all ')}`,
    );
    await run(
      `create table if not exists ${table}_all as ${table}_1
       engine = Distributed(two, ${DATABASE}, ${name}_local, ${SHARD[name]})`,
    );
  }
  return clickhouseEventStore(database, layout(), {
    typed: createTypedColumns([]),
    memory: createMemoryBudget({ bytesMax: 2 ** 30 }),
  });
}

function layout(): Layout {
  const tables = (suffix: string) => ({
    events: `${DATABASE}.events${suffix}`,
    eventNames: `${DATABASE}.event_names${suffix}`,
    droppedTenants: `${DATABASE}.dropped_tenants${suffix}`,
    erasures: `${DATABASE}.erasures${suffix}`,
  });
  const [first, second] = [tables('_1'), tables('_2')];
  return {
    write: tables('_in'),
    read: tables('_all'),
    erase: {
      events: [first.events, second.events],
      eventNames: [first.eventNames, second.eventNames],
      droppedTenants: [first.droppedTenants, second.droppedTenants],
      erasures: [first.erasures, second.erasures],
    },
    mutations: 'system.mutations',
  };
}
