import type { FoundValue } from '../filter/operators.ts';

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
export const BARE = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false)$/;

/** Whether a spreadsheet may evaluate a text. */
export function isEvaluated(text: string): boolean {
  return FORMULA.test(text) || CONTROL.test(text);
}

/**
 * Writes values as one line of CSV, including the line end. `isProperty` says which of them are values of
 * properties; the others are fields of an event, names or counts.
 */
export function toCsvLine(
  values: readonly FoundValue[],
  isProperty: (i: number) => boolean = () => false,
): string {
  return `${values.map((value, i) => toCell(value, isProperty(i))).join(',')}\r\n`;
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
  return toQuoted(isEvaluated(text) ? `'${text}` : text);
}

function toQuoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
