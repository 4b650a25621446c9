import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeServerLimits } from '../../../adapters/node-http/index.ts';
import type { HttpHandler } from '../../../src/index.ts';
import { countHead, openRawClient, sendRaw, type RawClient } from '../../support/raw-client.ts';
import { stopTime } from '../../support/stopped-time.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const TIMEOUT = '{"error":"The request did not arrive in time."}\n';

let server: TestServer;
afterEach(() => server.close());

async function start(limits: Partial<NodeServerLimits>, handler?: HttpHandler): Promise<string> {
  // A short limit for handlers makes the common timer quick, by which all other limits are noticed.
  server = await startTestServer({
    limits: { handlerTimeoutMs: 200, ...limits },
    ...(handler === undefined ? {} : { handler }),
  });
  return server.createTenant('acme');
}

/** Sends byte by byte until the connection is cut. */
function trickle(client: RawClient, text: string): NodeJS.Timeout {
  let at = 0;
  return setInterval(() => {
    if (client.socket.writable) client.socket.write(text.charAt(at++ % text.length));
  }, 20);
}

describe('a client that is slow to send', () => {
  it('its head, is answered 408 and cut off, while others are served', async () => {
    await start({ headersTimeoutMs: 150, requestTimeoutMs: 400 });
    const client = await openRawClient(server.port);
    client.send('GET /healthz HTTP/1.1\r\n');
    const timer = trickle(client, 'X-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n');
    expect(await sendRaw(server.port, HEALTH)).toMatchObject({ status: 200 });
    expect(await client.read()).toMatchObject({
      status: 408,
      body: TIMEOUT,
      headers: { connection: 'close' },
    });
    expect(await client.ended()).toBe('');
    clearInterval(timer);
    client.close();
  });

  it('anything at all, is cut off', async () => {
    await start({ headersTimeoutMs: 150, requestTimeoutMs: 400 });
    const client = await openRawClient(server.port);
    expect(await client.read()).toMatchObject({ status: 408, body: TIMEOUT });
    client.close();
  });

  it('its body, one byte at a time, is answered 408 and cut off', async () => {
    const secret = await start({ headersTimeoutMs: 150, requestTimeoutMs: 300 });
    const client = await openRawClient(server.port);
    client.send(countHead('acme', secret, { 'Content-Length': 1000 }));
    const timer = trickle(client, ' ');
    const answer = await client.read();
    expect(answer).toMatchObject({ status: 408, body: TIMEOUT, headers: { connection: 'close' } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    clearInterval(timer);
    expect(await client.ended()).toBe('');
    client.close();
  });

  it('a batch of Amplitude’s SDK, is told so in a way that makes the SDK send it again', async () => {
    await start({ headersTimeoutMs: 150, requestTimeoutMs: 300 });
    const client = await openRawClient(server.port);
    const head = 'POST /v1/amplitude/acme/2/httpapi HTTP/1.1\r\nHost: localhost\r\n';
    client.send(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"events":`);
    const { status, body } = await client.read();
    // With `missing_field` it would drop its events.
    const error = 'The request did not arrive in time.';
    expect([status, JSON.parse(body)]).toEqual([408, { code: 408, error }]);
    client.close();
  });

  it('the rest of its body, is cut off without waiting for the whole time', async () => {
    const secret = await start({ stallTimeoutMs: 150 });
    const client = await openRawClient(server.port);
    client.send(`${countHead('acme', secret, { 'Content-Length': 1000 })}{`);
    expect(await client.read()).toMatchObject({
      status: 408,
      body: TIMEOUT,
      headers: { connection: 'close' },
    });
    client.close();
  });

  it('has the time of a head for a whole request at least', async () => {
    await start({ headersTimeoutMs: 60_000, requestTimeoutMs: 10_000 });
    expect(await sendRaw(server.port, HEALTH)).toMatchObject({ status: 200 });
  });

  it('a body that nobody reads, gets no second answer', async () => {
    await start({ headersTimeoutMs: 150, requestTimeoutMs: 300 });
    const client = await openRawClient(server.port);
    client.send(countHead('acme', 'eqk_wrong', { 'Content-Length': 1000 }));
    expect(await client.read()).toMatchObject({ status: 401 });
    expect(await client.ended()).toBe('');
    client.close();
  });
});

it('a connection that lies idle is closed', async () => {
  await start({ keepAliveTimeoutMs: 100 });
  const client = await openRawClient(server.port);
  client.send(HEALTH);
  expect(await client.read()).toMatchObject({ status: 200 });
  expect(await client.ended()).toBe('');
  client.close();
});

describe('a client that is slow to take its answer', () => {
  const body = 'x'.repeat(50_000_000);
  const large: HttpHandler = () => Promise.resolve({ status: 200, headers: {}, body });
  // Closing waits for answers that are on their way, here for longer than any test: it ends when they are
  // cut off.
  const closeTimeoutMs = 600_000;

  it('not taking anything, is cut off', async () => {
    await start({ stallTimeoutMs: 200, closeTimeoutMs }, large);
    const client = await openRawClient(server.port);
    client.send(HEALTH);
    await once(client.socket, 'data');
    client.socket.pause();
    await server.close();
    expect(client.socket.bytesRead).toBeLessThan(body.length);
    client.close();
  });

  it('taking a little now and then, is cut off after the time for a whole answer', async () => {
    await start({ answerTimeoutMs: 300, closeTimeoutMs }, large);
    const client = await openRawClient(server.port);
    client.send(HEALTH);
    await once(client.socket, 'data');
    client.socket.pause();
    const timer = setInterval(() => void client.socket.read(1000), 20);
    await server.close();
    clearInterval(timer);
    expect(client.socket.bytesRead).toBeLessThan(body.length);
    client.close();
  });

  it('but taking all in time, gets all', async () => {
    await start({}, large);
    expect(await (await fetch(`${server.origin}/`)).text()).toHaveLength(body.length);
  });
});

describe('connections beyond the limit', () => {
  const use = async (client: RawClient) => {
    client.send(HEALTH);
    expect(await client.read()).toMatchObject({ status: 200 });
  };

  it('are dropped, and an address has half of them at most', async () => {
    stopTime();
    await start({ connectionsMax: 4 });
    const clients = [await openRawClient(server.port), await openRawClient(server.port)];
    for (const client of clients) await use(client);
    const third = await openRawClient(server.port);
    third.send(HEALTH);
    await expect(third.read()).rejects.toThrow('the connection ended');
    const elsewhere = await openRawClient(server.port, '127.0.0.2');
    await use(elsewhere);
    clients[0]!.close();
    await use(clients[1]!);
    // The place of one that has closed is free again.
    await expect
      .poll(async () => (await sendRaw(server.port, HEALTH).catch(() => undefined))?.status)
      .toBe(200);
    for (const client of [...clients, elsewhere]) client.close();
    await expect
      .poll(() => server.log.entries)
      .toMatchObject([{ message: 'overloaded: connections were dropped' }]);
  });

  it('take the place of one that has no request open for a while', async () => {
    const time = stopTime();
    await start({ connectionsMax: 4 });
    const [first, second] = [await openRawClient(server.port), await openRawClient(server.port)];
    await use(first);
    await use(second);
    time.advance(1100);
    await use(first);
    const third = await openRawClient(server.port);
    await use(third);
    expect(await second.ended()).toBe('');
    await use(first);
    for (const client of [first, second, third]) client.close();
  });

  it('take the place of the one that has been idle longest', async () => {
    const time = stopTime();
    await start({ connectionsMax: 6 });
    const clients = [];
    for (let i = 0; i < 3; i++) clients.push(await openRawClient(server.port));
    const [first, second, third] = clients as [RawClient, RawClient, RawClient];
    // Neither the oldest nor the youngest connection.
    for (const client of [second, third, first]) {
      await use(client);
      time.advance(1100);
    }
    const fourth = await openRawClient(server.port);
    await use(fourth);
    expect(await second.ended()).toBe('');
    for (const client of [first, third]) await use(client);
    for (const client of [...clients, fourth]) client.close();
  });

  it('take the place of one of another address where all are taken', async () => {
    const time = stopTime();
    await start({ connectionsMax: 2 });
    const [first, second] = [await openRawClient(server.port), await openRawClient(server.port, '127.0.0.2')];
    for (const client of [first, second]) await use(client);
    time.advance(1100);
    await use(second);
    // An address that has one already takes none of another's.
    expect(await (await openRawClient(server.port, '127.0.0.2')).ended()).toBe('');
    await use(first);
    time.advance(1100);
    await use(second);
    const third = await openRawClient(server.port, '127.0.0.3');
    await use(third);
    expect(await first.ended()).toBe('');
    await use(second);
    for (const client of [first, second, third]) client.close();
  });
});
