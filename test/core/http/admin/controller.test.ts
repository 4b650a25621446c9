import { describe, expect, it } from 'vitest';
import { PLANS } from '../../../../src/core/access/plan.ts';
import { ApiError } from '../../../../src/index.ts';
import { COMPARISONS } from '../../../../src/internal.ts';
import { PLAN_NAMES } from '../../../../src/internal.ts';
import { createPlainApi, toRequest } from '../../../support/plain-api.ts';
import { createWaitingApi, PAGE_HEADERS, signIn, withKey, type Ask } from './visitors.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const ok = async (answer: ReturnType<Ask>): Promise<never> => {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${body}`);
  return JSON.parse(body) as never;
};

/** Why tokens are refused; of others a verifier says nothing. */
const CAUSES: Readonly<Record<string, unknown>> = {
  late: new Error('"exp" claim timestamp check failed'),
  foreign: 'no key of the tenant has signed it',
  telling: `not a token: eqk_${'a'.repeat(64)}`,
};

interface KeyAnswer {
  readonly key: { readonly id: string; readonly state: string; readonly secrets: object[] };
  readonly secret: string;
}
interface Choices {
  readonly plans: { readonly name: string }[];
  readonly comparisons: { readonly name: string; readonly said: string }[];
}
interface Noted {
  readonly entries: { action: string; who: string; from: string; alias: string; details: object }[];
  readonly before?: number;
}

describe('tenants', () => {
  it('are made, listed, set and deleted, and each change is noted with who and where from', async () => {
    const api = createPlainApi();
    const { ask } = await signIn(api);
    const made: object = await ok(ask('tenants/create', { alias: 'shop', plan: 'growth', name: 'The Shop' }));
    expect(made).toMatchObject({
      alias: 'shop',
      queryApi: true,
      requestLimits: { perMinute: 10, perDay: 200 },
    });
    expect((await ask('tenants/create', { alias: 'shop', plan: 'growth' })).status).toBe(409);
    expect((await ask('tenants/create', { alias: 'Shop', plan: 'growth' })).status).toBe(400);
    await ok(ask('tenants/set/shop', { plan: 'scale' }));
    expect(await ok(ask('tenants/show/shop'))).toMatchObject({ plan: 'scale', name: 'The Shop' });
    expect((await ask('tenants/delete/shop', {})).status).toBe(400);
    expect((await ask('tenants/delete/shop', { alias: 'other' })).status).toBe(400);
    await ok(ask('tenants/delete/shop', { alias: 'shop' }));
    expect(await ok(ask('tenants'))).toEqual([]);
    const { entries }: Noted = await ok(ask('audit'));
    expect(entries.map(({ action, who, from }) => `${action} ${who} ${from}`)).toEqual([
      'tenant.delete a admin unknown',
      'tenant.set a admin unknown',
      'tenant.create a admin unknown',
      'credential.create a admin unknown',
      'credential.end a admin unknown',
      'credential.create test test',
    ]);
    expect(entries[1]).toMatchObject({ alias: 'shop', details: { plan: 'scale', limits: null } });
  });

  it('take another strategy, whose settings are checked', async () => {
    const api = createPlainApi({
      tokens: {
        verify: (token, { issuer }) =>
          token === 'good'
            ? Promise.resolve(`user of ${issuer}`)
            : Promise.reject(new ApiError('invalidToken', [], { cause: CAUSES[token] })),
      },
    });
    await api.createTenant('shop');
    const { ask } = await signIn(api);
    expect((await ask('tokens/check/shop', { token: 'good' })).body).toMatch(/no settings for JWT yet/);
    expect((await ask('tenants/set/shop', { authStrategy: 'JWT' })).status).toBe(400);
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://keys.test/' };
    expect(await ok(ask('tokens/check/shop', { token: 'good', jwt }))).toEqual({
      valid: true,
      userId: 'user of i',
    });
    await ok(ask('tenants/set/shop', { authStrategy: 'JWT', jwt }));
    const errorOf = async (token: string) => {
      const { error }: { readonly error: string } = await ok(ask('tokens/check/shop', { token }));
      return error;
    };
    expect(await errorOf('late')).toBe('"exp" claim timestamp check failed');
    expect(await errorOf('foreign')).toBe('no key of the tenant has signed it');
    expect(await errorOf('bad')).toMatch(/^not signed by these keys/);
    expect(await errorOf('telling')).not.toContain('eqk_');
    expect((await ask('tokens/check/shop', { token: 'good', jwt: { issuer: 'i' } })).status).toBe(400);
    expect((await ask('tokens/check/shop', { token: 5 })).status).toBe(400);
  });
});

describe('choices', () => {
  it('are every plan with its limits, and every comparison with what it takes', async () => {
    const { ask } = await signIn(createPlainApi(), 'viewer');
    const { plans, comparisons }: Choices = await ok(ask('choices'));
    expect(plans.map(({ name }) => name)).toEqual([...PLAN_NAMES]);
    expect(plans).toContainEqual({ name: 'growth', queryApi: true, limits: PLANS.growth.limits });
    expect(plans).toContainEqual({ name: 'custom', queryApi: true, limits: null });
    expect(comparisons.map(({ name }) => name)).toEqual(Object.keys(COMPARISONS));
    expect(comparisons).toContainEqual({ name: 'NOT_IN', said: 'is none of', takes: 'list' });
    expect(comparisons).toContainEqual({ name: 'GREATER_THAN_OR_EQUALS', said: '≥', takes: 'ordered' });
    expect(new Set(comparisons.map(({ said }) => said)).size).toBe(comparisons.length);
    expect((await ask('choices?of=plans')).status).toBe(400);
  });
});

describe('keys', () => {
  it('show their secret once, rotate with an overlap, and end at once', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { ask } = await signIn(api);
    const made: KeyAnswer = await ok(ask('keys/create/shop', { name: 'backend', permissions: ['query'] }));
    const count = (secret: string) => api.post('/v1/api/query/count/shop', {}, { 'x-api-key': secret });
    expect((await count(made.secret)).status).toBe(200);
    const { id } = made.key;
    const { entries }: Noted = await ok(ask('audit'));
    expect(entries[0]).toMatchObject({
      ...{ action: 'key.create', alias: 'shop' },
      details: { id, name: 'backend', permissions: ['query'], expiresAt: null },
    });
    const rotated: KeyAnswer = await ok(ask('keys/rotate/shop', { id, overlapMs: 1000 }));
    expect(rotated.key.secrets.length).toBe(2);
    expect((await count(made.secret)).status).toBe(200);
    api.clock.advance(1000);
    expect((await count(made.secret)).status).toBe(401);
    expect((await count(rotated.secret)).status).toBe(200);
    expect(await ok(ask('keys/revoke/shop', { id }))).toMatchObject({ id, state: 'revoked', secrets: [] });
    expect((await count(rotated.secret)).status).toBe(401);
    expect((await ask('keys/rotate/shop', { id })).status).toBe(400);
    expect((await ask('keys/revoke/shop', { id: 'no key' })).status).toBe(400);
    const all = await Promise.all(['keys/shop', 'audit', 'tenants'].map((path) => ask(path)));
    const text = all.map(({ body }) => body).join('');
    expect(text).toContain('backend');
    for (const secret of [made.secret, rotated.secret]) expect(text).not.toContain(secret);
    for (const key of await recordsIn(api.stores.control).keys.list((await api.admin.getTenant('shop')).id)) {
      for (const { hash } of key.secrets) expect(text).not.toContain(hash);
    }
    for (const { headers } of all) expect(headers['Cache-Control']).toBe('no-store');
  });

  it('rotate with an overlap of a day where nothing is said', async () => {
    const api = createPlainApi();
    const secret = await api.createTenant('shop');
    const { ask } = await signIn(api);
    const [key] = await api.admin.listKeys('shop');
    await ok(ask('keys/rotate/shop', { id: key!.id }));
    const count = async () =>
      (await api.post('/v1/api/query/count/shop', {}, { 'x-api-key': secret })).status;
    api.clock.advance(86_399_999);
    expect(await count()).toBe(200);
    api.clock.advance(1);
    expect(await count()).toBe(401);
  });

  it('of another tenant are not to be had by this one', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    await api.createTenant('other');
    const [key] = await api.admin.listKeys('other');
    const { ask } = await signIn(api);
    for (const what of ['rotate', 'revoke']) {
      expect((await ask(`keys/${what}/shop`, { id: key!.id })).status).toBe(400);
    }
    expect((await api.admin.listKeys('other'))[0]?.revokedAt).toBeNull();
  });
});

describe('usage and questions', () => {
  it('show the buckets without a token, and drain none', async () => {
    const api = createPlainApi();
    const secret = await api.createTenant('shop', { plan: 'growth' });
    await api.post('/v1/api/query/count/shop', {}, { 'x-api-key': secret });
    const { ask } = await signIn(api);
    for (let times = 0; times < 30; times++) {
      expect((await ask('query/count/shop', {})).body).toBe('{"count":0}\n');
      const usage: { keys: { windows: { remaining: number }[] }[] } = await ok(ask('usage/shop'));
      expect(usage.keys[0]?.windows.map(({ remaining }) => remaining)).toEqual([9, 199]);
    }
    expect(await ok(ask('usage/shop'))).toMatchObject({
      queryApi: true,
      ingestion: [{ limit: 600_000 }, {}],
    });
  });

  it('show the keys that still open something', async () => {
    const api = createPlainApi();
    await api.createTenant('shop', { plan: 'growth' });
    const { ask } = await signIn(api);
    const [key] = await api.admin.listKeys('shop');
    const { key: other } = await api.admin.createKey('shop', { name: 'other', permissions: ['query'] });
    await api.admin.revokeKey('shop', key!.id);
    expect(((await ok(ask('usage/shop'))) as { keys: { id: string }[] }).keys).toMatchObject([
      { id: other.id },
    ]);
  });

  it('answer as the Query API does, on plans without it too', async () => {
    const api = createPlainApi();
    const secret = await api.createTenant('shop');
    await (await api.tenant('shop')).append([{ eventName: 'a', userId: 'u', properties: { n: 1 } }]);
    const { ask } = await signIn(api);
    const same = async (path: string, body?: object) => {
      const target = `/v1/api/query/${path}shop`;
      const method = body === undefined ? 'GET' : 'POST';
      const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
      const mine = await api.send({ method, target, headers, body: JSON.stringify(body ?? '') });
      expect((await ask(`query/${path}shop`, body)).body).toBe(mine.body);
    };
    await same('', { pagination: { size: 1 } });
    await same('count/', { event: 'a' });
    await same('events/');
    await same('breakdown/', { by: 'properties.n' });
    await same('top/', { of: 'properties.n' });
    await same('properties/');
    await same('export/', {});
    await same('explain/', {});
    await same('explain/', { question: 'breakdown', by: 'properties.n' });
    await same('', { wrong: 1 });
    await api.admin.updateTenant('shop', { plan: 'free' });
    expect((await ask('query/count/shop', {})).body).toBe('{"count":1}\n');
  });

  it('are a few at once, and then one more', async () => {
    const { api, asked, areAsked } = await createWaitingApi();
    const { ask } = await signIn(api);
    const many = Array.from({ length: 16 }, () => ask('query/count/shop', {}));
    await areAsked(16);
    const refused = await ask('query/count/shop', {});
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '1']);
    for (const answer of asked.splice(0)) answer();
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 200));
    const last = ask('query/count/shop', {});
    await areAsked(1);
    asked[0]!();
    expect((await last).status).toBe(200);
  });
});

it('two changes at once leave no strategy without settings; none leaves no note', async () => {
  const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://keys.test/' };
  for (const first of [0, 1]) {
    const api = createPlainApi();
    await api.createTenant('shop');
    await api.admin.updateTenant('shop', { jwt });
    const { ask } = await signIn(api);
    const changes = [{ authStrategy: 'JWT' }, { jwt: null }];
    await Promise.all([changes[first], changes[1 - first]].map((change) => ask('tenants/set/shop', change)));
    const after = await api.admin.getTenant('shop');
    expect(after.authStrategy === 'JWT' && after.jwt === null).toBe(false);
    const count = async () => ((await ok(ask('audit'))) as Noted).entries.length;
    const before = await count();
    await ok(ask('tenants/set/shop', {}));
    expect(await count()).toBe(before);
    const long = { ...jwt, issuer: 'x'.repeat(20_000) };
    expect((await ask('tenants/set/shop', { jwt: long })).status).toBe(400);
  }
});

it('an export has its place until its last piece has left', async () => {
  const api = createPlainApi();
  await api.createTenant('shop');
  const { cookie, ask } = await signIn(api);
  await (await api.tenant('shop')).append([{ eventName: 'a', userId: 'u', properties: {} }]);
  const open = () =>
    api.adminHandler(
      toRequest({
        target: '/v1/admin/query/export/shop',
        headers: { ...PAGE_HEADERS, cookie, 'content-type': 'application/json' },
        body: '{}',
      }),
    );
  const bodies = await Promise.all(Array.from({ length: 16 }, async () => (await open()).body));
  expect((await ask('query/count/shop', {})).status).toBe(429);
  const pieces: string[] = [];
  for await (const piece of bodies[0] as AsyncIterable<string>) pieces.push(piece);
  expect(pieces.join('')).toContain('"eventName":"a"');
  expect((await ask('query/count/shop', {})).status).toBe(200);
});

it('a tail that waited is not answered when its key has ended meanwhile', async () => {
  const api = createPlainApi();
  await api.createTenant('shop');
  const { ask, credential } = await withKey(api, 'viewer');
  const waiting = ask('query/tail/shop', {});
  await new Promise((resolve) => setImmediate(resolve));
  await api.credentials.end(credential, { who: 'test', from: 'test' });
  await (await api.tenant('shop')).append([{ eventName: 'a', userId: 'u', properties: {} }]);
  expect((await waiting).status).toBe(401);
});

it('the audit log is answered in pages', async () => {
  const api = createPlainApi();
  const { ask } = await signIn(api);
  for (let i = 0; i < 120; i++) await api.admin.createTenant({ alias: `t${i}`, plan: 'free' });
  const first: Noted = await ok(ask('audit'));
  const second: Noted = await ok(ask(`audit?before=${first.before}`));
  expect([first.entries.length, second.entries.length, second.before]).toEqual([100, 23, undefined]);
  for (const wrong of ['audit?before=x', 'audit?after=1', 'audit?before=1&before=2', 'tenants?x=1']) {
    expect((await ask(wrong)).status).toBe(400);
  }
});
