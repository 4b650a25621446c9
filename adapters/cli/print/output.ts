import Table from 'cli-table3';

/** One column of what a command lists. */
export interface Column<Row> {
  readonly head: string;
  readonly text: (row: Row) => string;
}

const CELL_LENGTH_MAX = 48;
const LAST_CELL_WIDTH_MIN = 16;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const ZERO_WIDTH_JOINER = '\u200d';
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes a text from outside safe for a terminal: control characters, those that change the direction of
 * writing, and lone surrogates become visible escapes, so that no event can move the cursor, hide text or
 * forge a line.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === ZERO_WIDTH_JOINER) return character;
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return SHORT_ESCAPES[character] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`);
  });
}

/** A JSON text with the control characters that JSON lets through escaped; its meaning is the same. */
export function toSafeJson(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Lays rows out as a table of at most `width` columns; the last column gets what the others leave. */
export function toTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const heads = columns.map(({ head }) => head);
  const cells = rows.map((row) => columns.map(({ text }) => printable(text(row))));
  const last = columns.length - 1;
  const others = createTable(heads.slice(0, last), []);
  others.push(...cells.map((row) => row.slice(0, last).map(clip)));
  const lastWidth = Math.max(LAST_CELL_WIDTH_MIN, width - (last === 0 ? 0 : others.width));
  const natural = Math.max(...[heads, ...cells].map((row) => (row[last] ?? '').length)) + 2;
  const table = createTable(heads, [...Array<null>(last).fill(null), Math.min(lastWidth, natural)]);
  table.push(...cells.map((row) => row.map((cell, i) => (i === last ? cell : clip(cell)))));
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function clip(text: string): string {
  return text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX - 1).toWellFormed()}…` : text;
}

function createTable(head: string[], colWidths: (number | null)[]) {
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
  return new Table({ head, chars, style, colWidths });
}

/** Rows for programs: a line each, cells separated by tabs, no head; a tab within a cell is `\t`. */
export function toTabbedLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return rows.map((row) => `${columns.map(({ text }) => printable(text(row))).join('\t')}\n`).join('');
}

/** Writes to stdout, at the pace of whoever reads it. Rejects when nobody does any more. */
export async function write(text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Prints rows: a table on a terminal, lines with tabs anywhere else. */
export async function printRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Promise<void> {
  if (!process.stdout.isTTY) return write(toTabbedLines(rows, columns));
  return write(rows.length === 0 ? 'none\n' : toTable(rows, columns, process.stdout.columns));
}

/** Prints one value as a line of JSON. */
export async function printJson(value: unknown): Promise<void> {
  return write(`${toSafeJson(JSON.stringify(value))}\n`);
}

/** Says something to the person at the command, beside the data on stdout. */
export function note(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
