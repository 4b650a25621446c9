import { jsonHeaders, toRequest } from '../target/checks.ts';
import type { Target } from '../target/target.ts';

/** Bytes for one connection, and the statuses of the answers that have to come, in order. */
export interface HttpCase {
  readonly name: string;
  readonly bytes: string | Buffer | readonly (string | Buffer)[];
  readonly statuses: readonly number[];
  readonly head?: boolean;
  /** Whether the client stops in the middle, so that nothing is due before it does. */
  readonly stops?: boolean;
  /** Statuses that are as right: which come depends on how the bytes fall into reads. */
  readonly or?: readonly number[];
}

const COUNT = '/v1/api/query/count/mallory';
const lines = (...parts: readonly string[]) => parts.join('\r\n');
const chunked = (...parts: readonly string[]) =>
  `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;

/** A request that a confused server would answer, hidden in the body of another. */
const SMUGGLED = lines('GET /healthz HTTP/1.1', 'Host: a', '', '');
const HEALTH = SMUGGLED;

type Build = (target: Target) => HttpCase[];

/** The headers of a POST without those that say where its body ends. */
function head(target: Target, ...headers: readonly string[]): string {
  const own = [`X-API-Key: ${target.key}`, 'Content-Type: application/json'];
  return lines(`POST ${COUNT} HTTP/1.1`, 'Host: a', ...own, ...headers, '', '');
}

/** Requests whose end two servers could see in two places. */
export const smuggling: Build = (target) => {
  const both = (te: string, cl: string, body: string) =>
    head(target, `Content-Length: ${cl}`, `Transfer-Encoding: ${te}`) + body;
  const te = (value: string, body = chunked('{}')) =>
    head(target, `Transfer-Encoding: ${value}`) + body + SMUGGLED;
  const rejected = (name: string, bytes: string): HttpCase => ({ name, bytes, statuses: [400] });
  return [
    rejected('CL.TE', both('chunked', '6', `0\r\n\r\n${SMUGGLED}`)),
    rejected('TE.CL', both('chunked', '4', chunked('{}') + SMUGGLED)),
    rejected(
      'CL.TE, TE first',
      head(target, 'Transfer-Encoding: chunked', 'Content-Length: 2') + chunked('{}'),
    ),
    rejected('CL.TE with a zero length', both('chunked', '0', chunked('{}') + SMUGGLED)),
    rejected('CL with TE identity', both('identity', '2', `{}${SMUGGLED}`)),
    rejected(
      'two different lengths',
      head(target, 'Content-Length: 2', 'Content-Length: 60') + `{}${SMUGGLED}`,
    ),
    rejected('two equal lengths', head(target, 'Content-Length: 2', 'Content-Length: 2') + `{}${SMUGGLED}`),
    rejected('a list of lengths', head(target, 'Content-Length: 2, 60') + `{}${SMUGGLED}`),
    rejected('a list of equal lengths', head(target, 'Content-Length: 2, 2') + `{}${SMUGGLED}`),
    ...['+2', '-2', '0x2', '2a', '2 0', '2.0', '1e1', '', '18446744073709551618', '2;', '"2"'].map((length) =>
      rejected(
        `length ${JSON.stringify(length)}`,
        head(target, `Content-Length: ${length}`) + `{}${SMUGGLED}`,
      ),
    ),
    rejected('a space before the colon of a length', head(target, 'Content-Length : 2') + `{}${SMUGGLED}`),
    rejected('a space before the colon of TE', head(target, 'Transfer-Encoding : chunked') + chunked('{}')),
    ...['xchunked', 'chunked-false', '[chunked]', 'chunked;q=1', 'gzip', 'identity', 'chunked, identity'].map(
      (value) => rejected(`TE ${value}`, te(value)),
    ),
    ...['chunked, gzip', 'chun\x0bked', '\x00chunked', '"chunked"', 'chunked\x00'].map((value) =>
      rejected(`TE ${JSON.stringify(value)}`, te(value)),
    ),
    rejected('gzip before chunked', te('gzip, chunked')),
    rejected('chunked twice', te('chunked, chunked')),
    rejected(
      'TE twice',
      head(target, 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked') + chunked('{}'),
    ),
    rejected(
      'TE on a folded line',
      head(target, 'Transfer-Encoding:', ' chunked') + chunked('{}') + SMUGGLED,
    ),
    rejected('a folded length', head(target, 'Content-Length:', ' 2') + `{}${SMUGGLED}`),
    rejected('TE behind a bare LF', head(target, 'X-A: b\nTransfer-Encoding: chunked') + chunked('{}')),
    rejected('TE behind a bare CR', head(target, 'X-A: b\rTransfer-Encoding: chunked') + chunked('{}')),
    rejected(
      'HTTP/1.0 with TE',
      head(target, 'Transfer-Encoding: chunked').replace('/1.1', '/1.0') + chunked('{}'),
    ),
    {
      name: 'a GET with a body',
      bytes:
        lines('GET /healthz HTTP/1.1', 'Host: a', `Content-Length: ${SMUGGLED.length}`, '', '') + SMUGGLED,
      statuses: [200],
    },
    {
      name: 'TE in capitals',
      bytes: head(target, 'TRANSFER-ENCODING: Chunked') + chunked('{}'),
      statuses: [200],
    },
  ];
};

/** Bodies in chunks that are wrong. */
export const chunks: Build = (target) => {
  const send = (
    name: string,
    body: string,
    statuses: readonly number[] = [400],
    stops = false,
  ): HttpCase => ({
    name: `chunk: ${name}`,
    bytes: head(target, 'Transfer-Encoding: chunked') + body,
    statuses,
    stops,
  });
  return [
    ...['g', '-1', '0x2', '2 ', ' 2', '', '2\x00', '+2', '1e'].map((size) =>
      send(`size ${JSON.stringify(size)}`, `${size}\r\n{}\r\n0\r\n\r\n${SMUGGLED}`),
    ),
    send('a size beyond 64 bits', `10000000000000002\r\n{}\r\n0\r\n\r\n`),
    send('a size of the largest number', 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n', [400], true),
    send('a size of many zeros', `${'0'.repeat(20)}2\r\n{}\r\n0\r\n\r\n`, [200]),
    send('more data than its size', '2\r\n{}}\r\n0\r\n\r\n'),
    send('less data than its size', '3\r\n{}\r\n0\r\n\r\n'),
    send('lines that end in LF', '2\n{}\n0\n\n'),
    send('a size that ends in LF', '2\n{}\r\n0\r\n\r\n'),
    send('a size that ends in CR', '2\r{}\r\n0\r\n\r\n'),
    send('an extension', '2;a=b\r\n{}\r\n0\r\n\r\n', [200]),
    send('an extension with a LF', '2;a\nb\r\n{}\r\n0\r\n\r\n'),
    send('an extension of 64 KiB', `2;${'a'.repeat(65_536)}\r\n{}\r\n0\r\n\r\n`, [400]),
    send('a trailer', `2\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n`, [200]),
    send('a trailer that is a length', `2\r\n{}\r\n0\r\nContent-Length: 60\r\n\r\n`, [400]),
    send('a trailer that is a key', `2\r\n{}\r\n0\r\nX-API-Key: ${target.victimKey}\r\n\r\n`, [200]),
    send('a trailer of 64 KiB', `2\r\n{}\r\n0\r\nX-T: ${'a'.repeat(65_536)}\r\n\r\n`, [431]),
    send('no end', '2\r\n{}\r\n', [400], true),
    send('one byte each', chunked(...'{"event":"opened"}'.split('')), [200]),
    send('60,000 of one byte', chunked(...' '.repeat(60_000).split(''), '{}'), [200]),
  ];
};

/** Heads that are wrong, huge or odd. */
export const heads: Build = (target) => {
  const get = (...headers: readonly string[]) =>
    lines('GET /healthz HTTP/1.1', 'Host: a', ...headers, '', '');
  const bad = (name: string, bytes: string): HttpCase => ({ name, bytes, statuses: [400] });
  const key = `X-API-Key: ${target.key}`;
  const names = (...headers: readonly string[]) =>
    lines('GET /v1/api/query/events/mallory HTTP/1.1', 'Host: a', ...headers, '', '');
  return [
    { name: 'a header of 8 KiB', bytes: get(`X-A: ${'a'.repeat(8192)}`), statuses: [200] },
    { name: 'a header of 17 KiB', bytes: get(`X-A: ${'a'.repeat(17_408)}`), statuses: [431] },
    { name: 'a header of 1 MiB', bytes: get(`X-A: ${'a'.repeat(1_048_576)}`), statuses: [431] },
    { name: 'a name of 17 KiB', bytes: get(`${'a'.repeat(17_408)}: a`), statuses: [431] },
    {
      name: '2,000 headers',
      bytes: get(...Array.from({ length: 2000 }, (_, i) => `A${i}: b`)),
      statuses: [200],
    },
    {
      name: '20,000 headers',
      bytes: get(...Array.from({ length: 20_000 }, (_, i) => `A${i}: b`)),
      statuses: [431],
    },
    { name: 'a path of 17 KiB', bytes: get().replace('/healthz', `/${'a'.repeat(17_408)}`), statuses: [431] },
    bad('a NUL in a value', get('X-A: a\x00b')),
    bad('a NUL in a name', get('X-\x00A: a')),
    bad('a bell in a value', get('X-A: a\x07b')),
    bad('a space in a name', get('X A: b')),
    bad('no colon', get('X-A')),
    bad('an empty name', get(': a')),
    bad('a folded line', get('X-A: a', ' b')),
    bad('a first line that is folded', lines('GET /healthz HTTP/1.1', ' Host: a', '', '')),
    bad('lines that end in LF', 'GET /healthz HTTP/1.1\nHost: a\n\n'),
    bad('a bare CR in a value', get('X-A: a\rX-B: c')),
    bad('a LF in the key', names(`X-API-Key: ${target.key}\nX-Other: a`)),
    { name: 'the key twice, equal', bytes: names(key, key), statuses: [401] },
    {
      name: "the key twice, a victim's too",
      bytes: names(key, `X-API-Key: ${target.victimKey}`),
      statuses: [401],
    },
    { name: 'a key with a comma', bytes: names(`X-API-Key: ${target.key},`), statuses: [401] },
    { name: 'a key in capitals', bytes: names(`X-API-Key: ${target.key.toUpperCase()}`), statuses: [401] },
    { name: 'a key and bytes above ASCII', bytes: names(`X-API-Key: ${target.key}\xff`), statuses: [401] },
    { name: 'an empty key', bytes: names('X-API-Key:'), statuses: [401] },
    { name: 'a key with blanks around it', bytes: names(`X-API-Key: \t ${target.key} \t`), statuses: [200] },
    {
      name: 'headers that forge an address',
      bytes: names(
        key,
        'X-Forwarded-For: 127.0.0.1',
        'X-Original-URL: /v1/api/query/events/victim',
        'X-Rewrite-URL: /v1/api/query/events/victim',
        'X-HTTP-Method-Override: POST',
        'Forwarded: for=127.0.0.1',
      ),
      statuses: [200],
    },
    bad('no Host', 'GET /healthz HTTP/1.1\r\n\r\n'),
    bad('two Hosts', get('Host: b')),
    { name: 'HTTP/1.0 without Host', bytes: 'GET /healthz HTTP/1.0\r\n\r\n', statuses: [200] },
    bad('HTTP/0.9', 'GET /healthz\r\n\r\n'),
    bad('HTTP/1.2', 'GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n'),
    bad('HTTP/3.7', 'GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n'),
    bad('HTTP/9', 'GET /healthz HTTP/9\r\nHost: a\r\n\r\n'),
    bad('http in small letters', 'GET /healthz http/1.1\r\nHost: a\r\n\r\n'),
    bad('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00'),
    bad('a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
    bad('binary', Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('')),
    bad('SSH', 'SSH-2.0-OpenSSH_9.2\r\n'),
    { name: 'empty lines only', bytes: '\r\n\r\n\r\n', statuses: [] },
    { name: 'half a request line', bytes: 'GET /hea', statuses: [400], stops: true },
    { name: 'nothing', bytes: '', statuses: [] },
    {
      name: 'an upgrade to a socket',
      bytes: get(
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ),
      statuses: [200],
    },
    {
      name: 'an upgrade to HTTP/2',
      bytes: get(
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      ),
      statuses: [200],
    },
    {
      name: 'CONNECT',
      bytes: 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\nSSH-2.0-a\r\n',
      statuses: [404],
    },
    { name: 'an expectation that is none', bytes: get('Expect: 200-ok'), statuses: [200] },
    { name: 'an expectation and no body', bytes: get('Expect: 100-continue'), statuses: [200] },
    {
      name: 'a head in two reads',
      bytes: ['GET /hea', 'lthz HTTP/1.1\r\nHo', 'st: a\r\n', '\r\n'],
      statuses: [200],
    },
    { name: 'a head byte by byte', bytes: HEALTH.split(''), statuses: [200] },
  ];
};

/** Methods that the API does not have. */
export const methods: Build = (target) => {
  const known = [
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'LOCK',
    'PURGE',
    'SEARCH',
    'M-SEARCH',
  ];
  const unknown = ['GETT', 'get', 'Post', 'DEBUG', 'JEFF', 'G\x00T', '', '-', 'P'.repeat(4096)];
  return [
    ...known.map((method) => ({
      name: method,
      bytes: toRequest(method, COUNT, jsonHeaders(target, '')),
      statuses: [405],
    })),
    ...unknown.map((method) => ({
      name: `the method ${JSON.stringify(method.slice(0, 10))}`,
      bytes: toRequest(method, COUNT, jsonHeaders(target, '')),
      statuses: [400],
    })),
    { name: 'HEAD', bytes: toRequest('HEAD', '/healthz', []), statuses: [200], head: true },
    {
      name: 'TRACE with a secret',
      bytes: toRequest('TRACE', '/', [`X-API-Key: ${target.key}`]),
      statuses: [404],
    },
  ];
};

/** Several requests on one connection. */
export const pipelines: Build = (target) => {
  const count = toRequest('POST', COUNT, jsonHeaders(target, '{}'), '{}');
  const refused = toRequest('POST', COUNT, jsonHeaders(target, '{"a":1}'), '{"a":1}');
  const closes = toRequest('GET', '/healthz', ['Connection: close']);
  const long = `{"event":"${'a'.repeat(300_000)}"}`;
  return [
    { name: 'twenty requests', bytes: count.repeat(20), statuses: Array<number>(20).fill(200) },
    { name: 'right, refused, right', bytes: count + refused + count, statuses: [200, 400, 200] },
    {
      name: 'no key, then a right one',
      bytes: count.replace(/X-API-Key.*\r\n/, '') + count,
      statuses: [401, 200],
    },
    { name: 'a broken one, then a right one', bytes: `BROKEN\r\n\r\n${count}`, statuses: [400] },
    {
      name: 'a right one, then a broken one',
      bytes: `${count}BROKEN\r\n\r\n${count}`,
      statuses: [200],
      or: [200, 400],
    },
    {
      name: 'a smuggling one, then a right one',
      bytes: `${head(target, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n${count}`,
      statuses: [400],
    },
    { name: 'close, then another', bytes: closes + count, statuses: [200] },
    {
      name: 'a body too large, then another',
      bytes: toRequest('POST', COUNT, jsonHeaders(target, long), long) + count,
      statuses: [413],
    },
    {
      name: 'a small body unread, then another',
      bytes: toRequest('POST', COUNT.replace('mallory', 'nobody'), jsonHeaders(target, '{}'), '{}') + count,
      statuses: [404, 200],
    },
    {
      name: 'a body that looks like a request',
      bytes: toRequest('POST', COUNT, jsonHeaders(target, SMUGGLED), SMUGGLED) + count,
      statuses: [400, 200],
    },
    {
      name: 'a body shorter than its length',
      bytes: toRequest('POST', COUNT, jsonHeaders(target, 'x'.repeat(64)), '{}'),
      statuses: [400],
      stops: true,
    },
    { name: 'a body longer than its length', bytes: `${count}{}`, statuses: [200], or: [200, 400] },
    {
      name: '100 Continue and a body',
      bytes: [head(target, 'Expect: 100-continue', 'Content-Length: 2'), '{}'],
      statuses: [200],
    },
    {
      name: '100 Continue, refused, then another',
      bytes: head(target, 'Expect: 100-continue', 'Content-Length: 2').replace(/X-API-Key.*\r\n/, '') + count,
      statuses: [401],
    },
    { name: 'blank lines between requests', bytes: `${count}\r\n\r\n${count}`, statuses: [200, 200] },
  ];
};
