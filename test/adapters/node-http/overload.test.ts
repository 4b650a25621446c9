import { afterEach, describe, expect, it } from 'vitest';
import type { NodeServerLimits } from '../../../adapters/node-http/index.ts';
import type { HttpHandler, HttpResponse } from '../../../src/index.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const OVERLOADED = { error: 'The server is overloaded. Retry later.' };
const UNAVAILABLE = { error: 'The service is temporarily unavailable. Retry later.' };
const OK: HttpResponse = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '{"ok":true}',
};

let server: TestServer;
afterEach(() => server.close());

async function start(limits: Partial<NodeServerLimits>, handler: HttpHandler): Promise<void> {
  server = await startTestServer({ limits, handler });
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

it('requests beyond those in flight are refused, health is told still, and then all goes on', async () => {
  const gate = createGate();
  await start({ inFlightMax: 2 }, gate.handler);
  const arrived = Promise.all([gate.arrival(), gate.arrival()]);
  const slow = [fetch(`${server.origin}/slow`), fetch(`${server.origin}/slow`)];
  await arrived;
  await expectRefusal(fetch(`${server.origin}/other`), OVERLOADED);
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  gate.open();
  for (const answer of slow) expect((await answer).status).toBe(200);
  expect((await fetch(`${server.origin}/other`)).status).toBe(200);
});

it('the log says how many were refused, in one line', async () => {
  const gate = createGate();
  await start({ inFlightMax: 1, handlerTimeoutMs: 2000 }, gate.handler);
  const arrived = gate.arrival();
  const slow = fetch(`${server.origin}/slow`);
  await arrived;
  const client = await openRawClient(server.port);
  client.send('GET /other HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
  for (let i = 0; i < 5; i++) expect(await client.read()).toMatchObject({ status: 503 });
  client.close();
  await expect.poll(() => server.log.entries.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const told = server.log.entries.map(({ fields }) => Number(fields.requests));
  expect(told.reduce((sum, requests) => sum + requests, 0)).toBe(5);
  gate.open();
  await slow;
});

it('bodies beyond the memory for all of them are refused, and their memory is given back', async () => {
  await start({ bufferedBytesMax: 100_000 }, async (request) => {
    await request.text(1_000_000);
    return OK;
  });
  const post = (bytes: number) => fetch(server.origin, { method: 'POST', body: ' '.repeat(bytes) });
  for (let i = 0; i < 5; i++) expect((await post(90_000)).status).toBe(200);
  expect((await post(200_000)).status).toBe(503);
  expect((await post(90_000)).status).toBe(200);
  const half = await openRawClient(server.port);
  half.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${' '.repeat(60_000)}`);
  // Its bytes were there before these, which may find the server still busy with taking the connection.
  for (let i = 0; i < 3; i++) expect((await fetch(server.origin)).status).toBe(200);
  await expect.poll(async () => (await post(90_000)).status, { timeout: 30_000 }).toBe(503);
  half.close();
  await expect.poll(async () => (await post(90_000)).status, { timeout: 30_000 }).toBe(200);
});

describe('a handler that does not answer', () => {
  it('is answered for with 503, the rest goes on, and its late answer is dropped', async () => {
    const gate = createGate();
    await start({ handlerTimeoutMs: 100 }, gate.handler);
    const slow = fetch(`${server.origin}/slow?secret=1`);
    expect((await fetch(`${server.origin}/other`)).status).toBe(200);
    await expectRefusal(slow, UNAVAILABLE);
    const [entry] = server.log.entries;
    expect(entry).toMatchObject({ message: 'request timed out', fields: { method: 'GET', path: '/slow' } });
    expect(entry?.fields.requestId).toBe((await slow).headers.get('X-Request-Id'));
    gate.open();
    expect((await fetch(`${server.origin}/other`)).status).toBe(200);
  });

  it('counts until it comes back, so that such handlers cannot pile up', async () => {
    const gate = createGate();
    await start({ handlerTimeoutMs: 100, inFlightMax: 2 }, gate.handler);
    await Promise.all([1, 2].map(() => expectRefusal(fetch(`${server.origin}/slow`), UNAVAILABLE)));
    await expectRefusal(fetch(`${server.origin}/other`), OVERLOADED);
    gate.open();
    await expect.poll(async () => (await fetch(`${server.origin}/other`)).status).toBe(200);
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

  it('and rejects, against its contract, is a 500 that tells nothing', async () => {
    await start({}, () => Promise.reject(new Error('engine text')));
    const response = await fetch(server.origin);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'Internal server error' });
  });
});

it('a turn of the event loop that is too long refuses the rest of its queue', async () => {
  const block = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  await start({ delayMsMax: 100, handlerTimeoutMs: 40_000 }, ({ target }) => {
    if (target === '/block') block(100);
    return Promise.resolve(OK);
  });
  const client = await openRawClient(server.port);
  const requests = 30;
  client.send('GET /block HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
  client.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  const statuses = [];
  for (let i = 0; i < requests; i++) statuses.push((await client.read()).status);
  expect(statuses[0]).toBe(200);
  expect(statuses).toContain(503);
  expect(await client.read()).toMatchObject({ status: 200 });
  client.close();
  await expect.poll(async () => (await fetch(`${server.origin}/`)).status).toBe(200);
});

it('a queue whose answers come too late refuses what comes behind it, until it is short again', async () => {
  const gate = createGate();
  await start({ delayMsMax: 100 }, gate.handler);
  const [queued, kept] = [200, 80];
  const answers: Promise<Response>[] = [];
  const enqueue = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const arrived = gate.arrival();
      answers.push(fetch(`${server.origin}/slow`));
      await arrived;
    }
  };
  await enqueue(queued);
  expect((await fetch(`${server.origin}/other`)).status).toBe(200);
  await ticks(4);
  // Those who have waited long are answered, and enough others wait still.
  gate.open(queued - kept);
  await Promise.all(answers.slice(0, queued - kept));
  await expectRefusal(fetch(`${server.origin}/other`), OVERLOADED);
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  gate.open();
  for (const answer of answers) expect((await answer).status).toBe(200);
  expect((await fetch(`${server.origin}/other`)).status).toBe(200);
});

/** Waits for the server's own timer to have run some times: both have the same period and so take turns. */
function ticks(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      resolve();
    }, 500);
  });
}
