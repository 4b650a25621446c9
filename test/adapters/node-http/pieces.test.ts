import { afterEach, describe, expect, it } from 'vitest';
import type { NodeServerLimits } from '../../../adapters/node-http/index.ts';
import type { HttpHandler, MemoryBudget } from '../../../src/index.ts';
import { createMemoryBudget, type HttpRequest } from '../../../src/transport-kit.ts';
import { openRawClient, sendRaw } from '../../support/raw-client.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const PIECE = 'x'.repeat(1_000_000);

let server: TestServer;
let memory: MemoryBudget;
let made: number;
/** How many requests have come. */
let waits: number;
let ended: boolean;
afterEach(() => server.close());

/** Answers with so many pieces of 1 MB; the one with the number `failing` fails. */
async function start(
  pieces: number,
  limits: Partial<NodeServerLimits> = {},
  failing = Infinity,
  before: (request: HttpRequest) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  made = 0;
  waits = 0;
  ended = false;
  memory = createMemoryBudget({ bytesMax: 20_000_000 });
  async function* toPieces(): AsyncGenerator<string> {
    try {
      while (made < pieces) {
        await Promise.resolve();
        if (made === failing) throw new Error('engine text');
        made += 1;
        yield PIECE;
      }
    } finally {
      ended = true;
    }
  }
  const handler: HttpHandler = async (request) => {
    waits += 1;
    await before(request);
    return { status: 200, headers: {}, body: toPieces() };
  };
  server = await startTestServer({ limits: { handlerTimeoutMs: 400, ...limits }, handler, memory });
}

describe('an answer in pieces', () => {
  it('arrives whole, and the connection goes on', async () => {
    await start(5);
    const client = await openRawClient(server.port);
    for (let i = 0; i < 2; i++) {
      made = 0;
      client.send(GET);
      const { status, body, headers } = await client.read();
      expect([status, body.length, headers['transfer-encoding']]).toEqual([200, 5_000_000, 'chunked']);
    }
    client.close();
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it('is made as fast as the client takes it, and little of it is held', async () => {
    await start(250);
    const client = await openRawClient(server.port);
    client.socket.pause();
    client.send(GET);
    await expect.poll(() => made).toBeGreaterThan(0);
    let before = -1;
    while (before !== made) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // What the kernel holds for both ends is not ours.
    expect(made).toBeLessThan(20);
    expect(memory.bytes).toBeLessThanOrEqual(2 * PIECE.length);
    client.close();
    await expect.poll(() => ended).toBe(true);
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it('that nobody takes is cut off, and its source ends', async () => {
    await start(250, { answerTimeoutMs: 300 });
    const client = await openRawClient(server.port);
    client.socket.pause();
    client.send(GET);
    await expect.poll(() => ended).toBe(true);
    await expect.poll(() => memory.bytes).toBe(0);
    client.socket.resume();
    expect((await client.ended()).length).toBeLessThan(250 * PIECE.length);
    client.close();
  });

  it('may take longer than the time for one piece', async () => {
    const answerTimeoutMs = 10_000;
    await start(20, { answerTimeoutMs });
    const began = performance.now();
    const client = await openRawClient(server.port);
    let [bytes, pauses] = [0, 0];
    client.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < (pauses + 1) * 8 * PIECE.length) return;
      pauses += 1;
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 5_500);
    });
    client.send(GET);
    const { body } = await client.read();
    expect(body.length).toBe(20 * PIECE.length);
    expect(performance.now() - began).toBeGreaterThan(answerTimeoutMs);
    client.close();
  });

  it('that fails before its first piece is an error still', async () => {
    await start(5, {}, 0);
    expect(await sendRaw(server.port, GET)).toMatchObject({ status: 500, body: /Internal server error/ });
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it('that fails later breaks off, and never looks whole', async () => {
    await start(5, {}, 3);
    await expect(sendRaw(server.port, GET)).rejects.toThrow('the connection ended');
    await expect.poll(() => server.log.entries).toMatchObject([{ message: 'an answer broke off' }]);
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it('whose client went before it began ends with its first piece', async () => {
    await start(250, { handlerTimeoutMs: 60_000 }, Infinity, async ({ signal }) => {
      while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    const client = await openRawClient(server.port);
    client.send(GET);
    await expect.poll(() => waits).toBe(1);
    client.close();
    await expect.poll(() => ended).toBe(true);
    expect(made).toBe(1);
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it('without any piece is empty', async () => {
    await start(0);
    expect(await sendRaw(server.port, GET)).toMatchObject({ status: 200, body: '' });
  });

  it('whose first piece has no room is a 503', async () => {
    await start(5);
    const other = memory.reservation('127.0.0.1');
    expect(other.reserve(9_500_000)).toBe(true);
    expect(await sendRaw(server.port, GET)).toMatchObject({ status: 503 });
    other.release();
    expect((await sendRaw(server.port, GET)).status).toBe(200);
  });
});
