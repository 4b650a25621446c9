import { createHash } from 'node:crypto';
import { parseBreakdownBody, type FilterPath } from '../../src/store-kit.ts';
import type { Statement } from '../sql/index.ts';

/** What questions read of a value, each with its place in a typed column. */
const PARTS = {
  JSONType: 'type',
  JSONExtractString: 'text',
  JSONExtractFloat: 'number',
  JSONExtractBool: 'truth',
} as const;

const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

/** What stands between the name of such a function and the keys that it is given. */
const BEFORE_KEYS = '(properties, ';

/** A key as a parameter. */
const KEY = /^\{p(\d{1,6}):String\}$/;

/** The keys of a path below the properties. Throws an Error for anything else. */
function segmentsOf(path: string): readonly string[] {
  // Any other path, and a unit of time, is no place of a typed column.
  if (!path.startsWith('properties.')) throw new Error(`typed: "${path}" is no path below properties`);
  return (parseBreakdownBody({ by: path }).grouping.by as FilterPath).segments;
}

/** The column of some keys: names of columns cannot hold every key. */
function columnOf(segments: readonly string[]): string {
  return `typed_${createHash('sha256').update(JSON.stringify(segments)).digest('hex').slice(0, 16)}`;
}

/** The column of the keys that a question names by parameters; undefined where it names them otherwise. */
function columnAt(keys: string, values: Statement['values']): string | undefined {
  const positions = keys.split(', ').map((key) => Number(KEY.exec(key)?.[1]));
  return positions.every(Number.isInteger)
    ? columnOf(positions.map((position) => values[position - 1] as string))
    : undefined;
}

/** Columns beside the properties of events, which hold what questions would read there. */
export interface TypedColumns {
  /** What adds the columns that a table lacks; rows from before are read as if they had them. */
  readonly statements: (table: string) => readonly Statement[];
  /** The same question, which reads columns in the place of properties where it may. */
  readonly inPlace: (statement: Statement) => Statement;
}

/**
 * Typed columns of some paths. A column holds the very expressions that a question has in its text, computed
 * when an event is stored, so that a question that reads it answers the same.
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
