import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { countHead, openRawClient, sendRaw } from '../../support/raw-client.ts';

const BYTES_MAX = 262_144;
const COUNT = '/v1/api/query/count/acme';

let server: TestServer;
let secret: string;
beforeAll(async () => {
  server = await startTestServer();
  secret = await server.createTenant('acme');
});
afterAll(() => server.close());

const count = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  server.post(COUNT, body, { 'X-API-Key': secret, ...headers });

async function expectAnswer(answer: Promise<Response>, status: number, text: unknown) {
  const response = await answer;
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toEqual({ status, body: text });
  expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
}

const tooLarge = { error: `The body is too large: at most ${BYTES_MAX} bytes` };
const unreadable = (why: string) => ({ error: `The body cannot be read: ${why}` });

describe('the size of a body', () => {
  it('is taken up to the limit, to the byte', async () => {
    await expectAnswer(count('{}'.padEnd(BYTES_MAX)), 200, { count: 0 });
  });

  it('is refused one byte beyond it, and the connection serves others on', async () => {
    await expectAnswer(count('{}'.padEnd(BYTES_MAX + 1)), 413, tooLarge);
    await expectAnswer(count('{}'), 200, { count: 0 });
  });

  it('is refused by Content-Length before any of it is sent, and the connection ends', async () => {
    const client = await openRawClient(server.port);
    client.send(countHead('acme', secret, { 'Content-Length': 1_000_000_000 }));
    const answer = await client.read();
    expect(answer).toMatchObject({
      status: 413,
      body: `${JSON.stringify(tooLarge)}\n`,
      headers: { connection: 'close' },
    });
    expect(await client.ended()).toBe('');
    client.close();
  });

  it('a client that sends everything before it reads can still read the refusal', async () => {
    const client = await openRawClient(server.port);
    const body = Buffer.alloc(4_000_000, ' ');
    client.send(countHead('acme', secret, { 'Content-Length': body.length }));
    client.send(body);
    expect(await client.read()).toMatchObject({ status: 413 });
    client.close();
  });

  it('is measured on chunked bodies as they come', async () => {
    const client = await openRawClient(server.port);
    client.send(countHead('acme', secret, { 'Transfer-Encoding': 'chunked' }));
    for (let i = 0; i < 5; i++) client.send(`10000\r\n${' '.repeat(65_536)}\r\n`);
    expect(await client.read()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    client.close();
  });
});

describe('compressed bodies', () => {
  const gzip = { 'Content-Encoding': 'gzip' };

  it('are read, in several members too', async () => {
    await expectAnswer(count(gzipSync('{}'), gzip), 200, { count: 0 });
    const members = Buffer.concat([gzipSync('{"ev'), gzipSync('ent":"a"}')]);
    await expectAnswer(count(members, { 'Content-Encoding': 'GZIP' }), 200, { count: 0 });
    await expectAnswer(count('{}', { 'Content-Encoding': 'identity' }), 200, { count: 0 });
  });

  it('are read without the header too, since no text begins so', async () => {
    await expectAnswer(count(gzipSync('{}')), 200, { count: 0 });
    // A proxy has unpacked it and left the header.
    await expectAnswer(count(Buffer.from('\ufeff {}'), gzip), 200, { count: 0 });
    await expectAnswer(count(gzipSync('{}').subarray(0, 12)), 400, unreadable('it is not valid gzip'));
  });

  it('stop at the limit of what they unpack to', async () => {
    await expectAnswer(count(gzipSync('{}'.padEnd(BYTES_MAX)), gzip), 200, { count: 0 });
    await expectAnswer(count(gzipSync('{}'.padEnd(BYTES_MAX + 1)), gzip), 413, tooLarge);
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    expect(bomb.length).toBeLessThan(BYTES_MAX);
    await expectAnswer(count(bomb, gzip), 413, tooLarge);
  });

  it.each([
    ['not gzip', Buffer.from('x{}'), 'it is not valid gzip'],
    ['cut off', gzipSync('{"event":"a"}').subarray(0, -4), 'it is not valid gzip'],
    [
      'a wrong checksum',
      Buffer.concat([gzipSync('{}').subarray(0, -8), Buffer.alloc(8)]),
      'it is not valid gzip',
    ],
    ['rubbish behind it', Buffer.concat([gzipSync('{}'), Buffer.from('{}')]), 'it is not valid gzip'],
    [
      'zeros behind it',
      Buffer.concat([gzipSync('{}'), Buffer.alloc(9)]),
      'something follows the end of its gzip',
    ],
  ])('are refused when they are %s', async (_name, body, why) => {
    await expectAnswer(count(body, gzip), 400, unreadable(why));
  });

  it.each(['br', 'deflate', 'gzip, gzip', 'zstd'])('are refused in %s', async (encoding) => {
    const text = `Content-Encoding: takes gzip or identity, got "${encoding}"`;
    await expectAnswer(count('{}', { 'Content-Encoding': encoding }), 415, { error: text });
  });
});

describe('the text of a body', () => {
  it.each([
    ['an overlong slash', [0xc0, 0xaf]],
    ['a lone surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('is UTF-8: %s is refused', async (_name, bytes) => {
    const body = Buffer.concat([Buffer.from('{"event":"'), Buffer.from(bytes), Buffer.from('"}')]);
    await expectAnswer(count(body), 400, unreadable('it is not UTF-8'));
  });

  it('may split a character between two packets', async () => {
    const body = Buffer.from('{"event":"é"}');
    const client = await openRawClient(server.port);
    client.send(countHead('acme', secret, { 'Content-Length': body.length }));
    client.send(body.subarray(0, 11));
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.send(body.subarray(11));
    expect(await client.read()).toMatchObject({ status: 200, body: '{"count":0}\n' });
    client.close();
  });
});

describe('Expect: 100-continue', () => {
  const head = (key: string) => countHead('acme', key, { 'Content-Length': 2, Expect: '100-continue' });

  it('is answered when the body is wanted', async () => {
    const client = await openRawClient(server.port);
    client.send(head(secret));
    expect(await client.read()).toMatchObject({ status: 100 });
    client.send('{}');
    expect(await client.read()).toMatchObject({ status: 200, body: '{"count":0}\n' });
    client.close();
  });

  it('is refused without the body when the key is wrong, and the connection ends', async () => {
    const client = await openRawClient(server.port);
    client.send(head('eqk_wrong'));
    expect(await client.read()).toMatchObject({ status: 401, headers: { connection: 'close' } });
    expect(await client.ended()).toBe('');
    client.close();
  });

  it('is refused without a reset when the client sends the body all the same', async () => {
    const client = await openRawClient(server.port);
    const errors: Error[] = [];
    client.socket.on('error', (error) => errors.push(error));
    const closed = new Promise<boolean>((resolve) => client.socket.once('close', resolve));
    client.send(head('eqk_wrong'));
    expect(await client.read()).toMatchObject({ status: 401 });
    expect(await client.ended()).toBe('');
    for (const byte of '{}') {
      await new Promise((resolve) => client.socket.write(byte, resolve));
      await new Promise(setImmediate);
    }
    client.socket.end();
    expect([await closed, errors]).toEqual([false, []]);
  });

  it('any other expectation is not ours to meet and does no harm', async () => {
    const request = countHead('acme', secret, { 'Content-Length': 2, Expect: 'a miracle' });
    expect(await sendRaw(server.port, `${request}{}`)).toMatchObject({ status: 200 });
  });
});

describe('a body that stops half way', () => {
  it('is a 400 when the client closes its side, and others are served meanwhile', async () => {
    const client = await openRawClient(server.port);
    client.send(`${countHead('acme', secret, { 'Content-Length': 100 })}{"event":`);
    await expectAnswer(count('{}'), 200, { count: 0 });
    client.socket.end();
    const answer = await client.read();
    expect(answer).toMatchObject({
      status: 400,
      body: `${JSON.stringify(unreadable('the connection ended before it was complete'))}\n`,
      headers: { connection: 'close' },
    });
    client.close();
  });

  it('does no harm when the client disappears', async () => {
    for (let i = 0; i < 20; i++) {
      const client = await openRawClient(server.port);
      client.send(`${countHead('acme', secret, { 'Content-Length': 100 })}{"event":`);
      if (i % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      client.socket.resetAndDestroy();
    }
    await expectAnswer(count('{}'), 200, { count: 0 });
    expect(server.log.entries).toEqual([]);
  });

  it('bad chunks are a 400', async () => {
    const client = await openRawClient(server.port);
    client.send(`${countHead('acme', secret, { 'Transfer-Encoding': 'chunked' })}zz\r\n{}\r\n0\r\n\r\n`);
    expect(await client.read()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    client.close();
  });

  it('an unread body is skipped, and the connection serves the next request', async () => {
    const client = await openRawClient(server.port);
    client.send(`${countHead('acme', 'eqk_wrong', { 'Content-Length': 5 })}hello`);
    expect(await client.read()).toMatchObject({ status: 401 });
    client.send(`${countHead('acme', secret, { 'Content-Length': 2 })}{}`);
    expect(await client.read()).toMatchObject({ status: 200 });
    // Only that body is skipped: what is no request is told so again.
    client.send('rubbish\r\n\r\n');
    expect(await client.read()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    client.close();
  });
});
