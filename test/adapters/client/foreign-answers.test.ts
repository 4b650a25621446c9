import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createClient,
  createSender,
  type Client,
  type EventQueryError,
  type Undelivered,
} from '../../../adapters/client/index.ts';

/** What stands where event-query should: another server, a proxy, or somebody who means harm. */
interface Stranger {
  readonly url: string;
  readonly asked: string[];
  /** How many bytes of its endless answers have been taken. */
  readonly taken: () => number;
}

type Answer = (res: ServerResponse, req: IncomingMessage) => void;

async function startStranger(answer: Answer): Promise<Stranger> {
  const asked: string[] = [];
  const sockets = new Set<IncomingMessage['socket']>();
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    sockets.add(req.socket);
    void buffer(req).then(() => answer(res, req));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const taken = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, taken };
}

const PIECE = Buffer.alloc(1 << 18, 'a');

/** Answers with a beginning, and then for ever. */
function endless(status: number, beginning: string): Answer {
  return (res) => {
    res.writeHead(status);
    res.write(beginning);
    const more = () => {
      while (!res.destroyed && res.write(PIECE));
    };
    res.on('drain', more);
    more();
  };
}

/** What a sender has given up. */
interface Reported {
  readonly error: EventQueryError;
  readonly undelivered: readonly Undelivered[];
}

/** Sends one event, and gives what is reported of it. */
function send(url: string): Promise<Reported> {
  return new Promise((resolve) => {
    const onError = (error: EventQueryError, undelivered: readonly Undelivered[]) =>
      resolve({ error, undelivered });
    const sender = createSender({ url, tenant: 'shop', delayMs: 0, closeMs: 0, onError });
    onTestFinished(() => sender.close());
    sender.append({ eventName: 'order_placed', userId: 'ada' });
  });
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('of %d takes no events to another server', async (status) => {
    const other = await startStranger((res) => res.end('{"accepted":1,"duplicates":0,"rejected":[]}'));
    const own = await startStranger((res) => res.writeHead(status, { Location: `${other.url}/x` }).end());
    const { error, undelivered } = await send(own.url);
    expect(error.status).toBe(status);
    expect(error.message).toBe(
      `The server redirects to ${other.url}/x, which gets nothing; name it as url if you trust it`,
    );
    expect(undelivered).toHaveLength(1);
    expect([other.asked, own.asked]).toEqual([[], ['POST /v1/events/shop/multi']]);
  });
});

describe('an answer without an end', () => {
  const MIB = 2 ** 20;
  const client = (url: string) => createClient({ url, tenant: 'shop', apiKey: 'eqk_0' });
  // What the kernel holds of a connection comes on top.
  const SLACK = 16 * MIB;

  it.each([400, 401, 413, 429, 500, 503])('of an error %d is read for 64 KiB', async (status) => {
    const { url, taken } = await startStranger(endless(status, '{"error":"x"'));
    const message = `The server answered ${status}`;
    await expect(client(url).count()).rejects.toMatchObject({ status, message });
    expect(taken()).toBeLessThan(SLACK);
  });

  it('of events that were sent is read for some MiB', async () => {
    const { url, taken, asked } = await startStranger(endless(200, '{"rejected":[],"x":"'));
    const sender = createSender({ url, tenant: 'shop', delayMs: 0, closeMs: 0, onError: () => undefined });
    sender.append({ eventName: 'order_placed', userId: 'ada' });
    // It was no report, so the events are sent again.
    await vi.waitUntil(() => asked.length === 2, { timeout: 30_000 });
    expect(taken()).toBeLessThan(2 * SLACK);
    await sender.close();
  });

  it('to a question is read for some MiB', async () => {
    const { url, taken } = await startStranger(endless(200, '{"count":1,"x":"'));
    await expect(client(url).count()).rejects.toThrow('the answer has more than 33554432 bytes');
    expect(taken()).toBeLessThan(32 * MIB + SLACK);
  });

  it('within one line of an export is read for some MiB', async () => {
    const { url, taken } = await startStranger(endless(200, '{"eventName":"'));
    const read = async () => {
      for await (const event of client(url).export()) expect(event).toBeUndefined();
    };
    await expect(read()).rejects.toThrow('the answer broke off or is no JSON');
    expect(taken()).toBeLessThan(8 * MIB + SLACK);
  });
});

describe('a large answer', () => {
  /** More than is read of an answer without events, groups or users. */
  const BLANKS = Buffer.alloc(2 ** 25 + 1, ' ');
  const client = async (text: string) => {
    const { url } = await startStranger((res) => {
      res.writeHead(200, { 'X-Tail-Position': '1.1.1' });
      res.write(BLANKS);
      res.end(text);
    });
    return createClient({ url, tenant: 'shop', apiKey: 'eqk_0' });
  };
  const steps = [{}, {}];

  it.each<[string, (shop: Client) => Promise<unknown>, unknown]>([
    ['query', async (shop) => (await shop.query()).events, []],
    ['top', (shop) => shop.top({ of: 'properties.n' }), []],
    ['since', async (shop) => (await shop.since()).events, []],
    ['users', async (shop) => (await shop.userPage()).users, []],
    ['breakdown', (shop) => shop.breakdown({ by: 'userId' }), { groups: [] }],
    ['sequence', (shop) => shop.sequence({ steps }), { steps: [] }],
    ['retention', (shop) => shop.retention({ steps, unit: 'day' }), { cohorts: [] }],
    ['compare', (shop) => shop.compare({ selected: {} }), { rows: [] }],
  ])('of a question that may have one is read: %s', async (_, ask, answer) => {
    expect(await ask(await client(JSON.stringify(answer)))).toEqual(answer);
  });
});

describe("what an error repeats of a server's text", () => {
  const hostile = `\u001b[2J\u202e\u2028\u200b${'x'.repeat(50_000)}`;
  const expected = /^\\u\{1b\}\[2J\\u\{202e\}\\u\{2028\}\\u\{200b\}x{490,500}…$/;

  it('is short, and shows what a terminal would obey', async () => {
    const { url } = await startStranger((res) => res.writeHead(403).end(JSON.stringify({ error: hostile })));
    const { error, undelivered } = await send(url);
    expect(error.message).toMatch(expected);
    expect(undelivered[0]!.reason).toMatch(expected);
    const asked = createClient({ url, tenant: 'shop', apiKey: 'eqk_0' }).count();
    await expect(asked).rejects.toThrow(expected);
  });

  it('is so for each rejected event, and for the address of a redirect', async () => {
    const rejected = JSON.stringify({ accepted: 0, rejected: [{ index: 0, error: hostile }] });
    const { undelivered } = await send((await startStranger((res) => res.end(rejected))).url);
    expect(undelivered[0]!.reason).toMatch(expected);
    const place = `http://${'x'.repeat(9000)}/`;
    const moved = await startStranger((res) => res.writeHead(307, { Location: place }).end());
    expect((await send(moved.url)).error.message.length).toBeLessThan(600);
  });
});
