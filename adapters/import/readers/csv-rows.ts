import { invalid, type ApiError } from '../../../src/index.ts';
import type { SourceRecord } from './records.ts';
import { LINE_BYTES_MAX, type FileLine } from './lines.ts';

/** A row of a table: its cells, and which of them stood in quotes. */
export interface CsvRow {
  readonly cells: readonly string[];
  /** Whether a cell stood in quotes; shorter than `cells` when no later one did. */
  readonly quoted: readonly boolean[];
}

/**
 * Reads CSV (RFC 4180) from its lines, which still have their carriage returns. A row is numbered by its
 * first line. A row that no rule of CSV allows is an ApiError, and reading continues at the next line. A row
 * that cannot be read is refused with all its lines: what stands in one of its cells must not become a row.
 *
 * No library tells a quoted cell from a bare one at a speed that an import can bear, and only the quotes say
 * whether `5` is a text in a file that `export` wrote.
 */
export async function* toCsvRows(
  lines: AsyncIterable<FileLine>,
  delimiter: string,
): AsyncGenerator<SourceRecord<CsvRow | ApiError | undefined>> {
  let open: { row: OpenRow; number: number; bytes: number } | undefined;
  let isInRefused = false;
  for await (const line of lines) {
    if (isInRefused) {
      const value = invalid('event', 'its line belongs to a row that cannot be read');
      yield { number: line.number, bytes: line.bytes, value };
      isInRefused = !changesQuoting(line);
      continue;
    }
    const { number } = open ?? line;
    // The line end within a cell counts, or blank lines would be collected without an end.
    const bytes = open === undefined ? line.bytes : open.bytes + 1 + line.bytes;
    const problem = 'problem' in line ? line.problem : bytes > LINE_BYTES_MAX ? tooLong(bytes) : undefined;
    if (problem !== undefined) {
      yield { number, bytes, value: invalid('event', `its line ${problem}`) };
      isInRefused = (open !== undefined) !== changesQuoting(line);
      open = undefined;
      continue;
    }
    const text = 'text' in line ? line.text : '';
    if (open === undefined && (text === '' || text === '\r')) {
      yield { number, bytes, value: undefined };
      continue;
    }
    const row: OpenRow = open?.row ?? { cells: [], quoted: [], partial: undefined };
    const fault = readLine(row, text, delimiter);
    if (fault === undefined && row.partial !== undefined) {
      open = { row, number, bytes };
      continue;
    }
    if (fault !== undefined) isInRefused = (open !== undefined) !== changesQuoting(line);
    open = undefined;
    yield { number, bytes, value: fault === undefined ? row : invalid('event', `its line ${fault}`) };
  }
  if (open !== undefined)
    yield { ...open, value: invalid('event', 'its line begins a quoted cell that has no end') };
}

/** Whether a quoted cell is open behind a line and not before it, or the other way round. */
function changesQuoting(line: FileLine): boolean {
  const quotes = 'quotes' in line ? line.quotes : line.text.split('"').length - 1;
  return quotes % 2 === 1;
}

const tooLong = (bytes: number) =>
  `begins a row of more than ${LINE_BYTES_MAX} bytes, got ${bytes}: a quote may be missing`;

/** A row whose last cell may be open, which means that it goes on in the next line. */
interface OpenRow {
  readonly cells: string[];
  readonly quoted: boolean[];
  /** The text of the open cell so far. */
  partial: string | undefined;
}

/** The cells of a line, if it is a whole row. */
export function parseCsvLine(line: string, delimiter: string): readonly string[] | undefined {
  const row: OpenRow = { cells: [], quoted: [], partial: undefined };
  const fault = readLine(row, line, delimiter);
  return fault === undefined && row.partial === undefined ? row.cells : undefined;
}

/** Reads a line into a row; returns what is wrong with it. */
function readLine(row: OpenRow, line: string, delimiter: string): string | undefined {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  let at = 0;
  // Most rows have no quotes, and the built-in splitter is several times faster.
  if (row.partial === undefined && !line.includes('"')) {
    // A row may have more cells than a call can have arguments.
    for (const cell of line.slice(0, end).split(delimiter)) row.cells.push(cell);
    return undefined;
  }
  for (;;) {
    if (row.partial !== undefined || line.startsWith('"', at)) {
      const from = row.partial === undefined ? at + 1 : at;
      const close = closingQuote(line, from);
      const text = (row.partial ?? '') + line.slice(from, close).replaceAll('""', '"');
      if (close === line.length) {
        row.partial = `${text}\n`;
        return undefined;
      }
      row.quoted[row.cells.length] = true;
      row.cells.push(text);
      row.partial = undefined;
      at = close + 1;
      if (at >= end) return undefined;
      if (!line.startsWith(delimiter, at)) return `has text after the closing quote of a cell`;
    } else {
      const next = line.indexOf(delimiter, at);
      const stop = next === -1 ? end : next;
      row.cells.push(line.slice(at, stop));
      if (next === -1) return undefined;
      at = next;
    }
    at += delimiter.length;
  }
}

/** Where the quote stands that ends a cell: two quotes are one in the text. The line's end if it goes on. */
function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 2)) {
    if (line[at + 1] !== '"') return at;
  }
  return line.length;
}
