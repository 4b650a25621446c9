import {
  aborted,
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  PIECE_BYTES,
  type EventStore,
  type Signal,
  type StoredEvent,
  type StoredPage,
} from '../../src/index.ts';
import { createDraft, writePage, writeWhere } from '../sql/index.ts';
import { append, erase } from './append.ts';
import { guarded, transact, type PostgresPool } from './database.ts';
import { POSTGRES } from './dialect.ts';
import type { Partitions } from './partitions.ts';

/** What is read of an event, and `properties` only of so many as a piece holds. */
const KEYS = 'ts, insert_id, event_name, user_id, octet_length(properties) as bytes';

interface Row {
  readonly ts: string;
  readonly insert_id: string;
  readonly event_name: string;
  readonly user_id: string;
  readonly bytes: number;
  readonly properties: string | null;
}

export interface PostgresEventOptions {
  /** Answers questions; a replica may lag behind what was stored. Default: the pool that stores. */
  readonly reader?: PostgresPool | undefined;
}

/** Events in PostgreSQL. Every statement names the tenant, so that it stays within one shard by tenant. */
export function postgresEventStore(
  pool: PostgresPool,
  partitions: Partitions,
  { reader = pool }: PostgresEventOptions = {},
): EventStore {
  const ask = async (text: string, values: readonly unknown[], signal?: Signal) => {
    if (signal?.aborted === true) throw aborted();
    const { rows } = await guarded(() => reader.query(text, [...values]));
    return rows;
  };

  async function load(tenantId: string, keys: readonly Row[]): Promise<StoredEvent[]> {
    const rows = (await ask(
      `select ts, insert_id, event_name, user_id, properties
       from unnest($2::bigint[], $3::text[]) with ordinality as wanted (ts, insert_id, place)
       join event_query.events using (ts, insert_id) where tenant = $1 order by place`,
      [tenantId, keys.map(({ ts }) => ts), keys.map(({ insert_id }) => insert_id)],
    )) as unknown as Row[];
    if (rows.length !== keys.length) throw new Error('Events of the page were erased while it was read.');
    return rows.map(toEvent);
  }

  async function* readPieces(tenantId: string, rows: readonly Row[]): AsyncGenerator<StoredEvent[]> {
    const first = rows.filter(({ properties }) => properties !== null);
    if (first.length > 0) yield first.map(toEvent);
    for (let rest = rows.slice(first.length); rest.length > 0;) {
      const count = countOfPiece(rest.map(({ bytes }) => bytes));
      yield load(tenantId, rest.slice(0, count));
      rest = rest.slice(count);
    }
  }

  return {
    append: async (tenantId, events, { namesMax = Infinity } = {}) => {
      await guarded(() => partitions.prepare(events.map(({ eventTs }) => eventTs)));
      return append(pool, tenantId, events, namesMax);
    },
    query: async (tenantId, query, page, signal): Promise<StoredPage> => {
      const draft = createDraft(POSTGRES);
      const where = writeWhere(POSTGRES, tenantId, query, draft);
      const rows = (await ask(
        `select ts, insert_id, event_name, user_id, bytes,
           case when sum(bytes) over (order by ts desc, insert_id desc rows unbounded preceding)
             <= ${PIECE_BYTES} then properties end as properties
         from (
           select ${KEYS}, properties from event_query.events where ${where}${writePage(page, draft)}
         ) page order by ts desc, insert_id desc`,
        draft.values,
        signal,
      )) as unknown as Row[];
      const last = rows.at(-1);
      return {
        length: rows.length,
        last: last && { eventTs: Number(last.ts), insertId: last.insert_id },
        bytes: rows.reduce((sum, { bytes }) => sum + bytes + EVENT_OVERHEAD_BYTES, 0),
        pieces: () => readPieces(tenantId, rows),
      };
    },
    count: async (tenantId, query, signal) => {
      const draft = createDraft(POSTGRES);
      const where = writeWhere(POSTGRES, tenantId, query, draft);
      const [row] = await ask(
        `select count(*) as count from event_query.events where ${where}`,
        draft.values,
        signal,
      );
      return Number(row?.count);
    },
    eventNames: async (tenantId, signal) => {
      const text = 'select event_name from event_query.event_names where tenant = $1 order by event_name';
      return (await ask(text, [tenantId], signal)).map(({ event_name }) => event_name as string);
    },
    erase: (tenantId) => transact(pool, (client) => erase(client, tenantId)),
    drop: (tenantId) =>
      transact(pool, async (client) => {
        await erase(client, tenantId);
        await client.query('insert into event_query.dropped_tenants values ($1) on conflict do nothing', [
          tenantId,
        ]);
      }),
  };
}

function toEvent({ event_name, user_id, ts, insert_id, properties }: Row): StoredEvent {
  return {
    eventName: event_name,
    userId: user_id,
    eventTs: Number(ts),
    insertId: insert_id,
    propertiesJson: properties!,
  };
}
