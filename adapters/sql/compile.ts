import {
  PATH_LENGTH_MAX,
  type Condition,
  type EventQuery,
  type InstantRange,
  type Operator,
  type Page,
  type Test,
} from '../../src/store-kit.ts';

/** SQL text with its parameters. The text never contains a value or key of a filter. */
export interface Statement {
  /** The SQL, with parameters named as the dialect requires. */
  readonly text: string;
  /** The parameters, in the order of their positions. */
  readonly values: readonly unknown[];
}

/** The types of parameters. */
export type ParameterType = 'text' | 'number' | 'texts' | 'numbers' | 'json' | 'jsons';

/** Adds a parameter; returns its name in the text. */
export type Bind = (value: unknown, type: ParameterType) => string;

/**
 * How a test of each operator is written for a place, by operator name: a dialect that lacks an operator does
 * not compile. Each expression is true or false, never null, because complements are written with `not`.
 */
export type TestWriters<Place> = {
  readonly [Name in Operator]: (
    place: Place,
    operand: Extract<Test, { operator: Name }>['operand'],
    bind: Bind,
  ) => string;
};

/** The maximum length in bytes of the keys of a path: three bytes for each UTF-16 unit. */
export const KEYS_BYTES_MAX = 3 * PATH_LENGTH_MAX;

/** How an engine expands properties; the column `value` holds what it finds at some keys. */
export interface PropertyTree {
  /**
   * A statement that returns a row for each key of the objects at one level of some events, with the keys
   * above it in columns of the given names. A key that makes the path longer than allowed is returned as an
   * empty one, and nothing below empty keys is returned: no filter can name either.
   */
  readonly entries: (events: string, keys: readonly string[]) => string;
  /** The JSON type of `value`. */
  readonly typeOf: string;
  /** Whether `value` is an array that holds an object, by the keys under which it lies. */
  readonly holdsObject: (keys: readonly string[]) => string;
  /** `value` as JSON. */
  readonly json: string;
  /** The text of a string `value`. */
  readonly textOf: string;
  /** Three distinct values, as JSON, of those that pass a test, or all if there are fewer. */
  readonly few: (test: string) => string;
  /** The length of a text in UTF-16 units. */
  readonly unitsOf: (text: string) => string;
  /** Whether the keys occur together at one index of the lists. */
  readonly isAmong: (keys: readonly string[], lists: readonly string[]) => string;
}

/** The engine-specific parts of SQL. */
export interface Dialect {
  /** The name of the parameter at a position, counted from 1. */
  readonly parameter: (position: number, type: ParameterType) => string;
  /** Tests of a column of text that is never null. */
  readonly ofText: TestWriters<string>;
  /** Tests of a column of whole numbers that may be null. */
  readonly ofInteger: TestWriters<string>;
  /** Tests of what the keys find in the properties. */
  readonly ofProperty: TestWriters<readonly string[]>;
  /**
   * The value at the keys of the properties as a text to group by: a letter for its type followed by the
   * scalar as text, the same for equal scalars. Any array is `a` and any object `o`; a missing value or null
   * is the empty text.
   */
  readonly keyOf: (segments: readonly string[], bind: Bind) => string;
  /** A whole number as text. */
  readonly integerText: (number: string) => string;
  /** The number in the text of a key, for sorting. */
  readonly numberOf: (text: string) => string;
  /**
   * A suffix of the rows to be grouped that changes none of them, for an engine that would otherwise expect
   * as many groups as events and not count groups in parallel.
   */
  readonly expectFewGroups?: string | undefined;
  /**
   * A further condition on each event that a query sees, given the tenant's parameter, for an engine that
   * physically removes events some time after their erasure.
   */
  readonly living?: ((tenant: string) => string) | undefined;
  /** The largest multiple of a step that does not exceed a whole number. */
  readonly floor: (number: string, step: number) => string;
  /** The last of the ascending `starts` that does not exceed the number, which is not less than the first. */
  readonly startAmong: (number: string, starts: string) => string;
}

/** How an engine measures numbers. */
export interface NumberDialect {
  /** The number at the keys of the properties, with all its digits; null for any other value. */
  readonly numberAt: (segments: readonly string[], bind: Bind) => string;
  /** Whether another value than a number or null is at the keys. */
  readonly isOther: (segments: readonly string[], bind: Bind) => string;
  /** The texts of decimals whose exact sum is that of a column of numbers, some of which may be null. */
  readonly decimalsOf: (numbers: string) => string;
  /**
   * For each fraction, the number of a column that so large a part of its numbers does not exceed, in a list
   * of texts or numbers.
   */
  readonly atFractions: (numbers: string, fractions: readonly number[]) => string;
  /** The same for one fraction, as a number; null without numbers. */
  readonly atFraction: (numbers: string, fraction: number) => string;
  /**
   * A number that is not less than the exact sum of a column as a double, 0 without numbers. It may be null
   * where no double is as large.
   */
  readonly sumOf: (numbers: string) => string;
  /** The same for the average; null without numbers. */
  readonly averageOf: (numbers: string) => string;
}

/** The dialect of an engine that can also count properties, measure numbers and tell streams. */
export interface TreeDialect extends Dialect {
  /** How it measures numbers. */
  readonly numbers: NumberDialect;
  /** How it expands the properties of events. */
  readonly tree: PropertyTree;
  /** The list of what grouped rows that pass a test have in a column, by `ts`, then by `insert_id`. */
  readonly inOrder: (column: string, test: string) => string;
}

/** The columns of text of events, the same in every engine. */
export const COLUMNS = { eventName: 'event_name', userId: 'user_id', insertId: 'insert_id' } as const;
/** The column of the instant at which an event arrived, epoch milliseconds or null. */
export const RECEIVED_AT = 'received_at';

/** The query that every event matches. */
export const EVERYTHING: EventQuery = {
  from: -Infinity,
  until: Infinity,
  condition: { kind: 'all', of: [] },
};

/** A statement under construction. */
export interface Draft {
  /** Adds a parameter. */
  readonly bind: Bind;
  /** The parameters so far, in the order of their positions. */
  readonly values: unknown[];
}

/** An empty statement in a dialect. */
export function createDraft({ parameter }: Dialect): Draft {
  const values: unknown[] = [];
  return { values, bind: (value, type) => parameter(values.push(value), type) };
}

/**
 * The matching events of a tenant, as an expression over the columns `tenant`, `ts` (epoch milliseconds),
 * those of `COLUMNS`, `RECEIVED_AT` and the properties. Every expression starts with the tenant, so that no
 * query sees another tenant's events.
 */
export function writeWhere(dialect: Dialect, tenantId: string, query: EventQuery, { bind }: Draft): string {
  const { from, until, condition } = query;
  const tenant = bind(tenantId, 'text');
  const parts = [`tenant = ${tenant}`];
  if (dialect.living !== undefined) parts.push(dialect.living(tenant));
  if (from > -Infinity || until < Infinity) parts.push(writeRange({ from, until }, bind));
  if (condition.kind !== 'all' || condition.of.length > 0) {
    parts.push(writeCondition(dialect, condition, bind));
  }
  return parts.join(' and ');
}

/** The order of pages, by columns. */
export const PAGE_ORDER = 'ts desc, insert_id desc';
/** The order of answers. */
export const NEWEST_FIRST = `order by ${PAGE_ORDER}`;

/** The clauses of a page after `where`: only events after a position, in order, limited to its size. */
export function writePage({ offset, size, after }: Page, { bind }: Draft): string {
  const behind =
    after === undefined
      ? ''
      : ` and (ts, insert_id) < (${bind(after.eventTs, 'number')}, ${bind(after.insertId, 'text')})`;
  const part = `limit ${bind(size, 'number')} offset ${bind(offset, 'number')}`;
  return `${behind} ${NEWEST_FIRST} ${part}`;
}

/** Writes a condition as an expression that is true or false, never null. */
export function writeCondition(dialect: Dialect, condition: Condition, bind: Bind): string {
  switch (condition.kind) {
    case 'all':
      return writeJoined(dialect, condition.of, ' and ', 'true', bind);
    case 'any':
      return writeJoined(dialect, condition.of, ' or ', 'false', bind);
    case 'not':
      return `not ${writeCondition(dialect, condition.of, bind)}`;
    case 'during':
      return `(${condition.ranges.map((range) => `(${writeRange(range, bind)})`).join(' or ') || 'false'})`;
    case 'test':
      return `(${writeTest(dialect, condition, bind)})`;
  }
}

function writeJoined(
  dialect: Dialect,
  parts: readonly Condition[],
  by: string,
  empty: string,
  bind: Bind,
): string {
  return parts.length === 0
    ? empty
    : `(${parts.map((part) => writeCondition(dialect, part, bind)).join(by)})`;
}

/** Writes that an event happened in a range of time. */
export function writeRange({ from, until }: InstantRange, bind: Bind): string {
  const bounds = [
    ...(from > -Infinity ? [`ts >= ${bind(from, 'number')}`] : []),
    ...(until < Infinity ? [`ts < ${bind(until, 'number')}`] : []),
  ];
  return bounds.join(' and ') || 'true';
}

function writeTest({ ofText, ofInteger, ofProperty }: Dialect, test: Test, bind: Bind): string {
  const { root, segments } = test.path;
  if (root === 'properties') return writerOf(ofProperty, test)(segments, test.operand, bind);
  if (root === 'receivedAt') return writerOf(ofInteger, test)(RECEIVED_AT, test.operand, bind);
  return writerOf(ofText, test)(COLUMNS[root], test.operand, bind);
}

/** The writer of a test's operator; the operand is of the operator's own kind. */
function writerOf<Place>(writers: TestWriters<Place>, { operator }: Test) {
  return writers[operator] as (place: Place, operand: Test['operand'], bind: Bind) => string;
}
