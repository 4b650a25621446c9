import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { DEAD_KEYS_MAX, isUsable } from '../../../src/core/access/key.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { createAdmin, type ApiError, type TenantChanges } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

function setUp() {
  let now = 1_000_000;
  const resources = testResources({ runtime: { now: () => now } });
  const { runtime } = resources;
  const stores = memoryStores({ resources });
  const pass = (ms: number) => (now += ms);
  return { admin: createAdmin({ stores, runtime }), stores, runtime, pass };
}

/** The refusal of a promise, as `status text`. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as ApiError,
  );
  return `${error?.status} ${error?.message}`;
}

const event: StoredEvent = { eventName: 'e', userId: 'u', eventTs: 5, insertId: 'i', propertiesJson: '{}' };

describe('tenants', () => {
  it('are created once, listed by alias, and changed', async () => {
    const { admin } = setUp();
    const shop = await admin.createTenant({ alias: 'shop', plan: 'growth', name: ' The Shop ' });
    expect(shop).toMatchObject({
      alias: 'shop',
      name: 'The Shop',
      plan: 'growth',
      authStrategy: 'NONE',
      jwt: null,
    });
    expect((await admin.createTenant({ alias: 'a', plan: 'free' })).name).toBe('a');
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://keys.example/jwks.json' };
    for (const given of [{ authStrategy: 'SERVER_SIDE' }, { authStrategy: 'JWT', jwt }, { jwt }] as const) {
      const made = await admin.createTenant({ alias: 'auth', plan: 'free', ...given });
      expect(made).toMatchObject(given);
      expect(await admin.getTenant('auth')).toEqual(made);
      await admin.deleteTenant('auth');
    }
    expect(await refusal(admin.createTenant({ alias: 'b', plan: 'free', authStrategy: 'JWT' }))).toMatch(
      /^400 authStrategy: JWT needs an issuer/,
    );
    expect((await admin.listTenants()).map(({ alias }) => alias)).toEqual(['a', 'shop']);
    expect(await refusal(admin.createTenant({ alias: 'shop', plan: 'free' }))).toBe(
      '409 the tenant "shop" already exists',
    );
    expect(await refusal(admin.createTenant({ alias: 'Shop', plan: 'free' }))).toMatch(
      /^400 alias: takes 1 to 63/,
    );
    expect(await admin.updateTenant('shop', { plan: 'scale' })).toEqual({ ...shop, plan: 'scale' });
    expect(await admin.getTenant('shop')).toEqual({ ...shop, plan: 'scale' });
    for (const alias of ['nobody', shop.id]) {
      expect(await refusal(admin.getTenant(alias))).toBe(`404 Tenant not found: "${alias}"`);
      expect(await refusal(admin.updateTenant(alias, {}))).toBe(`404 Tenant not found: "${alias}"`);
    }
  });

  it('names are trimmed and storable, when they are made and when they change', async () => {
    const { admin } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'free' });
    expect((await admin.updateTenant('shop', { name: '  New  ' })).name).toBe('New');
    for (const name of ['', '  ', 'x'.repeat(257)]) {
      expect(await refusal(admin.updateTenant('shop', { name }))).toBe('400 name: takes 1 to 256 characters');
      expect(await refusal(admin.createTenant({ alias: 'b', plan: 'free', name }))).toMatch(/^400 name/);
    }
    for (const name of ['\ud800', 'a\u0000b']) {
      expect(await refusal(admin.updateTenant('shop', { name }))).toBe(
        '400 name: must be well-formed Unicode without U+0000',
      );
    }
    expect((await admin.getTenant('shop')).name).toBe('New');
  });

  it('the strategy JWT needs settings, which stay when it changes', async () => {
    const { admin } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'free' });
    const missing = '400 authStrategy: JWT needs an issuer, an audience, and a public key or a JWKS URL';
    expect(await refusal(admin.updateTenant('shop', { authStrategy: 'JWT' }))).toBe(missing);
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://id.example' };
    expect(await admin.updateTenant('shop', { authStrategy: 'JWT', jwt })).toMatchObject({
      authStrategy: 'JWT',
      jwt,
    });
    expect(await refusal(admin.updateTenant('shop', { jwt: null }))).toBe(missing);
    expect(await refusal(admin.updateTenant('shop', { jwt: { ...jwt, jwksUrl: 'http://a' } }))).toMatch(
      /^400 jwt.jwksUrl/,
    );
    expect(await admin.updateTenant('shop', { authStrategy: 'NONE' })).toMatchObject({
      authStrategy: 'NONE',
      jwt,
    });
    expect((await admin.updateTenant('shop', { authStrategy: 'JWT' })).jwt).toEqual(jwt);
  });

  it('keep the name of their plan; a plan brings its limits, limits alone are of a custom one', async () => {
    const { admin } = setUp();
    const limits = { perMinute: 5, perDay: 50 };
    const planned = async (changes: TenantChanges) => {
      const { plan, limits: own } = await admin.updateTenant('shop', changes);
      return [plan, own];
    };
    await admin.createTenant({ alias: 'shop', plan: 'custom', limits });
    expect(await planned({ name: 'n' })).toEqual(['custom', limits]);
    expect(await planned({ limits: { perMinute: 6, perDay: 60 } })).toEqual([
      'custom',
      { perMinute: 6, perDay: 60 },
    ]);
    expect(await planned({ limits: null })).toEqual(['custom', null]);
    expect(await planned({ plan: 'custom', limits })).toEqual(['custom', limits]);
    expect(await planned({ plan: 'growth' })).toEqual(['growth', null]);
    expect(await refusal(admin.updateTenant('shop', { limits }))).toBe(
      '400 plan: only a custom plan takes its own limits',
    );
    expect(await planned({ plan: 'custom' })).toEqual(['custom', null]);
  });

  it('may have limits of ingestion of their own, or none', async () => {
    const { admin } = setUp();
    const own = { eventsPerMinute: 5, bytesPerMinute: 5000 };
    expect((await admin.createTenant({ alias: 'a', plan: 'free' })).ingestion).toBe('default');
    expect((await admin.createTenant({ alias: 'b', plan: 'free', ingestion: null })).ingestion).toBeNull();
    expect((await admin.createTenant({ alias: 'c', plan: 'free', ingestion: own })).ingestion).toEqual(own);
    expect((await admin.updateTenant('c', { ingestion: null })).ingestion).toBeNull();
    expect((await admin.updateTenant('c', { name: 'n' })).ingestion).toBeNull();
    expect((await admin.updateTenant('c', { ingestion: 'default' })).ingestion).toBe('default');
  });

  it.each<[string, string, string]>([
    ['createTenant', '', 'tenant: takes an object, got nothing'],
    ['createTenant', 'null', 'tenant: takes an object, got null'],
    ['createTenant', '{"plan":"free"}', 'alias: takes 1 to 63'],
    ['createTenant', '{"alias":["shop"],"plan":"free"}', 'alias: takes 1 to 63'],
    ['createTenant', '{"alias":"b"}', 'plan: use one of'],
    ['createTenant', '{"alias":"b","plan":"Growth"}', 'plan: use one of'],
    [
      'createTenant',
      '{"alias":"b","plan":{"name":"scale","queryApi":true,"limits":null}}',
      'plan: use one of',
    ],
    ['createTenant', '{"alias":"b","plan":"free","name":null}', 'name: takes 1 to 256'],
    ['createTenant', '{"alias":"b","plan":"free","name":7}', 'name: takes 1 to 256'],
    [
      'createTenant',
      '{"alias":"b","plan":"free","limits":{"perMinute":1,"perDay":1}}',
      'plan: only a custom',
    ],
    [
      'createTenant',
      '{"alias":"b","plan":"custom","limits":{"perMinute":"1","perDay":1}}',
      'limits.perMinute: takes a whole number',
    ],
    ['createTenant', '{"alias":"b","plan":"free","ingestion":5}', 'ingestion: takes "default"'],
    ['createTenant', '{"alias":"b","plan":"free","authStrategy":"JWT"}', 'authStrategy: JWT needs an issuer'],
    ['updateTenant', '', 'tenant: takes an object, got nothing'],
    [
      'updateTenant',
      '{"authStrategy":"SERVERSIDE"}',
      'authStrategy: use one of NONE, SERVER_SIDE, JWT, got the string',
    ],
    ['updateTenant', '{"authStrategy":"none"}', 'authStrategy: use one of NONE'],
    ['updateTenant', '{"authStrategy":null}', 'authStrategy: use one of NONE, SERVER_SIDE, JWT, got null'],
    ['updateTenant', '{"authStrategy":["NONE"]}', 'authStrategy: use one of NONE'],
    ['updateTenant', '{"plan":null}', 'plan: use one of'],
    ['updateTenant', '{"name":null}', 'name: takes 1 to 256'],
    ['updateTenant', '{"id":"x"}', 'tenant: unknown field "id"; use one of name, plan, limits'],
    ['updateTenant', '{"alias":"x"}', 'tenant: unknown field "alias"'],
    ['updateTenant', '{"createdAt":0}', 'tenant: unknown field "createdAt"'],
    ['updateTenant', '{"jwt":"x"}', 'jwt: takes an issuer'],
    ['updateTenant', '{"jwt":{"issuer":1,"audience":"a","jwksUrl":"https://a"}}', 'jwt.issuer'],
    ['updateTenant', '{"jwt":{"issuer":"i","audience":["a"],"jwksUrl":"https://a"}}', 'jwt.audience'],
    ['updateTenant', '{"jwt":{"issuer":"i","audience":"a","jwksUrl":["https://a"]}}', 'jwt.jwksUrl'],
    ['updateTenant', '{"jwt":{"issuer":"i","audience":"a","publicKeyPem":5}}', 'jwt.publicKeyPem'],
    ['createKey', '', 'key: takes an object'],
    ['createKey', '{"permissions":["query"]}', 'name: takes 1 to 256'],
    ['createKey', '{"name":"k","permissions":"query"}', 'permissions: takes one or more of'],
    ['createKey', '{"name":"k","permissions":{"length":1,"0":"query"}}', 'permissions: takes one or more of'],
    ['createKey', '{"name":"k","permissions":[["query"]]}', 'permissions[0]: use one of'],
    [
      'createKey',
      '{"name":"k","permissions":["query"],"expiresAt":"2030"}',
      'expiresAt: takes whole milliseconds',
    ],
    [
      'createKey',
      '{"name":"k","permissions":["query"],"expiresAt":9e15}',
      'expiresAt: takes whole milliseconds',
    ],
    ['createKey', '{"name":"k","permissions":["query"],"expires":1}', 'key: unknown field "expires"'],
  ])('%s refuses %s from JavaScript', async (method, json, message) => {
    const { admin, stores } = setUp();
    const before = await admin.createTenant({ alias: 'shop', plan: 'growth' });
    const given = json === '' ? undefined : (JSON.parse(json) as never);
    const call =
      method === 'createTenant'
        ? admin.createTenant(given as never)
        : admin[method as 'updateTenant' | 'createKey']('shop', given as never);
    expect(await refusal(call)).toContain(`400 ${message}`);
    expect(await admin.listTenants()).toEqual([before]);
    expect(await recordsIn(stores.control).keys.list(before.id)).toEqual([]);
  });

  it.each([undefined, null, 7, ['shop'], {}])('the alias %j is nobody’s', async (alias) => {
    const { admin } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'growth' });
    for (const method of ['getTenant', 'deleteTenant', 'listKeys'] as const) {
      expect(await refusal(admin[method](alias as never))).toMatch(/^404 /);
    }
  });

  it('go with their events, their keys and what was counted of both', async () => {
    const { admin, stores, runtime } = setUp();
    const [gone, stays] = [
      await admin.createTenant({ alias: 'gone', plan: 'builder' }),
      await admin.createTenant({ alias: 'stays', plan: 'builder' }),
    ];
    const issued = [];
    for (const name of ['first', 'second']) {
      issued.push(await admin.createKey('gone', { name, permissions: ['query'] }));
    }
    const counted = [gone.id, ...issued.map(({ key }) => key.id)];
    const windows = requestWindows({ perMinute: 1, perDay: 1 });
    for (const id of [...counted, stays.id]) await stores.limits.take(id, windows, REQUEST_COST);
    for (const { id } of [gone, stays]) await stores.events.append(id, [event]);
    await admin.deleteTenant('gone');
    expect(await refusal(admin.getTenant('gone'))).toMatch(/^404/);
    for (const { secret } of issued) {
      expect(
        await recordsIn(stores.control).keys.findBySecretHash(await runtime.sha256(secret)),
      ).toBeUndefined();
    }
    expect(await stores.events.eventNames(gone.id)).toEqual([]);
    expect(await stores.events.eventNames(stays.id)).toEqual(['e']);
    const allowed = async (id: string) => (await stores.limits.take(id, windows, 0)).allowed;
    expect(await Promise.all(counted.map(allowed))).toEqual([true, true, true]);
    expect(await allowed(stays.id)).toBe(false);
    expect((await admin.createTenant({ alias: 'gone', plan: 'free' })).id).not.toBe(gone.id);
  });
});

describe('keys', () => {
  it('are shown once and stored as a hash', async () => {
    const { admin, stores, runtime } = setUp();
    const { id } = await admin.createTenant({ alias: 'shop', plan: 'builder' });
    const { key, secret } = await admin.createKey('shop', {
      name: ' k ',
      permissions: ['query'],
      expiresAt: 2_000_000,
    });
    expect(key).toMatchObject({
      tenantId: id,
      name: 'k',
      permissions: ['query'],
      expiresAt: 2_000_000,
      lastUsedAt: null,
    });
    expect(secret).toMatch(/^eqk_[0-9a-f]{64}$/);
    const hash = await runtime.sha256(secret);
    expect(key.secrets).toEqual([{ hash, ending: secret.slice(-4), createdAt: 1_000_000, expiresAt: null }]);
    expect(JSON.stringify(await admin.listKeys('shop'))).not.toContain(secret.slice(4));
    expect(await recordsIn(stores.control).keys.findBySecretHash(await runtime.sha256(secret))).toEqual(key);
  });

  it('rotate: both secrets open for the overlap, then the new one alone', async () => {
    const { admin, runtime, pass } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'builder' });
    const first = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
    const second = await admin.rotateKey('shop', first.key.id, 60_000);
    const opens = async (secret: string) =>
      isUsable(second.key, await runtime.sha256(secret), 'query', runtime.now());
    expect([await opens(first.secret), await opens(second.secret)]).toEqual([true, true]);
    pass(59_999);
    expect([await opens(first.secret), await opens(second.secret)]).toEqual([true, true]);
    pass(1);
    expect([await opens(first.secret), await opens(second.secret)]).toEqual([false, true]);
    expect(second.key.id).toBe(first.key.id);
  });

  it('rotate only when the new secret was shown', async () => {
    const { admin } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'builder' });
    const { key } = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
    const fails = () => Promise.reject(new Error('not shown'));
    await expect(admin.rotateKey('shop', key.id, 0, fails)).rejects.toThrow('not shown');
    expect(await admin.listKeys('shop')).toEqual([key]);
    const shown: unknown[] = [];
    const show = (issued: unknown) => Promise.resolve(void shown.push(issued));
    const rotated = await admin.rotateKey('shop', key.id, 7, show);
    expect(shown).toEqual([rotated]);
  });

  it('are kept when they are dead: the newest 200 of revoked and expired ones', async () => {
    const { admin, pass } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'builder' });
    const options = { name: 'k', permissions: ['query'] };
    const ids: string[] = [];
    for (let i = 0; i < DEAD_KEYS_MAX + 5; i++) {
      const expiry = i % 2 === 0 ? {} : { expiresAt: 1_000_000 + i + 1 };
      const { key } = await admin.createKey('shop', { ...options, ...expiry });
      ids.push(key.id);
      if (i % 2 === 0) await admin.revokeKey('shop', key.id);
      pass(1);
    }
    const live = await admin.createKey('shop', options);
    const kept = (await admin.listKeys('shop')).map(({ id }) => id);
    expect(kept).toEqual([...ids.slice(-DEAD_KEYS_MAX), live.key.id]);
  });

  it('rotate with an overlap that ends with the last time that can be shown', async () => {
    const { admin } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'builder' });
    const { key } = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
    const rotated = await admin.rotateKey('shop', key.id, 8.64e15);
    expect(rotated.key.secrets.map(({ expiresAt }) => expiresAt)).toEqual([8.64e15, null]);
    expect(await refusal(admin.rotateKey('shop', key.id, 8.64e15 + 2))).toMatch(/^400 overlap/);
  });

  it('of another tenant cannot be touched; a revoked one cannot rotate', async () => {
    const { admin, pass } = setUp();
    await admin.createTenant({ alias: 'ours', plan: 'builder' });
    await admin.createTenant({ alias: 'theirs', plan: 'builder' });
    const { key } = await admin.createKey('theirs', { name: 'k', permissions: ['ingest'] });
    const unknown = `400 key: the tenant "ours" has no key "${key.id}"`;
    expect(await refusal(admin.revokeKey('ours', key.id))).toBe(unknown);
    expect(await refusal(admin.rotateKey('ours', key.id, 0))).toBe(unknown);
    pass(5);
    expect((await admin.revokeKey('theirs', key.id)).revokedAt).toBe(1_000_005);
    expect(await refusal(admin.rotateKey('theirs', key.id, 0))).toBe(
      `400 key: "${key.id}" is revoked; make a new key`,
    );
    expect(await refusal(admin.createKey('ours', { name: 'k', permissions: [] }))).toMatch(/^400 permission/);
    expect(await refusal(admin.createKey('nobody', { name: 'k', permissions: ['query'] }))).toMatch(/^404/);
  });

  it.each([NaN, -1, 1.5, Infinity])('an overlap or an expiry of %s is refused', async (ms) => {
    const { admin } = setUp();
    await admin.createTenant({ alias: 'shop', plan: 'builder' });
    const { key } = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
    expect(await refusal(admin.rotateKey('shop', key.id, ms))).toMatch(
      /^400 overlapMs: takes whole milliseconds/,
    );
    const made = admin.createKey('shop', { name: 'k', permissions: ['query'], expiresAt: ms });
    expect(await refusal(made)).toMatch(/^400 expiresAt: takes whole milliseconds/);
  });
});
