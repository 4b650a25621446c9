import { describe, expect, it } from 'vitest';
import { aborted, ApiError, unavailable, type EventStore, type Stores } from '../../../../src/index.ts';
import { createScheduler } from '../../../../src/transport-kit.ts';
import { ASKED } from '../../../conformance/question-bodies.ts';
import { createPlainApi, type PlainAnswer, type PlainRequest } from '../../../support/plain-api.ts';

const ORIGIN = 'https://shop.example';
const EVENTS = [{ eventName: 'a', userId: 'u' }];

/** The API whose event store does something else in places. */
const withEvents = (changes: (events: EventStore) => Partial<EventStore>) => (stores: Stores) => ({
  ...stores,
  events: { ...stores.events, ...changes(stores.events) },
});

/** The store, of which each question notes the signal that it is asked with. */
function noting(events: EventStore, seen: unknown[]): EventStore {
  const isSignal = (value: unknown) => typeof value === 'object' && value !== null && 'aborted' in value;
  const methods = Object.entries<unknown>({ ...events }).map(([name, method]) => {
    if (typeof method !== 'function' || !STORE_QUESTIONS.some((each) => each === name)) return [name, method];
    const ask = method as (...asked: readonly unknown[]) => unknown;
    const noted = (...asked: readonly unknown[]) => {
      seen.push(asked.find(isSignal));
      return ask(...asked);
    };
    return [name, noted];
  });
  return Object.fromEntries(methods) as EventStore;
}

/** The methods of a store that may take long. */
const STORE_QUESTIONS: readonly (keyof EventStore)[] = [
  ...(['query', 'count', 'breakdown', 'measure', 'streams'] as const),
  ...(['top', 'properties', 'since', 'plan', 'eventNames'] as const),
];

/** Each question, with a body of each kind. */
const ASKED_BY_PATH: readonly (readonly [name: string, body: object | undefined])[] = [
  ...ASKED,
  ...ASKED.map(([question, body]) => ['explain', { ...body, question }] as const),
  ['properties', undefined],
  ['events', undefined],
];

const corsOf = ({ headers }: PlainAnswer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control|vary)/i.test(name)));

describe('answers', () => {
  it('are JSON that ends with its line', async () => {
    const { send, post, createTenant } = createPlainApi();
    const headers = { 'x-api-key': await createTenant('acme') };
    const answers = [
      await post('/v1/api/query/acme', {}, headers),
      await post('/v1/api/query/count/acme', {}, headers),
      await send({ method: 'GET', target: '/v1/api/query/events/acme', headers }),
      await post('/v1/events/acme/multi', EVENTS),
      await send({ method: 'GET', target: '/v1/openapi.json' }),
      await send({ method: 'GET', target: '/healthz' }),
      await send({ method: 'GET', target: '/readyz' }),
      await send({ target: '/nowhere' }),
    ];
    for (const { body, headers: own } of answers) {
      expect(own['Content-Type']).toBe('application/json');
      expect(body).toMatch(/[^\n]\n$/);
      JSON.parse(body);
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 404]);
  });

  it('to paths that people try first say which one is right', async () => {
    const { send } = createPlainApi();
    const told = async (target: string) => {
      const { status, body } = await send({ target });
      return [status, (JSON.parse(body) as { error: string }).error];
    };
    for (const target of ['/v1/events/shop', '/v1/events/shop/', '/v1/events'])
      expect(await told(target)).toEqual([404, 'Not found. Send events to /v1/events/{tenantId}/multi.']);
    expect(await told('/')).toEqual([404, 'Not found. The paths of the API are in /v1/openapi.json.']);
    expect(await told('/v1/events/shop/other')).toEqual([404, 'Not found']);
  });

  it('of a list of names take no parameters either', async () => {
    const { send, createTenant } = createPlainApi();
    const headers = { 'x-api-key': await createTenant('acme') };
    const { status, body } = await send({
      method: 'GET',
      target: '/v1/api/query/events/acme?event=a',
      headers,
    });
    expect([status, body]).toEqual([400, expect.stringContaining('takes no parameters') as string]);
  });

  it('of a full page name the next one, of a short page none', async () => {
    const { tenant, post, createTenant } = createPlainApi();
    const headers = { 'x-api-key': await createTenant('acme') };
    await (await tenant('acme')).append([...EVENTS, ...EVENTS]);
    const ask = (size: number, cursor?: string) =>
      post('/v1/api/query/acme', { pagination: cursor === undefined ? { size } : { size, cursor } }, headers);
    const first = await ask(1);
    const second = await ask(1, first.headers['X-Next-Cursor']);
    const ids = [first, second].map(({ body }) => (JSON.parse(body) as { insertId: string }[])[0]?.insertId);
    expect(new Set(ids).size).toBe(2);
    expect((await ask(3)).headers).not.toHaveProperty('X-Next-Cursor');
  });

  it.each([
    ['PUT', '/v1/api/query/acme', 'POST'],
    ['POST', '/v1/api/query/events/acme', 'GET'],
    ['OPTIONS', '/v1/api/query/acme', 'POST'],
    ['GET', '/v1/events/acme/multi', 'POST, OPTIONS'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ])('to %s %s say which methods there are', async (method, target, allow) => {
    const { status, headers, body } = await createPlainApi().send({ method, target });
    expect([status, headers.Allow]).toEqual([405, allow]);
    expect(JSON.parse(body)).toEqual({ error: `Method not allowed. Use ${allow}.` });
  });
});

it('the server is not ready while an owner waits longer than a second, nor right after', async () => {
  let time = 0;
  let endTurn: () => void = () => undefined;
  const scheduler = createScheduler({
    now: () => time,
    nextTurn: () => new Promise<void>((resolve) => (endTurn = resolve)),
  });
  const { send } = createPlainApi({ resources: { scheduler } });
  const statusOf = async (target: string) => (await send({ method: 'GET', target })).status;
  // One owner works for ever in one turn, of which another's request sees nothing.
  void scheduler.run('long', undefined, () => new Promise(() => undefined));
  const waits = scheduler.run('shop', undefined, () => undefined);
  expect(await statusOf('/readyz')).toBe(200);
  time = 1_001;
  const { status, headers, body } = await send({ method: 'GET', target: '/readyz' });
  expect([status, headers['Retry-After'], JSON.parse(body)]).toEqual([
    503,
    '1',
    { error: 'The server is overloaded: requests wait longer than a second.' },
  ]);
  expect(await statusOf('/healthz')).toBe(200);
  endTurn();
  await waits;
  expect(await statusOf('/readyz')).toBe(503);
  time += 5_001;
  expect(await statusOf('/readyz')).toBe(200);
});

describe('pages of other origins', () => {
  const open = {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': ORIGIN,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': 'x-request-id, retry-after',
  };
  const preflight = {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers':
      'authorization, content-type, content-encoding, idempotency-key, traceparent',
    'Access-Control-Max-Age': '86400',
  };

  async function setUp() {
    const api = createPlainApi();
    for (const alias of ['open', 'backend', 'login']) await api.createTenant(alias);
    await api.admin.updateTenant('backend', { authStrategy: 'SERVER_SIDE' });
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://id.example/keys' };
    await api.admin.updateTenant('login', { authStrategy: 'JWT', jwt });
    const ask = (request: PlainRequest) =>
      api.send({
        ...request,
        headers: { origin: ORIGIN, 'content-type': 'application/json', ...request.headers },
      });
    return { ...api, ask };
  }

  it.each([
    '/v1/events/open/multi',
    '/v1/events/login/multi',
    '/v1/events/nobody/multi',
    '/v1/events/open/properties',
    '/v1/events/open/snapshot',
    '/v1/client/open/config/configurations',
    '/v1/tenant/open/trackers',
    '/v1/segment/open/v1/t',
    '/v1/segment/login/v1/b',
  ])('are let in alike by a preflight of %s', async (target) => {
    const { ask } = await setUp();
    const answer = await ask({ method: 'OPTIONS', target });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(corsOf(answer)).toEqual({ ...open, ...preflight, Vary: 'Origin, Access-Control-Request-Headers' });
    const asked = 'baggage, sentry-trace, x-datadog-origin';
    const traced = await ask({
      method: 'OPTIONS',
      target,
      headers: { 'access-control-request-headers': asked },
    });
    expect(traced.headers['Access-Control-Allow-Headers']).toBe(asked);
    const forged = await ask({
      method: 'OPTIONS',
      target,
      headers: { 'access-control-request-headers': 'a\u00e9' },
    });
    expect(forged.headers['Access-Control-Allow-Headers']).toBe(preflight['Access-Control-Allow-Headers']);
  });

  it.each<[string, PlainRequest, number]>([
    ['what became of events', { target: '/v1/events/open/multi', body: JSON.stringify(EVENTS) }, 200],
    ['a bad batch', { target: '/v1/events/open/multi', body: 'bad' }, 400],
    ['a missing token', { target: '/v1/events/login/multi', body: '[]' }, 401],
    ['an unknown tenant', { target: '/v1/events/nobody/multi', body: '[]' }, 404],
    ['a wrong method', { method: 'GET', target: '/v1/events/open/multi' }, 405],
    ['a route that only other servers have', { target: '/v1/privacy/open/data-deletion' }, 404],
    ['settings', { method: 'GET', target: '/v1/segment/open/v1/projects/k/settings' }, 200],
    ['where Segment’s SDK counts itself', { target: '/v1/segment/open/v1/m', body: '{}' }, 200],
    ['what became of messages', { target: '/v1/segment/open/v1/a', body: '{"userId":"a"}' }, 200],
    ['a wrong type', { target: '/v1/events/open/multi', headers: { 'content-type': 'a/b' } }, 415],
  ])('may read %s', async (_name, request, status) => {
    const answer = await (await setUp()).ask(request);
    expect([answer.status, corsOf(answer)]).toEqual([status, open]);
  });

  it('may read why a store is away', async () => {
    const api = createPlainApi({
      wrap: withEvents(() => ({ append: () => Promise.reject(unavailable('')) })),
    });
    await api.createTenant('open');
    const answer = await api.post('/v1/events/open/multi', EVENTS, { origin: ORIGIN });
    expect([answer.status, corsOf(answer)]).toEqual([503, open]);
  });

  it('may not use what needs the secret of a server', async () => {
    const { ask } = await setUp();
    const allowed = await ask({ method: 'OPTIONS', target: '/v1/events/backend/multi' });
    expect([allowed.status, corsOf(allowed)]).toEqual([204, {}]);
    const sent = await ask({ target: '/v1/events/backend/multi', body: JSON.stringify(EVENTS) });
    expect([sent.status, corsOf(sent)]).toEqual([401, {}]);
  });

  it.each(['/v1/api/query/open', '/v1/api/query/count/open', '/v1/api/query/events/open', '/v1/api/nothing'])(
    'may not read %s',
    async (target) => {
      const { ask } = await setUp();
      for (const method of ['OPTIONS', 'POST', 'GET']) {
        const answer = await ask({ method, target });
        expect([method, answer.status >= 400, corsOf(answer)]).toEqual([method, true, {}]);
      }
    },
  );

  it.each(['null', 'http://localhost:3000', 'app://a-b.c_d~e'])(
    'of the origin %s get it back',
    async (origin) => {
      const { ask } = await setUp();
      const { headers } = await ask({ target: '/v1/events/open/multi', headers: { origin } });
      expect(headers['Access-Control-Allow-Origin']).toBe(origin);
    },
  );

  it.each(['', 'a, b', 'a b', 'x\r\nSet-Cookie: a=b', 'ä', 'x'.repeat(2000)])(
    'of what is no origin (%j) get nothing back',
    async (origin) => {
      const { ask } = await setUp();
      expect(corsOf(await ask({ target: '/v1/events/open/multi', headers: { origin } }))).toEqual({
        Vary: 'Origin',
      });
    },
  );

  it('may be sent again with one that is bad: it is told, and nothing is refused', async () => {
    const { post, createTenant } = createPlainApi();
    await createTenant('acme');
    const sent = [{ ...EVENTS[0], eventTs: 1e12, insertId: 'one' }, { eventName: '' }];
    const answers = [await post('/v1/events/acme/multi', sent), await post('/v1/events/acme/multi', sent)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { accepted: 1, duplicates: 0, rejected: [{ index: 1 }] },
      { accepted: 0, duplicates: 1, rejected: [{ index: 1 }] },
    ]);
    expect((await post('/v1/events/acme/multi', sent.slice(1))).status).toBe(400);
  });

  it('send beacons of plain text', async () => {
    const { ask, tenant } = await setUp();
    const headers = { 'content-type': 'text/plain;charset=UTF-8' };
    const answer = await ask({ target: '/v1/events/open/multi', headers, body: JSON.stringify(EVENTS) });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      { accepted: 1, duplicates: 0, rejected: [] },
    ]);
    expect(await (await tenant('open')).count({})).toBe(1);
  });
});

describe('the access log', () => {
  const SECRET = `eqk_${'0'.repeat(64)}`;

  it('has one line for each request, whatever came of it', async () => {
    const { send, post, createTenant, log, clock } = createPlainApi();
    const key = await createTenant('acme');
    const answers = [
      await post('/v1/api/query/acme', {}, { 'x-api-key': key }),
      await post('/v1/api/query/count/acme', {}),
      await post('/v1/events/nobody/multi', EVENTS),
      await send({ method: 'GET', target: '/nowhere/acme' }),
      await send({ method: 'OPTIONS', target: '/v1/events/acme/multi' }),
      await send({
        target: '/v1/events/acme/multi',
        headers: { 'content-type': 'application/json' },
        body: () => {
          clock.advance(25);
          return JSON.stringify(EVENTS);
        },
      }),
    ];
    expect(log.entries).toEqual(
      [
        ['POST', 'query', '/v1/api/query/{tenantId}', 'acme', 200, 0],
        ['POST', 'count', '/v1/api/query/count/{tenantId}', 'acme', 401, 0],
        ['POST', 'ingest', '/v1/events/{tenantId}/multi', 'nobody', 404, 0],
        ['GET', 'unknown', undefined, undefined, 404, 0],
        ['OPTIONS', 'ingest', '/v1/events/{tenantId}/multi', 'acme', 204, 0],
        ['POST', 'ingest', '/v1/events/{tenantId}/multi', 'acme', 200, 25],
      ].map(([method, operation, route, tenant, status, durationMs], i) => ({
        level: 'info',
        message: 'request',
        fields: expect.objectContaining({
          requestId: answers[i]?.headers['X-Request-Id'],
          ...{ method, operation, route, tenant, status, durationMs },
          bytesOut: answers[i]?.body.length,
        }) as object,
      })),
    );
  });

  it('never has a secret, a property or a part of an address that is no alias', async () => {
    const { send, post, createTenant, log } = createPlainApi();
    const key = await createTenant('acme');
    await post(`/v1/api/query/${key}`, { event: 'hush' }, { 'x-api-key': key });
    await post(`/v1/api/query/acme?key=${key}`, {}, { 'x-api-key': SECRET });
    await send({ target: `/${SECRET}/hush`, headers: { authorization: `Chase ${SECRET}` } });
    await post('/v1/events/acme/multi', [
      { eventName: 'hush', userId: 'hush', properties: { hush: 'hush' } },
    ]);
    expect(log.entries).toHaveLength(4);
    expect(JSON.stringify(log.entries)).not.toMatch(/eqk_|hush|\?/);
  });

  it('hides a secret in the path of what failed', async () => {
    const { post, log } = createPlainApi({
      accessLog: false,
      wrap: (stores) => ({
        ...stores,
        control: { ...stores.control, find: () => Promise.reject(new Error('broken')) },
      }),
    });
    const target = `/v1/api/query/count/${SECRET}?key=${SECRET}`;
    expect((await post(target, {}, { 'x-api-key': SECRET })).status).toBe(500);
    expect(log.entries.map(({ fields }) => fields.path)).toEqual([
      expect.stringMatching(/^\/v1\/api\/query\/count\/[^?]+$/),
    ]);
    expect(JSON.stringify(log.entries)).not.toContain(SECRET);
  });

  it('can be turned off, and then has nothing but errors', async () => {
    const { post, createTenant, log } = createPlainApi({
      accessLog: false,
      wrap: withEvents(() => ({ count: () => Promise.reject(new Error('broken')) })),
    });
    const headers = { 'x-api-key': await createTenant('acme') };
    await post('/v1/api/query/acme', {}, headers);
    expect(log.entries).toEqual([]);
    await post('/v1/api/query/count/acme', {}, headers);
    expect(log.entries.map(({ level }) => level)).toEqual(['error']);
  });

  it('has the cause of a fault, once, which the answer has not', async () => {
    const disk = new Error('disk');
    const causes: Error[] = [disk, unavailable(disk), new ApiError('unavailable', [], { logged: true })];
    const { post, createTenant, log } = createPlainApi({
      accessLog: false,
      wrap: withEvents(() => ({ count: () => Promise.reject(causes.shift() ?? disk) })),
    });
    const headers = { 'x-api-key': await createTenant('acme') };
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await post('/v1/api/query/count/acme', {}, headers));
    expect(answers.map(({ status }) => status)).toEqual([500, 503, 503]);
    for (const { body } of answers) expect(body).not.toContain('disk');
    // The third was told of where it happened.
    expect(log.entries.map(({ fields }) => fields.err)).toEqual([disk, disk]);
  });

  it('does not go below zero when the clock steps back', async () => {
    const { send, log, clock } = createPlainApi({
      wrap: (stores) => ({
        ...stores,
        ready: () => {
          clock.advance(-5000);
          return Promise.reject(new ApiError('unavailable', [], { logged: true }));
        },
      }),
    });
    // A health check that fails has a line.
    await send({ method: 'GET', target: '/readyz' });
    expect(log.entries.map(({ fields }) => fields.durationMs)).toEqual([0]);
  });
});

it('a server whose stores fail is not ready, and says nothing of why', async () => {
  const { send } = createPlainApi({
    wrap: (stores) => ({ ...stores, ready: () => Promise.reject(new Error('disk')) }),
  });
  const { status, body } = await send({ method: 'GET', target: '/readyz' });
  expect([status, body]).toEqual([503, expect.not.stringContaining('disk')]);
});

describe('a client that has gone', () => {
  it('is no error, and nothing goes on for it', async () => {
    const seen: unknown[] = [];
    const signal = { aborted: false };
    const { post, send, createTenant, log } = createPlainApi({
      wrap: withEvents(() => ({
        count: (_tenantId, _query, given) => {
          seen.push(given);
          return Promise.reject(aborted());
        },
      })),
    });
    const headers = { 'x-api-key': await createTenant('acme'), 'content-type': 'application/json' };
    const answer = await send({ target: '/v1/api/query/count/acme', headers, body: '{}', signal });
    expect([answer.status, answer.body, seen]).toEqual([499, '', [signal]]);
    expect(log.entries.filter(({ level }) => level === 'error')).toEqual([]);
    expect((await post('/v1/api/query/acme', {}, headers)).status).toBe(200);
  });

  it.each(ASKED_BY_PATH)('ends what the store does for it: %s %j', async (name, body) => {
    const signal = { aborted: false };
    const seen: unknown[] = [];
    const { send, tenant, createTenant } = createPlainApi({
      wrap: (stores) => ({ ...stores, events: noting(stores.events, seen) }),
    });
    const json = { 'content-type': 'application/json', prefer: 'wait=0' };
    const headers = { 'x-api-key': await createTenant('acme'), ...json };
    await (await tenant('acme')).append(EVENTS);
    seen.length = 0;
    const path = name === 'query' ? 'acme' : `${name}/acme`;
    const asked = { method: body === undefined ? 'GET' : 'POST', body: JSON.stringify(body) };
    const { status } = await send({ target: `/v1/api/query/${path}`, headers, signal, ...asked });
    expect(status).toBe(200);
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([signal]));
  });
});
