import { describe, expect, it } from 'vitest';
import { toLogRecord } from '../../../../adapters/import/mappings/access-log.ts';

const read = (line: string) => toLogRecord(line, 'salt');
const HEAD = '203.0.113.7 - - [10/Oct/2000:13:55:36 -0700]';

describe('a line of an access log', () => {
  it('in the common format has no agent, and in the combined one has', () => {
    const common = read(`${HEAD} "GET /a HTTP/1.0" 200 2326`);
    expect(common).toMatchObject({
      method: 'GET',
      path: '/a',
      protocol: 'HTTP/1.0',
      status: 200,
      bytes: 2326,
    });
    expect(common).toMatchObject({ time: '2000-10-10T13:55:36-0700' });
    expect(Object.keys(common!)).not.toEqual(expect.arrayContaining(['agent']));
    const combined = read(`${HEAD} "GET /a?b=c HTTP/1.0" 304 - "https://example.org/" "Mozilla/5.0 (X11)"`);
    expect(combined).toMatchObject({
      query: 'b=c',
      referer: 'https://example.org/',
      agent: 'Mozilla/5.0 (X11)',
    });
    expect(combined).not.toHaveProperty('bytes');
    expect(combined!.client).not.toBe(common!.client);
  });

  it('may begin with the host that was asked, whose clients are the same then', () => {
    const rest = '"GET /a HTTP/1.0" 200 1 "-" "curl"';
    const plain = read(`${HEAD} ${rest}`)!;
    const line = `shop.example:443 ${HEAD} ${rest}`;
    expect(read(line)).toEqual({ ...plain, line, vhost: 'shop.example:443' });
    const named = read(`shop.example:443 ${HEAD.replace('- -', '- J. Doe')} ${rest}`);
    expect(named).toMatchObject({ vhost: 'shop.example:443', user: 'J. Doe', client: plain.client });
  });

  it('may hold quotes and bytes that are escaped, and a user with blanks', () => {
    const asked = '"GET /\\xc3\\xbc HTTP/1.1" 200 1';
    const line = `::1 - J. Doe [10/Oct/2000:13:55:36 +0000] ${asked} "-" "a \\"b\\" \\x22c\\x22 ü"`;
    expect(read(line)).toMatchObject({ user: 'J. Doe', path: '/ü', agent: 'a "b" "c" ü' });
  });

  it('ends a text at a quote behind an even number of backslashes', () => {
    const line = String.raw`${HEAD} "GET /a\\" 200 1 "r\\\"e\\" "agent\\\\"`;
    expect(read(line)).toMatchObject({ path: '/a\\', referer: 'r\\"e\\', agent: 'agent\\\\' });
  });

  it('keeps a request that is no request', () => {
    expect(read(`${HEAD} "\\x16\\x03\\x01" 400 0 "-" "-"`)).toMatchObject({
      request: '\u0016\u0003\u0001',
      status: 400,
    });
    expect(read(`${HEAD} "" 408 -`)).toMatchObject({ request: '', status: 408 });
  });

  it('never shows the address of a client, and hashes it with the salt', () => {
    const line = `${HEAD} "GET / HTTP/1.0" 200 1 "-" "curl"`;
    const { line: raw, ...rest } = read(line)!;
    expect(raw).toBe(line);
    expect(JSON.stringify(rest)).not.toContain('203.0.113.7');
    expect(toLogRecord(line, 'other')!.client).not.toBe(rest.client);
  });

  it.each([
    '',
    'hello',
    HEAD,
    `${HEAD} "GET /`,
    `${HEAD} "GET / HTTP/1.0" OK 1`,
    ' [10/Oct/2000:13:55:36 -0700] "',
  ])('%j is none', (line) => {
    expect(read(line)).toBeUndefined();
  });

  const REST = '[10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 10 "-" "UA/1"';
  const bare = read(`203.0.113.7 - - ${REST}`)!;

  it.each<[string, object]>([
    ['web_1  | 203.0.113.7 - -', { before: 'web_1 |' }],
    ['Nov 10 12:11:55 web1 nginx: 203.0.113.7 - -', { before: 'Nov 10 12:11:55 web1 nginx:' }],
    ['<190>1 2000-10-10T13:55:36Z web1 nginx 12 - - 203.0.113.7 - -', { before: /nginx 12 - -$/ }],
    ['2000-10-10T13:55:36.1Z stdout F 203.0.113.7 - -', { before: '2000-10-10T13:55:36.1Z stdout F' }],
    [
      '\u001b[33mnginx.1 | \u001b[0mshop.example 203.0.113.7 - -',
      { before: 'nginx.1 |', vhost: 'shop.example' },
    ],
    ['203.0.113.7, 198.51.100.2 - -', { proxies: '198.51.100.2' }],
    ['203.0.113.7, unknown, 192.0.2.1 - -', { proxies: 'unknown, 192.0.2.1' }],
    ['203.0.113.7 198.51.100.2 -', { proxies: '198.51.100.2' }],
    ['203.0.113.7 - 198.51.100.2', { proxies: '198.51.100.2' }],
    ['203.0.113.7:51234 - -', { port: '51234' }],
    ['203.0.113.7 shop.example ada', { ident: 'shop.example', user: 'ada' }],
    ['shop.example 203.0.113.7 ident1 ada', { vhost: 'shop.example', ident: 'ident1', user: 'ada' }],
  ])('%j is the client of the bare address, and the rest is kept', (sender, more) => {
    const found = read(`${sender} ${REST}`)!;
    const { line, before = '', ...others } = found;
    const usual = Object.fromEntries(Object.entries(bare).filter(([key]) => key !== 'line'));
    const { before: words = '', ...rest } = more as { before?: string | RegExp };
    expect(before).toEqual(words instanceof RegExp ? expect.stringMatching(words) : words);
    expect(others).toEqual({ ...usual, ...rest });
    expect(JSON.stringify(others)).not.toContain('203.0.113.7');
    expect(line).toContain('203.0.113.7');
  });

  it.each([
    'web_1 | host.example - -',
    'Nov 10 12:11:55 web1 nginx: host.example - -',
    'a b c d e',
    '10.0.0.1 -',
  ])('that begins with %j is none: it is not sure which word is the client', (sender) => {
    expect(read(`${sender} ${REST}`)).toBeUndefined();
  });

  it.each([
    ['"198.51.100.2"', '"198.51.100.2"'],
    ['"-" rt=0.123', '"-" rt=0.123'],
    ['12 "web@docker" "http://192.0.2.3:80" 5ms', '12 "web@docker" "http://192.0.2.3:80" 5ms'],
  ])('keeps what stands behind the agent: %s', (behind, after) => {
    expect(read(`203.0.113.7 - - ${REST} ${behind}`)).toMatchObject({
      ...bare,
      line: expect.any(String) as string,
      after,
    });
  });

  it('keeps what stands between the bytes and the referer', () => {
    const found = read(`${HEAD} "GET /a HTTP/1.1" 200 10 0.5 "-" "UA/1"`);
    expect(found).toMatchObject({ bytes: 10, after: '0.5 "-" "UA/1"' });
  });

  it('may hold quotes that are not escaped', () => {
    const found = read(`${HEAD} "GET /"x HTTP/1.1" 200 10 "-" "UA with "inner" quotes"`);
    expect(found).toMatchObject({ path: '/"x', status: 200 });
    expect(found).toMatchObject({ agent: 'UA with "inner', after: 'quotes"' });
  });
});
