import { isatty } from 'node:tty';
import { errorOfStdout } from '../process/errors.ts';
import { printable, printableJson, valueText } from './printable.ts';
import { toTabbedLines, toTable, type TableColumn } from './table.ts';

/** Writes to stdout and waits for its reader. Rejects when the reader has gone. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (text.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(errorOfStdout(error)) : resolve()));
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
  return writeJson(`${valueText(value)}\n`);
}

/** Prints a list: rows for people, or with `--json` an array. */
export async function printList<Row>(
  list: readonly Row[],
  columns: readonly TableColumn<Row>[],
  json = false,
): Promise<void> {
  return json ? printJson(list) : printRows(list, columns);
}

/** What a line on stderr is: a remark, a warning, or the reason why the command fails. */
export type Urgency = 'info' | 'warn' | 'fatal';

/** Writes a line to stderr. */
export type Speaker = (urgency: Urgency, text: string) => void;

const PREFIXES: Readonly<Record<Urgency, string>> = { info: '', warn: 'warning: ', fatal: 'event-query: ' };

const inWords: Speaker = (urgency, text) => {
  process.stderr.write(`${PREFIXES[urgency]}${printable(text)}\n`);
};

let speak = inWords;

/**
 * Lets `speaker` write what `note`, `warn` and `complain` say: a server has one format for all of its stderr.
 * Without an argument, they write words again.
 */
export function speakThrough(speaker = inWords): void {
  speak = speaker;
}

let quiet = false;

/** Decides whether `note` says nothing, and whether progress is not shown. Warnings and errors stay. */
export function beQuiet(isQuiet: boolean): void {
  quiet = isQuiet;
}

/** Whether the user wants no messages but warnings and errors. */
export const isQuiet = (): boolean => quiet;

/** Prints a message for the user to stderr, apart from the data on stdout. */
export function note(text: string): void {
  if (!quiet) speak('info', text);
}

/** Prints a remark of a server to stdout, where it is apart from the lines of its log. */
export async function remark(text: string): Promise<void> {
  if (!quiet) await write(text);
}

/** The file descriptor of stdin. */
export const STDIN = 0;

/**
 * Says that a command waits for what the user types, who may have forgotten to pipe a file in. Using
 * `process.stdin` would make a pipe non-blocking, so that a read before its writer has written anything
 * fails with EAGAIN.
 */
export function noteTerminal(what: string): void {
  if (isatty(STDIN)) note(`reading ${what} from the terminal; Ctrl-D ends it`);
}

/** Prints a warning to stderr. */
export function warn(text: string): void {
  speak('warn', text);
}

/** Prints the reason why the command fails to stderr. */
export function complain(text: string): void {
  speak('fatal', text);
}
