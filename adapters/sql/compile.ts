import {
  PATH_LENGTH_MAX,
  type Condition,
  type EventQuery,
  type InstantRange,
  type Operator,
  type Page,
  type Test,
} from '../../src/store-kit.ts';

/** Text of SQL with its parameters: no value and no key of a filter ever stands in the text. */
export interface Statement {
  /** The SQL, in which parameters stand as the dialect names them. */
  readonly text: string;
  /** The parameters, in the order of their positions. */
  readonly values: readonly unknown[];
}

/** The types that parameters have. */
export type ParameterType = 'text' | 'number' | 'texts' | 'numbers' | 'json' | 'jsons';

/** Adds a parameter; returns how the text names it. */
export type Bind = (value: unknown, type: ParameterType) => string;

/**
 * How one test of each operator is written over a place, by the operator's own name, so that an operator that
 * a dialect does not know does not compile. Each expression is true or false, never null, because the
 * complement of a test is written as `not`.
 */
export type TestWriters<Place> = {
  readonly [Name in Operator]: (
    place: Place,
    operand: Extract<Test, { operator: Name }>['operand'],
    bind: Bind,
  ) => string;
};

/** How many bytes the keys of a path have at most: three for a unit of UTF-16. */
export const KEYS_BYTES_MAX = 3 * PATH_LENGTH_MAX;

/** How an engine takes properties apart; what it finds at some keys is the column `value`. */
export interface PropertyTree {
  /**
   * A statement that gives a row for each key of the objects of one level of some events, with the keys above
   * it, by the names of all of them. A key with which they are longer than a path can be is told as an empty
   * one, and nothing is told below empty ones: no filter can name either.
   */
  readonly entries: (events: string, keys: readonly string[]) => string;
  /** The name of the type of JSON that `value` has. */
  readonly typeOf: string;
  /** `value` as JSON. */
  readonly json: string;
  /** The text that `value` is. */
  readonly textOf: string;
  /** Three distinct values, as JSON, of those for which something is true, or all if they are fewer. */
  readonly few: (test: string) => string;
  /** How long a text is in UTF-16. */
  readonly unitsOf: (text: string) => string;
  /** Whether keys are those at one place of lists. */
  readonly isAmong: (keys: readonly string[], lists: readonly string[]) => string;
}

/** What an engine writes in its own way. */
export interface Dialect {
  /** How the text names the parameter at a position, counted from 1. */
  readonly parameter: (position: number, type: ParameterType) => string;
  /** Tests of a column of text that is never null. */
  readonly ofText: TestWriters<string>;
  /** Tests of what the keys find in the properties. */
  readonly ofProperty: TestWriters<readonly string[]>;
  /**
   * What the keys find in the properties, as a text to group by: a letter for its type, and behind it a
   * scalar as text, the same for equal ones; `a` and `o` for any array and object, nothing for what is
   * missing or null.
   */
  readonly keyOf: (segments: readonly string[], bind: Bind) => string;
  /** A whole number as text. */
  readonly integerText: (number: string) => string;
  /** The number that the text of a key names, to order by. */
  readonly numberOf: (text: string) => string;
  /**
   * What stands behind the rows that are grouped and changes none of them, for an engine that would otherwise
   * take each event for a group of its own, and so would not count groups side by side.
   */
  readonly expectFewGroups?: string | undefined;
  /**
   * What else is true of each event that a question sees, given the text of its tenant, for an engine that
   * removes events after it has erased them.
   */
  readonly living?: ((tenant: string) => string) | undefined;
  /** The largest multiple of a step that is not more than a whole number. */
  readonly floor: (number: string, step: number) => string;
  /** The last of ascending numbers that is not more than one that is not less than the first. */
  readonly startAmong: (number: string, starts: string) => string;
}

/** A dialect of an engine that counts properties too. */
export interface TreeDialect extends Dialect {
  /** How it takes the properties of events apart. */
  readonly tree: PropertyTree;
}

/** The columns of events, the same in every engine. */
export const COLUMNS = { eventName: 'event_name', userId: 'user_id', insertId: 'insert_id' } as const;

/** The query that every event matches. */
export const EVERYTHING: EventQuery = {
  from: -Infinity,
  until: Infinity,
  condition: { kind: 'all', of: [] },
};

/** A statement that is being put together. */
export interface Draft {
  /** Adds a parameter to it. */
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
 * The events of a tenant that match a query, as an expression over the columns `tenant`, `ts` (epoch
 * milliseconds), those of `COLUMNS` and the properties. The tenant comes first in each, so that whatever is
 * asked stays within it.
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

/** The order of answers. */
export const NEWEST_FIRST = 'order by ts desc, insert_id desc';

/** What a page adds behind `where`: only what comes behind a position, in order, so many of it. */
export function writePage({ offset, size, after }: Page, { bind }: Draft): string {
  const behind =
    after === undefined
      ? ''
      : ` and (ts, insert_id) < (${bind(after.eventTs, 'number')}, ${bind(after.insertId, 'text')})`;
  const part = `limit ${bind(size, 'number')} offset ${bind(offset, 'number')}`;
  return `${behind} ${NEWEST_FIRST} ${part}`;
}

function writeCondition(dialect: Dialect, condition: Condition, bind: Bind): string {
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

function writeRange({ from, until }: InstantRange, bind: Bind): string {
  const bounds = [
    ...(from > -Infinity ? [`ts >= ${bind(from, 'number')}`] : []),
    ...(until < Infinity ? [`ts < ${bind(until, 'number')}`] : []),
  ];
  return bounds.join(' and ') || 'true';
}

function writeTest({ ofText, ofProperty }: Dialect, test: Test, bind: Bind): string {
  const { root, segments } = test.path;
  if (root === 'properties') return writerOf(ofProperty, test)(segments, test.operand, bind);
  return writerOf(ofText, test)(COLUMNS[root], test.operand, bind);
}

/** The writer of a test's operator, whose operand is of the operator's own kind. */
function writerOf<Place>(writers: TestWriters<Place>, { operator }: Test) {
  return writers[operator] as (place: Place, operand: Test['operand'], bind: Bind) => string;
}
