import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openRawClient } from '../../support/raw-client.ts';
import { startTestServer, type LogEntry, type TestServer } from '../../support/test-server.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ accessLog: true });
});
afterEach(() => server.close());

const BATCH = JSON.stringify([
  { eventName: 'a', userId: 'u', insertId: '1', eventTs: '2025-06-15T00:00:00Z' },
  { eventName: 'b', userId: 'u', insertId: '1', eventTs: '2025-06-15T00:00:00Z' },
  { eventName: 'c', userId: 'ü', properties: { n: 1 } },
  { eventName: '', userId: 'u' },
]);

/** The lines of the access log once there are so many: an answer in pieces has its line after the last. */
async function lines(count: number): Promise<readonly LogEntry['fields'][]> {
  const found = () => server.log.entries.filter(({ message }) => message === 'request');
  await expect.poll(() => found().length).toBe(count);
  return found().map(({ fields }) => fields);
}

const lastLine = async (count: number) => (await lines(count)).at(-1)!;

describe('the line of a request says', () => {
  it('which route it took, by which key, and how much went in and out', async () => {
    const secret = await server.createTenant('acme');
    const [key] = await recordsIn(server.stores.control).keys.list((await server.admin.getTenant('acme')).id);
    const body = '{"event":"c"}';
    const answer = await server.post('/v1/api/query/count/acme', body, { 'X-API-Key': secret });
    const line = await lastLine(1);
    expect(line).toEqual({
      requestId: answer.headers.get('X-Request-Id'),
      method: 'POST',
      operation: 'count',
      route: '/v1/api/query/count/{tenantId}',
      tenant: 'acme',
      keyId: key?.id,
      status: 200,
      durationMs: 0,
      waitedMs: line.waitedMs,
      bytesIn: body.length,
      bytesOut: (await answer.text()).length,
    });
    expect(line.waitedMs).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(line)).not.toContain(secret);
  });

  it('what became of a batch, whose bytes count as they were sent', async () => {
    await server.createTenant('acme');
    const sent = gzipSync(BATCH);
    const answer = await server.post('/v1/events/acme/multi', sent, { 'Content-Encoding': 'gzip' });
    expect(await lastLine(1)).toMatchObject({
      ...{ operation: 'ingest', status: 200, accepted: 2, duplicates: 1, rejected: 1 },
      ...{ bytesIn: sent.length, bytesOut: (await answer.arrayBuffer()).byteLength, keyId: undefined },
    });
  });

  it('how many rows the answer has, also where it comes in pieces', async () => {
    const headers = { 'X-API-Key': await server.createTenant('acme') };
    await server.post('/v1/events/acme/multi', BATCH);
    const ask = async (path: string, body: object | undefined) => {
      const method = body === undefined ? 'GET' : 'POST';
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = { 'Content-Type': 'application/json', Prefer: 'wait=0' };
      const init = { method, headers: { ...headers, ...type }, ...content };
      return (await fetch(`${server.origin}/v1/api/query${path}`, init)).arrayBuffer();
    };
    const bytes = [
      await ask('/acme', {}),
      await ask('/acme', { pagination: { size: 1 } }),
      await ask('/events/acme', undefined),
      await ask('/properties/acme', undefined),
      await ask('/breakdown/acme', { by: 'eventName' }),
      await ask('/tail/acme', {}),
      await ask('/export/acme', {}),
      await ask('/count/acme', {}),
    ].map(({ byteLength }) => byteLength);
    const found = (await lines(9)).slice(1);
    expect(found.map(({ operation, rows }) => [operation, rows])).toEqual([
      ['query', 2],
      ['query', 1],
      ['eventNames', 2],
      ['properties', 1],
      ['breakdown', 2],
      ['tail', 0],
      ['export', 2],
      ['count', undefined],
    ]);
    // One of the users has a name that is longer in bytes than in characters.
    expect(found.map(({ bytesOut }) => bytesOut)).toEqual(bytes);
  });

  it.each<[string, string, string, Record<string, string>, object]>([
    ['no key', '/v1/api/query/count/acme', '{}', { 'X-API-Key': '' }, { status: 401, error: 'missingKey' }],
    [
      'a wrong operator',
      '/v1/api/query/acme',
      '{"filterSet":[{"field":"eventName","comparison":"LIKE","value":"hush"}]}',
      {},
      { status: 400, error: 'invalidRequest', where: 'filterSet[0].comparison' },
    ],
    [
      'a broken body',
      '/v1/api/query/acme',
      '{"event":"hush',
      {},
      { status: 400, error: 'notJson', where: expect.not.stringContaining('hush') as string },
    ],
    [
      'another type',
      '/v1/api/query/acme',
      'hush',
      { 'Content-Type': 'text/hush' },
      { status: 415, error: 'unsupportedMediaType', where: 'Content-Type' },
    ],
    [
      'a batch of wrong events',
      '/v1/events/acme/multi',
      '[{"eventName":"hush"},{}]',
      {},
      { status: 400, error: 'nothingAccepted', where: 'events[0]', accepted: 0, rejected: 2 },
    ],
    ['no route', '/v1/hush', '{}', {}, { status: 404, error: 'routeNotFound', operation: 'unknown' }],
  ])('why it was refused: %s, and never a value', async (_name, path, body, headers, expected) => {
    const secret = await server.createTenant('acme');
    await server.post(path, body, { 'X-API-Key': secret, ...headers });
    const line = await lastLine(1);
    expect(line).toMatchObject(expected);
    expect(line.limit).toBeUndefined();
    expect(JSON.stringify(line)).not.toContain('hush');
  });

  it('where a client put a secret in a key, but not the secret', async () => {
    await server.createTenant('acme');
    const key = `eqk_${'0'.repeat(64)}`;
    await server.post('/v1/api/query/acme', `{"${key}":1}`, { 'X-API-Key': await server.createTenant('b') });
    await server.post('/v1/events/acme/multi', `[{"${key}":1}]`);
    const found = await lines(2);
    expect(found.map(({ status }) => status)).toEqual([404, 400]);
    expect(JSON.stringify(found)).not.toContain('eqk_');
  });

  it.each([
    ['minute', { perMinute: 1, perDay: 9 }],
    ['day', { perMinute: 1, perDay: 1 }],
    ['day', { perMinute: 9, perDay: 1 }],
  ])('which limit refused it: %s', async (limit, limits) => {
    const secret = await server.createTenant('acme', ['custom', limits]);
    const ask = () => server.post('/v1/api/query/count/acme', '{}', { 'X-API-Key': secret });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
    expect((await lines(2)).map((line) => [line.error, line.limit])).toEqual([
      [undefined, undefined],
      ['rateLimited', limit],
    ]);
  });

  it('that what the tenant may send refused it', async () => {
    await server.createTenant('acme');
    await server.admin.updateTenant('acme', { ingestion: { eventsPerMinute: 1, bytesPerMinute: 1000 } });
    await server.post('/v1/events/acme/multi', BATCH);
    await server.post('/v1/events/acme/multi', BATCH);
    expect(await lastLine(2)).toMatchObject({ status: 429, error: 'rateLimited', limit: 'ingestion' });
  });

  it('that the client has gone before the end of a streamed answer', async () => {
    const secret = await server.createTenant('acme');
    const tenant = await server.admin.getTenant('acme');
    const filler = { text: 'x'.repeat(10_000) };
    const events = Array.from({ length: 2000 }, (_, i) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: 1_750_000_000_000 + i, insertId: String(i) },
      propertiesJson: JSON.stringify(filler),
    }));
    await server.stores.events.append(tenant.id, events, { namesMax: 10 });
    const client = await openRawClient(server.port);
    client.send(
      `POST /v1/api/query/export/acme HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
    // Far more than the buffers of both sides hold is to come, and this client reads none of it.
    await new Promise((resolve) => client.socket.once('readable', resolve));
    client.socket.resetAndDestroy();
    const line = await lastLine(1);
    expect(line).toMatchObject({ operation: 'export', status: 200, error: 'aborted' });
    expect(line.bytesOut).toBeGreaterThan(0);
    expect(line.bytesOut).toBeLessThan(20_000_000);
    expect(line.rows).toBeLessThan(2000);
  });
});

describe('which requests have a line', () => {
  async function startWith(options: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
    const started = await startTestServer(options);
    onTestFinished(() => started.close());
    return started;
  }
  const linesOf = ({ log }: TestServer, text: string) =>
    log.entries.filter(({ message }) => message === text).map(({ fields }) => fields);

  it('none that a health check leaves, unless it fails', async () => {
    const broken = await startWith({
      accessLog: true,
      wrapStores: (stores) => ({ ...stores, ready: () => Promise.reject(new Error('away')) }),
    });
    for (const path of ['/healthz', '/readyz']) await fetch(broken.origin + path);
    expect(linesOf(broken, 'request')).toMatchObject([{ operation: 'readyz', status: 503 }]);
  });

  it('a share of those that succeeded, and all others', async () => {
    const sampled = await startWith({ accessLog: { sample: 0.5 } });
    for (let i = 0; i < 200; i += 1) await fetch(`${sampled.origin}/v1/openapi.json`);
    for (let i = 0; i < 20; i += 1) await fetch(`${sampled.origin}/nowhere`);
    const all = linesOf(sampled, 'request');
    expect(all.filter(({ status }) => status === 404)).toHaveLength(20);
    const succeeded = all.filter(({ status }) => status === 200);
    // Of 200 coins, fewer than 40 or more than 160 heads come once in 10^17 throws.
    expect(succeeded.length).toBeGreaterThan(40);
    expect(succeeded.length).toBeLessThan(160);
    expect(new Set(succeeded.map(({ sample }) => sample))).toEqual(new Set([0.5]));
  });

  it('with the address of the client only where that is asked for', async () => {
    for (const addresses of [true, false]) {
      const asked = await startWith({ accessLog: { addresses } });
      await fetch(`${asked.origin}/nowhere`);
      expect(linesOf(asked, 'request')[0]!.address).toBe(addresses ? '127.0.0.1' : undefined);
    }
  });
});

describe('a slow question', () => {
  /** A server on which each count, page and breakdown takes as long as its store is told. */
  async function startSlow(slowMs: number) {
    let takesMs = 0;
    const slow = await startTestServer({
      slowMs,
      wrapStores: (stores) => {
        const { events } = stores;
        const count: typeof events.count = (...asked) => {
          slow.clock.advance(takesMs);
          return events.count(...asked);
        };
        const query: typeof events.query = (...asked) => {
          slow.clock.advance(takesMs);
          return events.query(...asked);
        };
        const eventNames: typeof events.eventNames = (...asked) => {
          slow.clock.advance(takesMs);
          return events.eventNames(...asked);
        };
        return { ...stores, events: { ...events, count, query, eventNames } };
      },
    });
    onTestFinished(() => slow.close());
    const secret = await slow.createTenant('acme');
    return {
      slow,
      secret,
      take: (ms: number) => (takesMs = ms),
      warnings: () => slow.log.entries.filter(({ message }) => message === 'slow question'),
    };
  }

  it('leaves a warning with its shape, and no value', async () => {
    const { slow, secret, take, warnings } = await startSlow(500);
    const body = JSON.stringify({
      event: 'secret-name',
      after: '2025-01-01',
      before: '2025-01-10',
      filterSet: [
        { property: 'properties.plan', comparison: 'IN', value: ['secret-plan', 'b'] },
        { anyOf: [{ not: { property: 'properties.a.b', comparison: 'EQUALS', value: 'secret' } }] },
        { property: 'properties.plan', comparison: 'NOT_EQUALS', value: 987654321 },
      ],
    });
    const ask = () => slow.post('/v1/api/query/count/acme', body, { 'X-API-Key': secret });
    take(499);
    await ask();
    expect(warnings()).toEqual([]);
    take(500);
    const answer = await ask();
    const [warning] = warnings();
    expect(warning).toMatchObject({
      level: 'warn',
      fields: {
        ...{ requestId: answer.headers.get('X-Request-Id'), operation: 'count', tenant: 'acme', status: 200 },
        ...{ durationMs: 500, filters: 4, days: 10 },
      },
    });
    const { paths, operators } = warning!.fields as { paths: string[]; operators: string[] };
    expect(paths.sort()).toEqual(['eventName', 'properties.a.b', 'properties.plan']);
    expect(operators.sort()).toEqual(['EQUALS', 'IN']);
    expect(JSON.stringify(warnings())).not.toMatch(/secret|987654321/);
    // The access log is off.
    expect(slow.log.entries.some(({ message }) => message === 'request')).toBe(false);
  });

  it('is none where its reader decides how long it takes', async () => {
    const { slow, secret, take, warnings } = await startSlow(1);
    take(5);
    await slow.post('/v1/events/acme/multi', BATCH);
    for (const path of ['export/acme', 'acme'])
      await (await slow.post(`/v1/api/query/${path}`, '{}', { 'X-API-Key': secret })).text();
    await expect.poll(warnings).toMatchObject([{ fields: { operation: 'query', durationMs: 5 } }]);
  });

  it('has a warning without a body too, and what is no question has none', async () => {
    const { slow, secret, take, warnings } = await startSlow(1);
    take(5);
    await fetch(`${slow.origin}/v1/api/query/events/acme`, { headers: { 'X-API-Key': secret } });
    expect(warnings()).toMatchObject([{ fields: { operation: 'eventNames', durationMs: 5 } }]);
    await slow.post('/v1/events/acme/multi', BATCH);
    await slow.post('/v1/api/query/count/acme', '{', { 'X-API-Key': secret });
    expect(warnings()).toHaveLength(1);
  });
});
