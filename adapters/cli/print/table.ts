import Table, { type HorizontalAlignment } from 'cli-table3';
import { printable } from './printable.ts';

/** A column of a list. */
export interface TableColumn<Row> {
  readonly head: string;
  readonly text: (row: Row) => string;
  /** Numbers end below each other. */
  readonly isNumber?: boolean;
}

const CELL_LENGTH_MAX = 48;
const LAST_CELL_WIDTH_MIN = 16;

/** Formats rows as a table of at most `width` characters; the last column gets the remaining width. */
export function toTable<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  width: number,
): string {
  const heads = columns.map(({ head }) => head);
  const cells = rows.map((row) => columns.map(({ text }) => printable(text(row))));
  const last = columns.length - 1;
  const aligns = columns.map(({ isNumber = false }) => (isNumber ? 'right' : 'left'));
  const others = createTable(heads.slice(0, last), [], aligns);
  others.push(...cells.map((row) => row.slice(0, last).map(clip)));
  const lastWidth = Math.max(LAST_CELL_WIDTH_MIN, width - (last === 0 ? 0 : others.width));
  const natural = Math.max(...[heads, ...cells].map((row) => (row[last] ?? '').length)) + 2;
  const widths = [...Array<null>(last).fill(null), Math.min(lastWidth, natural)];
  const table = createTable(heads, widths, aligns);
  table.push(...cells.map((row) => row.map((cell, i) => (i === last ? cell : clip(cell)))));
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function clip(text: string): string {
  return text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX - 1).toWellFormed()}…` : text;
}

function createTable(head: string[], colWidths: (number | null)[], colAligns: HorizontalAlignment[]) {
  const none = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'].concat([
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ]);
  const chars = Object.fromEntries(none.map((name) => [name, '']));
  const style = { 'padding-left': 0, 'padding-right': 2, head: [], border: [] };
  return new Table({ head, chars, style, colWidths, colAligns });
}

/** Formats rows for programs: one line each, cells separated by tabs, no header; a tab in a cell is `\t`. */
export function toTabbedLines<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): string {
  return rows.map((row) => `${columns.map(({ text }) => printable(text(row))).join('\t')}\n`).join('');
}
