import { exactJson } from '../event/exact-json.ts';
import { changeJsonText } from '../event/json-text.ts';
import type { FoundValue } from '../filter/operators.ts';

/**
 * What separates cells in a `.csv`, as programs write it or believe it; a cell that contains one is quoted.
 */
export type Separator = ',' | ';' | '\t';

/** The byte order mark, by which Excel knows that a table is UTF-8. */
export const BOM = '\ufeff';

/** Text that has to be quoted; an empty text too, to distinguish it from a missing value. */
const QUOTED = /[",;\t\r\n]|^$/;

/**
 * Text that a spreadsheet may interpret as a formula, including blanks and quotes before it. Removing the
 * first apostrophe wherever this pattern follows it restores every original text.
 */
const FORMULA = /^[\s'"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** Text that a spreadsheet may interpret as the end of a cell. */
const CONTROL = /^'*[\t\r\n]/;

/**
 * The place within a text where a formula begins for a program that takes another character for the
 * separator: it finds no quotes where a cell begins, and cuts the text. Nothing between is a separator, so
 * each character is looked at once.
 */
const INNER = /(?<=[,;\t\r\n])(?=(?:[^\S\t\r\n]|['"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
/** The apostrophe that `guarded` put there. */
const INNER_GUARD = /(?<=[,;\t\r\n])'(?=(?:[^\S\t\r\n]|['"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** The place within a string of JSON where a separator stands before what a spreadsheet would calculate. */
const JSON_INNER = /[,;](?=(?:[^\S\t\r\n]|['"\\])*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A number, true or false as JSON writes it. As a text it is quoted, to distinguish it from the value. */
export const BARE = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false)$/;

/** A text with an apostrophe before each part of it that a spreadsheet may evaluate. */
function guarded(text: string): string {
  const inner = text.replace(INNER, "'");
  return isEvaluated(text) ? `'${inner}` : inner;
}

/** The text that `guarded` was given. */
export function withoutGuard(text: string): string {
  const inner = text.replace(INNER_GUARD, '');
  return inner.startsWith("'") && isEvaluated(inner.slice(1)) ? inner.slice(1) : inner;
}

function isEvaluated(text: string): boolean {
  return FORMULA.test(text) || CONTROL.test(text);
}

/**
 * Writes values as one line of CSV, including the line end. `isProperty` says which of them are values of
 * properties; the others are fields of an event, names or counts.
 */
export function toCsvLine(
  values: readonly FoundValue[],
  isProperty: (i: number) => boolean = () => false,
  separator: Separator = ',',
): string {
  return `${values.map((value, i) => toCell(value, isProperty(i))).join(separator)}\r\n`;
}

/** A field of an event is always a text, so only a property has to tell a text from another value. */
function toCell(value: FoundValue, isProperty: boolean): string {
  if (value === undefined) return '';
  if (isProperty && typeof value === 'string' && BARE.test(value) && !value.startsWith('-'))
    return `"${value}"`;
  return toQuoted(typeof value === 'string' ? guarded(value) : toJson(value));
}

/** A value as JSON, in which a formula behind a separator is an escape away from it. */
function toJson(value: FoundValue): string {
  const json = exactJson(JSON.stringify(value));
  if (typeof value !== 'object') return json;
  return changeJsonText(json, {
    inStrings: (text) => text.replace(JSON_INNER, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
  });
}

function toQuoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * An instant in UTC as spreadsheets take it for a time, such as `2026-05-18 10:00:00.000`: with `T` and `Z`
 * it is a text to them. Another value stays.
 */
export function toSheetTime<T>(value: T): T | string {
  return typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)T([\d:.]+)Z$/, '$1 $2') : value;
}
