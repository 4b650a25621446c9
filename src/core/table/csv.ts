import type { Includable, JsonValue, StoredEvent } from '../event/event.ts';
import { isTooDeep } from '../event/json-depth.ts';
import type { FoundValue } from '../filter/operators.ts';
import { toEventView } from '../filter/predicate.ts';
import { toFlatTable } from './flat-table.ts';
import type { Properties } from '../query/properties.ts';

/** Events as CSV (RFC 4180), with one column for each path. */
export interface Csv {
  /** The header line. */
  readonly head: string;
  /** Writes one event, including the line end. */
  readonly lineOf: (event: StoredEvent) => string;
}

/** Text that has to be quoted; an empty text too, to distinguish it from a missing value. */
const QUOTED = /[",\r\n]|^$/;

/**
 * Text that a spreadsheet may interpret as a formula, including blanks and quotes before it. Removing the
 * first apostrophe wherever this pattern follows it restores every original text.
 */
const FORMULA = /^[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** Text that a spreadsheet may interpret as the end of a cell. */
const CONTROL = /^'*[\t\r\n]/;

/** A number, true or false as JSON writes it. As a text it is quoted, to distinguish it from the value. */
const BARE = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false)$/;

/**
 * Creates a CSV writer with the columns of these properties. Quoting a cell is one line of code and must run
 * wherever the core does; CSV libraries bring a parser or Node streams. Throws as `toFlatTable` does.
 */
export function createCsv(properties: Properties, where: string, include: readonly Includable[] = []): Csv {
  const { columns, fields, valuesOf } = toFlatTable(properties, where, include);
  return {
    head: toLine(columns.map(({ path }) => toQuoted(path))),
    lineOf: (event) => toLine(valuesOf(toEventView(event)).map((value, i) => toCell(value, i >= fields))),
  };
}

function toLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/** A field of an event is always a text, so only a property has to tell a text from another value. */
function toCell(value: FoundValue, isProperty: boolean): string {
  if (value === undefined) return '';
  if (isProperty && typeof value === 'string' && BARE.test(value) && !value.startsWith('-'))
    return `"${value}"`;
  return typeof value === 'string' ? toText(value) : toQuoted(JSON.stringify(value));
}

/** A text, prefixed with an apostrophe if a spreadsheet would evaluate it. */
function toText(text: string): string {
  return toQuoted(FORMULA.test(text) || CONTROL.test(text) ? `'${text}` : text);
}

/**
 * The value of a property's cell that `createCsv` wrote: undefined for an empty one. `isQuoted` says whether
 * quotes stood around the text. A text that is itself the JSON of an array or an object is read as that.
 */
export function parseCell(text: string, isQuoted: boolean): JsonValue | undefined {
  if (text === '') return isQuoted ? '' : undefined;
  if (!isQuoted && BARE.test(text)) return JSON.parse(text) as JsonValue;
  if (text.startsWith('{') || text.startsWith('[')) return parseComposite(text) ?? text;
  return withoutGuard(text);
}

/** The text of a cell without the apostrophe that `createCsv` put before a formula. */
export function withoutGuard(text: string): string {
  if (!text.startsWith("'")) return text;
  const rest = text.slice(1);
  return FORMULA.test(rest) || CONTROL.test(rest) ? rest : text;
}

function parseComposite(text: string): JsonValue | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function toQuoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
