import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSigner, startSpecServer, type SpecServer } from './spec-server.ts';

/** Every row of the spec's tables about keys, plans, limits, strategies and errors, on a real server. */
let server: SpecServer;
beforeAll(async () => {
  server = await startSpecServer();
});
afterAll(() => server.close());

const event = { eventName: 'visit', userId: 'ada' };
const answerOf = async (response: Response) => [response.status, await response.json()];

describe('Errors', () => {
  let key: Record<string, string>;
  beforeAll(async () => {
    key = { 'X-API-Key': await server.createTenant('errors') };
  });

  it.each(['2024-5-1', '18-05-2024', '2024-02-30', '2024-05-18T00:00:00Z', '', 'x', 5, null, true, [], {}])(
    '400: the date %j',
    async (date) => {
      const error = { error: 'Invalid date format. Use YYYY-MM-DD format.' };
      expect(await answerOf(await server.post('/errors', { after: date }, key))).toEqual([400, error]);
      expect(await answerOf(await server.post('/count/errors', { before: date }, key))).toEqual([400, error]);
    },
  );
  it('401: X-API-Key header missing', async () => {
    const expected = [401, { error: 'Missing X-API-Key header' }];
    expect(await answerOf(await server.post('/errors', {}))).toEqual(expected);
    expect(await answerOf(await server.post('/count/errors', {}))).toEqual(expected);
    expect(await answerOf(await server.get('/events/errors'))).toEqual(expected);
  });
  it('401: key invalid, or without the Query API permission, expired or revoked', async () => {
    const expected = [401, { error: 'Invalid API key or insufficient permissions' }];
    const { admin } = server;
    const ingest = await admin.createKey('errors', { name: 'ingest only', permissions: ['ingest'] });
    const options = { name: 'short', permissions: ['query'], expiresAt: server.now() + 1000 };
    const expired = await admin.createKey('errors', options);
    server.advance(1);
    const revoked = await admin.createKey('errors', { name: 'revoked', permissions: ['query'] });
    const withKey = (secret: string) => server.get('/events/errors', { 'X-API-Key': secret });
    expect((await withKey(revoked.secret)).status).toBe(200);
    await admin.revokeKey('errors', revoked.key.id);
    for (const secret of [
      'nonsense',
      `eqk_${'0'.repeat(64)}`,
      ingest.secret,
      expired.secret,
      revoked.secret,
    ]) {
      expect(await answerOf(await withKey(secret))).toEqual(expected);
    }
  });
  it('403: plan below Builder, with an upgrade pointer', async () => {
    const secret = await server.createTenant('free', 'free');
    const [status, body] = await answerOf(await server.post('/free', {}, { 'X-API-Key': secret }));
    expect(status).toBe(403);
    expect((body as { error: string }).error).toMatch(
      /Query API requires the Builder plan or higher.*upgrade/i,
    );
  });
  it('404: tenant not found, a UUID, and the alias of another tenant', async () => {
    const other = await server.admin.createTenant({ alias: 'other', plan: 'scale' });
    for (const alias of ['nobody', other.id, 'other', 'ERRORS']) {
      const expected = [404, { error: 'Tenant not found' }];
      expect(await answerOf(await server.post(`/${alias}`, {}, key))).toEqual(expected);
    }
  });
  it('every error body has one string field error', async () => {
    for (const body of [[], 'text', { filterset: [] }, { filterSet: [{}] }]) {
      const [, answer] = await answerOf(await server.post('/errors', body, key));
      expect(Object.entries(answer as object).map(([name, text]) => [name, typeof text])).toEqual([
        ['error', 'string'],
      ]);
    }
  });
});

describe('Rate limits', () => {
  it.each([['builder', 2, 20] as const, ['growth', 10, 200] as const, ['scale', 100, 2000] as const])(
    '%s: %i a minute, %i a day',
    async (plan, perMinute, perDay) => {
      const alias = plan;
      const key = { 'X-API-Key': await server.createTenant(alias, plan) };
      for (let i = 0; i < perMinute; i++) {
        const response = await server.get(`/events/${alias}`, key);
        expect(response.status).toBe(200);
        expect(response.headers.get('ratelimit-policy')).toBe(
          `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
        );
      }
      const refused = await server.get(`/events/${alias}`, key);
      const error = 'Rate limit exceeded. Upgrade for higher limits.';
      const retryAfter = Number(refused.headers.get('retry-after'));
      expect(await answerOf(refused)).toEqual([429, { error }]);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      server.advance(retryAfter);
      expect((await server.get(`/events/${alias}`, key)).status).toBe(200);
    },
  );

  it('the day: wait Retry-After, then retry once', async () => {
    const limits = { perMinute: 1000, perDay: 3 };
    const key = { 'X-API-Key': await server.createTenant('daily') };
    await server.admin.updateTenant('daily', { plan: 'custom', limits });
    for (let i = 0; i < 3; i++) expect((await server.get('/events/daily', key)).status).toBe(200);
    const refused = await server.get('/events/daily', key);
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(28_000);
    server.advance(retryAfter);
    expect((await server.get('/events/daily', key)).status).toBe(200);
    expect((await server.get('/events/daily', key)).status).toBe(429);
  });

  it('X-RateLimit-Limit, -Remaining and -Reset tell of the bucket with fewest tokens left', async () => {
    const key = { 'X-API-Key': await server.createTenant('headers', 'builder') };
    const before = Math.floor(server.now() / 1000);
    const { headers } = await server.get('/events/headers', key);
    expect(headers.get('x-ratelimit-limit')).toBe('2');
    expect(headers.get('x-ratelimit-remaining')).toBe('1');
    const reset = Number(headers.get('x-ratelimit-reset'));
    expect(reset).toBeGreaterThanOrEqual(before + 29);
    expect(reset).toBeLessThanOrEqual(Math.ceil(server.now() / 1000) + 31);
  });

  it('each page, each count and each name listing is one request; a refusal is none', async () => {
    const key = { 'X-API-Key': await server.createTenant('spend', 'growth') };
    const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'));
    expect(remaining(await server.post('/spend', {}, key))).toBe(9);
    expect(remaining(await server.post('/count/spend', {}, key))).toBe(8);
    expect(remaining(await server.get('/events/spend', key))).toBe(7);
    expect(remaining(await server.post('/spend', { after: 'x' }, key))).toBe(7);
    expect(remaining(await server.post('/spend', { filterset: [] }, key))).toBe(7);
  });
});

describe('API key', () => {
  it('Secret: shown once, at generation; Name and Permission are kept', async () => {
    await server.createTenant('keys');
    const { key, secret } = await server.admin.createKey('keys', { name: 'backend', permissions: ['query'] });
    expect(key).toMatchObject({ name: 'backend', permissions: ['query'] });
    expect(JSON.stringify(await server.admin.listKeys('keys'))).not.toContain(secret.slice(4));
  });
  it('rotates: both secrets work during the overlap, then the new one alone', async () => {
    await server.createTenant('rotating');
    const old = await server.admin.createKey('rotating', { name: 'a', permissions: ['query'] });
    const fresh = await server.admin.rotateKey('rotating', old.key.id, 60_000);
    const status = async (secret: string) =>
      (await server.get('/events/rotating', { 'X-API-Key': secret })).status;
    expect([await status(old.secret), await status(fresh.secret)]).toEqual([200, 200]);
    server.advance(61);
    expect([await status(old.secret), await status(fresh.secret)]).toEqual([401, 200]);
  });
});

describe('Ingestion strategies', () => {
  it('NONE: anyone with the alias can send', async () => {
    await server.createTenant('open');
    expect((await server.send('open', [event])).status).toBe(200);
  });
  it('SERVER_SIDE: Authorization: Chase <SECRET_KEY>', async () => {
    await server.createTenant('backend');
    await server.createTenant('stranger');
    const { admin } = server;
    const { secret } = await admin.createKey('backend', { name: 'sdk', permissions: ['ingest'] });
    const foreign = await admin.createKey('stranger', { name: 'sdk', permissions: ['ingest'] });
    const query = await admin.createKey('backend', { name: 'reader', permissions: ['query'] });
    await admin.updateTenant('backend', { authStrategy: 'SERVER_SIDE' });
    const status = async (authorization?: string) =>
      (await server.send('backend', [event], authorization === undefined ? {} : { authorization })).status;
    expect(await status(`Chase ${secret}`)).toBe(200);
    expect(await status(`Bearer ${secret}`)).toBe(200);
    const withKey = async (headers: Record<string, string>) =>
      (await server.send('backend', [event], headers)).status;
    expect(await withKey({ 'X-API-Key': secret })).toBe(200);
    expect(await withKey({ 'X-API-Key': secret, authorization: `Chase ${secret}` })).toBe(200);
    // Two different keys leave open who sends.
    for (const scheme of ['Chase', 'Bearer'])
      expect(await withKey({ 'X-API-Key': query.secret, authorization: `${scheme} ${secret}` })).toBe(401);
    expect(await withKey({ 'X-API-Key': foreign.secret })).toBe(401);
    const wrong = [
      undefined,
      secret,
      `Bearer ${foreign.secret}`,
      `Chase ${foreign.secret}`,
      `Chase ${query.secret}`,
      'Chase x',
    ];
    for (const authorization of wrong) expect(await status(authorization)).toBe(401);
  });
  it('JWT: Authorization: Bearer <ACCESS_TOKEN>, and the user id must equal sub', async () => {
    await server.createTenant('login');
    const { privateKey, publicKeyPem } = createSigner();
    const jwt = { issuer: 'https://issuer.example', audience: 'events', publicKeyPem };
    await server.admin.updateTenant('login', { authStrategy: 'JWT', jwt });
    const seconds = Math.floor(server.now() / 1000);
    const token = (claims: Record<string, unknown>) =>
      new SignJWT({ iss: jwt.issuer, aud: jwt.audience, sub: 'ada', exp: seconds + 600, ...claims })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey);
    const send = async (claims: Record<string, unknown>, events: object[] = [event]) =>
      server.send('login', events, { authorization: `Bearer ${await token(claims)}` });
    expect(await answerOf(await send({}))).toEqual([200, { accepted: 1, duplicates: 0, rejected: [] }]);
    const wrong = [
      { iss: 'x' },
      { aud: 'x' },
      { exp: seconds - 1 },
      { nbf: seconds + 600 },
      { sub: undefined },
    ];
    for (const claims of wrong) expect((await send(claims)).status).toBe(401);
    const error = 'userId: must equal the sub claim of the access token';
    expect(await answerOf(await send({}, [event, { ...event, userId: 'bob' }]))).toEqual([
      200,
      { accepted: 1, duplicates: 0, rejected: [{ index: 1, error }] },
    ]);
    expect((await send({ sub: 'bob' })).status).toBe(400);
    expect((await server.send('login', [event])).status).toBe(401);
  });
  it('a Query API key works whichever strategy is in use', async () => {
    const key = { 'X-API-Key': await server.createTenant('any') };
    const jwt = { issuer: 'i', audience: 'a', publicKeyPem: createSigner().publicKeyPem };
    for (const authStrategy of ['NONE', 'SERVER_SIDE', 'JWT'] as const) {
      await server.admin.updateTenant('any', { authStrategy, jwt });
      expect((await server.get('/events/any', key)).status).toBe(200);
    }
  });
});
