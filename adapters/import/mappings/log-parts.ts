import { isAscii } from 'node:buffer';
import { isIP } from 'node:net';
import { digestOf } from './apply.ts';

const REQUEST = /^([A-Z]+) (\S+)(?: (HTTP\/[\d.]+))?$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WRITTEN_TIME = /^\[?(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{4})\]?$/;

/** What the line of a request holds. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  readonly protocol?: string;
}

/** The parts of `GET /a HTTP/1.1`; undefined for a text that is none. */
export function toRequestParts(text: string): RequestParts | undefined {
  const [, method, target = '', protocol] = REQUEST.exec(text) ?? [];
  if (method === undefined) return undefined;
  return protocol === undefined ? { method, target } : { method, target, protocol };
}

/** A time as Apache and nginx write it, `03/May/2024:10:00:00 +0000`, in ISO 8601; others as they are. */
export function toLogTime(text: string): string {
  const [, day, month = '', year, clock, offset] = WRITTEN_TIME.exec(text) ?? [];
  if (day === undefined) return text;
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  return `${year}-${number}-${day}T${clock}${offset}`;
}

/** What stands for a client whose address is not stored. */
export function clientOf(host: string, agent: string, salt: string): string {
  return `client-${digestOf(`${salt}\n${host}\n${agent}`)}`;
}

/** Whether a word is an address, also one with a port. */
export function isAddress(word: string): boolean {
  return isIP(splitPort(word.replace(/,$/, '')).host) !== 0;
}

/** An address without brackets, and the port behind it. */
export function splitPort(word: string): {
  readonly host: string;
  readonly port?: string;
} {
  const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(word) ?? [];
  const host = bracketed ?? plain ?? word;
  return port === undefined ? { host } : { host, port };
}

/** The text before the closing quote, which ends a word, and where the line goes on behind it. */
export function takeQuoted(line: string, from: number): [text: string, next: number] {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - escapes > from && line[at - escapes - 1] === '\\') escapes += 1;
    const isWithin = escapes % 2 === 1 || (at + 1 < line.length && line[at + 1] !== ' ');
    if (!isWithin) return [line.slice(from, at), at + 1];
  }
  return [line.slice(from), line.length];
}

/** A quoted text as Apache (`\"`) and nginx (`\x22`) escape it. */
export function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = text.replace(/\\(x[0-9A-Fa-f]{2}|.)/g, (_, escape: string) =>
    escape.length === 3
      ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
      : (SIGNS[escape] ?? escape),
  );
  // Bytes of UTF-8 are escaped one by one.
  const decoded = Buffer.from(bytes, 'latin1').toString('utf8');
  return isAscii(Buffer.from(text)) && !decoded.includes('\ufffd') ? decoded : bytes;
}

const SIGNS: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  b: '\b',
  v: '\v',
};
