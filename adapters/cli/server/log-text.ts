import { styleText } from 'node:util';
import { printable } from '../print/printable.ts';

/** Writes an entry of the log, a line of JSON, as a line for people. Another text stays as it is. */
export type ToText = (json: string) => string;

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/** A value of these characters alone is written without quotes. */
const PLAIN_PATTERN = /^[\w./:@+%{}-]+$/;

/** What the beginning of a line says, and what is the same in each line. */
const NOT_FIELDS = ['level', 'time', 'hostname', 'msg'];

/**
 * Makes the function that writes entries as text: the time, the level, the message, then `name=value`. The
 * stack of an error follows in indented lines. `pid` is this process, whose number no line needs.
 *
 * pino-pretty would bring twelve more packages with each install, and lets control characters through.
 */
export function createToText({ colors, pid }: { readonly colors: boolean; readonly pid: number }): ToText {
  const paint = (style: Style, text: string) =>
    colors ? styleText(style, text, { validateStream: false }) : text;
  return (json) => {
    const entry = parseEntry(json);
    if (entry === undefined) return printable(json);
    const [name, style] = LEVELS[Number(entry.level)] ?? [String(entry.level), 'gray'];
    const time = new Date(Number(entry.time)).toISOString();
    const fields = Object.entries(entry)
      .filter(([key, value]) => !NOT_FIELDS.includes(key) && !(key === 'pid' && value === pid))
      .map(([key, value]) => ` ${paint('gray', `${printable(key)}=`)}${toValue(value)}`);
    const head = `${paint('gray', time)} ${paint(style, name)} ${printable(String(entry.msg))}`;
    return `${head}${fields.join('')}${stackOf(entry.err)}`;
  };
}

function parseEntry(json: string): Record<string, unknown> | undefined {
  try {
    const entry = JSON.parse(json) as unknown;
    const isEntry = typeof entry === 'object' && entry !== null && 'level' in entry && 'time' in entry;
    return isEntry ? entry : undefined;
  } catch {
    return undefined;
  }
}

function toValue(value: unknown): string {
  if (typeof value === 'string') return PLAIN_PATTERN.test(value) ? value : printable(JSON.stringify(value));
  if (isError(value)) return toValue(`${value.type}: ${value.message}`);
  return printable(JSON.stringify(value));
}

/** An error as pino writes it. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
}

function isError(value: unknown): value is LoggedError {
  return typeof value === 'object' && value !== null && 'type' in value && 'message' in value;
}

function stackOf(value: unknown): string {
  if (!isError(value) || typeof value.stack !== 'string') return '';
  const [, ...frames] = value.stack.split('\n');
  return frames.map((frame) => `\n    ${printable(frame.trim())}`).join('');
}
