import { safeDecode } from './address.ts';
import { toWholePath } from './paths.ts';

/** The fields of an event that its row always shows, before the chosen columns. */
export const FIRST_COLUMNS: readonly string[] = ['eventTs', 'eventName', 'userId'];

/** How many columns can be chosen: each is a cell in every row. */
export const COLUMNS_MAX = 100;

/** The columns that a parameter of an address names, which separates them by commas. */
export function columnsIn(text: string): readonly string[] {
  const columns = text.split(',').filter((column) => column !== '');
  const paths = new Set(columns.map((column) => toWholePath(safeDecode(column))));
  return [...paths].filter((path) => !FIRST_COLUMNS.includes(path));
}

/** Columns as a parameter of an address. A comma within a column is escaped, and so is a percent sign. */
export function columnsText(columns: readonly string[]): string {
  return columns.map((column) => column.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}
