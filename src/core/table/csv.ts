import type { StoredEvent } from '../event/event.ts';
import type { FoundValue } from '../filter/operators.ts';
import { toEventView } from '../filter/predicate.ts';
import { toFlatTable } from './flat-table.ts';
import type { Properties } from '../query/properties.ts';

/** Events as CSV (RFC 4180), one column a path. */
export interface Csv {
  /** The names of the columns. */
  readonly head: string;
  /** One event, its line end included. */
  readonly lineOf: (event: StoredEvent) => string;
}

/** What has to stand in quotes; an empty text does too, so that it is not taken for nothing. */
const QUOTED = /[",\r\n]|^$/;

/**
 * What a spreadsheet may take for a formula, blanks and quotes before it included: whoever takes the first
 * apostrophe off again where it is followed by this has every text back.
 */
const FORMULA = /^[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** And what it may take for the end of a cell. */
const CONTROL = /^'*[\t\r\n]/;

/**
 * Makes the writer of a CSV with the columns of these properties. To quote a cell is a line of code, and it
 * must run wherever the core does; libraries of CSV bring a parser or Node's streams. Throws as
 * `toFlatTable` does.
 */
export function createCsv(properties: Properties, where: string): Csv {
  const { columns, valuesOf } = toFlatTable(properties, where);
  return {
    head: toLine(columns.map(({ path }) => toQuoted(path))),
    lineOf: (event) => toLine(valuesOf(toEventView(event)).map(toCell)),
  };
}

function toLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

function toCell(value: FoundValue): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? toText(value) : toQuoted(JSON.stringify(value));
}

/** A text, with an apostrophe before it where a spreadsheet would calculate it. */
function toText(text: string): string {
  return toQuoted(FORMULA.test(text) || CONTROL.test(text) ? `'${text}` : text);
}

function toQuoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
