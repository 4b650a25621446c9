import type { EventStore, MemoryBudget, Signal } from '../../src/index.ts';
import { propertiesByPages, readPathsOf } from '../../src/store-kit.ts';
import {
  breakDownBySql,
  measureBySql,
  propertiesBySql,
  relay,
  selectCount,
  selectPage,
  selectTop,
  storedPageOf,
  streamsBySql,
  type PageRow,
  type Row,
  type Statement,
} from '../sql/index.ts';
import { append, erase } from './append.ts';
import type { TenantConnections } from './connections.ts';
import type { PostgresClient } from './database.ts';
import { POSTGRES } from './dialect.ts';
import type { Partitions } from './partitions.ts';

const EVENTS = 'event_query.events';

export interface PostgresEventOptions {
  /** The database that stores events. */
  readonly writer: TenantConnections;
  /** The database that answers queries; a replica may lag behind. */
  readonly reader: TenantConnections;
  readonly partitions: Partitions;
  /** The memory budget for the rows of property queries. */
  readonly memory: MemoryBudget;
}

/** The rows that a statement returns. */
const rowsOf = async (client: PostgresClient, { text, values }: Statement) =>
  (await client.query(text, [...values])).rows;

/** Runs one statement. */
type Ask = (statement: Statement) => Promise<readonly unknown[]>;

/** The events that a statement selects; large ones are loaded as they are read. */
async function readEvents(ask: Ask, tenantId: string, statement: Statement) {
  const load = async (keys: readonly PageRow[]) => {
    const text = `select ts, insert_id, event_name, user_id, received_at, properties
      from unnest($2::bigint[], $3::text[]) with ordinality as wanted (ts, insert_id, place)
      join ${EVENTS} using (ts, insert_id) where tenant = $1 order by place`;
    const values = [tenantId, keys.map(({ ts }) => ts), keys.map(({ insert_id }) => insert_id)];
    return (await ask({ text, values })) as readonly PageRow[];
  };
  const rows = await ask(statement);
  return storedPageOf(rows as readonly PageRow[], load);
}

/** About how many events are read at once, and how many rows at most. */
const PIECE_EVENTS = 32_768;
const PIECE_ROWS_MAX = 1024;

/**
 * Reads the rows of streams by a cursor. The longest streams come first, so that a stream tells how many of
 * the next ones can be read at once.
 */
async function readStreams(
  loan: PostgresClient,
  { text, values }: Statement,
  tell: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  const declare = 'declare streams no scroll cursor for';
  await rowsOf(loan, { text: `${declare} ${text} order by events desc`, values });
  let count = 1;
  for (;;) {
    const rows = await rowsOf(loan, { text: `fetch ${count} from streams`, values: [] });
    if (rows.length === 0) return;
    await tell(rows);
    const fitting = Math.floor(PIECE_EVENTS / Math.max(1, Number(rows.at(-1)!.events)));
    count = Math.min(PIECE_ROWS_MAX, Math.max(1, fitting));
  }
}

/**
 * Events in PostgreSQL. Every statement names the tenant, so that it stays within one shard when sharded by
 * tenant.
 */
export function postgresEventStore({ writer, reader, partitions, memory }: PostgresEventOptions): EventStore {
  const ask = (tenantId: string, statement: Statement, signal?: Signal) =>
    reader.use(tenantId, signal, (loan) => rowsOf(loan, statement));
  const readNow = (tenantId: string, selected: Statement, signal?: Signal) =>
    readEvents((statement) => ask(tenantId, statement, signal), tenantId, selected);

  return {
    append: (tenantId, events, { namesMax = Infinity } = {}) =>
      writer.use(tenantId, undefined, async (loan) => {
        await partitions.prepare(
          loan,
          events.map(({ eventTs }) => eventTs),
        );
        return append(loan, tenantId, events, namesMax);
      }),
    query: (tenantId, query, page, signal) =>
      readNow(tenantId, selectPage(POSTGRES, EVENTS, tenantId, query, page), signal),
    top: (tenantId, query, ranking, signal) =>
      readNow(tenantId, selectTop(POSTGRES, EVENTS, { tenantId, query, ranking }), signal),
    count: async (tenantId, query, signal) => {
      const [row] = await ask(tenantId, selectCount(POSTGRES, EVENTS, tenantId, query), signal);
      return Number(row?.count);
    },
    breakdown: (tenantId, query, grouping, signal) =>
      breakDownBySql(POSTGRES, EVENTS, { tenantId, query, grouping }, (statement) =>
        ask(tenantId, statement, signal),
      ),
    measure: (tenantId, query, measuring, signal) => {
      const asked = { tenantId, query, measuring, memory };
      if (measuring.orderBy === undefined)
        return measureBySql(POSTGRES, EVENTS, asked, (statement) => ask(tenantId, statement, signal));
      // Groups are put in order before they are told of; one snapshot makes both see the same events.
      return reader.use(tenantId, signal, (loan) =>
        loan.transact('snapshot', () =>
          measureBySql(POSTGRES, EVENTS, asked, (statement) => rowsOf(loan, statement)),
        ),
      );
    },
    streams: (tenantId, query, asked, signal) =>
      streamsBySql(POSTGRES, EVENTS, { tenantId, query, asked, memory }, (statement) =>
        relay((tell) =>
          reader.use(tenantId, signal, (loan) =>
            loan.transact('snapshot', () => readStreams(loan, statement, tell)),
          ),
        ),
      ),
    properties: (tenantId, event, signal) =>
      // Each level is a statement, as is each page; one snapshot makes all of them see the same events.
      reader.use(tenantId, signal, (loan) =>
        loan.transact('snapshot', async () => {
          const onLoan = (statement: Statement) => rowsOf(loan, statement);
          const found = await propertiesBySql(POSTGRES, EVENTS, { tenantId, event, memory }, onLoan);
          if (found !== undefined) return found;
          const query: EventStore['query'] = (id, asked, page) =>
            readEvents(onLoan, id, selectPage(POSTGRES, EVENTS, id, asked, page));
          return propertiesByPages({ query }, { tenantId, event }, memory, signal);
        }),
      ),
    plan: (_tenantId, reading) => Promise.resolve({ by: 'sql', paths: readPathsOf(reading) }),
    eventNames: async (tenantId, signal) => {
      const text = 'select event_name from event_query.event_names where tenant = $1 order by event_name';
      const rows = await ask(tenantId, { text, values: [tenantId] }, signal);
      return rows.map(({ event_name }) => event_name as string);
    },
    erase: (tenantId, query, signal) =>
      writer.use(tenantId, signal, (loan) => loan.transact('change', () => erase(loan, tenantId, query))),
    drop: (tenantId) =>
      writer.use(tenantId, undefined, (loan) =>
        loan.transact('change', async () => {
          await erase(loan, tenantId);
          const text = 'insert into event_query.dropped_tenants values ($1) on conflict do nothing';
          await loan.query(text, [tenantId]);
        }),
      ),
  };
}
