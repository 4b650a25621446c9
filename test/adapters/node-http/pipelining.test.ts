import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpHandler } from '../../../src/index.ts';
import type { HttpResponse } from '../../../src/transport-kit.ts';
import { converse, openRawClient, sendRaw } from '../../support/raw-client.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const PIPELINED_MAX = 20;
const OK: HttpResponse = { status: 200, headers: {}, body: 'done' };
const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const CONNECT = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n';

let server: TestServer;
let asked: string[] = [];
let open: () => void = () => undefined;
afterEach(() => server.close());

/** Answers at once, but for /slow, which waits until `open`. */
async function start(handlerTimeoutMs = 4_000): Promise<void> {
  asked = [];
  const opened = new Promise<void>((resolve) => (open = resolve));
  const handler: HttpHandler = async ({ target }) => {
    asked.push(target);
    if (target === '/slow') await opened;
    return OK;
  };
  server = await startTestServer({ handler, limits: { handlerTimeoutMs } });
}

const statusesIn = (answers: readonly (Error | { status: number })[]) =>
  answers.map((answer) => (answer instanceof Error ? answer.message : answer.status));

describe('requests that one connection sends at once', () => {
  it('are all answered up to the limit', async () => {
    await start();
    const { answers } = await converse(server.port, get('/a').repeat(PIPELINED_MAX), {
      answers: PIPELINED_MAX,
    });
    expect(statusesIn(answers)).toEqual(Array<number>(PIPELINED_MAX).fill(200));
  });

  it.each(['/a', '/healthz'])('beyond it get one 503 and the end, and none is begun: %s', async (target) => {
    await start();
    const { answers } = await converse(server.port, get(target).repeat(3000));
    expect(statusesIn(answers)).toEqual([503]);
    expect(answers[0]).toMatchObject({ headers: { connection: 'close', 'retry-after': '1' } });
    expect(asked).toEqual([]);
    expect((await sendRaw(server.port, get('/healthz'))).status).toBe(200);
    await expect
      .poll(() => server.log.entries)
      .toContainEqual({
        level: 'error',
        message: 'overloaded: a connection sent too many requests at once',
        fields: { times: 1 },
      });
  });

  it('beyond it are hardly parsed when many connections send them', async () => {
    await start();
    let parsed = 0;
    const count = () => (parsed += 1);
    subscribe('http.server.request.start', count);
    const [connections, requests] = [40, 1500];
    const clients = await Promise.all(Array.from({ length: connections }, () => openRawClient(server.port)));
    for (const client of clients) client.send(get('/a').repeat(requests));
    for (const client of clients) {
      expect((await client.read()).status).toBe(503);
      client.close();
    }
    unsubscribe('http.server.request.start', count);
    expect(parsed).toBeLessThan((connections * requests) / 10);
    expect(asked).toEqual([]);
    expect(await sendRaw(server.port, get('/a'))).toMatchObject({ status: 200, body: 'done' });
  });

  it('of megabytes beyond it end the connection', async () => {
    await start();
    const client = await openRawClient(server.port);
    client.send(get('/a').repeat(200_000));
    await client.ended().catch(() => undefined);
    client.close();
    expect(asked).toEqual([]);
    expect((await sendRaw(server.port, get('/a'))).status).toBe(200);
  });

  it('after a flood, a large body beside small requests arrives whole', async () => {
    server = await startTestServer();
    await converse(server.port, get('/healthz').repeat(3000));
    await server.createTenant('shop');
    const events = Array.from({ length: 500 }, (_, i) => `{"eventName":"e","userId":"${i}\\n\\n"}`);
    const body = `[${events.join(',\n\n\r\n\r\n')}]`;
    const head = 'Host: a\r\nContent-Type: application/json\r\nContent-Length: ';
    const post = `POST /v1/events/shop/multi HTTP/1.1\r\n${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const { answers } = await converse(server.port, post + get('/healthz') + post, { answers: 3 });
    expect(statusesIn(answers)).toEqual([200, 200, 200]);
    const all = { body: expect.stringContaining('"accepted":500') as string };
    expect(answers).toMatchObject([all, {}, all]);
  });

  it('count until they are answered: one more ends the connection with the last of them', async () => {
    await start();
    const client = await openRawClient(server.port);
    for (let i = 1; i <= PIPELINED_MAX; i++) {
      client.send(get('/slow'));
      await expect.poll(() => asked.length).toBe(i);
    }
    client.send(get('/one-more'));
    // The server has read it when it can see that the connection asks for too much.
    await expect.poll(() => server.log.entries.length).toBe(1);
    open();
    for (let i = 1; i <= PIPELINED_MAX; i++) {
      const answer = await client.read();
      expect(answer).toMatchObject({ status: 200, body: 'done' });
      expect(answer.headers.connection).toBe(i === PIPELINED_MAX ? 'close' : 'keep-alive');
    }
    expect(await client.ended()).toBe('');
    expect(asked).not.toContain('/one-more');
    client.close();
  });

  it('may be as many as one likes, one behind the answer to the other', async () => {
    await start();
    const client = await openRawClient(server.port);
    for (let i = 0; i < 3 * PIPELINED_MAX; i++) {
      client.send(get('/a'));
      expect((await client.read()).status).toBe(200);
    }
    client.close();
  });
});

describe('pipelined requests that may change something', () => {
  const post = (target: string) => `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;

  it('are worked on one after the other, and what follows them waits too', async () => {
    await start();
    const client = await openRawClient(server.port);
    client.send(post('/slow') + post('/b') + get('/c') + get('/d'));
    await expect.poll(() => asked).toEqual(['/slow']);
    // Another connection waits for nobody.
    expect((await sendRaw(server.port, post('/other'))).status).toBe(200);
    expect(asked).toEqual(['/slow', '/other']);
    open();
    for (let i = 0; i < 4; i++) expect((await client.read()).status).toBe(200);
    expect(asked).toEqual(['/slow', '/other', '/b', '/c', '/d']);
    client.close();
  });

  it('wait for those before them that change nothing, which wait for none of each other', async () => {
    await start();
    const client = await openRawClient(server.port);
    client.send(get('/slow') + get('/b') + post('/c'));
    await expect.poll(() => asked).toEqual(['/slow', '/b']);
    open();
    for (let i = 0; i < 3; i++) expect((await client.read()).status).toBe(200);
    expect(asked).toEqual(['/slow', '/b', '/c']);
    client.close();
  });

  it('do not wait for one that is answered for because its handler hangs', async () => {
    await start(200);
    const client = await openRawClient(server.port);
    client.send(post('/slow') + post('/b'));
    expect((await client.read()).status).toBe(503);
    expect((await client.read()).status).toBe(200);
    open();
    client.close();
  });

  it('store batches in their order, also where the first has to be unzipped', async () => {
    server = await startTestServer();
    const secret = await server.createTenant('shop');
    const event = (i: number, from: string) => ({
      eventName: 'e',
      userId: 'u',
      insertId: `id-${i}`,
      eventTs: '2025-06-01T00:00:00Z',
      properties: { from },
    });
    const zipped = gzipSync(JSON.stringify(Array.from({ length: 300 }, (_, i) => event(i, 'first'))));
    const plain = Buffer.from(JSON.stringify([event(299, 'second')]));
    const toPost = (body: Buffer, more: string) =>
      Buffer.concat([
        Buffer.from(
          `POST /v1/events/shop/multi HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
            `${more}Content-Length: ${body.length}\r\n\r\n`,
        ),
        body,
      ]);
    const client = await openRawClient(server.port);
    client.send(Buffer.concat([toPost(zipped, 'Content-Encoding: gzip\r\n'), toPost(plain, '')]));
    const reports = [await client.read(), await client.read()].map(({ body }) => JSON.parse(body) as unknown);
    expect(reports).toEqual([
      { accepted: 300, duplicates: 0, rejected: [] },
      { accepted: 0, duplicates: 1, rejected: [] },
    ]);
    const body = '{"filterSet":[{"property":"properties.from","comparison":"EQUALS","value":"second"}]}';
    const answer = await server.post('/v1/api/query/count/shop', body, { 'X-API-Key': secret });
    expect(await answer.json()).toEqual({ count: 0 });
    client.close();
  });
});

describe('CONNECT', () => {
  it('behind a request that is open does not overtake its answer', async () => {
    await start();
    const client = await openRawClient(server.port);
    client.send(get('/slow') + CONNECT);
    await expect.poll(() => asked).toEqual(['/slow']);
    open();
    expect(await client.read()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await client.ended()).toBe('');
    client.close();
  });

  it.each(['', 'x'.repeat(100_000)])('that is reset does no harm', async (more) => {
    await start();
    for (let i = 0; i < 5; i++) {
      const client = await openRawClient(server.port);
      client.send(CONNECT + more);
      await client.read();
      const closed = once(client.socket, 'close');
      client.socket.resetAndDestroy();
      await closed;
    }
    expect((await sendRaw(server.port, get('/healthz'))).status).toBe(200);
  });

  it('whose client resets while an answer before it is due does no harm', async () => {
    await start();
    const client = await openRawClient(server.port);
    client.send(get('/slow') + CONNECT);
    await expect.poll(() => asked).toEqual(['/slow']);
    client.socket.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    open();
    expect((await sendRaw(server.port, get('/healthz'))).status).toBe(200);
  });
});
