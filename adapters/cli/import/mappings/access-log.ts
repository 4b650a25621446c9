import { isAscii } from 'node:buffer';
import type { JsonObject } from '../../../../src/index.ts';
import { digestOf } from './apply.ts';
import type { Mapping } from './mapping.ts';

/** The time of a line, which stands between brackets. */
const TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{4})\] "/;
const RESULT = /^(\d{3}|-) (\d{1,16}|-)$/;
const REQUEST = /^([A-Z]+) (\S+)(?: (HTTP\/[\d.]+))?$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const KEPT = ['vhost', 'method', 'path', 'query', 'protocol', 'status', 'bytes', 'referer', 'agent'];

/**
 * A line of a web server's log. Nothing identifies it: equal lines are requests of their own, so they are
 * counted. The address of a client is not stored.
 */
export const ACCESS_LOG: Mapping = {
  title: 'an access log (common, combined or vhost_combined)',
  fits: ({ line, name }) => typeof line === 'string' && name === 'http_request',
  words: { name: 'http_request', client: 'a hash of address and agent', line: 'the line' },
  eventName: ['name'],
  userId: ['user', 'client'],
  eventTs: ['time'],
  insertId: { kind: 'counted', prefix: 'log', from: ['line'] },
  properties: {
    spread: [],
    keep: Object.fromEntries(KEPT.map((key) => [key, key])),
    drop: ['line', 'name', 'user', 'client', 'time'],
    rest: 'log',
  },
};

/**
 * The record of a line; undefined when it is no line of a log. `salt` makes the hash that stands for a client
 * one that nobody can compute from an address.
 */
export function toLogRecord(line: string, salt: string): JsonObject | undefined {
  // `host ident user [time] "request" status bytes`, then `"referer" "agent"` in the combined format.
  const bracket = line.indexOf(' [');
  const before = line.slice(0, Math.max(0, bracket)).split(' ');
  // Apache's vhost_combined begins with the host that was asked: `shop.example:443 203.0.113.7 - - [time]`.
  const vhost = before[2] === '-' && before.length > 3 ? before.shift() : undefined;
  const [host, , ...users] = before;
  const time = TIME.exec(line.slice(bracket + 2, bracket + 40));
  const user = users.join(' ');
  if (host === undefined || user === '' || time === null) return undefined;
  const [requested, afterRequest] = takeQuoted(line, bracket + 2 + time[0].length);
  const result = line.indexOf(' "', afterRequest);
  const end = result === -1 ? line.length : result;
  const [, status, bytes] = RESULT.exec(line.slice(afterRequest, end).trim()) ?? [];
  if (status === undefined || bytes === undefined) return undefined;
  const [referer, afterReferer] = takeQuoted(line, end + 2);
  const quote = line.indexOf('"', afterReferer);
  const [agent] = quote === -1 ? [''] : takeQuoted(line, quote + 1);
  const [, day, month = '', year, clock, offset] = time;
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const request = unescape(requested);
  const parts = REQUEST.exec(request);
  const record: JsonObject = { line, name: 'http_request' };
  if (parts === null) record.request = request;
  record.time = `${year}-${number}-${day}T${clock}${offset}`;
  record.client = `client-${digestOf(`${salt}\n${host}\n${agent}`)}`;
  if (vhost !== undefined) record.vhost = vhost;
  if (user !== '-') record.user = user;
  if (status !== '-') record.status = Number(status);
  if (bytes !== '-') record.bytes = Number(bytes);
  if (referer !== '-' && referer !== '') record.referer = unescape(referer);
  if (agent !== '-' && agent !== '') record.agent = unescape(agent);
  if (parts === null) return record;
  const [, method = '', target = '', protocol] = parts;
  const query = target.indexOf('?');
  record.method = method;
  record.path = query === -1 ? target : target.slice(0, query);
  if (query !== -1) record.query = target.slice(query + 1);
  if (protocol !== undefined) record.protocol = protocol;
  return record;
}

/** The text before the closing quote, and where the line goes on behind it. */
function takeQuoted(line: string, from: number): [text: string, next: number] {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - escapes > from && line[at - escapes - 1] === '\\') escapes += 1;
    if (escapes % 2 === 0) return [line.slice(from, at), at + 1];
  }
  return ['', line.length];
}

/** A quoted text as Apache (`\"`) and nginx (`\x22`) escape it. */
function unescape(text: string): string {
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

const SIGNS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', v: '\v' };
