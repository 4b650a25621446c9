import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countHead, openRawClient, sendRaw } from '../../support/raw-client.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
let secret: string;
beforeAll(async () => {
  server = await startTestServer();
  secret = await server.createTenant('acme');
});
afterAll(() => server.close());

const get = (target: string, extra = '') => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n`;

describe('targets', () => {
  it.each([
    ['/healthz', 200],
    ['http://localhost/healthz', 200],
    ['HTTP://other.example:99/healthz', 200],
    ['http://localhost', 404],
    ['http://localhost?x', 404],
    ['//healthz', 200],
    ['/healthz/', 200],
    ['/', 404],
    ['/%', 404],
    ['/../healthz', 404],
    [`/${'x'.repeat(8000)}`, 404],
  ])('%s answers %i', async (target, status) => {
    const answer = await sendRaw(server.port, get(target));
    expect(answer.status).toBe(status);
    expect(answer.body).toMatch(status === 200 ? /^\{"status":"up"\}/ : /^\{"error":"Not found/);
  });

  it('OPTIONS * is no place of the API', async () => {
    const answer = await sendRaw(server.port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toMatchObject({ status: 404, body: '{"error":"Not found"}\n' });
  });

  it('CONNECT is answered and ends the connection', async () => {
    const client = await openRawClient(server.port);
    client.send('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    const answer = await client.read();
    expect(answer).toMatchObject({
      status: 404,
      body: '{"error":"Not found"}\n',
      headers: { connection: 'close' },
    });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(await client.ended()).toBe('');
    client.close();
  });

  it('an upgrade is not taken up, the request is answered as it is', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    expect(await sendRaw(server.port, get('/healthz', upgrade))).toMatchObject({ status: 200 });
  });
});

describe('methods', () => {
  it.each([
    ['GET', '/v1/api/query/acme', 'POST'],
    ['PUT', '/v1/api/query/count/acme', 'POST'],
    ['POST', '/v1/api/query/events/acme', 'GET'],
    ['DELETE', '/v1/events/acme/multi', 'POST, OPTIONS'],
    ['PROPFIND', '/healthz', 'GET, HEAD'],
  ])('%s %s is refused with Allow: %s', async (method, path, allow) => {
    const response = await fetch(server.origin + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe(allow);
    expect(await response.json()).toEqual({ error: `Method not allowed. Use ${allow}.` });
  });

  it('an answer to HEAD has the headers and no body', async () => {
    const client = await openRawClient(server.port);
    client.send('HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answer = await client.read({ head: true });
    expect(answer).toMatchObject({ status: 404, headers: { 'content-length': '22' } });
    client.send(get('/healthz'));
    expect(await client.read()).toMatchObject({ status: 200, body: '{"status":"up"}\n' });
    client.close();
  });

  it.each(['/healthz', '/readyz'])('HEAD %s is answered as GET, without the body', async (path) => {
    const client = await openRawClient(server.port);
    client.send(get(path));
    const { status, headers, body } = await client.read();
    client.send(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const answer = await client.read({ head: true });
    expect([answer.status, answer.headers['content-length'], answer.body]).toEqual([
      200,
      headers['content-length'],
      '',
    ]);
    expect([status, body.length]).toEqual([200, Number(headers['content-length'])]);
    client.close();
  });

  it('a 204 has neither a body nor a length', async () => {
    const answer = await sendRaw(
      server.port,
      'OPTIONS /v1/events/acme/multi HTTP/1.1\r\nHost: localhost\r\n\r\n',
    );
    expect(answer).toMatchObject({ status: 204, body: '' });
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('headers', () => {
  it('a repeated key is no key, whichever of the two is right', async () => {
    const fields = { 'Content-Length': 2 };
    for (const [first, second] of [
      [secret, 'eqk_other'],
      ['eqk_other', secret],
      [secret, secret],
    ]) {
      const head = countHead('acme', first!, fields).replace(
        'Content-Type',
        `X-API-Key: ${second!}\r\nContent-Type`,
      );
      const answer = await sendRaw(server.port, `${head}{}`);
      expect(answer).toMatchObject({
        status: 401,
        body: '{"error":"Invalid API key or insufficient permissions"}\n',
      });
    }
  });

  it('a repeated Authorization is no authorization', async () => {
    await server.admin.createTenant({
      alias: 'secretive',
      plan: (await server.admin.getTenant('acme')).plan,
    });
    await server.admin.updateTenant('secretive', { authStrategy: 'SERVER_SIDE' });
    const key = await server.admin.createKey('secretive', { name: 'k', permissions: ['ingest'] });
    const body = '[{"eventName":"a","userId":"u"}]';
    const send = (authorization: string) =>
      sendRaw(
        server.port,
        `POST /v1/events/secretive/multi HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
          `${authorization}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
    const right = `Authorization: Chase ${key.secret}\r\n`;
    expect(await send(right)).toMatchObject({ status: 200 });
    expect(await send(`${right}Authorization: Chase other\r\n`)).toMatchObject({ status: 401 });
    expect(await send(`Authorization: Chase other\r\n${right}`)).toMatchObject({ status: 401 });
  });

  it('names like those of Object.prototype mean nothing', async () => {
    const answer = await sendRaw(server.port, get('/healthz', '__proto__: x\r\nconstructor: y\r\n'));
    expect(answer.status).toBe(200);
  });

  it('HTTP/1.1 needs one Host, HTTP/1.0 none', async () => {
    const text = '{"error":"Host: takes exactly one header of this name"}\n';
    const none = await sendRaw(server.port, 'GET /healthz HTTP/1.1\r\n\r\n');
    expect(none).toMatchObject({ status: 400, body: text });
    const two = await sendRaw(server.port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    expect(two).toMatchObject({ status: 400, body: text });
    expect(await sendRaw(server.port, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatchObject({ status: 200 });
  });

  it.each(['GET /healthz\r\n\r\n', 'GET /healthz\nHost: a\r\n\r\n', 'GET /healthz\r\nHost: a\r\n\r\n'])(
    'a line without a version is no request: %j',
    async (head) => {
      expect(await sendRaw(server.port, head)).toMatchObject({
        status: 400,
        body: '{"error":"request: takes HTTP/1.1, got something that cannot be read as that"}\n',
        headers: { connection: 'close' },
      });
    },
  );

  it('HTTP/1.0 has no Transfer-Encoding: a proxy may see another end of the body', async () => {
    const head = countHead('acme', secret, { 'Transfer-Encoding': 'chunked' });
    const body = '2\r\n{}\r\n0\r\n\r\n';
    expect(await sendRaw(server.port, head.replace('HTTP/1.1', 'HTTP/1.0') + body)).toMatchObject({
      status: 400,
      body: '{"error":"Transfer-Encoding: does not exist in HTTP/1.0"}\n',
      headers: { connection: 'close' },
    });
  });

  it('chunked may be written in any letters', async () => {
    const head = countHead('acme', secret, { 'Transfer-Encoding': 'Chunked' });
    expect((await sendRaw(server.port, `${head}2\r\n{}\r\n0\r\n\r\n`)).status).toBe(200);
  });

  it('too large a head is a 431', async () => {
    const answer = await sendRaw(server.port, get('/healthz', `X-Big: ${'x'.repeat(20_000)}\r\n`));
    expect(answer).toMatchObject({
      status: 431,
      body: '{"error":"The request headers are too large."}\n',
      headers: { 'content-type': 'application/json', connection: 'close' },
    });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('bytes that are no request', () => {
  const refusal = { error: 'request: takes HTTP/1.1, got something that cannot be read as that' };

  it.each([
    ['words', 'hello there\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', Buffer.from('160301020001000000', 'hex')],
    ['NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n'],
    ['a space in the target', 'GET /health z HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    ['chunks that are not last', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n'.replace('X: a', 'X : a')],
  ])('%s: 400, and the connection ends', async (_name, bytes) => {
    const client = await openRawClient(server.port);
    client.send(bytes);
    const answer = await client.read();
    expect(answer).toMatchObject({ status: 400, headers: { connection: 'close' } });
    expect(JSON.parse(answer.body)).toEqual(refusal);
    expect(await client.ended()).toBe('');
    client.close();
  });

  it('behind a good request leave its answer alone', async () => {
    const client = await openRawClient(server.port);
    client.send(`${countHead('acme', secret, { 'Content-Length': 2 })}{}rubbish\r\n\r\n`);
    expect(await client.read()).toMatchObject({ status: 200, body: '{"count":0}\n' });
    await client.ended();
    client.close();
  });

  it('behind an answer are refused as any others', async () => {
    const client = await openRawClient(server.port);
    client.send(`${countHead('acme', secret, { 'Content-Length': 2 })}{}`);
    expect(await client.read()).toMatchObject({ status: 200, body: '{"count":0}\n' });
    client.send('rubbish\r\n\r\n');
    expect(await client.read()).toMatchObject({ status: 400, headers: { connection: 'close' } });
    client.close();
  });

  it('of any kind never stop the server', async () => {
    const token = fc.constantFrom(
      'GET ',
      '/healthz',
      ' HTTP/1.1',
      '\r\n',
      'Host: a\r\n',
      'Content-Length: 5\r\n',
      '{}',
    );
    const wire = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.array(token, { maxLength: 12 }).map((tokens) => Buffer.from(tokens.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(wire, async (bytes) => {
        const client = await openRawClient(server.port);
        client.send(bytes);
        client.socket.end();
        await client.ended();
        client.close();
      }),
      { numRuns: 300 },
    );
    expect(await sendRaw(server.port, get('/healthz'))).toMatchObject({ status: 200 });
    expect(server.log.entries).toEqual([]);
  });
});

it('pipelined requests are answered in their order', async () => {
  const client = await openRawClient(server.port);
  const counts = `${countHead('acme', secret, { 'Content-Length': 2 })}{}`;
  client.send(counts + get('/healthz') + counts + get('/nowhere'));
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await client.read()).status);
  expect(statuses).toEqual([200, 200, 200, 404]);
  client.close();
});

it('a header of several values comes as often', async () => {
  const headers = { 'Set-Cookie': ['a=1; Path=/', 'b=2; Path=/'] };
  const own = await startTestServer({ handler: () => Promise.resolve({ status: 200, headers, body: '' }) });
  expect((await fetch(own.origin)).headers.getSetCookie()).toEqual(headers['Set-Cookie']);
  await own.close();
});

it('the length of an answer is that of its bytes', async () => {
  const body = 'naïve, 日本, 🙂';
  const own = await startTestServer({ handler: () => Promise.resolve({ status: 200, headers: {}, body }) });
  const client = await openRawClient(own.port);
  for (let i = 0; i < 2; i++) {
    client.send(get('/'));
    expect(await client.read()).toMatchObject({ body, headers: { 'content-length': '20' } });
  }
  client.close();
  await own.close();
});
