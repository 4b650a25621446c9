import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, where, type Client } from '../../../adapters/client/index.ts';
import { sleep } from '../../../adapters/client/requests.ts';
import { errorOf } from './error-of.ts';

interface Asked {
  readonly path: string;
  readonly atMs: number;
  readonly res: ServerResponse;
}

/** A client of a server with a given request handler, and the requests that the server received. */
async function clientOf(
  answer: (res: ServerResponse, request: IncomingMessage) => void,
  { tenant = 'shop', timeoutMs = 60_000, end = '' } = {},
): Promise<{ readonly url: string; readonly client: Client; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, res) => {
    asked.push({ path: request.url!, atMs: performance.now(), res });
    answer(res, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${end}`;
  return { url, client: createClient({ url, tenant, apiKey: 'eqk_0', timeoutMs }), asked };
}

/** Uses fake timers: time advances only when a test says so. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a finished request', () => {
  it('leaves no timer that keeps the process alive, however it ended', async () => {
    const [set, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    onTestFinished(() => [set, cleared].forEach((spied) => spied.mockRestore()));
    const timeoutMs = 54_321;
    const { client } = await clientOf(
      (res, { url }) => {
        if (url!.includes('events')) res.writeHead(500).end();
        else res.end(`{"count":1}\n${url!.includes('export') ? '{"end":true}\n' : ''}`);
      },
      { timeoutMs },
    );
    await client.count();
    await errorOf(client.eventNames());
    for await (const event of client.export()) expect(event).toEqual({ count: 1 });
    const closed = createClient({ url: 'http://127.0.0.1:1', tenant: 'shop', apiKey: 'eqk_0', timeoutMs });
    await errorOf(closed.count());
    const own = set.mock.results.filter((_, i) => set.mock.calls[i]![1] === timeoutMs);
    const over = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
    expect(own.length).toBeGreaterThanOrEqual(4);
    expect(own.filter(({ value }) => !over.has(value))).toEqual([]);
  });

  it.each([
    ['{"error":{"a":1}}', 'The server answered 503'],
    ['"error"', 'The server answered 503'],
    ['{"error":"away"}', 'away'],
  ])('with the answer %s says %s, and no time to come back that is none', async (body, message) => {
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
    const { client } = await clientOf((res) => res.writeHead(503, { 'Retry-After': date }).end(body));
    const error = await errorOf(client.count());
    expect(error).toMatchObject({ status: 503, message });
    expect(error.retryAfterSeconds).toBeUndefined();
  });

  it('is an error too when its text breaks off', async () => {
    const { client } = await clientOf((res) => {
      res.writeHead(500, { 'Content-Length': 100 }).write('{"error"', () => res.destroy());
    });
    expect(await errorOf(client.count())).toMatchObject({ status: 500, message: 'The server answered 500' });
  });
});

describe('a request of the client', () => {
  it('has the names of tenants and events in its URL, whatever they contain', async () => {
    const { client, asked } = await clientOf((res) => res.end('{}'), { tenant: 'a/b?c', end: '/base/' });
    await client.properties({ event: 'a&b=c d' });
    await client.count();
    expect(asked.map(({ path }) => path)).toEqual([
      '/base/v1/api/query/properties/a%2Fb%3Fc?event=a%26b%3Dc%20d',
      '/base/v1/api/query/count/a%2Fb%3Fc',
    ]);
  });

  it('is not sent on to another server, which would get the key', async () => {
    const keys: unknown[] = [];
    const other = await clientOf((res, { headers }) => {
      keys.push(headers['x-api-key']);
      res.end('{"count":5}');
    });
    const { client } = await clientOf((res) => res.writeHead(307, { Location: `${other.url}/` }).end());
    expect(await errorOf(client.count())).toMatchObject({
      status: 307,
      message: `The server redirects to ${other.url}/, which gets nothing; name it as url if you trust it`,
    });
    expect(await errorOf(client.eventNames())).toMatchObject({ status: 307 });
    expect(keys).toEqual([]);
  });

  it('yields no page when there are no events', async () => {
    const { client } = await clientOf((res) => res.end('[]'));
    for await (const page of client.pages()) expect(page).toBeUndefined();
  });

  it('can have a filter without an operand, which is not a promise', async () => {
    expect(where('userId').isNull()).toEqual({ property: 'userId', comparison: 'IS_NULL', value: null });
    const begun = where('userId') as unknown as Record<string, unknown>;
    expect(begun.then).toBeUndefined();
    expect(await Promise.resolve(begun)).toBe(begun);
  });
});

describe('a tail', () => {
  const here = (res: ServerResponse) => res.setHeader('X-Tail-Position', 'here');

  it('is an error where a proxy leaves out the position, since the next wait would begin later', async () => {
    const { client } = await clientOf((res) => res.end('[{"insertId":"a"}]'));
    const message = 'the answer has no header X-Tail-Position';
    for (const asked of [client.tail().next(), client.since()])
      expect(await errorOf(asked)).toMatchObject({ message });
  });

  it('may wait longer than the timeout of a query', async () => {
    const { client } = await clientOf((res) => setTimeout(() => here(res).end('[{"insertId":"a"}]'), 300), {
      timeoutMs: 20,
    });
    expect((await client.tail().next()).value).toEqual({ insertId: 'a' });
    await expect(client.count()).rejects.toThrow('no answer within 20 ms');
  });

  it('waits although the timeout of a query is the longest that a timer can have', async () => {
    const { client } = await clientOf((res) => setTimeout(() => here(res).end('[{"insertId":"a"}]'), 100), {
      timeoutMs: 2_147_483_647,
    });
    expect((await client.tail().next()).value).toEqual({ insertId: 'a' });
  });

  it('reports a position when all events before it were consumed', async () => {
    const { client } = await clientOf((res) => here(res).end('[{"insertId":"a"},{"insertId":"b"}]'));
    const positions: string[] = [];
    const tail = client.tail({}, { onPosition: (position) => positions.push(position) });
    await tail.next();
    await tail.next();
    expect(positions).toEqual([]);
    await tail.next();
    expect(positions).toEqual(['here']);
    await tail.return();
  });

  it('backs off from a server that answers at once', async () => {
    const { client, asked } = await clientOf((res) => here(res).end(asked.length < 3 ? '[]' : '[{"n":1}]'));
    await client.tail().next();
    const [first, second, third] = asked.map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThan(900);
    expect(third! - second!).toBeGreaterThan(900);
  });

  it('begins with the shortest pause again where its position has moved without an event', async () => {
    fakeTimers();
    const positions = ['a', 'a', 'b', 'c'];
    let asked = 0;
    const client = createClient({
      ...{ url: 'http://127.0.0.1:1', tenant: 'shop', apiKey: 'eqk_0' },
      fetch: () => {
        const headers = { 'X-Tail-Position': positions[asked++]! };
        return Promise.resolve(new Response(asked < positions.length ? '[]' : '[{"n":1}]', { headers }));
      },
    });
    const first = client.tail().next();
    const askedAfter = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      for (let i = 0; i < 20; i++) await turn();
      return asked;
    };
    expect(await askedAfter(0)).toBe(1);
    expect(await askedAfter(1000)).toBe(2);
    expect([await askedAfter(1999), await askedAfter(1)]).toEqual([2, 3]);
    expect([await askedAfter(999), await askedAfter(1)]).toEqual([3, 4]);
    expect((await first).value).toEqual({ n: 1 });
  });
});

describe('an export', () => {
  it('has every letter, wherever its bytes are cut', async () => {
    const bytes = Buffer.from('{"insertId":"ü日😀"}\n');
    const send = (res: ServerResponse, at = 0) => {
      if (at === bytes.length) res.end();
      else res.write(bytes.subarray(at, at + 1), () => setImmediate(() => send(res, at + 1)));
    };
    const { client } = await clientOf((res) => send(res));
    expect((await client.export().next()).value).toEqual({ insertId: 'ü日😀' });
  });

  it('that is no NDJSON, such as the page of a proxy, is an error of the client', async () => {
    const { client } = await clientOf((res) => res.end('{"n":1}\n<html>\n</html>\n'));
    const events = client.export();
    expect((await events.next()).value).toEqual({ n: 1 });
    expect(await errorOf(events.next())).toMatchObject({
      status: 200,
      message: 'the answer broke off or is no JSON',
    });
  });

  it.each(['', '{"n":1}\n', '{"n":1}\n{"end":true}'])(
    'that ends behind %j is incomplete, however its connection ended',
    async (body) => {
      // As over HTTP/1.0, where nothing but the end of the connection ends an answer.
      const { client } = await clientOf((res) => {
        res.useChunkedEncodingByDefault = false;
        res.shouldKeepAlive = false;
        res.write(body === '' ? '\n' : body);
        res.end();
      });
      const read = async () => {
        for await (const event of client.export()) expect(event).toEqual({ n: 1 });
      };
      expect(await errorOf(read())).toMatchObject({ message: 'the answer broke off or is no JSON' });
    },
  );

  it('ends at the server when the caller stops reading', async () => {
    const { client, asked } = await clientOf((res) => res.write('{"n":1}\n{"n":2}\n'));
    const events = client.export();
    await events.next();
    const closed = once(asked[0]!.res, 'close');
    await events.return();
    await closed;
  });

  it('times out when the server stalls in the middle of it', async () => {
    const { client } = await clientOf((res) => res.write('{"n":1}\n'));
    fakeTimers();
    const events = client.export();
    expect((await events.next()).value).toEqual({ n: 1 });
    const ended = errorOf(events.next());
    await turn();
    vi.advanceTimersByTime(60_000);
    expect(await ended).toMatchObject({ status: 200 });
  });

  it('waits for a slow reader', async () => {
    const { client } = await clientOf((res) => res.end('{"n":1}\n{"n":2}\n{"end":true}\n'));
    fakeTimers();
    const numbers: unknown[] = [];
    for await (const event of client.export()) {
      if (numbers.push(event) > 1) continue;
      await turn();
      vi.advanceTimersByTime(90_000);
      await turn();
    }
    expect(numbers).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

describe('sleep', () => {
  it('ends with its signal, even one aborted before, and leaves no listener', async () => {
    fakeTimers();
    const reason = new Error('enough');
    const heard: unknown[] = [];
    const note = (error: unknown) => void heard.push(error);
    sleep(1000, AbortSignal.abort(reason)).catch(note);
    const leaving = new AbortController();
    sleep(1000, leaving.signal).catch(note);
    leaving.abort(reason);
    await turn();
    expect(heard).toEqual([reason, reason]);
    expect(vi.getTimerCount()).toBe(0);
    const staying = new AbortController();
    const slept = sleep(1000, staying.signal);
    expect(getEventListeners(staying.signal, 'abort')).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    await slept;
    expect(getEventListeners(staying.signal, 'abort')).toHaveLength(0);
  });
});

describe('a client in a page', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('warns that its key can be read, and nowhere else', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const options = { url: 'http://127.0.0.1:1', tenant: 'shop', apiKey: 'eqk_0' };
    createClient(options);
    vi.stubGlobal('document', {});
    createClient(options);
    expect(warn).not.toHaveBeenCalled();
    vi.stubGlobal('window', {});
    createClient(options);
    expect(warn).toHaveBeenCalledOnce();
  });
});
