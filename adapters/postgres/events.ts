import { aborted, type EventStore, type Ledger, type Signal } from '../../src/index.ts';
import {
  breakDownBySql,
  propertiesBySql,
  selectCount,
  selectPage,
  storedPageOf,
  type PageRow,
  type Statement,
} from '../sql/index.ts';
import { append, erase } from './append.ts';
import { guarded, transact, type PostgresPool } from './database.ts';
import { POSTGRES } from './dialect.ts';
import type { Partitions } from './partitions.ts';

const EVENTS = 'event_query.events';

export interface PostgresEventOptions {
  /** Answers questions; a replica may lag behind what was stored. Default: the pool that stores. */
  readonly reader?: PostgresPool | undefined;
  /** Where the rows that tell of properties are booked. Absent: nowhere. */
  readonly ledger?: Ledger | undefined;
}

/** Events in PostgreSQL. Every statement names the tenant, so that it stays within one shard by tenant. */
export function postgresEventStore(
  pool: PostgresPool,
  partitions: Partitions,
  { reader = pool, ledger }: PostgresEventOptions = {},
): EventStore {
  const ask = async ({ text, values }: Statement, signal?: Signal) => {
    if (signal?.aborted === true) throw aborted();
    const { rows } = await guarded(() => reader.query(text, [...values]));
    return rows;
  };

  async function load(tenantId: string, keys: readonly PageRow[]): Promise<readonly PageRow[]> {
    const text = `select ts, insert_id, event_name, user_id, properties
      from unnest($2::bigint[], $3::text[]) with ordinality as wanted (ts, insert_id, place)
      join ${EVENTS} using (ts, insert_id) where tenant = $1 order by place`;
    const values = [tenantId, keys.map(({ ts }) => ts), keys.map(({ insert_id }) => insert_id)];
    return (await ask({ text, values })) as unknown as PageRow[];
  }

  return {
    append: async (tenantId, events, { namesMax = Infinity } = {}) => {
      await guarded(() => partitions.prepare(events.map(({ eventTs }) => eventTs)));
      return append(pool, tenantId, events, namesMax);
    },
    query: async (tenantId, query, page, signal) => {
      const rows = await ask(selectPage(POSTGRES, EVENTS, tenantId, query, page), signal);
      return storedPageOf(rows as unknown as PageRow[], (keys) => load(tenantId, keys));
    },
    count: async (tenantId, query, signal) => {
      const [row] = await ask(selectCount(POSTGRES, EVENTS, tenantId, query), signal);
      return Number(row?.count);
    },
    breakdown: (tenantId, query, grouping, signal) =>
      breakDownBySql(POSTGRES, EVENTS, { tenantId, query, grouping }, (statement) => ask(statement, signal)),
    properties: (tenantId, event, signal) =>
      propertiesBySql(POSTGRES, EVENTS, { tenantId, event, ledger }, (statement) => ask(statement, signal)),
    eventNames: async (tenantId, signal) => {
      const text = 'select event_name from event_query.event_names where tenant = $1 order by event_name';
      return (await ask({ text, values: [tenantId] }, signal)).map(({ event_name }) => event_name as string);
    },
    erase: (tenantId, query) => transact(pool, (client) => erase(client, tenantId, query)),
    drop: (tenantId) =>
      transact(pool, async (client) => {
        await erase(client, tenantId);
        await client.query('insert into event_query.dropped_tenants values ($1) on conflict do nothing', [
          tenantId,
        ]);
      }),
  };
}
