import type { JsonObject } from '../../../src/index.ts';
import { isLogObject } from './log-fields.ts';
import {
  clientOf,
  isAddress,
  splitPort,
  takeQuoted,
  toLogTime,
  toRequestParts,
  unescape,
} from './log-parts.ts';
import type { Mapping } from './mapping.ts';

/** The time of a line, which stands between brackets. */
const TIME = /\[(\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4})\] "/;
const RESULT = /^ +(\d{3}|-) +(\d{1,16}|-)(?= |$)/;
const RESULT_MAX = 64;
/** What colours a line on a terminal. */
const COLOURS = /\u001b\[[\d;]{0,40}m/g;
/** A name of a host, or the `-` of a client that has none. */
const HOST = /^(-|[\w.-]+(:\d+)?)$/;
const ASKED = ['vhost', 'method', 'path', 'query', 'protocol'];
const KEPT = [...ASKED, 'status', 'bytes', 'duration', 'referer', 'agent'];

/**
 * A request in the log of a web server. Nothing identifies it: equal lines are requests of their own, so they
 * are counted. The address of a client is not stored.
 */
export const ACCESS_LOG: Mapping = {
  title: 'an access log',
  fits: isLogObject,
  words: { name: 'http_request', client: 'a hash of address and agent', line: 'the line' },
  eventName: ['name'],
  userId: ['user', 'client'],
  eventTs: ['time'],
  insertId: { kind: 'counted', prefix: 'log', from: ['line'] },
  properties: {
    spread: [],
    keep: Object.fromEntries(KEPT.map((key) => [key, key])),
    drop: ['line', 'name', 'client'],
    fields: ['user', 'time'],
    rest: 'log',
  },
};

/**
 * The record of a line; undefined when it is no line of a log. `salt` makes the hash that stands for a client
 * one that nobody can compute from an address. What stands before, between and behind the usual fields is in
 * it, too: nothing of a line is left out.
 */
export function toLogRecord(line: string, salt: string): JsonObject | undefined {
  // `host ident user [time] "request" status bytes`, then `"referer" "agent"` in the combined format.
  const plain = line.replace(COLOURS, '');
  const time = TIME.exec(plain);
  const sender = time === null ? undefined : parseSender(plain.slice(0, time.index));
  if (time === null || sender === undefined) return undefined;
  const [requested, afterRequest] = takeQuoted(plain, time.index + time[0].length);
  const result = RESULT.exec(plain.slice(afterRequest, afterRequest + RESULT_MAX));
  if (result === null) return undefined;
  const [all, status, bytes] = result;
  const behind = afterRequest + all.length;
  const [referer, afterReferer] = quotedAt(plain, behind);
  const [agent, afterAgent] = quotedAt(plain, afterReferer);
  const rest = plain.slice(afterAgent).trim();
  const request = unescape(requested);
  const parts = toRequestParts(request);
  const record: JsonObject = { line, name: 'http_request' };
  if (parts === undefined) record.request = request;
  record.time = toLogTime(time[1]!);
  record.client = clientOf(sender.host, agent ?? '', salt);
  Object.assign(record, sender.fields);
  if (status !== '-') record.status = Number(status);
  if (bytes !== '-') record.bytes = Number(bytes);
  if (referer !== undefined && referer !== '-' && referer !== '') record.referer = unescape(referer);
  if (agent !== undefined && agent !== '-' && agent !== '') record.agent = unescape(agent);
  if (rest !== '') record.after = unescape(rest);
  if (parts === undefined) return record;
  const { method, target, protocol } = parts;
  const query = target.indexOf('?');
  record.method = method;
  record.path = query === -1 ? target : target.slice(0, query);
  if (query !== -1) record.query = target.slice(query + 1);
  if (protocol !== undefined) record.protocol = protocol;
  return record;
}

/** Who sent a request: the host whose hash stands for the client, and what else stands before the time. */
interface LogSender {
  readonly host: string;
  readonly fields: JsonObject;
}

/**
 * Reads what stands before the time. A line may begin with words of what passed it on, such as `web_1  |`,
 * and with the host that was asked (`vhost_combined`). Several addresses are those of a client and proxies.
 * Undefined where it is not sure which word is the client, so that no address becomes a name.
 */
function parseSender(text: string): LogSender | undefined {
  const words = text.split(' ').filter((word) => word !== '');
  const first = words.findIndex(isAddress);
  if (first === -1) return parseNamed(words);
  const fields: JsonObject = {};
  const before = words.slice(0, first);
  const last = before.at(-1);
  if (last !== undefined && HOST.test(last) && (first === 1 || /[|:]$/.test(before.at(-2)!))) {
    fields.vhost = last;
    before.pop();
  }
  if (before.length > 0) fields.before = before.join(' ');
  let next = first + 1;
  while (next < words.length && (words[next - 1]!.endsWith(',') || isAddress(words[next]!))) next += 1;
  const { host, port } = splitPort(words[first]!.replace(/,$/, ''));
  if (port !== undefined) fields.port = port;
  const proxies = words.slice(first + 1, next).join(' ');
  if (proxies !== '') fields.proxies = proxies;
  const [ident, ...users] = words.slice(next);
  if (ident === undefined) return undefined;
  if (users.length > 0) return withUser({ host, fields }, ident, users);
  // The address in the place of the ident was one of a proxy.
  return proxies === '' ? undefined : withUser({ host, fields }, '-', [ident]);
}

/** The same where a name, or nothing, stands for the client. */
function parseNamed(words: readonly string[]): LogSender | undefined {
  const fields: JsonObject = {};
  let [host, ident = '', ...users] = words;
  if (words.length > 3 && words[2] === '-') {
    fields.vhost = words[0]!;
    [, host, ident = '', ...users] = words;
  }
  // With more words than three, only an ident that says nothing tells a name of words from words before.
  const isSure = users.length > 0 && (users.length === 1 || ident === '-');
  const isName = [host, fields.vhost ?? host].every((name) => typeof name === 'string' && HOST.test(name));
  if (host === undefined || !isName || !isSure || /[|:]$/.test(ident)) return undefined;
  return withUser({ host, fields }, ident, users);
}

function withUser({ host, fields }: LogSender, ident: string, users: readonly string[]): LogSender {
  const user = users.join(' ');
  if (ident !== '-') fields.ident = ident;
  // Some servers are told to write the address that a proxy sent in the place of the user.
  if (users.some(isAddress))
    fields.proxies = typeof fields.proxies === 'string' ? `${fields.proxies}, ${user}` : user;
  else if (user !== '-') fields.user = user;
  return { host, fields };
}

/** The text in quotes behind a blank, if one stands there, and where the line goes on behind it. */
function quotedAt(line: string, from: number): [text: string | undefined, next: number] {
  return line.startsWith(' "', from) ? takeQuoted(line, from + 2) : [undefined, from];
}
