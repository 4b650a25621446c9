import { printable, printableJson } from './printable.ts';
import { toTabbedLines, toTable, type TableColumn } from './table.ts';

/** Writes to stdout, at the pace of whoever reads it. Rejects when nobody does any more. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (text.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

const WIDTH_DEFAULT = 80;

/** Prints rows: a table on a terminal, lines with tabs anywhere else. */
export async function printRows<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Promise<void> {
  if (!process.stdout.isTTY) return write(toTabbedLines(rows, columns));
  // Some terminals do not know how wide they are.
  const width = process.stdout.columns > 0 ? process.stdout.columns : WIDTH_DEFAULT;
  return write(rows.length === 0 ? 'none\n' : toTable(rows, columns, width));
}

/**
 * Writes lines of JSON to stdout: as they are in a pipe, and on a terminal with what could steer it escaped,
 * which changes no value.
 */
export async function writeJson(lines: string): Promise<void> {
  return write(process.stdout.isTTY ? printableJson(lines) : lines);
}

/** Prints one value as a line of JSON. */
export async function printJson(value: unknown): Promise<void> {
  return writeJson(`${JSON.stringify(value)}\n`);
}

/** Says something to the person at the command, beside the data on stdout. */
export function note(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
