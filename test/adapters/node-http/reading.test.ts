import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeServerLimits } from '../../../adapters/node-http/index.ts';
import { isApiError, type HttpHandler, type Scheduler } from '../../../src/index.ts';
import type { HttpRequest } from '../../../src/transport-kit.ts';
import { openRawClient, type RawClient } from '../../support/raw-client.ts';
import { stopTime } from '../../support/stopped-time.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { testResources } from '../../support/resources.ts';

let server: TestServer;
afterEach(() => server.close());

const read: HttpHandler = async (request) => {
  try {
    return { status: 200, headers: {}, body: String((await request.text(20_000_000)).length) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { status: error.status, headers: {}, body: error.message };
  }
};

async function start(limits: Partial<NodeServerLimits>, handler = read): Promise<void> {
  server = await startTestServer({ handler, limits: { handlerTimeoutMs: 2_000, ...limits } });
}

/** A client that has sent a head and the first byte of its body. */
async function openSlow(path: string, length = 1_000_000, address = '127.0.0.1'): Promise<RawClient> {
  const client = await openRawClient(server.port, address);
  client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n `);
  return client;
}

const post = async (path: string) => {
  const answer = await fetch(server.origin + path, { method: 'POST', body: '{}' });
  await answer.text();
  return answer.status;
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a body that comes slowly', () => {
  it('keeps nobody from being worked on, of the same path neither', async () => {
    await start({ runningMax: 2 });
    const slow = await Promise.all(Array.from({ length: 8 }, () => openSlow('/a')));
    await sleep(200);
    for (let i = 0; i < 5; i++) expect([await post('/a'), await post('/b')]).toEqual([200, 200]);
    for (const client of slow) client.close();
  });

  it('goes when places are short, the slowest first, but not at once', async () => {
    await start({ readingMax: 4 });
    const [slow, slower] = [await openSlow('/a'), await openSlow('/a')];
    slow.send(' '.repeat(10_000));
    await sleep(100);
    const soon = await openSlow('/a');
    expect((await soon.read()).status).toBe(503);
    await sleep(1_100);
    const late = await openSlow('/a', 2);
    expect((await slower.read()).status).toBe(408);
    late.send(' ');
    expect(await late.read()).toMatchObject({ status: 200, body: '2' });
    slow.send(' '.repeat(989_999));
    expect(await slow.read()).toMatchObject({ status: 200, body: '1000000' });
    for (const client of [slow, slower, soon, late]) client.close();
  });

  it.each([
    ['for the same tenant, from another address', '/a', ['127.0.0.2', '127.0.0.3']],
    ['from the same address, for another tenant', '/b', ['127.0.0.1', '127.0.0.1']],
  ])('makes room for who comes %s', async (_name, path, addresses) => {
    const time = stopTime();
    let waiting = 0;
    const ofTenant: HttpHandler = (request) => {
      const text = () => {
        const body = request.text(20_000_000, request.target);
        waiting += 1;
        return body;
      };
      return read({ ...request, signal: request.signal, text });
    };
    await start({ readingMax: 5 }, ofTenant);
    // The slowest of all has neither its address nor its tenant in common with the one that comes late.
    const apart = await openSlow('/z', 2, '127.0.0.4');
    await expect.poll(() => waiting).toBe(1);
    time.advance(100);
    const slow: RawClient[] = [];
    for (const address of addresses) slow.push(await openSlow(path, 1_000, address));
    await expect.poll(() => waiting).toBe(3);
    time.advance(1_100);
    const late = await openSlow('/a', 2);
    await expect.poll(() => waiting).toBe(4);
    late.send(' ');
    expect(await late.read()).toMatchObject({ status: 200, body: '2' });
    expect((await Promise.race(slow.map((client) => client.read()))).status).toBe(408);
    apart.send(' ');
    expect(await apart.read()).toMatchObject({ status: 200, body: '2' });
    for (const client of [apart, ...slow, late]) client.close();
  });

  it('gives its place back when its client leaves', async () => {
    await start({ readingMax: 2 });
    for (let i = 0; i < 5; i++) {
      const client = await openSlow('/a');
      await sleep(50);
      const second = await openSlow('/a', 2);
      expect((await second.read()).status).toBe(503);
      client.close();
      second.close();
      await expect
        .poll(async () => {
          const third = await openSlow('/a', 2);
          await sleep(30);
          third.send(' ');
          const { status } = await third.read();
          third.close();
          return status;
        })
        .toBe(200);
    }
  });

  it('at less than the least rate is a 408 after a while, at more it is read', async () => {
    await start({ bodyGraceMs: 1_200, bodyRateMin: 2_000 });
    const [slow, quick] = [await openSlow('/a', 5_000), await openSlow('/a', 500_000)];
    const began = performance.now();
    const timer = setInterval(() => slow.send(' '), 20);
    // On average it comes quickly enough for minutes.
    quick.send(' '.repeat(400_000));
    expect((await slow.read()).status).toBe(408);
    expect(performance.now() - began).toBeGreaterThan(1_200);
    quick.send(' '.repeat(99_999));
    expect(await quick.read()).toMatchObject({ status: 200, body: '500000' });
    clearInterval(timer);
    for (const client of [slow, quick]) client.close();
  });

  it('is not waited for without end when its connection has ended', async () => {
    await start({});
    const client = await openSlow('/a', 1_000_000_000);
    expect((await client.read()).status).toBe(413);
    const closed = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.on('error', () => undefined);
    const timer = setInterval(() => client.socket.writable && client.send(' '), 50);
    await closed;
    clearInterval(timer);
  });
});

describe('an end that a client does not expect', () => {
  it('leaves it time to read why', async () => {
    await start({ handlerTimeoutMs: 100 });
    const client = await openSlow('/a', 1_000_000_000);
    client.socket.pause();
    for (let i = 0; i < 10; i++) {
      await sleep(50);
      client.send(' '.repeat(100_000));
    }
    client.socket.resume();
    expect((await client.read()).status).toBe(413);
    client.close();
  });
});

describe('the size of a chunked body', () => {
  it.each([
    [0, 200],
    [1, 413],
  ])('%i bytes beyond the limit: %i', async (beyond, status) => {
    const limited: HttpHandler = (request) =>
      read({ ...request, text: () => request.text(1_000), signal: request.signal });
    await start({}, limited);
    const client = await openRawClient(server.port);
    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    client.send(`3e8\r\n${' '.repeat(1_000)}\r\n${beyond > 0 ? '1\r\n \r\n' : ''}0\r\n\r\n`);
    expect((await client.read()).status).toBe(status);
    client.close();
  });
});

describe('gzip', () => {
  const send = async (body: string) => {
    const headers = { 'Content-Encoding': 'gzip' };
    const answer = await fetch(server.origin, { method: 'POST', body: gzipSync(body), headers });
    return { status: answer.status, text: await answer.text() };
  };

  it('that unpacks to far more than its size is refused', async () => {
    await start({});
    const objects = `[${'{},'.repeat(3_400_000)}{}]`;
    expect(gzipSync(objects).length).toBeLessThan(12_000);
    expect(await send(objects)).toEqual({
      status: 400,
      text: 'The body cannot be read: its gzip unpacks to more than 100 times its size',
    });
  });

  it('of little that repeats itself is taken, and of much that does not', async () => {
    await start({});
    expect(await send(' '.repeat(262_144))).toEqual({ status: 200, text: '262144' });
    const events = Array.from({ length: 2_000 }, (_, i) => ({
      eventName: 'page_view',
      userId: `user-${i % 50}`,
      eventTs: 1_700_000_000_000 + i * 37,
      properties: { path: '/the/same/path', referrer: 'https://example.com/', note: 'x'.repeat(300) },
    }));
    const body = JSON.stringify(events);
    expect(await send(body)).toEqual({ status: 200, text: String(body.length) });
  });
});

describe('the signal of a request', () => {
  it('is aborted when its client leaves, or when it is answered for, and not before', async () => {
    const requests: HttpRequest[] = [];
    const lasting: HttpHandler = async (request) => {
      requests.push(request);
      while (!request.signal.aborted) await sleep(5);
      return { status: 200, headers: {}, body: '' };
    };
    await start({ handlerTimeoutMs: 600 }, lasting);
    const client = await openRawClient(server.port);
    client.send('GET /gone HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => requests.length).toBe(1);
    await sleep(50);
    expect(requests[0]!.signal.aborted).toBe(false);
    client.close();
    await expect.poll(() => requests[0]!.signal.aborted).toBe(true);
    expect((await fetch(`${server.origin}/slow`)).status).toBe(503);
    expect(requests[1]!.signal.aborted).toBe(true);
  });
});

describe('a large body', () => {
  it('becomes a text in a turn of whom it is for; a small one waits for none', async () => {
    const owners: string[] = [];
    const own = testResources().scheduler;
    const scheduler: Scheduler = {
      run: (owner, signal, job) => {
        owners.push(owner);
        return own.run(owner, signal, job);
      },
    };
    const handler: HttpHandler = async (request) => {
      const text = await request.text(20_000_000, 'tenant');
      return { status: 200, headers: {}, body: String(text.length) };
    };
    server = await startTestServer({ handler, scheduler });
    const send = async (body: string | Uint8Array, headers = {}) =>
      (await server.post('/a', body, headers)).text();
    expect([await send('x'.repeat(65_536)), owners]).toEqual(['65536', ['strangers']]);
    expect([await send('é'.repeat(65_537)), owners.splice(0)]).toEqual([
      '65537',
      ['strangers', 'strangers', 'tenant'],
    ]);
    const packed = gzipSync('y'.repeat(200_000));
    expect(await send(packed, { 'Content-Encoding': 'gzip' })).toBe('200000');
    expect(owners).toEqual(['strangers', 'tenant']);
  });
});

it('a body that is here before it is asked for is refused where it is too large', async () => {
  const small: HttpHandler = async (request) => {
    // Node tells of the end of a body after it has told of its bytes.
    await new Promise(setImmediate);
    const body = await request.text(10).catch((error: unknown) => {
      if (isApiError(error)) return error;
      throw error;
    });
    return typeof body === 'string'
      ? { status: 200, headers: {}, body }
      : { status: body.status, headers: {}, body: body.message };
  };
  await start({}, small);
  const client = await openRawClient(server.port);
  const head = 'POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  client.send(`${head}2\r\n{}\r\n0\r\n\r\n`);
  expect(await client.read()).toMatchObject({ status: 200, body: '{}' });
  // Each chunk is a piece of its own, which Node gives together up to 25, and one by one from 26 on.
  client.send(`${head}1\r\n[\r\n2\r\n{}\r\n1\r\n]\r\n0\r\n\r\n`);
  expect(await client.read()).toMatchObject({ status: 200, body: '[{}]' });
  client.send(`${head}b\r\n${' '.repeat(11)}\r\n0\r\n\r\n`);
  expect((await client.read()).status).toBe(413);
  client.close();
});
