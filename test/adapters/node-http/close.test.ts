import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createNodeServer } from '../../../adapters/node-http/index.ts';
import type { HttpHandler } from '../../../src/index.ts';
import type { HttpResponse } from '../../../src/transport-kit.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { createTestLog, startTestServer } from '../../support/test-server.ts';
import { served } from '../../support/resources.ts';

const OK: HttpResponse = { status: 200, headers: {}, body: 'done' };
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** Longer than any test may take: whoever waits for it fails. */
const closeTimeoutMs = 600_000;

/** A handler that answers when a test says so. */
function createGate() {
  let arrive: () => void = () => undefined;
  let open: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const handler: HttpHandler = async () => {
    arrive();
    await opened;
    return OK;
  };
  return { handler, arrived, open };
}

it('closing finishes what is in flight and takes nothing new', async () => {
  const gate = createGate();
  const server = await startTestServer({ handler: gate.handler, limits: { closeTimeoutMs } });
  const client = await openRawClient(server.port);
  client.send(REQUEST);
  await gate.arrived;
  const closed = server.close();
  await expect(fetch(server.origin)).rejects.toThrow();
  gate.open();
  expect(await client.read()).toMatchObject({ status: 200, body: 'done', headers: { connection: 'close' } });
  await closed;
  expect(await client.ended()).toBe('');
  client.close();
});

it('closing ends connections that are idle, new or half way into a head', async () => {
  const server = await startTestServer({ handler: () => Promise.resolve(OK), limits: { closeTimeoutMs } });
  const idle = await openRawClient(server.port);
  idle.send(REQUEST);
  await idle.read();
  const fresh = await openRawClient(server.port);
  const half = await openRawClient(server.port);
  half.send('GET / HTT');
  await server.close();
  for (const client of [idle, fresh, half]) {
    await client.ended();
    client.close();
  }
});

it('closing cuts off what is not done in time', async () => {
  const gate = createGate();
  const server = await startTestServer({ handler: gate.handler, limits: { closeTimeoutMs: 100 } });
  const client = await openRawClient(server.port);
  client.send(REQUEST);
  await gate.arrived;
  await server.close();
  await expect(client.read()).rejects.toThrow('the connection ended');
  client.close();
  gate.open();
});

it('closing twice, or before listening, is the same as once', async () => {
  const server = createNodeServer({ api: served(() => Promise.resolve(OK), { log: createTestLog() }) });
  await server.close();
  await server.close();
});

it('an address that is taken rejects', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const server = createNodeServer({ api: served(() => Promise.resolve(OK), { log: createTestLog() }) });
  await expect(server.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  other.close();
});

it('draining makes each answer the last of its connection, and takes new ones', async () => {
  const gate = createGate();
  const server = await startTestServer({ handler: gate.handler, limits: { closeTimeoutMs } });
  const client = await openRawClient(server.port);
  // Two at once: the second has been read when the first is answered.
  client.send(REQUEST + REQUEST);
  await gate.arrived;
  server.drain();
  gate.open();
  expect(await client.read()).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  expect(await client.read()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await client.ended()).toBe('');
  client.close();
  const next = await openRawClient(server.port);
  next.send(REQUEST);
  expect(await next.read()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  next.close();
  await server.close();
});

it('closing with a grace serves connections that wait in the kernel to be accepted', async () => {
  const server = await startTestServer({ handler: () => Promise.resolve(OK), limits: { closeTimeoutMs } });
  const statuses = Array.from({ length: 20 }, async () => {
    const socket = connect(server.port, '127.0.0.1');
    const answered = text(socket);
    socket.write(REQUEST);
    return (await answered).slice(0, 12);
  });
  // The sockets connect in the next tick, and the server could accept one at the earliest after that.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closed = server.close({ idleMs: 60_000 });
  expect(await Promise.all(statuses)).toEqual(Array(20).fill('HTTP/1.1 200'));
  await closed;
});
