import {
  EXAMPLE_LENGTH_MAX,
  isAskable,
  JSON_TYPES,
  PATHS_MAX,
  pathText,
  type EventQuery,
} from '../../src/store-kit.ts';
import { createDraft, writeWhere, type Draft, type Statement, type TreeDialect } from './compile.ts';

/** A result row, by column name. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement. */
export type AskRows = (statement: Statement) => Promise<readonly Row[]>;

/** The memory of a row besides its texts. */
const ROW_BYTES = 512;

/** The memory of rows and of what is made of them, including the driver's buffers. */
export function bytesOf(rows: readonly Row[]): number {
  const lengthOf = (value: unknown) => (Array.isArray(value) ? value.join('') : String(value)).length;
  return rows.reduce(
    (sum, row) =>
      Object.values(row).reduce<number>((all, value) => all + 4 * lengthOf(value), sum + ROW_BYTES),
    0,
  );
}

/** The events to query, and the dialect. */
export interface Source {
  readonly dialect: TreeDialect;
  readonly table: string;
  readonly tenantId: string;
  readonly query: EventQuery;
}

/** How many rows of a level are read: this many mean more paths than are kept, even if each has all types. */
export const ROWS_MAX = (PATHS_MAX + 1) * JSON_TYPES.length;

/** The path of some keys as filters write it. */
export const textOf = (segments: readonly string[]) => pathText({ root: 'properties', segments });

const keyNames = (depth: number) => Array.from({ length: depth }, (_, i) => `k${i + 1}`);

/** The keys of a row, from the outermost on. */
export const keysOf = (row: Row, depth: number) => keyNames(depth).map((name) => row[name] as string);

/** Whether a filter can name the last key; those above it are known to be nameable. */
export function isNamed(keys: readonly string[]): boolean {
  const above = keys.slice(0, -1);
  return isAskable({ path: textOf(above), segments: above }, keys.at(-1)!);
}

/** What the events of each name hold at the keys of one level, by type. */
export function selectLevel(source: Source, depth: number): Statement {
  const { typeOf, holdsObject, json, textOf: text, few, unitsOf } = source.dialect.tree;
  const draft = createDraft(source.dialect);
  const names = ['event_name', ...keyNames(depth)].join(', ');
  // A value that is short as JSON is also short as a text; its units are counted only if that does not
  // decide.
  const isShort = [`octet_length(${json})`, unitsOf(text)]
    .map((length) => `${length} <= ${EXAMPLE_LENGTH_MAX}`)
    .join(' or ');
  const isExample = `type in ('number', 'boolean') or type = 'string' and (${isShort})`;
  return {
    text: `select ${names}, type, count(*) as count, sum(case when value = '{}' then 1 else 0 end) as empty,
      sum(case when holds then 1 else 0 end) as holding, ${few(isExample)} as examples
    from (select ${names}, value, ${typeOf} as type, ${holdsObject(keyNames(depth))} as holds
      from (${rowsAt(source, depth, draft)}) entries) typed
    group by ${names}, type limit ${draft.bind(ROWS_MAX, 'number')}`,
    values: draft.values,
  };
}

/** How many objects have at least one of the keys that no filter can name. */
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
