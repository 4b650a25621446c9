import type { StoredEvent } from '../event/event.ts';
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

/**
 * Creates a CSV writer with the columns of these properties. Quoting a cell is one line of code and must run
 * wherever the core does; CSV libraries bring a parser or Node streams. Throws as `toFlatTable` does.
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

/** A text, prefixed with an apostrophe if a spreadsheet would evaluate it. */
function toText(text: string): string {
  return toQuoted(FORMULA.test(text) || CONTROL.test(text) ? `'${text}` : text);
}

function toQuoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
