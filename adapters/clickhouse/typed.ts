import { createHash } from 'node:crypto';
import { parseBreakdownBody, type FilterPath } from '../../src/store-kit.ts';
import type { Statement } from '../sql/index.ts';

/** The functions with which queries read a value, and the part of a typed column that holds each result. */
const PARTS = {
  JSONType: 'type',
  JSONExtractString: 'text',
  JSONExtractFloat: 'number',
  JSONExtractBool: 'truth',
} as const;

const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

/** The text between the name of such a function and its keys. */
const BEFORE_KEYS = '(properties, ';

/** A key as a parameter. */
const KEY = /^\{p(\d{1,6}):String\}$/;

/** The keys of a path below `properties`. Throws an Error for any other path. */
function segmentsOf(path: string): readonly string[] {
  // Any other path, and a unit of time, cannot have a typed column.
  if (!path.startsWith('properties.')) throw new Error(`typed: "${path}" is no path below properties`);
  return (parseBreakdownBody({ by: path }).grouping.by as FilterPath).segments;
}

/** The column of some keys, encoded because column names cannot hold every key. */
function columnOf(segments: readonly string[]): string {
  return `typed_${createHash('sha256').update(JSON.stringify(segments)).digest('hex').slice(0, 16)}`;
}

/** The column of the keys that a query passes as parameters; undefined if it passes them otherwise. */
function columnAt(keys: string, values: Statement['values']): string | undefined {
  const positions = keys.split(', ').map((key) => Number(KEY.exec(key)?.[1]));
  return positions.every(Number.isInteger)
    ? columnOf(positions.map((position) => values[position - 1] as string))
    : undefined;
}

/** Columns for selected paths, which hold what queries would extract from the properties. */
export interface TypedColumns {
  /** The statements that add missing columns to a table; earlier rows are read as if they had them. */
  readonly statements: (table: string) => readonly Statement[];
  /** The same statement, reading the columns instead of the properties where possible. */
  readonly inPlace: (statement: Statement) => Statement;
}

/**
 * Typed columns of some paths. A column holds the result of exactly the expressions that a query contains,
 * computed when an event is stored, so that a query that reads it returns the same answer.
 */
export function createTypedColumns(paths: readonly string[]): TypedColumns {
  const all = paths.map(segmentsOf);
  const columns = new Set(all.map(columnOf));
  return {
    statements: (table) =>
      all.map((segments) => {
        const place = ['properties', ...segments.map((_, i) => `{p${i + 1}:String}`)].join(', ');
        const read = NAMES.map((name) => `${name}(${place})`);
        const text = `alter table ${table} add column if not exists ${columnOf(segments)}
          Tuple(type LowCardinality(String), text String, number Float64, truth Bool)
          materialized tuple(toString(${read[0]!}), ${read.slice(1).join(', ')})`;
        return { text, values: segments };
      }),
    inPlace({ text, values }) {
      const [first, ...others] = text.split(BEFORE_KEYS);
      let written = first!;
      for (const other of others) {
        const name = NAMES.find((each) => written.endsWith(each));
        const end = other.indexOf(')');
        const column = columnAt(other.slice(0, end), values);
        written =
          name !== undefined && column !== undefined && columns.has(column)
            ? `${written.slice(0, -name.length)}${column}.${PARTS[name]}${other.slice(end + 1)}`
            : written + BEFORE_KEYS + other;
      }
      return { values, text: written };
    },
  };
}
