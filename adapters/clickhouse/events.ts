import { ApiError, type EventStore } from '../../src/index.ts';
import { breakDownBySql, selectCount, selectPage, storedPageOf, type PageRow } from '../sql/index.ts';
import { createWriter } from './append.ts';
import type { ClickhouseDatabase } from './database.ts';
import { CLICKHOUSE } from './dialect.ts';
import type { Layout } from './schema.ts';
import { createTurns } from './turns.ts';

/** Events in ClickHouse, in the tables of a layout. The writes of one tenant in this process take turns. */
export function clickhouseEventStore(database: ClickhouseDatabase, layout: Layout): EventStore {
  const writer = createWriter(database, layout);
  const inTurn = createTurns();
  // Of several rows with one key the one that was written first is read.
  const events = `${layout.read.events} final`;

  async function load(tenantId: string, keys: readonly PageRow[]): Promise<readonly PageRow[]> {
    const text = `select ts, insert_id, event_name, user_id, properties from ${events}
      where tenant = {p1:String} and (ts, insert_id) in arrayZip({p2:Array(Int64)}, {p3:Array(String)})
      order by ts desc, insert_id desc`;
    const values = [tenantId, keys.map(({ ts }) => ts), keys.map(({ insert_id }) => insert_id)];
    return (await database.ask({ text, values })) as unknown as PageRow[];
  }

  async function countAll(tenantId: string): Promise<number> {
    const text = `select count() as count from ${events} where tenant = {p1:String}`;
    const [row] = await database.ask({ text, values: [tenantId] });
    return Number(row?.count);
  }

  return {
    append: (tenantId, batch, { namesMax = Infinity } = {}) =>
      inTurn(tenantId, () => writer.append(tenantId, batch, namesMax)),
    query: async (tenantId, query, page, signal) => {
      const rows = await database.ask(selectPage(CLICKHOUSE, events, tenantId, query, page), signal);
      return storedPageOf(rows as unknown as PageRow[], (keys) => load(tenantId, keys));
    },
    count: async (tenantId, query, signal) => {
      const [row] = await database.ask(selectCount(CLICKHOUSE, events, tenantId, query), signal);
      return Number(row?.count);
    },
    breakdown: (tenantId, query, grouping, signal) =>
      breakDownBySql(CLICKHOUSE, events, { tenantId, query, grouping }, (statement) =>
        database.ask(statement, signal),
      ),
    eventNames: async (tenantId, signal) => {
      const text = `select distinct event_name from ${events} where tenant = {p1:String} order by event_name`;
      const rows = await database.ask({ text, values: [tenantId] }, signal);
      return rows.map(({ event_name }) => event_name as string);
    },
    erase: (tenantId, query) => {
      // Its deletions go part by part, and a reader would see some of them.
      if (query !== undefined)
        return Promise.reject(new ApiError('notSupported', ['erase events by a query']));
      return inTurn(tenantId, async () => {
        const count = await countAll(tenantId);
        await writer.erase(tenantId);
        return count;
      });
    },
    drop: (tenantId) => inTurn(tenantId, () => writer.drop(tenantId)),
  };
}
