import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeListener, type NodeListenerOptions } from '../../../adapters/node-http/index.ts';
import type { HttpHandler } from '../../../src/index.ts';
import { createPlainApi } from '../../support/plain-api.ts';
import { openRawClient, sendRaw } from '../../support/raw-client.ts';
import { createTestLog } from '../../support/test-server.ts';
import { served } from '../../support/resources.ts';

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const log = createTestLog();
const echo: HttpHandler = async (request) => ({
  status: 200,
  headers: {},
  body: `${request.target} ${await request.text(1_000_000, 'tenant')}`,
});

async function listen(listener: Parameters<typeof createServer>[1]): Promise<number> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const mount = (options: Partial<NodeListenerOptions> = {}) =>
  listen(createNodeListener({ api: served(echo, { log }), ...options }));

const post = (port: number, body: string, path = '/') =>
  fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body });

describe('a listener of somebody else’s server', () => {
  it('answers on one connection again and again', async () => {
    const client = await openRawClient(await mount());
    for (const body of ['a', 'bb']) {
      client.send(`POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      expect(await client.read()).toMatchObject({ status: 200, body: `/x ${body}` });
    }
    client.close();
  });

  it('waits for no end of a body that came with its head', async () => {
    const listener = createNodeListener({ api: served(echo, { log }) });
    const waited: boolean[] = [];
    const closed: Promise<unknown>[] = [];
    let came: () => void = () => undefined;
    const port = await listen((req, res) => {
      listener(req, res);
      res.once('finish', () => waited.push(req.listenerCount('data') > 0));
      closed.push(once(req, 'end'), once(req, 'close'));
      came();
    });
    const client = await openRawClient(port);
    const head = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n';
    client.send(`${head}ab`);
    expect(await client.read()).toMatchObject({ status: 200, body: '/x ab' });
    const begun = new Promise<void>((resolve) => (came = resolve));
    client.send(head);
    await begun;
    client.send('cd');
    expect(await client.read()).toMatchObject({ status: 200, body: '/x cd' });
    expect(waited).toEqual([false, true]);
    // Whoever shares the request is told that it is over, while its connection goes on.
    await Promise.all(closed);
    client.close();
  });

  it('refuses a large body so that who still sends can read it, and ends the connection', async () => {
    const client = await openRawClient(await mount());
    client.send(`POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n${'a'.repeat(4_000_000)}`);
    const answer = await client.read();
    expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect(await client.ended()).toBe('');
    client.close();
  });

  it('gives up a body that comes too slowly', async () => {
    const port = await mount({ bodyGraceMs: 50, handlerTimeoutMs: 200 });
    const client = await openRawClient(port);
    client.send('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\na');
    expect(await client.read()).toMatchObject({ status: 408 });
    client.close();
  });

  it('answers for a handler that hangs, and watches again after it has rested', async () => {
    const handler: HttpHandler = () => new Promise(() => undefined);
    const port = await mount({ api: served(handler), handlerTimeoutMs: 60 });
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(`http://127.0.0.1:${port}/x`, { headers: { Connection: 'close' } });
      expect(answer.status).toBe(503);
      await answer.text();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  it('takes a credential that comes twice for none', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    await api.admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
    const key = await api.admin.createKey('shop', { name: 'in', permissions: ['ingest'] });
    const port = await mount({ api });
    const body = '[{"eventName":"a","userId":"b"}]';
    const sent = (credentials: string) =>
      sendRaw(
        port,
        `POST /v1/events/shop/multi HTTP/1.1\r\nHost: a\r\n${credentials}` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    const header = `Authorization: Chase ${key.secret}\r\n`;
    expect((await sent(header)).status).toBe(200);
    expect((await sent(header + header)).status).toBe(401);
    expect((await sent(`${header}Authorization: Chase x\r\n`)).status).toBe(401);
  });

  it('takes the headers that the program has set or taken away, never those that came twice', async () => {
    const api = createPlainApi();
    const secret = await api.createTenant('shop');
    const app = express();
    app.use((req, _res, next) => {
      if (req.headers['x-session'] === 'ada') req.headers['x-api-key'] = secret;
      if (req.headers['x-session'] === 'nobody') delete req.headers['x-api-key'];
      next();
    });
    app.use(createNodeListener({ api }));
    const port = await listen(app);
    const statusOf = async (...headers: string[]) => {
      const lines = headers.map((line) => `${line}\r\n`).join('');
      return (await sendRaw(port, `GET /v1/api/query/events/shop HTTP/1.1\r\nHost: a\r\n${lines}\r\n`))
        .status;
    };
    const key = `X-API-Key: ${secret}`;
    expect(await statusOf('X-Session: ada')).toBe(200);
    expect(await statusOf('X-Session: ada', 'X-API-Key: another')).toBe(200);
    expect(await statusOf('X-Session: ada', 'X-API-Key: another', 'X-API-Key: third')).toBe(200);
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf('X-Session: nobody', key)).toBe(401);
    expect(await statusOf(key, key)).toBe(401);
    expect(await statusOf(key, 'X-API-Key: another')).toBe(401);
    expect(await statusOf()).toBe(401);
  });

  it('refuses what a proxy may read otherwise', async () => {
    const port = await mount();
    expect((await sendRaw(port, 'GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')).status).toBe(400);
  });

  it('leaves what is beside its prefix unfound', async () => {
    const port = await mount({ api: createPlainApi(), prefix: '/api' });
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect(await statusOf('/api/healthz')).toBe(200);
    expect(await statusOf('/healthz')).toBe(404);
    expect(await statusOf('/apihealthz')).toBe(404);
    expect(() => createNodeListener({ api: served(echo), prefix: 'api' })).toThrow('begins with /');
  });

  it('says what is wrong where a body parser came first', async () => {
    const api = createPlainApi();
    const secret = await api.createTenant('shop');
    const app = express();
    app.use(express.json());
    app.use(createNodeListener({ api }));
    const port = await listen(app);
    const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${port}/v1/api/query/count/shop`;
    expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(500);
    const error = api.log.entries.find(({ level }) => level === 'error');
    expect(String(error?.fields.err)).toContain('mount event-query before body parsers');
  });

  it('lets a request go whose client has gone before its turn', async () => {
    const asked: string[] = [];
    const handler: HttpHandler = (request) => {
      asked.push(request.target);
      return echo(request);
    };
    const late = createNodeListener({ api: served(handler, { log }) });
    let hasCome = false;
    let wasGone: boolean | undefined;
    const port = await listen((req, res) => {
      if (req.url === '/y') return late(req, res);
      hasCome = true;
      req.socket.once('close', () =>
        setImmediate(() => {
          wasGone = req.socket.destroyed;
          late(req, res);
        }),
      );
    });
    const client = await openRawClient(port);
    client.send('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => hasCome).toBe(true);
    client.close();
    await expect.poll(() => wasGone).toBe(true);
    // Who comes behind it has waited for the turn that it would have had.
    expect((await post(port, '', '/y')).status).toBe(200);
    expect(asked).toEqual(['/y']);
  });

  it('keeps the headers that the framework has set', async () => {
    const listener = createNodeListener({ api: served(echo, { log }) });
    const port = await listen((req, res) => {
      res.setHeader('X-Frame', 'yes');
      listener(req, res);
    });
    const answer = await post(port, 'a');
    expect([answer.headers.get('X-Frame'), await answer.text()]).toEqual(['yes', '/ a']);
  });

  it('reports what happened also when the last connection is gone', async () => {
    const own = createTestLog();
    const handler: HttpHandler = () => new Promise(() => undefined);
    const port = await mount({ api: served(handler, { log: own }), handlerTimeoutMs: 40 });
    const ask = async () => {
      const client = await openRawClient(port);
      client.send('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
      expect(await client.read()).toMatchObject({ status: 503 });
      client.close();
    };
    const times = () => own.entries.reduce((sum, { fields }) => sum + Number(fields.times), 0);
    await ask();
    await expect.poll(times).toBe(1);
    // A line of the same second waits, and no connection is open when its time comes.
    await ask();
    await expect.poll(times, { timeout: 10_000 }).toBe(2);
  });
});
