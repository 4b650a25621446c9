import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { isJsonObject, parseJsonLine, parsePath, refuseRounded } from '../../../src/internal.ts';
import { INSERT_ID_PATTERN } from '../../../src/transport-kit.ts';
import { DECIMALS, type CellSource, type CellType, type Decimal, type OptionWords } from '../base/options.ts';
import type { TableRows } from '../readers/header.ts';
import type { SourceRecord } from '../readers/records.ts';
import { hashedId } from './apply.ts';
import { toEventOfTable, type ColumnPlan, type TablePlan, type TargetPlan } from './columns.ts';
import { exactNumber } from './exact-number.ts';
import type { Instants } from './instants.ts';

/** The sources of each part that is named, of which the first that holds a value counts. */
type CellSources = ReadonlyMap<string, readonly CellSource[]>;

/** What is said about the columns of a table. */
export interface TableOptions {
  /** The sources of each named field or property path; any other column is a property of its own name. */
  readonly map: CellSources;
  /** The type of each named column; any other is text. */
  readonly types: ReadonlyMap<string, CellType>;
  /** The sign before the fraction of numbers, which may have separators of thousands then. */
  readonly decimal?: Decimal;
  readonly words: OptionWords;
}

/**
 * Lays out the columns of a table. Throws ApiError (400) for a path that is none, and for a column that the
 * header does not have, or has twice.
 */
export function planTable(
  header: readonly string[],
  { map, types, decimal, words }: TableOptions,
  instants: Instants,
): TablePlan {
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined) throw invalid('header', `has two columns "${twice}"`);
  const known = (option: 'map' | 'types', name: string) => {
    if (header.includes(name)) return;
    const text = option === 'map' ? `. A text for every row is ${words.constant}` : '';
    throw invalid(
      words.option(option),
      `the file has no column "${name}"; it has ${header.join(', ')}${text}`,
    );
  };
  for (const name of types.keys()) known('types', name);
  const readers = readersOf(decimal, words);
  const planColumn = (name: string, keys: readonly string[]): ColumnPlan => {
    if (keys[0] === 'eventTs') return { keys, read: (text) => instants.read(text, undefined) };
    if (keys.join('.') === 'properties') return { keys, read: (text) => readProperties(text, name) };
    if (keys[0] !== 'properties') return { keys, read: (text) => text };
    return { keys, read: (text) => readers[types.get(name) ?? 'text'](text, name) };
  };
  const targets = [...map].map(([target, sources]): TargetPlan => {
    const plans = sources.map((source) => {
      const keys = keysOfTarget(target, source, words);
      if (typeof source !== 'string') return { keys, constant: source.constant };
      const names = header.includes(source) ? [source] : source.split('+');
      for (const name of names) known('map', name);
      return { places: names.map((name) => header.indexOf(name)), plan: planColumn(source, keys) };
    });
    return { name: target, from: describeSources(sources), sources: plans };
  });
  return { targets, columns: header.map((name) => planColumn(name, ['properties', name])) };
}

/** The sources of a part of an event, in words. */
export function describeSources(sources: readonly CellSource[]): string {
  const named = sources.map((source) =>
    typeof source === 'string' ? source : JSON.stringify(source.constant),
  );
  return named.join(', else ');
}

/** The properties that a text holds as a JSON object, such as a column of a warehouse. */
export function readProperties(text: string, name: string): JsonObject | ApiError {
  const value = parseJsonLine(text) as JsonValue | ApiError;
  if (isJsonObject(value) && !isApiError(value)) return value;
  return refuseRounded(text) ?? invalid(name, `takes a JSON object as the properties, got ${shown(text)}`);
}

/** Makes events of the rows of a table. */
export async function* toTableEvents(rows: TableRows, plan: TablePlan): AsyncGenerator<SourceRecord> {
  for await (const record of rows) {
    const { number, bytes, value } = record;
    if (value === undefined || isApiError(value)) yield record;
    else {
      const event = toEventOfTable(plan, value.cells);
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

/** The keys under which an event holds what `map` names. Throws ApiError (400) for what no event has. */
export function keysOfTarget(target: string, source: CellSource, words: OptionWords): readonly string[] {
  if (target === 'properties') return [target];
  const map = words.option('map');
  const { root, segments } = parsePath(target, map);
  if (root === 'eventDate') throw invalid(map, 'eventDate follows from eventTs');
  if (root === 'receivedAt') throw invalid(map, 'receivedAt is when an event arrives here');
  if (typeof source !== 'string' && (root === 'eventTs' || root === 'insertId'))
    throw invalid(map, `${root} takes a column`);
  return [root, ...segments];
}

/** A number as tables write it. */
export const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BOOLEANS = new Map([
  ...['true', 't', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', '0'].map((text) => [text, false] as const),
]);

/** How a cell of each type is read. */
export const readersOf = (
  decimal: Decimal | undefined,
  words: OptionWords,
): Readonly<Record<CellType, (text: string, column: string) => JsonValue | ApiError>> => ({
  text: (text) => text,
  number: (cell, column) => {
    const text = decimal === undefined ? cell.trim() : toPlainNumber(cell.trim(), decimal);
    if (!NUMBER.test(text)) {
      const other = DECIMALS.find((each) => each !== decimal && NUMBER.test(toPlainNumber(text, each)));
      const hint = other === undefined ? '' : `; ${words.option('decimal')} ${other} reads it`;
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

/**
 * What stands between thousands: blanks of any width, apostrophes, and the other sign. A number of thousands
 * begins with no zero: `0.125` is one with another decimal sign.
 */
const GROUPED: Readonly<Record<Decimal, RegExp>> = {
  ',': /^[+-]?[1-9]\d{0,2}([. \u00a0\u202f'\u2019]\d{3})+(,\d*)?$/,
  '.': /^[+-]?[1-9]\d{0,2}([, \u00a0\u202f'\u2019]\d{3})+(\.\d*)?$/,
};

/** A number as JSON writes it, of one with separators of thousands and another decimal sign. */
export function toPlainNumber(text: string, decimal: Decimal): string {
  const plain = GROUPED[decimal].test(text)
    ? text.replaceAll(decimal === ',' ? /[. \u00a0\u202f'\u2019]/g : /[, \u00a0\u202f'\u2019]/g, '')
    : text;
  if (decimal === ',' && plain.includes('.')) return '';
  return plain.replace(decimal, '.');
}

const shown = (text: string) => JSON.stringify(text.slice(0, 40));
