import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpHandler, HttpResponse } from '../../../src/index.ts';
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
async function start(): Promise<void> {
  asked = [];
  const opened = new Promise<void>((resolve) => (open = resolve));
  const handler: HttpHandler = async ({ target }) => {
    asked.push(target);
    if (target === '/slow') await opened;
    return OK;
  };
  server = await startTestServer({ handler, limits: { handlerTimeoutMs: 4_000 } });
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
