import { invalid, isApiError, type ApiError, type JsonValue } from '../../../../src/index.ts';
import { INSERT_ID_PATTERN, parseJsonLine, parsePath, refuseRounded } from '../../../../src/internal.ts';
import type { TableRows } from '../readers/header.ts';
import type { SourceRecord } from '../readers/records.ts';
import { hashedId } from './apply.ts';
import { toEventOfRow, type ColumnPlan, type Constant } from './columns.ts';
import { exactNumber } from './exact-number.ts';
import { findDateFormat } from './date-format.ts';
import { isDay, type Instants } from './instants.ts';

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
  /** The sign before the fraction of numbers, which may have separators of thousands then. */
  readonly decimal?: Decimal;
}

/** What `--decimal` takes. */
export const DECIMALS = [',', '.'] as const;
/** One of `DECIMALS`. */
export type Decimal = (typeof DECIMALS)[number];

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
  { map, types, decimal }: TableOptions,
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
    const keys = keysOfTarget(target, source);
    if ('constant' in source) {
      constants.push({ keys, value: source.constant });
      continue;
    }
    known('--map', source.column);
    targets.set(source.column, keys);
  }
  for (const name of types.keys()) known('--types', name);
  const readers = readersOf(decimal);
  const columns = header.map((name): ColumnPlan => {
    const keys = targets.get(name) ?? ['properties', name];
    if (keys[0] === 'eventTs')
      return { keys, read: (text) => (text === '' ? undefined : instants.read(text, undefined)) };
    if (keys[0] !== 'properties') return { keys, read: (text) => (text === '' ? undefined : text) };
    return {
      keys,
      read: (text) => (text === '' ? undefined : readers[types.get(name) ?? 'text'](text, name)),
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

/** The keys under which an event holds what `--map` names. Throws ApiError (400) for what no event has. */
export function keysOfTarget(target: string, source: CellSource): readonly string[] {
  const { root, segments } = parsePath(target, '--map');
  if (root === 'eventDate') throw invalid('--map', 'eventDate follows from eventTs');
  if (root === 'receivedAt') throw invalid('--map', 'receivedAt is when an event arrives here');
  if ('constant' in source && (root === 'eventTs' || root === 'insertId'))
    throw invalid('--map', `${root} takes a column`);
  return [root, ...segments];
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BOOLEANS = new Map([
  ...['true', 't', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', '0'].map((text) => [text, false] as const),
]);

/** How a cell of each type is read. */
export const readersOf = (
  decimal?: Decimal,
): Readonly<Record<CellType, (text: string, column: string) => JsonValue | ApiError>> => ({
  text: (text) => text,
  number: (cell, column) => {
    const text = decimal === undefined ? cell.trim() : toPlainNumber(cell.trim(), decimal);
    if (!NUMBER.test(text)) {
      const other = DECIMALS.find((each) => each !== decimal && NUMBER.test(toPlainNumber(text, each)));
      const hint = other === undefined ? '' : `; --decimal ${other} reads it`;
      return invalid(column, `takes a number, got ${shown(cell)}${hint}`);
    }
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
});

/** What stands between thousands: blanks of any width, apostrophes, and the other sign. */
const GROUPED: Readonly<Record<Decimal, RegExp>> = {
  ',': /^[+-]?\d{1,3}([. \u00a0\u202f'\u2019]\d{3})+(,\d*)?$/,
  '.': /^[+-]?\d{1,3}([, \u00a0\u202f'\u2019]\d{3})+(\.\d*)?$/,
};

/** A number as JSON writes it, of one with separators of thousands and another decimal sign. */
function toPlainNumber(text: string, decimal: Decimal): string {
  const plain = GROUPED[decimal].test(text)
    ? text.replaceAll(decimal === ',' ? /[. \u00a0\u202f'\u2019]/g : /[, \u00a0\u202f'\u2019]/g, '')
    : text;
  if (decimal === ',' && plain.includes('.')) return '';
  return plain.replace(decimal, '.');
}

const shown = (text: string) => JSON.stringify(text.slice(0, 40));

/** Names of columns that often hold a field, as they are without case and punctuation; likeliest first. */
const USUAL = {
  eventName: ['eventname', 'event', 'eventtype', 'action', 'aktion', 'ereignis', 'activity', 'type', 'name'],
  userId: [
    'userid',
    'distinctid',
    'uid',
    'customerid',
    'accountid',
    'anonymousid',
    'user',
    'customer',
    'kunde',
    'benutzer',
    'utilisateur',
    'email',
  ],
  eventTs: [
    'eventts',
    'timestamp',
    'eventtime',
    'occurredat',
    'createdat',
    'time',
    'datetime',
    'ts',
    'date',
    'collectortstamp',
    'derivedtstamp',
    'datum',
  ],
  insertId: ['insertid', 'eventid', 'messageid', 'uuid', 'id'],
} as const;

/** What is said already, or was found, of a table for which flags are proposed. */
export interface Found {
  readonly encoding?: string;
  readonly timeZone?: string;
}

/**
 * Proposes flags for a table by the names of its columns and its first rows, so that an import with them
 * takes every row that can be taken. A `?` stands for what the file does not say.
 */
export function proposeFlags(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { encoding, timeZone }: Found = {},
): { readonly flags: string; readonly notes: readonly string[] } {
  const plain = header.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  const taken = new Set<string>();
  const columns = new Map<string, string>();
  for (const [field, names] of Object.entries(USUAL)) {
    const at = names.map((name) => plain.indexOf(name)).find((i) => i !== -1 && !taken.has(header[i]!));
    if (at !== undefined) taken.add(header[at]!);
    if (at !== undefined || field !== 'insertId') columns.set(field, at === undefined ? '?' : header[at]!);
  }
  const cellsOf = (name: string) =>
    rows.map((row) => row[header.indexOf(name)] ?? '').filter((cell) => cell !== '');
  // A column of another name that holds nothing but times is taken for theirs.
  const timed =
    columns.get('eventTs') === '?' && header.find((name) => !taken.has(name) && areTimes(cellsOf(name)));
  if (typeof timed === 'string') {
    taken.add(timed);
    columns.set('eventTs', timed);
  }
  const numbers = proposeNumbers(
    header.filter((name) => !taken.has(name)),
    cellsOf,
  );
  const times = proposeTimes(cellsOf(columns.get('eventTs') ?? ''), timeZone);
  const quoted = (text: string) => (/^[\w=,.?-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const flags = [
    ['--map', [...columns].map((pair) => pair.join('=')).join(',')],
    ['--types', numbers.types.join(',')],
    ['--decimal', numbers.decimal ?? ''],
    ['--date-format', times.format],
    ['--time-zone', times.zone],
    ['--encoding', encoding ?? ''],
  ];
  const said = flags.filter(([, value]) => value !== '').map(([flag, value]) => `${flag} ${quoted(value!)}`);
  return { flags: said.join(' '), notes: times.notes };
}

const areTimes = (cells: readonly string[]) =>
  cells.length > 0 &&
  (cells.every((cell) => isDay(cell.slice(0, 10))) || findDateFormat(cells, isDay) !== undefined);

/** Which columns hold numbers and booleans, and how their numbers are written. */
function proposeNumbers(
  names: readonly string[],
  cellsOf: (name: string) => readonly string[],
): { readonly types: readonly string[]; readonly decimal?: Decimal } {
  const isNumeric = (cells: readonly string[], decimal?: Decimal) =>
    cells.every((cell) => {
      const text = decimal === undefined ? cell : toPlainNumber(cell.trim(), decimal);
      return NUMBER.test(text) && exactNumber(text) !== undefined;
    });
  const filled = names.map((name) => [name, cellsOf(name)] as const).filter(([, cells]) => cells.length > 0);
  const odd = filled.filter(([, cells]) => !isNumeric(cells));
  // A sign is that of decimals only where no column speaks against it.
  const decimal = DECIMALS.find(
    (each) =>
      odd.some(([, cells]) => isNumeric(cells, each)) &&
      filled.every(([, cells]) => !isNumeric(cells) || isNumeric(cells, each)),
  );
  const types = filled.flatMap(([name, cells]) => {
    if (isNumeric(cells, decimal)) return [`${name}=number`];
    return cells.every((cell) => /^(true|false)$/i.test(cell)) ? [`${name}=boolean`] : [];
  });
  return { types, ...(decimal !== undefined && { decimal }) };
}

/** How times are written, and whether they need a zone. */
function proposeTimes(
  cells: readonly string[],
  timeZone?: string,
): { readonly format: string; readonly zone: string; readonly notes: readonly string[] } {
  const odd = cells.filter((cell) => !/^\s*(\d{4}-\d{2}-\d{2}|\d+(\.\d+)?\s*$)/.test(cell));
  const found = odd.length === 0 ? undefined : findDateFormat(odd, isDay);
  const notes: string[] = [];
  if (found !== undefined && 'either' in found)
    notes.push(`times such as ${odd[0]!} are ambiguous: say --date-format '${found.either.join("' or '")}'`);
  const isWithoutZone = (cell: string) =>
    /\d{4}-\d{2}-\d{2}/.test(cell) && !/(Z|UTC|[+-]\d{2}:?\d{2}|\d[+-]\d{2})\s*$/i.test(cell.slice(10));
  const needsZone = timeZone === undefined && (odd.length > 0 || cells.some(isWithoutZone));
  if (needsZone)
    notes.push('the times name no zone: say --time-zone with the one in which they were written');
  const format = found === undefined ? '' : 'format' in found ? found.format : '?';
  return { format, zone: timeZone ?? (needsZone ? 'UTC' : ''), notes };
}
