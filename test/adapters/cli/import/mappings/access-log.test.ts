import { describe, expect, it } from 'vitest';
import { toLogRecord } from '../../../../../adapters/cli/import/mappings/access-log.ts';

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
});
