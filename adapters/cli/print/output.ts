import { printable, printableJson } from './printable.ts';
import { toTabbedLines, toTable, type TableColumn } from './table.ts';

/** Writes to stdout and waits for its reader. Rejects when the reader has gone. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (text.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

const WIDTH_DEFAULT = 80;

/** Prints rows: a table on a terminal, tab-separated lines anywhere else. */
export async function printRows<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Promise<void> {
  if (!process.stdout.isTTY) return write(toTabbedLines(rows, columns));
  // Some terminals report no width.
  const width = process.stdout.columns > 0 ? process.stdout.columns : WIDTH_DEFAULT;
  return write(rows.length === 0 ? 'none\n' : toTable(rows, columns, width));
}

/**
 * Writes lines of JSON to stdout. On a terminal, characters that could control it are written as JSON
 * escapes, which does not change the values.
 */
export async function writeJson(lines: string): Promise<void> {
  return write(process.stdout.isTTY ? printableJson(lines) : lines);
}

/** Prints one value as a line of JSON. */
export async function printJson(value: unknown): Promise<void> {
  return writeJson(`${JSON.stringify(value)}\n`);
}

/** Prints a message for the user to stderr, apart from the data on stdout. */
export function note(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
