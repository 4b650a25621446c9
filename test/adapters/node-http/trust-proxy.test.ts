import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeListener, createNodeServer } from '../../../adapters/node-http/index.ts';
import { createApi, type HttpHandler, type Logger } from '../../../src/index.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { testResources } from '../../support/resources.ts';

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A handler that answers with the client's address. It holds requests for /slow until `open` is called. */
function createAsked() {
  const waiting: (() => void)[] = [];
  const handler: HttpHandler = async ({ target, address = '' }) => {
    if (target.startsWith('/slow')) await new Promise<void>((resolve) => waiting.push(resolve));
    return { status: 200, headers: {}, body: address };
  };
  return { handler, waiting, open: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

async function start(options: object, handler: HttpHandler, log?: Logger): Promise<number> {
  const resources = testResources(log === undefined ? {} : { log });
  const server = createNodeServer({ api: { handler, resources }, ...options });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  closings.push(() => server.close());
  return port;
}

const get = (target: string, from?: string) =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`}\r\n`;

/** Opens a keep-alive connection and returns a function that asks over it. */
async function connect(port: number, localAddress?: string) {
  const client = await openRawClient(port, localAddress);
  closings.push(() => client.close());
  return {
    client,
    ask: async (target: string, from?: string) => {
      client.send(get(target, from));
      const { status, body } = await client.read();
      return [status, body];
    },
  };
}

it('over one connection of a trusted proxy, each request has its own address', async () => {
  const port = await start({ trustProxy: ['loopback'] }, createAsked().handler);
  const { ask } = await connect(port);
  for (const from of ['203.0.113.9', '2001:db8::7', '198.51.100.3'])
    expect(await ask('/', from)).toEqual([200, from]);
  expect(await ask('/', 'nonsense')).toEqual([200, '127.0.0.1']);
  expect(await ask('/')).toEqual([200, '127.0.0.1']);
});

it('the headers of an untrusted peer are ignored', async () => {
  for (const options of [{}, { trustProxy: ['127.0.0.2'] }]) {
    const port = await start(options, createAsked().handler);
    const { ask } = await connect(port);
    expect(await ask('/', '203.0.113.9')).toEqual([200, '127.0.0.1']);
  }
});

it('keeps the id of a request that a trusted proxy has given it, and of nobody else', async () => {
  const api = createApi({ stores: memoryStores({ resources: testResources() }), resources: testResources() });
  const idOf = async (port: number, id: string) => {
    const { client } = await connect(port);
    client.send(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`);
    return (await client.read()).headers['x-request-id'];
  };
  const trusting = await start({ trustProxy: ['loopback'] }, api.handler);
  for (const id of ['7f9c1e', 'Root=1-67891233-abcdef', 'a'.repeat(128)])
    expect(await idOf(trusting, id)).toBe(id);
  for (const odd of ['a'.repeat(129), 'a b', 'a"b', 'ä', '', 'a, b'])
    expect(await idOf(trusting, odd)).toMatch(/^[0-9a-f]{8}-/);
  const wary = await start({ trustProxy: ['127.0.0.2'] }, api.handler);
  expect(await idOf(wary, '7f9c1e')).toMatch(/^[0-9a-f]{8}-/);
});

it('a refusal of the server itself has the id of the proxy too', async () => {
  const port = await start({ trustProxy: ['loopback'] }, createAsked().handler);
  const { client } = await connect(port);
  client.send('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-Request-Id: 7f9c1e\r\n\r\n');
  const { status, headers } = await client.read();
  expect([status, headers['x-request-id']]).toEqual([400, '7f9c1e']);
});

it('a client behind the proxy takes its own share only, an IPv6 client that of its /64', async () => {
  const asked = createAsked();
  const port = await start({ trustProxy: ['loopback'], runningMax: 8 }, asked.handler);
  const hostile = ['2001:db8::1', '2001:db8::2'];
  for (const from of hostile) (await connect(port)).client.send(get(`/slow/${from}`, from));
  await expect.poll(() => asked.waiting.length).toBe(2);
  const { ask } = await connect(port);
  expect(await ask('/other', '203.0.113.9')).toEqual([200, '203.0.113.9']);
  expect(await ask('/other', '2001:db8:0:1::1')).toEqual([200, '2001:db8:0:1::1']);
  expect((await ask('/other', '2001:db8::3'))[0]).toBe(503);
  asked.open();
});

it('a trusted proxy may hold all connections, another address half of them', async () => {
  const port = await start({ trustProxy: ['127.0.0.1'], connectionsMax: 4 }, createAsked().handler);
  for (let i = 0; i < 3; i++) expect(await (await connect(port)).ask('/', '203.0.113.9')).toHaveLength(2);
  expect(await (await connect(port, '127.0.0.2')).ask('/')).toEqual([200, '127.0.0.2']);
});

it('a listener in another server knows the client too', async () => {
  const listener = createNodeListener({
    api: { handler: createAsked().handler, resources: testResources() },
    trustProxy: ['loopback'],
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => void server.close());
  const { ask, client } = await connect((server.address() as AddressInfo).port);
  expect(await ask('/', '192.0.2.66, 203.0.113.9')).toEqual([200, '203.0.113.9']);
  client.close();
});

it('an entry that is no network is refused at once', () => {
  const api = { handler: createAsked().handler, resources: testResources() };
  expect(() => createNodeServer({ api, trustProxy: ['10.0.0.0/99'] })).toThrow(TypeError);
});

describe('a proxy that is not named', () => {
  const warned: unknown[] = [];
  const log: Logger = {
    info: () => undefined,
    warn: (fields, message) => void warned.push({ ...fields, message }),
    error: () => undefined,
  };

  it.each(['X-Forwarded-For: 203.0.113.9', 'Forwarded: for=203.0.113.9'])(
    'is told of once: %s',
    async (line) => {
      warned.length = 0;
      const port = await start({}, createAsked().handler, log);
      const { client } = await connect(port);
      for (const header of ['A: b', line, line]) {
        client.send(`GET / HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
        await client.read();
      }
      const message =
        'a request came through a proxy that is not trusted: its clients count as one (trustProxy)';
      expect(warned).toEqual([{ peer: '127.0.0.1', message }]);
    },
  );

  it('is nothing to tell of where the proxy is named', async () => {
    warned.length = 0;
    const { ask } = await connect(await start({ trustProxy: ['loopback'] }, createAsked().handler, log));
    await ask('/', '203.0.113.9');
    expect(warned).toEqual([]);
  });
});
