import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenVerifier } from '../../../../src/index.ts';
import { ApiError } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { createPlainApi, type PlainAnswer } from '../../../support/plain-api.ts';

const PROPERTIES = '/v1/events/acme/properties';
const SNAPSHOT = '/v1/events/acme/snapshot';
const CONFIG = '/v1/client/acme/config/configurations';
const ORIGIN = 'https://shop.example';

/** A token is the user that it is for. */
const tokens: TokenVerifier = {
  verify: (token) =>
    token === 'bad' ? Promise.reject(new ApiError('invalidToken')) : Promise.resolve(token),
};

async function setUp(authStrategy: 'NONE' | 'SERVER_SIDE' | 'JWT' = 'NONE') {
  const api = createPlainApi({ tokens });
  const secret = await api.createTenant('acme');
  const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://id.example/keys' };
  await api.admin.updateTenant('acme', { jwt, authStrategy });
  const stored = async () => {
    const { body } = await api.post('/v1/api/query/acme', {}, { 'x-api-key': secret });
    return JSON.parse(body) as Record<string, unknown>[];
  };
  const ingest = (await api.admin.createKey('acme', { name: 'server', permissions: ['ingest'] })).secret;
  return { ...api, stored, ingest, secret };
}

const parsed = ({ status, body }: PlainAnswer) => [status, JSON.parse(body) as unknown] as const;
const ONE = { accepted: 1, duplicates: 0, rejected: [] };
const snapshotNow = (timestamp: number) => ({
  ...{ sessionId: 's1', pageUrl: 'https://shop.example/', snapshot: '{"node":1}' },
  ...{ timestamp, deviceType: 'desktop' },
});

describe('user properties', () => {
  it('are an event of the user', async () => {
    const { post, stored } = await setUp();
    const body = { userId: 'ada', plan: 'pro', seats: '3' };
    expect(parsed(await post(PROPERTIES, body))).toEqual([200, ONE]);
    expect(await stored()).toMatchObject([
      { eventName: 'user_properties_set', userId: 'ada', properties: { plan: 'pro', seats: '3' } },
    ]);
  });

  it('are two events when they are set twice, and one with a key of the sender', async () => {
    const { post, stored } = await setUp();
    for (let i = 0; i < 2; i++) await post(PROPERTIES, { userId: 'ada', plan: 'pro' });
    expect(await stored()).toHaveLength(2);
    const headers = { 'idempotency-key': '018bcfe5-6800-7000-8000-000000000001' };
    for (let i = 0; i < 2; i++) await post(PROPERTIES, { userId: 'bob', plan: 'pro' }, headers);
    expect(await stored()).toHaveLength(3);
  });

  it.each([
    ['[]', 'event: takes an object, got an empty array'],
    ['7', 'event: takes an object, got the number 7'],
    ['{"userId":"u"}', 'properties: takes at least one property beside userId, got none'],
    ['{"plan":"pro"}', 'userId: takes a string of 1 to 256 characters, got nothing'],
    ['{"userId":5,"plan":"pro"}', 'userId: takes a string of 1 to 256 characters, got the number 5'],
    ['{"userId":"u",', /The body is not valid JSON/],
    ['', /The body is not valid JSON/],
    [`{"userId":"u","a":${'['.repeat(70)}${']'.repeat(70)}}`, /deep|levels/],
    [JSON.stringify({ userId: 'u', a: 'x'.repeat(1_048_577) }), /at most 1048576 bytes/],
  ])('%.40s is a 400', async (body, reason) => {
    const { send, stored } = await setUp();
    const headers = { 'content-type': 'application/json' };
    const answer = await send({ target: PROPERTIES, headers, body });
    expect(answer.status).toBe(400);
    const { error } = JSON.parse(answer.body) as { error: string };
    if (typeof reason === 'string')
      expect(error).toBe(`No event was accepted; the first reason: events[0]: ${reason}`);
    else expect(error).toMatch(reason);
    expect(await stored()).toEqual([]);
  });
});

describe('a page snapshot', () => {
  it('is an event of its session and time, and the same text again is the same event', async () => {
    const { post, stored, clock } = await setUp();
    const body = snapshotNow(clock.now() - 5000);
    expect(parsed(await post(SNAPSHOT, body))).toEqual([200, ONE]);
    expect(parsed(await post(SNAPSHOT, body))).toEqual([200, { accepted: 0, duplicates: 1, rejected: [] }]);
    await post(SNAPSHOT, { ...body, pageUrl: 'https://shop.example/other' });
    await post(SNAPSHOT, { ...body, timestamp: body.timestamp + 1 });
    const events = await stored();
    expect(events).toHaveLength(3);
    expect(
      events.find(({ properties }) => (properties as { pageUrl: string }).pageUrl === body.pageUrl),
    ).toMatchObject({
      eventName: 'page_snapshot_taken',
      userId: 's1',
    });
    expect(events.at(-1)).toMatchObject({
      eventTs: new Date(body.timestamp).toISOString(),
      properties: { snapshot: body.snapshot, deviceType: 'desktop' },
    });
  });

  it.each([
    [{ sessionId: null }, 'userId: takes a string of 1 to 256 characters, got null'],
    [{ pageUrl: 5 }, 'pageUrl: takes a text, got the number 5'],
    [{ snapshot: {} }, 'snapshot: takes a text, got an object'],
    [{ timestamp: '5' }, 'timestamp: takes epoch milliseconds, got the string "5"'],
    [{ timestamp: 9e12 }, /eventTs/],
    [{ snapshot: 'x'.repeat(1_048_577) }, /at most 1048576 bytes/],
  ])('with %.30j is a 400, so that the SDK does not count it as sent', async (changes, reason) => {
    const { post, stored, clock } = await setUp();
    const answer = await post(SNAPSHOT, { ...snapshotNow(clock.now()), ...changes });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: expect.stringMatching(reason) as string });
    expect(await stored()).toEqual([]);
  });
});

describe('the remote config', () => {
  it('is what was set, in the shape that the SDK expects', async () => {
    const { post, admin, clock } = await setUp();
    await admin.setConfig('acme', 'hero_text', 'Hello');
    await admin.setConfig('acme', 'constructor', '"1"');
    const ask = async (body: object = { userId: 'ada', immediateKeys: [], properties: {} }) =>
      parsed(await post(CONFIG, body))[1] as Record<string, unknown>;
    const first = await ask();
    expect(first).toEqual({
      userId: 'ada',
      snapshotId: expect.stringMatching(/^\w+$/) as string,
      configurations: { hero_text: 'Hello', constructor: '"1"' },
      isFinal: true,
      qualifiedSegments: [],
      qualifiedRuleSets: [],
      timestamp: new Date(clock.now()).toISOString(),
      isFromCache: false,
    });
    expect((await ask({})).userId).toBeNull();
    expect((await ask()).snapshotId).toBe(first.snapshotId);
    await admin.setConfig('acme', 'hero_text', 'Bye');
    const changed = await ask();
    expect(changed).toMatchObject({ configurations: { hero_text: 'Bye' } });
    expect(changed.snapshotId).not.toBe(first.snapshotId);
    for (const key of ['hero_text', 'constructor']) await admin.unsetConfig('acme', key);
    expect((await ask()).configurations).toEqual({});
  });

  it('is that of the tenant of the path', async () => {
    const { post, admin, createTenant } = await setUp();
    await createTenant('other');
    await admin.setConfig('other', 'k', 'v');
    expect(parsed(await post(CONFIG, {}))[1]).toMatchObject({ configurations: {} });
    expect((await post(CONFIG.replace('acme', 'nobody'), {})).status).toBe(404);
  });

  it.each([
    ['[]', 'body: takes an object, got an empty array'],
    ['{"userId":""}', 'userId: takes a string of 1 to 256 characters, or nothing, got the string ""'],
    ['{"userId":7}', 'userId: takes a string of 1 to 256 characters, or nothing, got the number 7'],
    ['{', /The body is not valid JSON/],
  ])('asked with %s is a 400', async (body, reason) => {
    const { send } = await setUp();
    const answer = await send({ target: CONFIG, headers: { 'content-type': 'application/json' }, body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: expect.stringMatching(reason) as string });
  });

  it('asked with another content type is a 415', async () => {
    const { send } = await setUp();
    expect(
      (await send({ target: CONFIG, headers: { 'content-type': 'text/plain' }, body: '{}' })).status,
    ).toBe(415);
  });

  it('never answers 5xx, whatever it is asked', () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('userId', 'immediateKeys', 'properties'), jsonValues),
        async (body) => {
          const { post } = await setUp();
          expect([200, 400]).toContain((await post(CONFIG, body)).status);
        },
      ),
      { numRuns: 30 },
    ));
});

describe('who may send and read', () => {
  const CALLS = [
    [PROPERTIES, { userId: 'ada', plan: 'pro' }],
    [SNAPSHOT, { ...snapshotNow(1_700_000_000_000), sessionId: 'ada' }],
    [CONFIG, { userId: 'ada' }],
  ] as const;

  it.each(CALLS)('under NONE is anyone: %s', async (path, body) => {
    const { post } = await setUp();
    const answer = await post(path, body, { origin: ORIGIN });
    expect([answer.status, answer.headers['Access-Control-Allow-Origin']]).toEqual([200, ORIGIN]);
  });

  it.each(CALLS)('under SERVER_SIDE is the holder of a key to send, and no page: %s', async (path, body) => {
    const { post, ingest, secret } = await setUp('SERVER_SIDE');
    const with_ = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      return post(path, body, { ...headers, origin: ORIGIN });
    };
    expect((await with_()).status).toBe(401);
    expect((await with_(`Chase ${secret}`)).status).toBe(401);
    expect((await with_('Bearer ada')).status).toBe(401);
    const allowed = await with_(`Chase ${ingest}`);
    expect([allowed.status, allowed.headers['Access-Control-Allow-Origin']]).toEqual([200, undefined]);
  });

  it.each(CALLS)('under JWT is the bearer of a token: %s', async (path, body) => {
    const { post } = await setUp('JWT');
    const with_ = (headers: Record<string, string>) => post(path, body, { ...headers, origin: ORIGIN });
    const without = await with_({});
    expect([without.status, without.headers['Access-Control-Allow-Origin']]).toEqual([401, ORIGIN]);
    expect((await with_({ authorization: 'Bearer bad' })).status).toBe(401);
    expect((await with_({ authorization: 'Bearer ada' })).status).toBe(200);
  });

  it.each(CALLS.slice(0, 2))('under JWT nobody sends for another user: %s', async (path, body) => {
    const { post, stored } = await setUp('JWT');
    const answer = await post(path, body, { authorization: 'Bearer eve' });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('userId: must equal the sub claim of the access token');
    expect(await stored()).toEqual([]);
  });
});

describe('what this server has nothing of', () => {
  const EMPTY = [
    ['GET', '/v1/client/acme/rescue/campaigns', []],
    ['GET', '/v1/tenant/acme/trackers', []],
    ['GET', '/v1/client/acme/trackers?url=https%3A%2F%2Fshop.example', { trackers: [] }],
    ['POST', '/v1/tenant/acme/debug-sessions/verify', { valid: false }],
  ] as const;

  it.each(EMPTY)('%s %s is an empty answer', async (method, target, expected) => {
    const { send } = await setUp();
    const answer = await send({ method, target, headers: { origin: ORIGIN } });
    expect(parsed(answer)).toEqual([200, expected]);
    expect(answer.headers['Access-Control-Allow-Origin']).toBe(ORIGIN);
    expect((await send({ method, target: target.replace('acme', 'nobody') })).status).toBe(404);
  });

  it.each([
    '/v1/privacy/acme/data-deletion',
    '/v1/privacy/acme/anonymize-user',
    '/v1/tenant/acme/debug-sessions/s1/trackers',
    '/v1/tenant/acme/debug-sessions/s1/end',
  ])('%s is a 404 that a page can read, so that it is not reported as done', async (target) => {
    const { send } = await setUp();
    const answer = await send({ target, headers: { origin: ORIGIN }, body: '{"userId":"u"}' });
    expect([answer.status, answer.headers['Access-Control-Allow-Origin']]).toEqual([404, ORIGIN]);
  });
});

it.each([PROPERTIES, SNAPSHOT, CONFIG])('a preflight for %s allows what the SDK sends', async (target) => {
  const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' };
  const { send } = await setUp('JWT');
  const answer = await send({ method: 'OPTIONS', target, headers });
  expect(answer).toMatchObject({
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': ORIGIN,
      'Access-Control-Allow-Headers': expect.stringContaining('authorization, content-type') as string,
    },
  });
  const closed = await setUp('SERVER_SIDE');
  const refused = await closed.send({ method: 'OPTIONS', target, headers });
  expect(refused.headers['Access-Control-Allow-Origin']).toBeUndefined();
});
