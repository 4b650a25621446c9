import {
  EXAMPLE_LENGTH_MAX,
  isAskable,
  JSON_TYPES,
  PATHS_MAX,
  pathText,
  type EventQuery,
} from '../../src/store-kit.ts';
import { createDraft, writeWhere, type Draft, type Statement, type TreeDialect } from './compile.ts';

/** A row that an engine answers, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Asks the engine one statement. */
export type AskRows = (statement: Statement) => Promise<readonly Row[]>;

/** Which events are asked about, and in whose words. */
export interface Source {
  readonly dialect: TreeDialect;
  readonly table: string;
  readonly tenantId: string;
  readonly query: EventQuery;
}

/** How many rows of a level are taken: that many paths, each with all types, are too many. */
export const ROWS_MAX = (PATHS_MAX + 1) * JSON_TYPES.length;

/** The path of some keys, as filters name it. */
export const textOf = (segments: readonly string[]) => pathText({ root: 'properties', segments });

const keyNames = (depth: number) => Array.from({ length: depth }, (_, i) => `k${i + 1}`);

/** The keys that a row of a level is about, from the outermost on. */
export const keysOf = (row: Row, depth: number) => keyNames(depth).map((name) => row[name] as string);

/** Whether a filter can name the last of some keys; those above it are such. */
export function isNamed(keys: readonly string[]): boolean {
  const above = keys.slice(0, -1);
  return isAskable({ path: textOf(above), segments: above }, keys.at(-1)!);
}

/** What the events of each name hold at the keys of one level, by type. */
export function selectLevel(source: Source, depth: number): Statement {
  const { typeOf, json, textOf: text, few, unitsOf } = source.dialect.tree;
  const draft = createDraft(source.dialect);
  const names = ['event_name', ...keyNames(depth)].join(', ');
  // What is no longer as JSON is no longer as a text; letters are counted only where that does not tell.
  const isShort = [`octet_length(${json})`, unitsOf(text)]
    .map((length) => `${length} <= ${EXAMPLE_LENGTH_MAX}`)
    .join(' or ');
  const isExample = `type in ('number', 'boolean') or type = 'string' and (${isShort})`;
  return {
    text: `select ${names}, type, count(*) as count, sum(case when value = '{}' then 1 else 0 end) as empty,
      ${few(isExample)} as examples
    from (select ${names}, value, ${typeOf} as type from (${rowsAt(source, depth, draft)}) entries) typed
    group by ${names}, type limit ${draft.bind(ROWS_MAX, 'number')}`,
    values: draft.values,
  };
}

/** How many objects have at least one of some keys that no filter can name. */
export function selectOdd(source: Source, depth: number, odd: readonly Row[]): Statement {
  const draft = createDraft(source.dialect);
  const keys = keyNames(depth);
  const above = ['event_name', ...keys.slice(0, -1)].join(', ');
  const rows = rowsAt(source, depth, draft);
  const lists = keys.map((key) =>
    draft.bind(
      odd.map((row) => row[key]),
      'texts',
    ),
  );
  return {
    text: `select ${above}, count(distinct (ts, insert_id)) as count from (${rows}) entries
    where ${source.dialect.tree.isAmong(keys, lists)} group by ${above}`,
    values: draft.values,
  };
}

/** A row for each key of the objects of a level, with the keys above it. */
function rowsAt({ dialect, table, tenantId, query }: Source, depth: number, draft: Draft): string {
  return dialect.tree.entries(
    `${table} where ${writeWhere(dialect, tenantId, query, draft)}`,
    keyNames(depth),
  );
}
