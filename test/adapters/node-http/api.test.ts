import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joseTokenVerifier } from '../../../adapters/jose/index.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { countHead, openRawClient } from '../../support/raw-client.ts';
import { createTokenSigner } from '../../support/token-signer.ts';

let server: TestServer;
let secret: string;
beforeAll(async () => {
  server = await startTestServer();
  secret = await server.createTenant('acme');
  await server.createTenant('other');
});
afterAll(() => server.close());

const query = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  server.post('/v1/api/query/acme', body, { 'X-API-Key': secret, ...headers });

async function answerOf(response: Response): Promise<{ status: number; error: string }> {
  const body = (await response.json()) as { error: string };
  expect(Object.keys(body)).toEqual(['error']);
  expect(response.headers.get('Content-Type')).toBe('application/json');
  expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  return { status: response.status, error: body.error };
}

describe('bad input is refused with a word about what would be right', () => {
  it.each<[string, string | Buffer, number, string | RegExp]>([
    ['nothing', '', 400, 'The body is not valid JSON: it is empty; send {} for no restriction'],
    ['not JSON', '{"event":', 400, /^The body is not valid JSON: /],
    ['a word', 'hello', 400, /^The body is not valid JSON: /],
    ['a JSON string', '"{}"', 400, /^body: .*object/],
    ['an array', '[]', 400, /^body: .*object/],
    ['null', 'null', 400, /^body: .*object/],
    ['an unknown key', '{"filterset":[]}', 400, /filterset/],
    ['a bad date', '{"after":"2024-02-30"}', 400, 'Invalid date format. Use YYYY-MM-DD format.'],
    [
      'too large a page',
      '{"pagination":{"size":1001}}',
      400,
      /^pagination\.size: .*1 to 1000, got the number 1001$/,
    ],
    ['a body of 257 KiB', ' '.repeat(257 * 1024), 413, 'The body is too large: at most 262144 bytes'],
    ['what is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'The body cannot be read: it is not UTF-8'],
    ['a deep nest', '['.repeat(100_000) + ']'.repeat(100_000), 400, /^body: /],
  ])('%s', async (_name, body, status, text) => {
    const answer = await answerOf(await query(body));
    expect(answer).toEqual({
      status,
      error: typeof text === 'string' ? text : (expect.stringMatching(text) as string),
    });
  });

  it.each([
    ['text/plain', 'got "text/plain"'],
    ['application/x-ndjson', 'got "application/x-ndjson"'],
    ['application/json; charset=latin1', 'got "application/json; charset=latin1"'],
    ['application/json, application/json', 'got "application/json, application/json"'],
  ])('the content type %s', async (type, got) => {
    const error = `Content-Type: takes application/json in UTF-8, ${got}`;
    expect(await answerOf(await query('{}', { 'Content-Type': type }))).toEqual({ status: 415, error });
  });

  it.each(['application/json', 'Application/JSON; Charset="UTF-8"', 'application/json;charset=utf-8'])(
    'but not the content type %s',
    async (type) => {
      expect((await query('{}', { 'Content-Type': type })).status).toBe(200);
    },
  );

  it('a query string, which would be a filter that does nothing', async () => {
    const response = await server.post('/v1/api/query/acme?size=5', '{}', { 'X-API-Key': secret });
    const { status, error } = await answerOf(response);
    expect(status).toBe(400);
    expect(error).toContain('takes no parameters, got "size=5"');
  });
});

describe('the tenant of the path', () => {
  const ask = (segment: string) =>
    server.post(`/v1/api/query/count/${segment}`, '{}', { 'X-API-Key': secret });

  it.each([
    ['a stranger', 'nobody'],
    ["another tenant's alias", 'other'],
    ['capitals', 'ACME'],
    ['an alias that is escaped twice', '%2561cme'],
    ['a broken escape', 'acme%'],
    ['an escape that is not UTF-8', '%ff'],
    ['an escaped slash', 'acme%2F'],
    ['NUL', 'acme%00'],
  ])('%s looks like an unknown one', async (_name, segment) => {
    expect(await answerOf(await ask(segment))).toEqual({ status: 404, error: 'Tenant not found' });
  });

  it('a UUID looks like an unknown one', async () => {
    const { id } = await server.admin.getTenant('acme');
    expect(await answerOf(await ask(id))).toEqual({ status: 404, error: 'Tenant not found' });
  });

  it('is percent-decoded once', async () => {
    expect((await ask('%61cm%65')).status).toBe(200);
  });
});

describe('what is wrong is told in the order of the checks', () => {
  it('key, tenant, plan, body, limit', async () => {
    const { admin, clock } = server;
    const free = await server.createTenant('free', ['free']);
    const builder = await server.createTenant('builder', ['builder']);
    const ingestOnly = (await admin.createKey('builder', { name: 'k', permissions: ['ingest'] })).secret;
    const ask = async (alias: string, key: string | undefined, body: string) => {
      const headers = key === undefined ? {} : { 'X-API-Key': key };
      return (
        await server.post(`/v1/api/query/count/${alias}`, body, { 'Content-Type': 'text/plain', ...headers })
      ).status;
    };
    expect(await ask('nobody', undefined, 'bad')).toBe(401);
    expect(await ask('nobody', `${free.slice(0, -1)}x`, 'bad')).toBe(401);
    expect(await ask('nobody', ingestOnly, 'bad')).toBe(401);
    expect(await ask('nobody', free, 'bad')).toBe(404);
    expect(await ask('builder', free, 'bad')).toBe(404);
    expect(await ask('free', free, 'bad')).toBe(403);
    expect(await ask('builder', builder, 'bad')).toBe(415);
    const json = { 'X-API-Key': builder };
    const statusOf = async (body: string) =>
      (await server.post('/v1/api/query/count/builder', body, json)).status;
    expect(await statusOf('bad')).toBe(400);
    // A refusal cost nothing, so both requests of the minute are left.
    expect([await statusOf('{}'), await statusOf('{}'), await statusOf('{}')]).toEqual([200, 200, 429]);
    expect(await statusOf('bad')).toBe(400);
    clock.advance(1);
    expect(await ask('builder', builder.replace('eqk_', 'EQK_'), '{}')).toBe(401);
  });
});

describe('limits', () => {
  const names = [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
  ];
  const shown = (response: Response) => names.filter((name) => response.headers.has(name));

  it('are told on every answer to a known caller, and to nobody else', async () => {
    const key = await server.createTenant('told', ['growth']);
    const ask = (path: string, body: string, apiKey = key) =>
      server.post(`/v1/api/query/${path}`, body, { 'X-API-Key': apiKey });
    const told = [
      await ask('count/told', '{}'),
      await ask('told', '{}'),
      await ask('told', 'bad'),
      await ask('told', '{"x":1}'),
      await ask('told?x', '{}'),
      await fetch(`${server.origin}/v1/api/query/events/told`, { headers: { 'X-API-Key': key } }),
      await ask('nobody', '{}'),
    ];
    for (const response of told) expect(shown(response)).toEqual(names);
    expect(told.map(({ headers }) => headers.get('X-RateLimit-Remaining'))).toEqual([
      '9',
      '8',
      '8',
      '8',
      '8',
      '7',
      '7',
    ]);
    const notTold = [await ask('told', '{}', 'eqk_wrong'), await ask('acme', '{}', secret)];
    for (const response of notTold) expect(shown(response)).toEqual([]);
  });

  it.each([
    ['minute', ['builder'] as const, 2, 30],
    ['day', ['custom', { perMinute: 1000, perDay: 3 }] as const, 3, 28_800],
  ])('the %s: after Retry-After one retry succeeds', async (name, plan, capacity, retryAfterSeconds) => {
    const alias = `limited-${name}`;
    const key = await server.createTenant(alias, [...plan]);
    const ask = () => server.post(`/v1/api/query/count/${alias}`, '{}', { 'X-API-Key': key });
    for (let i = 0; i < capacity; i++) expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(await answerOf(refused)).toEqual({
      status: 429,
      error: 'Rate limit exceeded. Upgrade for higher limits.',
    });
    expect(refused.headers.get('Retry-After')).toBe(String(retryAfterSeconds));
    expect(shown(refused)).toEqual(names);
    server.clock.advance((retryAfterSeconds - 1) * 1000);
    expect((await ask()).status).toBe(429);
    server.clock.advance(1000);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
  });
});

it('a key that is revoked while its body trickles opens nothing, and the answer says so', async () => {
  const alias = 'trickle';
  const key = await server.createTenant(alias, ['builder']);
  const client = await openRawClient(server.port);
  client.send(`${countHead(alias, key, { 'Content-Length': 2 })}{`);
  // The head has been judged when another request of a new connection is answered.
  expect((await server.post(`/v1/api/query/count/${alias}`, '{}', { 'X-API-Key': key })).status).toBe(200);
  for (const { id } of await server.admin.listKeys(alias)) await server.admin.revokeKey(alias, id);
  server.clock.advance(1);
  client.send('}');
  const { status, body } = await client.read();
  expect([status, JSON.parse(body)]).toEqual([401, { error: 'Invalid API key or insufficient permissions' }]);
  client.close();
});

describe('a store that fails', () => {
  const failure = new Error('SQLITE_CORRUPT: /var/lib/data.db at row 7');

  async function startFailing(): Promise<{ failing: TestServer; key: string }> {
    const failing = await startTestServer({
      wrapStores: (stores) => ({
        ...stores,
        events: {
          ...stores.events,
          count: () => Promise.reject(failure),
          append: () => Promise.reject(failure),
        },
        ready: () => Promise.reject(failure),
      }),
    });
    return { failing, key: await failing.createTenant('acme', ['scale']) };
  }

  it('is a 500 without its text, which the log has under the same request id', async () => {
    const { failing, key } = await startFailing();
    const response = await failing.post('/v1/api/query/count/acme', '{}', { 'X-API-Key': key });
    expect(await answerOf(response)).toEqual({ status: 500, error: 'Internal server error' });
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('99');
    const [entry] = failing.log.entries;
    expect(entry).toEqual({
      level: 'error',
      message: 'request failed',
      fields: {
        requestId: response.headers.get('X-Request-Id'),
        method: 'POST',
        path: '/v1/api/query/count/acme',
        status: 500,
        err: failure,
      },
    });
    expect(JSON.stringify(failing.log.entries)).not.toContain(key);
    await failing.close();
  });

  it('is not ready, but up', async () => {
    const { failing } = await startFailing();
    const ready = await fetch(`${failing.origin}/readyz`);
    const error = 'The service is temporarily unavailable. Retry later.';
    expect(await answerOf(ready)).toEqual({ status: 503, error });
    expect(ready.headers.get('Retry-After')).toBe('1');
    expect((await fetch(`${failing.origin}/healthz`)).status).toBe(200);
    await failing.close();
  });
});

it('an event of another user than the sub of the token is refused by itself', async () => {
  const signer = createTokenSigner();
  const clock = { now: () => Date.UTC(2025, 5, 15, 12) };
  const login = await startTestServer({ tokens: joseTokenVerifier(clock) });
  await login.createTenant('acme');
  const jwt = { issuer: 'i', audience: 'a', publicKeyPem: signer.publicKeyPem };
  await login.admin.updateTenant('acme', { authStrategy: 'JWT', jwt });
  const send = async (claims: object, users: readonly string[]) => {
    const token = await signer.sign({ iss: 'i', aud: 'a', exp: clock.now() / 1000 + 60, ...claims });
    const events = users.map((userId) => ({ eventName: 'seen', userId }));
    const authorization = { Authorization: `Bearer ${token}` };
    return login.post('/v1/events/acme/multi', JSON.stringify(events), authorization);
  };
  const mixed = await send({ sub: 'ada' }, ['ada', 'eve', 'ada']);
  expect(mixed.status).toBe(200);
  expect(await mixed.json()).toEqual({
    accepted: 2,
    duplicates: 0,
    rejected: [{ index: 1, error: 'userId: must equal the sub claim of the access token' }],
  });
  expect((await send({ sub: 'ada' }, ['eve'])).status).toBe(400);
  expect((await send({ sub: 'ada', aud: 'b' }, ['ada'])).status).toBe(401);
  await login.close();
});

it('every answer has a request id of its own', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${server.origin}/healthz`)));
  const ids = new Set(responses.map(({ headers }) => headers.get('X-Request-Id')));
  expect(ids.size).toBe(20);
});
