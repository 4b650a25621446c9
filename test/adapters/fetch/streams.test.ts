import { afterEach, describe, expect, it } from 'vitest';
import type { HttpHandler } from '../../../src/index.ts';
import { createMemoryBudget, type HttpRequest } from '../../../src/transport-kit.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { createTestLog } from '../../support/test-server.ts';
import { TRANSPORTS, type Transport, type TransportName } from '../../support/transports.ts';
import { served } from '../../support/resources.ts';

const NAMES = Object.keys(TRANSPORTS) as TransportName[];
const GET = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';
const PIECE = 'x'.repeat(1_000_000);

let transport: Transport;
afterEach(() => transport.close());

/** A handler that answers with this many pieces of 1 MB, one of which may fail. */
function inPieces(count: number, failAt = Infinity) {
  const state: { made: number; ended: boolean; request?: HttpRequest } = { made: 0, ended: false };
  async function* pieces() {
    try {
      while (state.made < count) {
        await Promise.resolve();
        if (state.made === failAt) throw new Error('the disk is gone');
        state.made += 1;
        yield PIECE;
      }
    } finally {
      state.ended = true;
    }
  }
  const handler: HttpHandler = (request) => {
    state.request = request;
    return Promise.resolve({ status: 200, headers: {}, body: pieces() });
  };
  return { state, handler };
}

describe.each(NAMES)('a client of %s', (name) => {
  it('that reads nothing causes no work', async () => {
    const { state, handler } = inPieces(200);
    const memory = createMemoryBudget({ bytesMax: 50_000_000 });
    transport = await TRANSPORTS[name]({ api: served(handler, { memory }) });
    const client = await openRawClient(transport.port);
    client.socket.pause();
    client.send(GET);
    await expect.poll(() => state.made).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // About as much as the kernel buffers.
    expect(state.made).toBeLessThan(40);
    expect(memory.bytes).toBeLessThan(5_000_000);
    client.close();
    await expect.poll(() => state.ended).toBe(true);
    await expect.poll(() => memory.bytes).toBe(0);
    expect(state.request!.signal.aborted).toBe(true);
  });

  it('does not see the end of an answer that broke off', async () => {
    const { state, handler } = inPieces(6, 3);
    const log = createTestLog();
    transport = await TRANSPORTS[name]({ api: served(handler, { log }) });
    const answer = await fetch(`http://127.0.0.1:${transport.port}/x`);
    await expect(answer.text()).rejects.toThrow();
    expect(state.ended).toBe(true);
    await expect.poll(() => log.entries.map(({ message }) => message)).toEqual(['an answer broke off']);
  });

  it('reads each line of a repeated header', async () => {
    const headers = { 'X-One': 'a', 'Set-Cookie': ['b=1; Path=/', 'c=2; Path=/'] };
    const handler: HttpHandler = () => Promise.resolve({ status: 200, headers, body: '{}' });
    transport = await TRANSPORTS[name]({ api: served(handler) });
    const answer = await fetch(`http://127.0.0.1:${transport.port}/x`);
    expect(answer.headers.getSetCookie()).toEqual(headers['Set-Cookie']);
    expect(answer.headers.get('x-one')).toBe('a');
  });

  it('that disconnects causes no further work', async () => {
    let request: HttpRequest | undefined;
    const handler: HttpHandler = (asked) => {
      request = asked;
      return new Promise(() => undefined);
    };
    transport = await TRANSPORTS[name]({ api: served(handler) });
    const client = await openRawClient(transport.port);
    client.send(GET);
    await expect.poll(() => request?.signal.aborted).toBe(false);
    client.close();
    await expect.poll(() => request?.signal.aborted).toBe(true);
  });
});
