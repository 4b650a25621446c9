import Database from 'better-sqlite3';
import {
  breakDownBySql,
  integerTests,
  selectCount,
  selectPage,
  storedPageOf,
  textTests,
  type Dialect,
  type PageRow,
  type Statement,
  type TestWriters,
} from '../../../adapters/sql/index.ts';
import type { EventQuery, Grouping, Page, StoredEvent } from '../../../src/store-kit.ts';

const search = {
  contains: (text: string, part: string) => `instr(${text}, ${part}) > 0`,
  isAmong: (text: string, texts: string) => `${text} in (select value from json_each(${texts}))`,
  tests: {
    STARTS_WITH: (text: string, part: string) => `substr(${text}, 1, length(${part})) = ${part}`,
    ENDS_WITH: (text: string, part: string) => `substr(${text}, -length(${part})) = ${part}`,
  },
};

/** SQLite in the memory of a test, as an engine of SQL of the simplest kind: its properties are texts. */
const DIALECT: Dialect = {
  parameter: (position) => `@p${position}`,
  ofText: textTests(search),
  ofInteger: integerTests((number, numbers) => `${number} in (select value from json_each(${numbers}))`),
  ofProperty: textTests(search) as unknown as TestWriters<readonly string[]>,
  keyOf: ([key]) => `(case json_type(properties, '$.${key}')
    when 'text' then 's' || (properties ->> '$.${key}')
    when 'true' then 'btrue' when 'false' then 'bfalse' when 'array' then 'a' when 'object' then 'o'
    when 'null' then '' else coalesce('n' || (properties ->> '$.${key}'), '') end)`,
  integerText: (number) => `cast(${number} as text)`,
  numberOf: (text) => `cast(${text} as real)`,
  floor: (number, step) => `(${number} - (${number} % ${step} + ${step}) % ${step})`,
  startAmong: (number, starts) => `(select max(value) from json_each(${starts}) where value <= ${number})`,
};

/** Answers over events of a tenant, by the statements that every engine gets. */
export function askSqlite(tenantId: string, events: readonly StoredEvent[]) {
  const database = new Database(':memory:');
  database.exec('create table events (tenant, ts, insert_id, event_name, user_id, received_at, properties)');
  const insert = database.prepare('insert into events values (?, ?, ?, ?, ?, ?, ?)');
  for (const { eventTs, insertId, eventName, userId, receivedAt, propertiesJson } of events)
    insert.run(tenantId, eventTs, insertId, eventName, userId, receivedAt ?? null, propertiesJson);
  /** How many rows each piece that was loaded later had. */
  const loads: number[] = [];

  function ask({ text, values }: Statement): Record<string, unknown>[] {
    const named = values.map((value, i) => [
      `p${i + 1}`,
      Array.isArray(value) ? JSON.stringify(value) : value,
    ]);
    return database.prepare(text).all(Object.fromEntries(named)) as Record<string, unknown>[];
  }

  function load(keys: readonly PageRow[]): Promise<readonly PageRow[]> {
    loads.push(keys.length);
    const one = database.prepare('select * from events where ts = ? and insert_id = ?');
    return Promise.resolve(keys.flatMap(({ ts, insert_id }) => toRows(one.all(Number(ts), insert_id))));
  }

  return {
    database,
    loads,
    count: (query: EventQuery) => Number(ask(selectCount(DIALECT, 'events', tenantId, query))[0]!.count),
    query: (query: EventQuery, page: Page) => {
      const rows = ask(selectPage(DIALECT, 'events', tenantId, query, page));
      return storedPageOf(toRows(rows), load);
    },
    breakdown: (query: EventQuery, grouping: Grouping) =>
      breakDownBySql(DIALECT, 'events', { tenantId, query, grouping }, (statement) =>
        Promise.resolve(ask(statement)),
      ),
  };
}

/** Rows as drivers give them whose integers may be larger than numbers. */
function toRows(rows: readonly unknown[]): PageRow[] {
  return (rows as PageRow[]).map((row) => ({ ...row, ts: String(row.ts) }));
}
