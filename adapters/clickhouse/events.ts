import type { EventStore, MemoryBudget, Signal } from '../../src/index.ts';
import { createTurns, propertiesByPages, readPathsOf, type StoredPage } from '../../src/store-kit.ts';
import {
  breakDownBySql,
  createDraft,
  EVERYTHING,
  measureBySql,
  NEWEST_FIRST,
  propertiesBySql,
  relay,
  selectCount,
  selectPage,
  selectTop,
  storedPageOf,
  streamsBySql,
  writeWhere,
  type PageRow,
  type Statement,
  type TreeDialect,
} from '../sql/index.ts';
import { createWriter } from './append.ts';
import type { ClickhouseDatabase } from './database.ts';
import { createEraser, livingOnly } from './erasure.ts';
import type { Layout } from './schema.ts';
import { createQuestions } from './questions.ts';
import { overOneState } from './state.ts';
import type { TypedColumns } from './typed.ts';

export interface ClickhouseEventOptions {
  readonly typed: TypedColumns;
  /** The memory budget for the rows of property queries. */
  readonly memory: MemoryBudget;
}

/**
 * Events in ClickHouse, in the tables of a layout. The writes of one tenant in this process run one at a
 * time.
 */
export function clickhouseEventStore(
  database: ClickhouseDatabase,
  layout: Layout,
  { typed, memory }: ClickhouseEventOptions,
): EventStore {
  const questions = createQuestions();
  const eraser = createEraser(database, layout, questions);
  const writer = createWriter(database, layout, eraser);
  const dialect = livingOnly(layout);
  const turns = createTurns();
  // Of several rows with one key, `final` reads the one that was written first.
  const events = `${layout.read.events} final`;

  const ask = (tenantId: string, statement: Statement, signal?: Signal) =>
    questions.during(tenantId, () => database.ask(tenantId, typed.inPlace(statement), signal));

  async function load(tenantId: string, keys: readonly PageRow[]): Promise<readonly PageRow[]> {
    const text = `select ts, insert_id, event_name, user_id, received_at, properties from ${events}
      where tenant = {p1:String} and (ts, insert_id) in arrayZip({p2:Array(Int64)}, {p3:Array(String)})
      ${NEWEST_FIRST}`;
    const values = [tenantId, keys.map(({ ts }) => ts), keys.map(({ insert_id }) => insert_id)];
    return (await ask(tenantId, { text, values })) as unknown as PageRow[];
  }

  /** The events that a statement selects. */
  async function readEvents(tenantId: string, selected: Statement, signal?: Signal): Promise<StoredPage> {
    const rows = await ask(tenantId, selected, signal);
    return storedPageOf(rows as unknown as PageRow[], (keys) => load(tenantId, keys));
  }

  /** Answers pages in a dialect, which determines the visible events. */
  const pagesIn =
    (seen: TreeDialect): EventStore['query'] =>
    (tenantId, query, page, signal) =>
      readEvents(tenantId, selectPage(seen, events, tenantId, query, page), signal);

  return {
    append: (tenantId, batch, { namesMax = Infinity } = {}) =>
      turns.take(tenantId, () => writer.append(tenantId, batch, namesMax)),
    query: pagesIn(dialect),
    top: (tenantId, query, ranking, signal) =>
      readEvents(tenantId, selectTop(dialect, events, { tenantId, query, ranking }), signal),
    count: async (tenantId, query, signal) => {
      const [row] = await ask(tenantId, selectCount(dialect, events, tenantId, query), signal);
      return Number(row?.count);
    },
    breakdown: (tenantId, query, grouping, signal) =>
      breakDownBySql(dialect, events, { tenantId, query, grouping }, (statement) =>
        ask(tenantId, statement, signal),
      ),
    measure: (tenantId, query, measuring, signal) => {
      const measureIn = (seen: TreeDialect) =>
        measureBySql(seen, events, { tenantId, query, measuring, memory }, (statement) =>
          ask(tenantId, statement, signal),
        );
      // With an order, groups are put in order before they are told of.
      return measuring.orderBy === undefined
        ? measureIn(dialect)
        : overOneState(dialect, events, { tenantId, signal, ask }, measureIn);
    },
    streams: (tenantId, query, asked, signal) =>
      streamsBySql(dialect, events, { tenantId, query, asked, memory }, (statement) =>
        relay((tell) =>
          questions.during(tenantId, () => database.read(tenantId, typed.inPlace(statement), tell, signal)),
        ),
      ),
    properties: (tenantId, event, signal) =>
      overOneState(dialect, events, { tenantId, signal, ask }, async (state) => {
        const asked = { tenantId, event, memory };
        const found = await propertiesBySql(state, events, asked, (one) => ask(tenantId, one, signal));
        return found ?? propertiesByPages({ query: pagesIn(state) }, asked, memory, signal);
      }),
    plan: (_tenantId, reading) => Promise.resolve({ by: 'sql', paths: readPathsOf(reading) }),
    eventNames: async (tenantId, signal) => {
      const draft = createDraft(dialect);
      const where = writeWhere(dialect, tenantId, EVERYTHING, draft);
      const text = `select distinct event_name from ${events} where ${where} order by event_name`;
      const rows = await ask(tenantId, { text, values: draft.values }, signal);
      return rows.map(({ event_name }) => event_name as string);
    },
    erase: (tenantId, query = EVERYTHING, signal) =>
      turns.take(tenantId, () => eraser.erase(tenantId, query, signal)),
    drop: (tenantId) => turns.take(tenantId, () => writer.drop(tenantId)),
  };
}
