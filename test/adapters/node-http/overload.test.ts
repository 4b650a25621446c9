import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeServerLimits } from '../../../adapters/node-http/index.ts';
import type { HttpHandler, MemoryBudget } from '../../../src/index.ts';
import { createMemoryBudget, type HttpResponse } from '../../../src/transport-kit.ts';
import { openRawClient, sendRaw } from '../../support/raw-client.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const OVERLOADED = { error: 'The server is overloaded. Retry later.' };
const UNAVAILABLE = { error: 'The service is temporarily unavailable. Retry later.' };
const OK: HttpResponse = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '{"ok":true}',
};

const GET = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

let server: TestServer;
afterEach(() => server.close());

async function start(
  limits: Partial<NodeServerLimits>,
  handler: HttpHandler,
  memory?: MemoryBudget,
): Promise<void> {
  server = await startTestServer({ limits, handler, ...(memory === undefined ? {} : { memory }) });
}

async function expectRefusal(answer: Promise<Response>, text: unknown): Promise<void> {
  const response = await answer;
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual(text);
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
}

/** A handler whose answers a test lets go. */
function createGate() {
  const waiting: (() => void)[] = [];
  const arrivals: (() => void)[] = [];
  const handler: HttpHandler = async ({ target }) => {
    if (!target.startsWith('/slow')) return OK;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      arrivals.shift()?.();
    });
    return OK;
  };
  return {
    handler,
    /** Resolves when one more request waits. */
    arrival: () => new Promise<void>((resolve) => arrivals.push(resolve)),
    /** Lets the first of those who wait go, or all. */
    open: (count = Infinity) => {
      for (const resolve of waiting.splice(0, count)) resolve();
    },
  };
}

/** The status of a request from an address of this machine. */
async function statusFrom(address: string, target: string): Promise<number> {
  const client = await openRawClient(server.port, address);
  client.send(GET(target));
  const { status } = await client.read();
  client.close();
  return status;
}

describe('requests beyond their share', () => {
  it('of an address are refused whatever they name, others are served and health is told', async () => {
    const gate = createGate();
    await start({ runningMax: 8 }, gate.handler);
    const arrived = Promise.all([gate.arrival(), gate.arrival()]);
    const slow = [fetch(`${server.origin}/slow/1`), fetch(`${server.origin}/slow/2`)];
    await arrived;
    await expectRefusal(fetch(`${server.origin}/fresh`), OVERLOADED);
    expect(await statusFrom('127.0.0.2', '/other')).toBe(200);
    for (const path of ['/healthz', '/readyz']) {
      expect((await fetch(server.origin + path)).status).toBe(200);
    }
    gate.open();
    for (const answer of slow) expect((await answer).status).toBe(200);
    expect((await fetch(`${server.origin}/fresh`)).status).toBe(200);
  });

  it('of many addresses leave half of the places to who was admitted lately', async () => {
    const gate = createGate();
    await start({ runningMax: 8 }, (request) => {
      if (request.target.startsWith('/shop')) request.admit?.('shop-id');
      return gate.handler(request);
    });
    expect(await statusFrom('127.0.0.1', '/shop')).toBe(200);
    const crowd: Promise<number>[] = [];
    for (let i = 2; i < 6; i++) {
      const arrived = gate.arrival();
      const answer = statusFrom(`127.0.0.${i}`, `/slow/${i}`);
      crowd.push(answer);
      await Promise.race([arrived, answer]);
    }
    expect(await statusFrom('127.0.0.9', '/other')).toBe(503);
    expect(await statusFrom('127.0.0.9', '/shop')).toBe(503);
    expect(await statusFrom('127.0.0.1', '/shop')).toBe(200);
    gate.open();
    expect(new Set(await Promise.all(crowd))).toEqual(new Set([200]));
  });
});

it('a page may read that it was refused, where it may read answers', async () => {
  const gate = createGate();
  await start({ runningMax: 1, handlerTimeoutMs: 100 }, (request) =>
    gate.handler({ ...request, target: '/slow' }),
  );
  const ask = (path: string) => fetch(server.origin + path, { headers: { Origin: 'https://shop.example' } });
  const allowed = (answer: Response) => answer.headers.get('Access-Control-Allow-Origin');
  const arrived = gate.arrival();
  const slow = ask('/v1/events/shop/multi');
  await arrived;
  const [events, query] = [await ask('/v1/events/shop/multi'), await ask('/v1/api/query/shop')];
  expect([events.status, query.status]).toEqual([503, 503]);
  expect([allowed(events), allowed(query)]).toEqual(['https://shop.example', null]);
  expect((await slow).status).toBe(503);
  expect(allowed(await slow)).toBe('https://shop.example');
  gate.open();
});

it('the log says how many were refused, in one line', async () => {
  const gate = createGate();
  await start({ runningMax: 1, handlerTimeoutMs: 2000 }, gate.handler);
  const arrived = gate.arrival();
  const slow = fetch(`${server.origin}/slow`);
  await arrived;
  // Health is told where no place is left, and is no request that was refused.
  for (const path of ['/healthz', '/readyz']) expect((await fetch(server.origin + path)).status).toBe(200);
  for (let i = 0; i < 5; i++) {
    const client = await openRawClient(server.port);
    // A refusal ends its connection: who sent what came with it gets no other answer.
    client.send('GET /other HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
    expect(await client.read()).toMatchObject({ status: 503 });
    await expect(client.read()).rejects.toThrow('the connection ended');
    client.close();
  }
  await expect.poll(() => server.log.entries.length).toBeGreaterThan(0);
  expect(server.log.entries).toMatchObject([
    { message: 'overloaded: requests were refused', fields: { times: 25 } },
  ]);
  gate.open();
  await slow;
});

it('bodies beyond the memory for all of them are refused, and their memory is given back', async () => {
  const memory = createMemoryBudget({ bytesMax: 400_000, ownerShare: 1 });
  const read: HttpHandler = async (request) => {
    await request.text(1_000_000);
    return OK;
  };
  await start({}, read, memory);
  const post = (bytes: number) => fetch(server.origin, { method: 'POST', body: ' '.repeat(bytes) });
  for (let i = 0; i < 5; i++) expect((await post(90_000)).status).toBe(200);
  expect((await post(300_000)).status).toBe(503);
  expect((await post(90_000)).status).toBe(200);
  const half = await openRawClient(server.port);
  half.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n${' '.repeat(280_000)}`);
  await expect.poll(() => memory.bytes).toBeGreaterThan(250_000);
  expect((await post(90_000)).status).toBe(503);
  half.close();
  await expect.poll(() => memory.bytes).toBe(0);
  expect((await post(90_000)).status).toBe(200);
});

it('what a body unpacks to counts for that memory too', async () => {
  const memory = createMemoryBudget({ bytesMax: 400_000, ownerShare: 1 });
  const seen: number[] = [];
  const read: HttpHandler = async (request) => {
    await request.text(10_000_000);
    seen.push(memory.bytes);
    return OK;
  };
  await start({}, read, memory);
  const send = (bytes: number) =>
    fetch(server.origin, {
      method: 'POST',
      body: gzipSync(randomBytes(bytes / 2).toString('hex')),
      headers: { 'Content-Encoding': 'gzip' },
    });
  expect((await send(150_000)).status).toBe(200);
  expect((await send(1_000_000)).status).toBe(503);
  // The text is held while it is worked on, and what it came from no more.
  expect(seen).toHaveLength(1);
  expect(seen[0]).toBeGreaterThanOrEqual(130_000);
  expect(seen[0]).toBeLessThan(160_000);
  await expect.poll(() => memory.bytes).toBe(0);
});

describe('a handler that does not answer', () => {
  it('is answered for with 503, the rest goes on, and its late answer is dropped', async () => {
    const gate = createGate();
    await start({ handlerTimeoutMs: 100 }, gate.handler);
    const slow = fetch(`${server.origin}/slow?secret=1`);
    expect((await fetch(`${server.origin}/other`)).status).toBe(200);
    await expectRefusal(slow, UNAVAILABLE);
    await expect.poll(() => server.log.entries.length).toBe(1);
    const [entry] = server.log.entries;
    expect(entry).toMatchObject({ message: 'request timed out', fields: { method: 'GET', path: '/slow' } });
    expect(entry?.fields.requestId).toBe((await slow).headers.get('X-Request-Id'));
    gate.open();
    expect((await fetch(`${server.origin}/other`)).status).toBe(200);
  });

  it('is answered for with how far the index is that it waits for', async () => {
    const gate = createGate();
    await start({ handlerTimeoutMs: 100 }, (request) => {
      const { pathname, searchParams } = new URL(request.target, 'http://a');
      if (pathname === '/slow')
        for (const indexed of searchParams.getAll('indexed'))
          request.signal.note?.({ indexed: Number(indexed), of: 5_000_000 });
      return gate.handler(request);
    });
    const building = await fetch(`${server.origin}/slow?indexed=7&indexed=1200000`);
    expect(building.status).toBe(503);
    expect(await building.json()).toEqual({
      error: 'The index of this tenant is being built: 1,200,000 of 5,000,000 events. Ask again in 5 s.',
    });
    expect(building.headers.get('Retry-After')).toBe('5');
    expect(building.headers.get('X-Index-Progress')).toBe('1200000/5000000');
    expect(server.log.entries[0]?.fields).toMatchObject({ indexed: 1_200_000, of: 5_000_000 });
    // What takes long after the index is there is no index.
    await expectRefusal(fetch(`${server.origin}/slow?indexed=7&indexed=5000000`), UNAVAILABLE);
    gate.open();
  });

  it('counts until it comes back, so that such handlers cannot pile up', async () => {
    const gate = createGate();
    await start({ handlerTimeoutMs: 100, runningMax: 8 }, gate.handler);
    await Promise.all([1, 2].map(() => expectRefusal(fetch(`${server.origin}/slow`), UNAVAILABLE)));
    await expectRefusal(fetch(`${server.origin}/slow`), OVERLOADED);
    gate.open();
    await expect
      .poll(async () => {
        const answer = fetch(`${server.origin}/slow`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        gate.open();
        return (await answer).status;
      })
      .toBe(200);
  });

  it('gives the memory of its request back when it comes back', async () => {
    const memory = createMemoryBudget({ bytesMax: 10_000_000 });
    const gate = createGate();
    const lasting: HttpHandler = async (request) => {
      await request.text(100_000);
      return gate.handler(request);
    };
    await start({ handlerTimeoutMs: 100 }, lasting, memory);
    const slow = fetch(`${server.origin}/slow`, { method: 'POST', body: ' '.repeat(50_000) });
    await expectRefusal(slow, UNAVAILABLE);
    // It holds the text still.
    expect(memory.bytes).toBeGreaterThan(0);
    gate.open();
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it('has its whole time from when the body has come', async () => {
    await start({ handlerTimeoutMs: 200 }, async (request) => {
      await request.text(100);
      return OK;
    });
    const client = await openRawClient(server.port);
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{');
    await new Promise((resolve) => setTimeout(resolve, 600));
    client.send('}');
    expect(await client.read()).toMatchObject({ status: 200 });
    client.close();
  });

  it('is answered for behind a body that was waited for, too', async () => {
    const gate = createGate();
    await start({ handlerTimeoutMs: 100 }, async (request) => {
      await request.text(100);
      return gate.handler(request);
    });
    const client = await openRawClient(server.port);
    client.send('POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    // It comes when the body is waited for.
    expect(await client.read()).toMatchObject({ status: 100 });
    client.send('{}');
    expect(await client.read()).toMatchObject({ status: 503 });
    gate.open();
    client.close();
  });

  it('and rejects, against its contract, is a 500 that tells nothing', async () => {
    await start({}, () => Promise.reject(new Error('engine text')));
    const response = await fetch(server.origin);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'Internal server error' });
  });
});

describe('a crowd of new clients', () => {
  it('is seen while work goes on, and those who come too late are refused', async () => {
    const workMs = 5;
    await start({ delayMsMax: 100 }, ({ target }) => {
      const until = performance.now() + (target === '/work' ? workMs : 0);
      while (performance.now() < until);
      return Promise.resolve(OK);
    });
    const statuses = await askFromOutside(server.port, 300);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    // Taken one in a turn, each would wait where nobody sees that it is late.
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(200);
    expect((await sendRaw(server.port, GET('/work'))).status).toBe(200);
  });
});

it('a long answer is booked by its bytes, before it is written', async () => {
  const body = '\u20ac'.repeat(250_000);
  const long: HttpHandler = () => Promise.resolve({ ...OK, body });
  // Half of it is one client's: more than the characters, less than the bytes.
  await start({}, long, createMemoryBudget({ bytesMax: 1_200_000 }));
  await expectRefusal(fetch(`${server.origin}/long`), OVERLOADED);
  await server.close();
  const memory = createMemoryBudget({ bytesMax: 2_000_000 });
  await start({}, long, memory);
  const answer = await fetch(`${server.origin}/long`);
  expect([answer.status, (await answer.text()).length]).toEqual([200, 250_000]);
  await expect.poll(() => memory.bytes).toBe(0);
});

/**
 * Clients that connect all at once, in a thread of their own, as others than the server would: it takes the
 * first when all have connected.
 */
const CROWD = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, clients, connected } } = require('node:worker_threads');
  const statuses = [];
  for (let i = 0; i < clients; i++) {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
    });
    socket.write('GET /work HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
    socket.once('data', (data) => {
      socket.destroy();
      if (statuses.push(Number(data.toString().slice(9, 12))) === clients) parentPort.postMessage(statuses);
    });
  }`;

async function askFromOutside(port: number, clients: number): Promise<readonly number[]> {
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CROWD, { eval: true, workerData: { port, clients, connected } });
  const answered = once(worker, 'message') as Promise<[readonly number[]]>;
  await once(worker, 'online');
  for (let seen = 0; seen < clients; seen = Atomics.load(connected, 0)) {
    if (Atomics.wait(connected, 0, seen, 30_000) === 'timed-out') throw new Error('not all have connected');
  }
  const [statuses] = await answered;
  await worker.terminate();
  return statuses;
}
