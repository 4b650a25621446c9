import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTurns } from '../../../adapters/node-http/turns.ts';
import { isApiError, type HttpHandler } from '../../../src/index.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const start = (delayMsMax = 3_600_000) => {
  const server = createServer();
  const noted: number[] = [];
  const load = { ticks: 7, noteDone: (sinceTick: number) => noted.push(sinceTick) };
  const turns = createTurns(server, load, { delayMsMax });
  return { server, noted, turns };
};

describe('turns', () => {
  it('work that nobody else waits with is done at once', () => {
    const { turns, noted } = start();
    let done = 0;
    turns.take(() => (done += 1));
    expect(done).toBe(1);
    expect(noted).toEqual([]);
  });

  it('while connections come, work waits, in its order, and not for ever', async () => {
    const { server, turns, noted } = start();
    const done: number[] = [];
    let turnsBefore = 0;
    server.emit('connection', new Socket());
    for (let i = 0; i < 3; i++) turns.take(() => done.push(i));
    expect(done).toEqual([]);
    while (done.length < 3) {
      server.emit('connection', new Socket());
      turnsBefore += 1;
      await nextTurn();
    }
    expect(done).toEqual([0, 1, 2]);
    expect(turnsBefore).toBeGreaterThan(1);
    // What waited counts as late, from the tick at which it came.
    expect(noted).toEqual([7, 7, 7]);
    turns.take(() => done.push(3));
    while (done.length < 4) await nextTurn();
    turns.take(() => done.push(4));
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('a queue of work', () => {
  it('may grow while it is worked off', async () => {
    const { server, turns } = start();
    const done: string[] = [];
    const takeNested = (name: string, depth: number) => {
      server.emit('connection', new Socket());
      turns.take(() => {
        done.push(name);
        if (depth > 0) takeNested(`${name}.`, depth - 1);
      });
    };
    takeNested('a', 3);
    takeNested('b', 1);
    while (done.length < 6) await nextTurn();
    for (let i = 0; i < 5; i++) await nextTurn();
    expect([...done].sort()).toEqual(['a', 'a.', 'a..', 'a...', 'b', 'b.']);
  });

  it('that waited for too long is told so, but for the last few', async () => {
    const server = createServer();
    const load = { ticks: 0, noteDone: () => undefined };
    const turns = createTurns(server, load, { delayMsMax: 0 });
    const told: boolean[] = [];
    server.emit('connection', new Socket());
    for (let i = 0; i < 20; i++) turns.take((late) => told.push(late));
    while (told.length < 20) await nextTurn();
    expect(told).toEqual([...Array<boolean>(12).fill(true), ...Array<boolean>(8).fill(false)]);
  });
});

describe('a client that goes before its body is read', () => {
  let server: TestServer;
  afterEach(() => server.close());

  it('ends the reading', async () => {
    let handler: HttpHandler;
    let goOn: () => void = () => undefined;
    let read: Promise<unknown> | undefined;
    const arrived = new Promise<void>((resolve) => {
      handler = async (request) => {
        resolve();
        await new Promise<void>((resume) => (goOn = resume));
        read = request.text(1000).catch((error: unknown) => error);
        await read;
        return { status: 200, headers: {}, body: '' };
      };
    });
    server = await startTestServer({ handler: (request) => handler(request) });
    const client = await openRawClient(server.port);
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await arrived;
    const gone = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.resetAndDestroy();
    await gone;
    // The server sees the end a few turns of the event loop later.
    for (let i = 0; i < 20; i++) await nextTurn();
    goOn();
    await expect.poll(() => read).toBeDefined();
    expect(isApiError(await read)).toBe(true);
  });
});
