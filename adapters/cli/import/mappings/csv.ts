import { invalid, isApiError, type ApiError, type JsonValue } from '../../../../src/index.ts';
import { INSERT_ID_PATTERN, parseJsonLine, parsePath, refuseRounded } from '../../../../src/internal.ts';
import type { TableRows } from '../readers/header.ts';
import type { SourceRecord } from '../readers/records.ts';
import { hashedId } from './apply.ts';
import { toEventOfRow, type ColumnPlan, type Constant } from './columns.ts';
import { exactNumber } from './exact-number.ts';
import type { Instants } from './instants.ts';

/** What the cells of a column are. Nothing in a CSV file tells the text `5` from the number. */
export const CELL_TYPES = ['text', 'number', 'boolean', 'json'] as const;
/** One of `CELL_TYPES`. */
export type CellType = (typeof CELL_TYPES)[number];

/** Where a part of an event comes from: a column, or the same text for every row. */
export type CellSource = { readonly column: string } | { readonly constant: string };

/** What a user says about the columns of a table. */
export interface TableOptions {
  /** The source of each named field or property path; any other column is a property of its own name. */
  readonly map: ReadonlyMap<string, CellSource>;
  /** The type of each named column; any other is text. */
  readonly types: ReadonlyMap<string, CellType>;
}

/** How each column of a table is read, and what every event of it holds. */
export interface TablePlan {
  readonly columns: readonly ColumnPlan[];
  readonly constants: readonly Constant[];
}

/**
 * Lays out the columns of a table. Throws ApiError (400) for a path that is none, and for a column that the
 * header does not have, or has twice.
 */
export function planTable(
  header: readonly string[],
  { map, types }: TableOptions,
  instants: Instants,
): TablePlan {
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined) throw invalid('header', `has two columns "${twice}"`);
  const known = (flag: string, name: string) => {
    if (!header.includes(name))
      throw invalid(flag, `the file has no column "${name}"; it has ${header.join(', ')}`);
  };
  const targets = new Map<string, readonly string[]>();
  const constants: Constant[] = [];
  for (const [target, source] of map) {
    const { root, segments } = parsePath(target, '--map');
    const keys = [root, ...segments];
    if (root === 'eventDate') throw invalid('--map', 'eventDate follows from eventTs');
    if (root === 'receivedAt') throw invalid('--map', 'receivedAt is when an event arrives here');
    if ('constant' in source) {
      if (root === 'eventTs' || root === 'insertId') throw invalid('--map', `${root} takes a column`);
      constants.push({ keys, value: source.constant });
      continue;
    }
    known('--map', source.column);
    targets.set(source.column, keys);
  }
  for (const name of types.keys()) known('--types', name);
  const columns = header.map((name): ColumnPlan => {
    const keys = targets.get(name) ?? ['properties', name];
    if (keys[0] === 'eventTs')
      return { keys, read: (text) => (text === '' ? undefined : instants.read(text, undefined)) };
    if (keys[0] !== 'properties') return { keys, read: (text) => (text === '' ? undefined : text) };
    return {
      keys,
      read: (text) => (text === '' ? undefined : READERS[types.get(name) ?? 'text'](text, name)),
    };
  });
  return { columns, constants };
}

/** Makes events of the rows of a table. */
export async function* toTableEvents(
  rows: TableRows,
  { columns, constants }: TablePlan,
): AsyncGenerator<SourceRecord> {
  for await (const record of rows) {
    const { number, bytes, value } = record;
    if (value === undefined || isApiError(value)) yield record;
    else {
      const event = toEventOfRow(columns, value, constants);
      if (!isApiError(event) && typeof event.insertId === 'string' && !INSERT_ID_PATTERN.test(event.insertId))
        event.insertId = hashedId(event.insertId);
      // A row is known by its text: the same one counts as a repeat, whatever is said of its types.
      yield {
        number,
        bytes,
        value: event,
        identity: { prefix: 'csv', content: JSON.stringify(value.cells) },
      };
    }
  }
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BOOLEANS = new Map([
  ...['true', 't', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', '0'].map((text) => [text, false] as const),
]);

/** How a cell of each type is read. */
const READERS: Readonly<Record<CellType, (text: string, column: string) => JsonValue | ApiError>> = {
  text: (text) => text,
  number: (text, column) => {
    if (!NUMBER.test(text.trim())) return invalid(column, `takes a number, got ${shown(text)}`);
    const rounded = `takes no integer that would be rounded, as text it stays exact; got ${shown(text)}`;
    return exactNumber(text) ?? invalid(column, rounded);
  },
  boolean: (text, column) =>
    BOOLEANS.get(text.trim().toLowerCase()) ?? invalid(column, `takes true or false, got ${shown(text)}`),
  json: (text, column) => {
    const value = parseJsonLine(text) as JsonValue | ApiError;
    if (!isApiError(value)) return value;
    return refuseRounded(text) ?? invalid(column, `takes JSON, got ${shown(text)}`);
  },
};

const shown = (text: string) => JSON.stringify(text.slice(0, 40));

/** Names of columns that often hold a field, as they are without case and punctuation; likeliest first. */
const USUAL = {
  eventName: ['eventname', 'event', 'eventtype', 'action', 'activity', 'type', 'name'],
  userId: [
    'userid',
    'distinctid',
    'uid',
    'customerid',
    'accountid',
    'anonymousid',
    'user',
    'customer',
    'email',
  ],
  eventTs: ['eventts', 'timestamp', 'eventtime', 'occurredat', 'createdat', 'time', 'datetime', 'ts', 'date'],
  insertId: ['insertid', 'eventid', 'messageid', 'uuid', 'id'],
} as const;

/** Proposes flags for a table by the names of its columns and its first rows. */
export function proposeFlags(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const plain = header.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  const taken = new Set<string>();
  const pairs = Object.entries(USUAL).flatMap(([field, names]) => {
    const at = names.map((name) => plain.indexOf(name)).find((i) => i !== -1 && !taken.has(header[i]!));
    if (at !== undefined) taken.add(header[at]!);
    if (at === undefined && field === 'insertId') return [];
    return [`${field}=${at === undefined ? '?' : header[at]!}`];
  });
  const types = header.flatMap((name, i) => {
    const cells = rows.map((row) => row[i] ?? '').filter((cell) => cell !== '');
    if (taken.has(name) || cells.length === 0) return [];
    if (cells.every((cell) => NUMBER.test(cell) && exactNumber(cell) !== undefined))
      return [`${name}=number`];
    return cells.every((cell) => /^(true|false)$/i.test(cell)) ? [`${name}=boolean`] : [];
  });
  const quoted = (text: string) => (/^[\w=,.?-]+$/.test(text) ? text : `'${text}'`);
  return [
    `--map ${quoted(pairs.join(','))}`,
    ...(types.length > 0 ? [`--types ${quoted(types.join(','))}`] : []),
  ].join(' ');
}
