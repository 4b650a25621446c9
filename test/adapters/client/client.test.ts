import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, where, type ClientOptions } from '../../../adapters/client/index.ts';
import type { Event } from '../../../src/index.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { errorOf } from './error-of.ts';

const DAY = Date.UTC(2025, 5, 14);

describe('the client against a server', () => {
  let server: TestServer;
  let options: ClientOptions;
  /** How often the server has looked for new events. */
  let looks = 0;

  beforeAll(async () => {
    server = await startTestServer({
      wrapStores: (stores) => ({
        ...stores,
        events: {
          ...stores.events,
          since: (...args) => stores.events.since!(...args).finally(() => (looks += 1)),
        },
      }),
    });
    const apiKey = await server.createTenant('shop');
    const events = Array.from({ length: 2500 }, (_, i) => ({
      eventName: i % 2 === 0 ? 'viewed' : 'bought',
      userId: `user ${i % 10}`,
      eventTs: DAY + i,
      insertId: `id-${i}`,
      properties: { n: i },
    }));
    for (const batch of [events.slice(0, 2000), events.slice(2000)]) {
      expect((await server.post('/v1/events/shop/multi', JSON.stringify(batch))).status).toBe(200);
    }
    options = { url: server.origin, tenant: 'shop', apiKey };
  });
  afterAll(() => server.close());

  it('asks the three questions', async () => {
    const client = createClient(options);
    const filterSet = [where('properties.n').lessThan(3)];
    const page = await client.query<{ n: number }>({ filterSet, pagination: { size: 2 } });
    expect(page.events.map(({ properties }) => properties.n)).toEqual([2, 1]);
    const { cursor = '' } = { cursor: page.nextCursor };
    const rest = await client.query({ filterSet, pagination: { size: 2, cursor } });
    expect([rest.events.length, rest.nextCursor]).toEqual([1, undefined]);
    expect(await client.count({ event: 'bought' })).toBe(1250);
    expect(await client.count()).toBe(2500);
    expect(await client.eventNames()).toEqual(['bought', 'viewed']);
  });

  it('asks for groups', async () => {
    const client = createClient(options);
    const by = await client.breakdown({ by: 'eventName', distinct: 'userId', size: 1 });
    expect(by).toMatchObject({ total: 2500, groupsTotal: 2, distinct: 10 });
    expect(by.groups).toEqual([{ key: 'bought', count: 1250, distinct: 5 }]);
    const { groups } = await client.breakdown({ by: 'day', event: 'viewed' });
    expect(groups).toEqual([{ key: '2025-06-14T00:00:00.000Z', count: 1250 }]);
  });

  it('asks for properties', async () => {
    const { properties, more } = await createClient(options).properties({ event: 'viewed' });
    expect(properties).toEqual([{ path: 'properties.n', types: { number: 1250 }, examples: [0, 2, 4] }]);
    expect(more).toBe(false);
  });

  it('yields every event once, page by page and one by one', async () => {
    const client = createClient(options);
    const sizes: number[] = [];
    for await (const page of client.pages()) sizes.push(page.length);
    expect(sizes).toEqual([1000, 1000, 500]);
    const ids: string[] = [];
    for await (const { insertId } of client.events({ event: 'viewed', pagination: { size: 300 } }))
      ids.push(insertId);
    expect(ids).toEqual(Array.from({ length: 1250 }, (_, i) => `id-${2498 - 2 * i}`));
  });

  it('stops requesting when the caller stops reading', async () => {
    const counted = countingFetch();
    for await (const page of createClient({ ...options, fetch: counted.fetch }).pages({
      pagination: { size: 100 },
    })) {
      expect(page).toHaveLength(100);
      break;
    }
    expect(counted.asked()).toBe(1);
  });

  it('throws the error of the server, with its status and the id of the request', async () => {
    const error = await errorOf(createClient({ ...options, apiKey: 'eqk_0' }).count());
    expect(error).toMatchObject({ status: 401, message: 'Invalid API key or insufficient permissions' });
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const misspelt = where('properties.n') as unknown as Record<string, (value: unknown) => never>;
    const refused = await errorOf(createClient(options).count({ filterSet: [misspelt.isLike!('a')] }));
    expect(refused.message).toMatch(
      /^filterSet\[0\]\.comparison: unknown operator "IS_LIKE"; use one of EQUALS/,
    );
  });

  it('ends with the reason of its signal', async () => {
    const reason = new Error('enough');
    await expect(createClient(options).count({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('explains a query', async () => {
    const { unknownPaths, plan } = await createClient(options).explain({
      filterSet: [where('properties.N').greaterThan(1)],
    });
    expect(unknownPaths).toEqual([{ path: 'properties.N', nearest: ['properties.n'] }]);
    expect(plan).toMatchObject({ by: 'columns' });
  });

  it('exports every event in one request, and resumes after any of them', async () => {
    const counted = countingFetch();
    const client = createClient({ ...options, fetch: counted.fetch });
    const events: Event<{ n: number }>[] = [];
    for await (const event of client.export<{ n: number }>({ event: 'viewed' })) events.push(event);
    expect(events.map(({ properties }) => properties.n)).toEqual(
      Array.from({ length: 1250 }, (_, i) => 2498 - 2 * i),
    );
    expect(counted.asked()).toBe(1);
    const { eventTs, insertId } = events[1200]!;
    const rest: string[] = [];
    for await (const event of client.export({
      event: 'viewed',
      pagination: { after: { eventTs, insertId } },
    }))
      rest.push(event.insertId);
    expect(rest).toEqual(events.slice(1201).map((event) => event.insertId));
    for await (const event of client.export({ event: 'none' })) expect(event).toBeUndefined();
  });

  it('leaves an export with the reason of its signal, or without an error', async () => {
    const client = createClient(options);
    const leaving = new AbortController();
    const reason = new Error('enough');
    const read = async () => {
      for await (const { insertId } of client.export({}, { signal: leaving.signal })) {
        if (insertId === 'id-2499') leaving.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
    for await (const event of client.export()) {
      expect(event.insertId).toBe('id-2499');
      break;
    }
    expect(await errorOf(client.export({ event: 5 as never }).next())).toMatchObject({ status: 400 });
  });

  it('follows new events, and resumes where it was', async () => {
    const client = createClient(options);
    const positions: string[] = [];
    const send = (insertId: string) =>
      server.post(
        '/v1/events/shop/multi',
        JSON.stringify([{ eventName: 'tailed', userId: 'u', eventTs: DAY - 1, insertId }]),
      );
    const ids: string[] = [];
    const tail = client.tail({ event: 'tailed' }, { onPosition: (position) => positions.push(position) });
    const first = tail.next();
    await expect.poll(() => looks).toBeGreaterThan(0);
    await send('tail-1');
    const found = await first;
    if (found.done !== true) ids.push(found.value.insertId);
    await send('tail-2');
    for await (const { insertId } of tail) {
      ids.push(insertId);
      break;
    }
    const [position = ''] = positions;
    const again = await client.tail({ event: 'tailed' }, { position }).next();
    expect([...ids, again.value?.insertId]).toEqual(['tail-1', 'tail-2', 'tail-2']);
    // A client for which the server has no waiting slot backs off.
    const asked: number[] = [];
    const stopping = new AbortController();
    const crowded = createClient({
      ...options,
      fetch: (url, init) => {
        asked.push(performance.now());
        const headers = { ...(init?.headers as Record<string, string>), Prefer: 'wait=0' };
        return fetch(url, { ...init, headers });
      },
    });
    const vain = crowded.tail({ event: 'none' }, { signal: stopping.signal }).next();
    await expect.poll(() => asked.length).toBe(4);
    stopping.abort(new Error('enough'));
    await expect(vain).rejects.toThrow('enough');
    expect(asked[3]! - asked[2]!).toBeGreaterThan(1900);
    const leaving = new AbortController();
    const ended = client.tail({ event: 'none' }, { signal: leaving.signal }).next();
    leaving.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });
});

/** A `fetch` that counts its calls. */
function countingFetch() {
  let asked = 0;
  const counting: typeof fetch = (...args) => {
    asked += 1;
    return fetch(...args);
  };
  return { fetch: counting, asked: () => asked };
}

describe('the client and the limits of a server', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startTestServer()));
  afterAll(() => server.close());

  /** A client whose server's clock advances by this much with each 429 that the client receives. */
  async function openLimited(alias: string, ms: number) {
    const apiKey = await server.createTenant(alias, ['custom', { perMinute: 60, perDay: 10_000 }]);
    const statuses: number[] = [];
    const client = createClient({
      ...{ url: server.origin, tenant: alias, apiKey },
      fetch: async (...args) => {
        const answer = await fetch(...args);
        statuses.push(answer.status);
        if (answer.status === 429) server.clock.advance(ms);
        return answer;
      },
    });
    for (let i = 0; i < 60; i++) await client.count();
    return { client, statuses };
  }

  it('waits as long as the server says, and is then admitted', async () => {
    const { client, statuses } = await openLimited('patient', 1000);
    expect(await client.count()).toBe(0);
    for await (const event of client.export()) expect(event).toBeUndefined();
    expect((await client.properties()).properties).toEqual([]);
    expect(statuses.slice(60)).toEqual([429, 200, 429, 200, 429, 200]);
  });

  it('throws when the second answer is a 429 too, and explains without a token', async () => {
    const { client, statuses } = await openLimited('hasty', 0);
    expect(await errorOf(client.breakdown({ by: 'day' }))).toMatchObject({
      status: 429,
      message: 'Rate limit exceeded. Upgrade for higher limits.',
      retryAfterSeconds: 1,
    });
    expect((await client.explain()).unknownPaths).toEqual([]);
    expect(statuses.slice(60)).toEqual([429, 429, 200]);
  });
});

describe('the client and limits', () => {
  it('waits as long as Retry-After says after a 429, and retries once', async () => {
    await withAnswers(
      [
        [429, '{"error":"slow"}', '1'],
        [200, '{"count":7}'],
      ],
      async (client, asked) => {
        const began = performance.now();
        expect(await client.count()).toBe(7);
        expect(performance.now() - began).toBeGreaterThan(990);
        expect(asked()).toBe(2);
      },
    );
  });

  it('throws the second 429', async () => {
    const refusal = [429, '{"error":"slow"}', '0'] as const;
    await withAnswers([refusal, refusal, [200, '{"count":7}']], async (client, asked) => {
      expect(await errorOf(client.count())).toMatchObject({
        status: 429,
        message: 'slow',
        retryAfterSeconds: 0,
      });
      expect(asked()).toBe(2);
    });
  });

  it.each(['61', '86400', '9000000'])('waits for no limit that is free in %s s', async (seconds) => {
    await withAnswers([[429, '{"error":"slow"}', seconds]], async (client, asked) => {
      expect(await errorOf(client.count())).toMatchObject({
        status: 429,
        retryAfterSeconds: Number(seconds),
      });
      expect(asked()).toBe(1);
    });
  });

  it('gives up waiting when its signal is aborted', async () => {
    await withAnswers([[429, '{"error":"slow"}', '60']], async (client) => {
      const leaving = new AbortController();
      const count = client.count({}, { signal: leaving.signal });
      setTimeout(() => leaving.abort(new Error('left')), 50);
      await expect(count).rejects.toThrow('left');
    });
  });

  const indexing = (indexed: number) =>
    [503, '{"error":"is being built"}', '0', { 'X-Index-Progress': `${indexed}/40` }] as const;

  it('asks again while an index is built, and throws if that never ends', async () => {
    await withAnswers([indexing(1), indexing(20), [200, '{"count":7}']], async (client, asked) => {
      expect(await client.count()).toBe(7);
      expect(asked()).toBe(3);
    });
    await withAnswers(
      Array.from({ length: 12 }, (_, i) => indexing(i)),
      async (client, asked) => {
        expect(await errorOf(client.count())).toMatchObject({ status: 503, message: 'is being built' });
        expect(asked()).toBe(11);
      },
    );
  });

  it('retries only requests that were limited', async () => {
    await withAnswers(
      [
        [503, 'away', '1'],
        [200, '{"count":7}'],
      ],
      async (client, asked) => {
        expect(await errorOf(client.count())).toMatchObject({
          status: 503,
          message: 'The server answered 503',
        });
        expect(asked()).toBe(1);
      },
    );
  });
});

describe('the client and network errors', () => {
  it('says that a server cannot be reached, or takes too long', async () => {
    await withAnswers([], async (client) => {
      expect(await errorOf(client.count())).toMatchObject({
        status: 0,
        message: expect.stringMatching(/^no answer within 2000 ms: http:\/\/127\.0\.0\.1:\d+$/) as string,
      });
    });
    const closed = createClient({ url: 'http://127.0.0.1:1', tenant: 'shop', apiKey: 'eqk_0' });
    expect(await errorOf(closed.count())).toMatchObject({
      status: 0,
      message: 'the server cannot be reached: http://127.0.0.1:1',
    });
  });

  it('yields the events of an export that breaks off, and then throws', async () => {
    await withAnswers([[200, '{"insertId":"a"}\n{"insertId":"b"']], async (client) => {
      const events = client.export();
      expect((await events.next()).value).toEqual({ insertId: 'a' });
      expect((await errorOf(events.next())).message).toBe('the answer broke off or is no JSON');
    });
  });

  it('treats an incomplete answer as an error', async () => {
    await withAnswers([[200, '[{"eventName":"a"}']], async (client) => {
      expect((await errorOf(client.query())).message).toBe('the answer broke off or is no JSON');
    });
  });
});

type Answer = readonly [status: number, body: string, retryAfter?: string, headers?: Record<string, string>];

/** Runs a client against a server that gives these answers and then none. */
async function withAnswers(
  answers: readonly Answer[],
  run: (client: ReturnType<typeof createClient>, asked: () => number) => Promise<void>,
): Promise<void> {
  let asked = 0;
  const server = createServer((_req: IncomingMessage, res: ServerResponse) => {
    const answer = answers[asked];
    asked += 1;
    if (answer === undefined) return;
    const [status, body, retryAfter, headers] = answer;
    res.writeHead(status, { ...headers, ...(retryAfter && { 'Retry-After': retryAfter }) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  try {
    await run(createClient({ url, tenant: 'shop', apiKey: 'eqk_0', timeoutMs: 2000 }), () => asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
