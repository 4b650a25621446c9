import { describe, expect, it } from 'vitest';
import { joseTokenVerifier } from '../../../../adapters/jose/index.ts';
import type { Scheduler } from '../../../../src/index.ts';
import type { ControlStore } from '../../../../src/store-kit.ts';
import { startJwksServer } from '../../../support/jwks-server.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { AT_ONCE } from '../../../support/resources.ts';
import { createTokenSigner } from '../../../support/token-signer.ts';
import { signIn, withKey } from './visitors.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const DAY_MS = 86_400_000;
const KEY = { name: 'k', permissions: ['query'] };

describe('what a person or a program may do to a server by the Admin API', () => {
  it('is sixty changes a minute, each by a bucket of its own, and any number of looks', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { ask } = await withKey(api, 'admin');
    const other = await withKey(api, 'admin');
    const statuses = [];
    for (let i = 0; i < 61; i++) statuses.push((await ask('tenants/set/shop', { name: `Shop ${i}` })).status);
    expect(statuses.filter((status) => status === 200).length).toBe(60);
    const refused = await ask('keys/create/shop', KEY);
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '1']);
    expect((await ask('keys/shop')).status).toBe(200);
    expect((await other.ask('keys/create/shop', KEY)).status).toBe(200);
    api.clock.advance(1000);
    expect((await ask('keys/create/shop', KEY)).status).toBe(200);
  });

  it('is done in the turns of its tenant, or of its credential', async () => {
    const owners: string[] = [];
    const scheduler: Scheduler = {
      run: (owner, ...rest) => {
        owners.push(owner);
        return AT_ONCE.run(owner, ...rest);
      },
    };
    const api = createPlainApi({ resources: { scheduler } });
    await api.createTenant('shop');
    const { id } = await api.admin.getTenant('shop');
    const { ask, credential } = await withKey(api, 'admin');
    const turnsOf = async (path: string, body?: object) => {
      owners.length = 0;
      expect((await ask(path, body)).status).toBe(200);
      return owners;
    };
    for (const path of ['tenants/show/shop', 'keys/shop', 'usage/shop'])
      expect(await turnsOf(path)).toEqual([id]);
    expect(await turnsOf('tenants/set/shop', { name: 'S' })).toEqual([id]);
    expect(await turnsOf('keys/create/shop', KEY)).toEqual([id]);
    expect(await turnsOf('tenants/create', { alias: 'new', plan: 'free' })).toEqual([credential.id]);
    for (const path of ['tenants', 'audit', 'session']) expect(await turnsOf(path)).toEqual([credential.id]);
  });

  it('is at most 200 live keys of a tenant; of the others the newest 200 are kept', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    for (let i = 0; i < 199; i++) await api.admin.createKey('shop', { ...KEY, name: `${i}` });
    const { ask } = await withKey(api, 'admin');
    const refused = await ask('keys/create/shop', KEY);
    expect([refused.status, refused.body]).toEqual([409, expect.stringMatching(/has 200 live keys/)]);
    const [first] = await api.admin.listKeys('shop');
    await api.admin.revokeKey('shop', first!.id);
    for (let i = 0; i < 205; i++) {
      const { key } = await api.admin.createKey('shop', KEY);
      await api.admin.revokeKey('shop', key.id);
    }
    const left = await api.admin.listKeys('shop');
    expect(left.filter(({ revokedAt }) => revokedAt === null).length).toBe(199);
    // The last one was revoked after it had been made.
    expect(left.length).toBe(400);
    expect(left.some(({ id }) => id === first!.id)).toBe(false);
    const usage = JSON.parse((await ask('usage/shop')).body) as { keys: object[] };
    expect(usage.keys.length).toBe(199);
  });

  it('reads no tenant that is not theirs, and lists come in pages', async () => {
    const asked: unknown[] = [];
    const api = createPlainApi({
      wrap: (stores) => {
        const list: ControlStore['list'] = (kind, group, page) => {
          if (kind === 'tenant') asked.push(page?.ids);
          return stores.control.list(kind, group, page);
        };
        return { ...stores, control: { ...stores.control, list } };
      },
    });
    for (const alias of ['a', 'b', 'c']) await api.createTenant(alias);
    const aliases = ({ body }: { readonly body: string }) =>
      (JSON.parse(body) as { alias: string }[]).map(({ alias }) => alias);
    const { id } = await api.admin.getTenant('b');
    const viewer = await withKey(api, 'viewer', [id]);
    expect(aliases(await viewer.ask('tenants'))).toEqual(['b']);
    expect(asked).toEqual([[id]]);
    const { ask } = await signIn(api);
    expect(aliases(await ask('tenants?after=a'))).toEqual(['b', 'c']);
    expect((await ask('tenants?after=A')).status).toBe(400);
  });
});

describe('keys of tokens', () => {
  const pem = (signer = createTokenSigner()) => ({
    issuer: 'i',
    audience: 'a',
    publicKeyPem: signer.publicKeyPem,
  });

  it('are kept as SPKI, noted by their fingerprint, and never private or garbage', async () => {
    const api = createPlainApi({ tokens: joseTokenVerifier() });
    await api.createTenant('shop');
    const { id } = await api.admin.getTenant('shop');
    const { ask } = await withKey(api, 'admin', [id]);
    const set = (publicKeyPem: string) =>
      ask('tenants/set/shop', { authStrategy: 'JWT', jwt: { issuer: 'i', audience: 'a', publicKeyPem } });
    const { privateKey, publicKey, publicKeyPem } = createTokenSigner('RS256');
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const wrong of [secret, publicKeyPem + secret, 'hello', '-----BEGIN PUBLIC KEY-----\nppp']) {
      const refused = await set(wrong);
      expect([refused.status, refused.body]).toEqual([400, expect.stringMatching(/jwt keys: /)]);
    }
    expect((await api.admin.getTenant('shop')).jwt).toBe(null);
    expect((await set(publicKey.export({ type: 'pkcs1', format: 'pem' }).toString())).status).toBe(200);
    expect((await api.admin.getTenant('shop')).jwt).toMatchObject({ publicKeyPem });
    const audit = (await ask('audit')).body;
    expect(audit).toMatch(/"jwt":\{"issuer":"i","audience":"a","publicKey":"SHA-256 [0-9a-f]{64}"\}/);
    expect(audit).not.toContain('BEGIN');
    // A strategy can be changed whatever the key of before is like.
    await recordsIn(api.stores.control).tenants.update(id, {
      jwt: { issuer: 'i', audience: 'a', publicKeyPem: 'garbage' },
    });
    expect((await ask('tenants/set/shop', { authStrategy: 'NONE' })).status).toBe(200);
    expect((await ask('audit')).body).not.toContain('garbage');
    const unchecked = createPlainApi();
    await unchecked.createTenant('shop');
    const jwt = pem();
    await expect(unchecked.admin.updateTenant('shop', { jwt })).rejects.toThrow('nobody here can check');
  });

  it('that cannot be read are told of to who checks a token, and nothing of what stands there', async () => {
    const jwks = await startJwksServer();
    const api = createPlainApi({ tokens: joseTokenVerifier({ retryMs: 0 }) });
    await api.createTenant('shop');
    const { ask } = await withKey(api, 'admin');
    const token = await createTokenSigner().sign({ sub: 'ada' });
    const check = async (jwt: object) =>
      JSON.parse(
        (await ask('tokens/check/shop', { token, jwt: { issuer: 'i', audience: 'a', ...jwt } })).body,
      ) as object;
    jwks.answer = (_req, res) => void res.end('<html>secret page');
    expect(await check({ jwksUrl: jwks.url })).toEqual({
      valid: false,
      error: `The keys at ${jwks.url} could not be read: the JWKS endpoint sent no JSON`,
      keys: 'unread',
    });
    jwks.publish();
    expect(await check({ jwksUrl: `${jwks.url}/read` })).not.toHaveProperty('keys');
    await jwks.close();
    expect(await check({ jwksUrl: `${jwks.url}/gone` })).toMatchObject({
      valid: false,
      error: expect.stringMatching(/could not be read: the JWKS endpoint did not answer$/) as string,
    });
    await api.admin.updateTenant('shop', { jwt: { issuer: 'i', audience: 'a', jwksUrl: 'https://a.test/' } });
    const { id } = await api.admin.getTenant('shop');
    await recordsIn(api.stores.control).tenants.update(id, {
      jwt: { issuer: 'i', audience: 'a', publicKeyPem: 'garbage' },
    });
    const stored = JSON.parse((await ask('tokens/check/shop', { token })).body) as object;
    expect(stored).toMatchObject({
      valid: false,
      error: expect.stringMatching(/^The public key could not/) as string,
    });
  });

  it('come from this machine itself for those only who administer all tenants', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { id } = await api.admin.getTenant('shop');
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'http://127.0.0.1:9/' };
    const one = await withKey(api, 'admin', [id]);
    const owner = await withKey(api, 'admin');
    for (const [path, body] of [
      ['tenants/set/shop', { jwt }],
      ['tokens/check/shop', { token: 't', jwt }],
    ] as const) {
      expect((await one.ask(path, body)).status).toBe(400);
      expect((await owner.ask(path, body)).status).toBe(200);
      await api.admin.updateTenant('shop', { jwt: null });
    }
    await api.admin.updateTenant('shop', { jwt });
    // The address that the owner has set stays as it is when something else is changed.
    expect((await one.ask('tenants/set/shop', { jwt: { ...jwt, audience: 'b' } })).status).toBe(200);
    expect(
      (await one.ask('tenants/set/shop', { jwt: { ...jwt, jwksUrl: 'http://127.0.0.1:8/' } })).status,
    ).toBe(400);
  });
});

describe('limits and keys', () => {
  it('that a wrong clock has locked begin anew when an owner says so', async () => {
    const api = createPlainApi();
    const secret = await api.createTenant('shop', { plan: 'builder' });
    const count = async () =>
      (await api.post('/v1/api/query/count/shop', {}, { 'x-api-key': secret })).status;
    const lock = async () => {
      api.clock.advance(400 * DAY_MS);
      for (let i = 0; i < 3; i++) await count();
      api.clock.advance(-400 * DAY_MS);
      expect(await count()).toBe(429);
    };
    const { id } = await api.admin.getTenant('shop');
    const [key] = await api.admin.listKeys('shop');
    const { ask } = await withKey(api, 'admin');
    expect((await (await withKey(api, 'admin', [id])).ask('limits/reset/shop', {})).status).toBe(403);
    await lock();
    expect((await ask('limits/reset/shop', { id: key!.id })).status).toBe(200);
    expect(await count()).toBe(200);
    await lock();
    expect((await ask('limits/reset/shop', {})).status).toBe(200);
    expect(await count()).toBe(200);
    expect((await ask('limits/reset/shop', { id: 'none' })).status).toBe(400);
    const { entries } = JSON.parse((await ask('audit')).body) as {
      entries: { action: string; details: object }[];
    };
    const resets = entries.filter(({ action }) => action === 'limits.reset').map(({ details }) => details);
    expect(resets).toEqual([{}, { id: key!.id, name: 'test' }]);
  });

  it('are made for a time to come, and those of one name are told of', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { ask } = await withKey(api, 'admin');
    const late = await ask('keys/create/shop', { ...KEY, expiresAt: api.clock.now() });
    expect([late.status, late.body]).toEqual([400, expect.stringMatching(/expiresAt: lies in the past/)]);
    const made = async () =>
      JSON.parse((await ask('keys/create/shop', KEY)).body) as { key: { id: string }; namesakes: string[] };
    const first = await made();
    const second = await made();
    expect([first.namesakes, second.namesakes]).toEqual([[], [first.key.id]]);
    await api.admin.revokeKey('shop', first.key.id);
    expect((await made()).namesakes).toEqual([second.key.id]);
  });
});
