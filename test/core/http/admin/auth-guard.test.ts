import { pagesUrl } from '../../../../src/core/http/admin/auth-guard.ts';
import type { HttpRequest } from '../../../../src/transport-kit.ts';
import { describe, expect, it } from 'vitest';
import { ADMIN_ROUTES } from '../../../../src/core/http/admin-routes.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { asking, PAGE_HEADERS, sendAdmin, signIn, withKey, withSession } from './visitors.ts';

const MINUTE = 60_000;
const refusal = ({ status, body }: { status: number; body: string }) => `${status} ${body.trim()}`;

describe('signing in', () => {
  it('spends a link once, by POST only', async () => {
    const api = createPlainApi();
    const { ask, code, cookie } = await signIn(api);
    expect(cookie).toMatch(/^__Host-event-query-8787=eqs_[0-9a-f]{64}$/);
    expect(JSON.parse((await ask('session')).body)).toMatchObject({
      name: 'a admin',
      role: 'admin',
      tenants: null,
    });
    expect(refusal(await asking(api, {})('sign-in', { code }))).toMatch(/^401 .*used or has expired/);
    expect((await asking(api, {})(`sign-in`)).status).toBe(405);
  });

  it('of somebody else leaves the pages of the one before without rights', async () => {
    const api = createPlainApi();
    const [anna, victor] = [await signIn(api), await signIn(api, 'viewer')];
    const idOf = async ({ ask }: typeof anna) =>
      (JSON.parse((await ask('session')).body) as { id: string }).id;
    const shows = { 'x-event-query-session': await idOf(victor) };
    // The tab that shows victor has the cookie of anna, who signed in in another tab of the browser.
    for (const [path, body] of [['session'], ['tenants'], ['sign-out', {}]] as const) {
      expect(refusal(await anna.ask(path, body, shows))).toMatch(/^401 .*Another session began/);
      expect((await victor.ask(path, body, shows)).status).toBe(200);
    }
    expect((await anna.ask('session', undefined, { 'x-event-query-session': await idOf(anna) })).status).toBe(
      200,
    );
  });

  it('of two who spend a link at once, one comes in', async () => {
    const api = createPlainApi();
    const by = { who: 'test', from: 'test' };
    const { secret: code } = await api.credentials.createLink(
      { name: 'a', role: 'admin', tenantIds: null },
      by,
    );
    const spent = await Promise.all([1, 2, 3].map(() => asking(api, {})('sign-in', { code })));
    expect(spent.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  it('needs a link that is not older than ten minutes', async () => {
    const api = createPlainApi();
    const by = { who: 'test', from: 'test' };
    const link = () => api.credentials.createLink({ name: 'a', role: 'admin', tenantIds: null }, by);
    const [inTime, late] = [await link(), await link()];
    api.clock.advance(10 * MINUTE - 1);
    expect((await asking(api, {})('sign-in', { code: inTime.secret })).status).toBe(200);
    api.clock.advance(1);
    expect((await asking(api, {})('sign-in', { code: late.secret })).status).toBe(401);
    for (const code of ['', 'eql_', 'eql_'.padEnd(68, 'f'), 5, null]) {
      expect([400, 401]).toContain((await asking(api, {})('sign-in', { code })).status);
    }
  });

  it('gives a cookie that no script reads and no other site sends', async () => {
    const api = createPlainApi();
    const by = { who: 'test', from: 'test' };
    const { secret: code } = await api.credentials.createLink(
      { name: 'a', role: 'admin', tenantIds: null },
      by,
    );
    const { headers } = await asking(api, {})('sign-in', { code });
    expect(headers['Set-Cookie']).toMatch(/=eqs_[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
  });

  it('ends the session that the browser had before, and takes none that it was given', async () => {
    const api = createPlainApi();
    const [before, other] = [await signIn(api), await signIn(api)];
    const by = { who: 'test', from: 'test' };
    const link = () => api.credentials.createLink({ name: 'a', role: 'viewer', tenantIds: null }, by);
    const planted = `__Host-event-query-8787=${'eqs_'.padEnd(68, 'f')}`;
    for (const cookie of [before.cookie, planted]) {
      const { status, headers } = await asking(api, { cookie })('sign-in', { code: (await link()).secret });
      expect(status).toBe(200);
      expect(headers['Set-Cookie']).not.toContain(cookie);
    }
    expect((await before.ask('session')).status).toBe(401);
    expect((await asking(api, { cookie: planted })('session')).status).toBe(401);
    expect((await other.ask('session')).status).toBe(200);
    // A link that is refused ends nothing.
    expect((await other.ask('sign-in', { code: before.code })).status).toBe(401);
    expect((await other.ask('session')).status).toBe(200);
  });

  it('lasts twelve hours, eight without use, and until signing out', async () => {
    const api = createPlainApi();
    const { ask, cookie } = await signIn(api);
    for (let hours = 0; hours < 11; hours += 1) {
      api.clock.advance(60 * MINUTE);
      expect((await ask('session')).status).toBe(200);
    }
    api.clock.advance(60 * MINUTE);
    const over = await ask('session');
    expect(over.status).toBe(401);
    expect(over.headers['Set-Cookie']).toMatch(/^__Host-event-query-8787=; .*Max-Age=0$/);
    const idle = await signIn(api);
    api.clock.advance(8 * 60 * MINUTE);
    expect((await idle.ask('session')).status).toBe(401);
    const { ask: other } = await signIn(api);
    expect((await other('sign-out', {})).status).toBe(200);
    expect((await other('session')).status).toBe(401);
    expect((await asking(api, { cookie })('session')).status).toBe(401);
  });
});

describe('a request that is not of the dashboard itself', () => {
  it.each([
    [{ host: 'evil.test' }, 421],
    [{ host: 'localhost.evil.test:8787' }, 421],
    [{ host: '' }, 421],
    [{ host: '127.0.0.1.evil.test' }, 421],
    [{ origin: 'http://evil.test' }, 403],
    [{ origin: 'http://127.0.0.1:3000' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 403],
    [{ 'x-event-query': '' }, 403],
    [{ cookie: '' }, 401],
    [{ cookie: '__Host-event-query-8787=a; __Host-event-query-8787=b' }, 401],
    [{ cookie: '__Host-event-query-8787=eqs_' }, 401],
    [{ cookie: `__Host-event-query-8787=${'eqs_'.padEnd(68, '0')}` }, 401],
    [{ authorization: `Bearer ${'eqa_'.padEnd(68, '0')}` }, 401],
  ])('%j: %i on every route', async (headers, status) => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { cookie } = await signIn(api);
    for (const { path, methods, caller } of ADMIN_ROUTES) {
      if (caller === 'anyone' && status === 401) continue;
      // A provider shows a signature; it is no page.
      if (caller === 'provider' && status !== 421) continue;
      const target = path.replace('{tenantId}', 'shop');
      const all = { ...PAGE_HEADERS, cookie, 'content-type': 'application/json', ...headers };
      const answer = await sendAdmin(api, { method: methods[0], target, headers: all, body: '{}' });
      expect([target, answer.status]).toEqual([target, status]);
      expect(answer.headers['Access-Control-Allow-Origin']).toBeUndefined();
    }
  });

  it('has one cookie of its name: of two nobody knows which counts', async () => {
    const api = createPlainApi();
    const { cookie } = await signIn(api);
    const ask = async (header: string) => (await asking(api, { cookie: header })('session')).status;
    expect([await ask(`a=b; ${cookie}`), await ask(`${cookie}; __Host-event-query-8787=x`)]).toEqual([
      200, 401,
    ]);
  });

  it('comes in by localhost and by the address of IPv6 too, each with cookies of its own port', async () => {
    const api = createPlainApi();
    for (const host of ['localhost', 'LOCALHOST:99', '[::1]:8787', '127.1.2.3:1']) {
      const by = { who: 'test', from: 'test' };
      const { secret: code } = await api.credentials.createLink(
        { name: 'a', role: 'admin', tenantIds: null },
        by,
      );
      const answer = await asking(api, { host, origin: `http://${host}` })('sign-in', { code });
      expect(answer.status).toBe(200);
      expect(answer.headers['Set-Cookie']).toContain(`event-query-${/:(\d+)$/.exec(host)?.[1] ?? '80'}=`);
    }
  });
});

describe('keys for programs', () => {
  it('open by a header alone, and hold until they are ended', async () => {
    const api = createPlainApi();
    const { secret, credential } = await withKey(api, 'admin');
    const ask = (host = 'localhost') =>
      sendAdmin(api, {
        method: 'GET',
        target: '/v1/admin/tenants',
        headers: { authorization: `bearer ${secret}`, host },
      });
    expect((await ask('admin.example')).status).toBe(421);
    expect((await ask()).status).toBe(200);
    await api.credentials.end(credential, { who: 'test', from: 'test' });
    expect((await ask()).status).toBe(401);
  });

  it('of one kind never open as another', async () => {
    const api = createPlainApi();
    const { cookie, code } = await signIn(api);
    const { secret } = await withKey(api, 'admin');
    const session = cookie.split('=')[1]!;
    const apiKey = await api.createTenant('shop');
    for (const text of [session, code, apiKey]) {
      expect((await asking(api, { authorization: `Bearer ${text}` })('session')).status).toBe(401);
    }
    const asCookie = `__Host-event-query-8787=${secret}`;
    expect((await asking(api, { cookie: asCookie })('session')).status).toBe(401);
    expect((await asking(api, {})('sign-in', { code: secret })).status).toBe(401);
    expect((await api.post('/v1/api/query/count/shop', {}, { 'x-api-key': secret })).status).toBe(401);
  });
});

/** What each caller is told on each route: of the tenant `mine`, and of `other`. */
const TABLE = ADMIN_ROUTES.filter(({ caller }) => caller !== 'anyone' && caller !== 'provider').map(
  ({ name, path, methods, caller }) => {
    const hasTenant = path.includes('{tenantId}');
    const changes = caller === 'admin' || caller === 'owner';
    const expected = {
      viewer: changes ? 403 : 'in',
      admin: 'in',
      'viewer of mine': changes ? 403 : hasTenant ? 404 : 'in',
      'admin of mine': caller === 'owner' ? 403 : hasTenant ? 404 : 'in',
      'admin of mine who looks at other': changes && (hasTenant || caller === 'owner') ? 403 : 'in',
    } as const;
    return { name, path, method: methods[0], hasTenant, changes, caller, expected };
  },
);

describe('viewer against admin, on every route', () => {
  it.each(TABLE)('$name', async ({ path, method, hasTenant, expected, changes, caller }) => {
    const api = createPlainApi();
    await api.createTenant('mine');
    await api.createTenant('other');
    const ids = [(await api.admin.getTenant('mine')).id];
    const others = [(await api.admin.getTenant('other')).id];
    const callers = {
      viewer: await signIn(api, 'viewer'),
      admin: await signIn(api, 'admin'),
      'viewer of mine': await signIn(api, 'viewer', ids),
      'admin of mine': await withKey(api, 'admin', ids),
      'admin of mine who looks at other': await withSession(api, {
        role: 'admin',
        tenantIds: ids,
        viewedIds: others,
      }),
    };
    const ask = async (who: keyof typeof callers, alias: string) => {
      const target = path.replace('/v1/admin/', '').replace('{tenantId}', alias);
      // A body that no operation takes, so that nothing is changed: who is let in is told of the body.
      return callers[who].ask(target, method === 'GET' ? undefined : { wrong: 1 });
    };
    for (const who of Object.keys(callers) as (keyof typeof callers)[]) {
      const { status } = await ask(who, 'other');
      if (expected[who] === 'in') expect([200, 400]).toContain(status);
      else expect([who, status]).toEqual([who, expected[who]]);
    }
    if (!hasTenant) return;
    expect((await ask('viewer of mine', 'mine')).status === 403).toBe(changes);
    for (const who of ['admin of mine', 'admin of mine who looks at other'] as const) {
      expect((await ask(who, 'mine')).status === 403).toBe(caller === 'owner');
    }
    for (const who of ['admin', 'admin of mine'] as const) {
      if (expected[who] === 403) continue;
      expect(refusal(await ask(who, 'nobody'))).toBe('404 {"error":"Tenant not found"}');
    }
  });

  it('a list holds only what is theirs', async () => {
    const api = createPlainApi();
    await api.createTenant('mine');
    await api.createTenant('other');
    const { id } = await api.admin.getTenant('mine');
    const { ask } = await signIn(api, 'viewer', [id]);
    expect(
      (JSON.parse((await ask('tenants')).body) as { alias: string }[]).map(({ alias }) => alias),
    ).toEqual(['mine']);
    expect(JSON.parse((await ask('session')).body)).toMatchObject({ role: 'viewer', tenants: ['mine'] });
    const { entries } = JSON.parse((await ask('audit')).body) as { entries: { alias: string }[] };
    expect(new Set(entries.map(({ alias }) => alias))).toEqual(new Set(['mine']));
  });

  it('who is an admin of some tenants changes no plan', async () => {
    const api = createPlainApi();
    await api.createTenant('mine');
    const { ask } = await withKey(api, 'admin', [(await api.admin.getTenant('mine')).id]);
    expect((await ask('tenants/set/mine', { name: 'New' })).status).toBe(200);
    for (const body of [
      { plan: 'free' },
      { limits: null },
      { retentionDays: 1 },
      { name: 'x', ingestion: null },
    ]) {
      expect((await ask('tenants/set/mine', body)).status).toBe(403);
    }
    expect(await api.admin.getTenant('mine')).toMatchObject({ name: 'New', plan: 'custom' });
  });
});

it('a session of a provider opens nothing where none is configured any more', async () => {
  const api = createPlainApi();
  const identity = {
    ...{ issuer: 'https://id.test', subject: 'ada', providerSession: null, refreshToken: null },
    ...{ idToken: null, refreshAt: 0, holdsUntil: Infinity, version: 1 },
  };
  const rights = { role: 'admin' as const, tenantIds: null, viewedIds: [] };
  expect((await (await withSession(api, rights)).ask('session')).status).toBe(200);
  expect((await (await withSession(api, { ...rights, identity })).ask('session')).status).toBe(401);
});

describe('the host of the pages', () => {
  const originOf = (host: string, own?: string) =>
    pagesUrl({ header: (name) => (name === 'host' ? host : undefined) } as HttpRequest, own);

  it.each([
    ['https://events.example', ['events.example', 'Events.Example', 'events.example:443']],
    ['http://events.example', ['events.example', 'events.example:80']],
    ['https://events.example:8443', ['events.example:8443']],
  ])('%s may be written with its usual port', (own, hosts) => {
    for (const host of hosts) expect(originOf(host, own)).toBe(own);
    for (const host of ['events.example:81', 'a.events.example', 'example', ':443', ''])
      expect(() => originOf(host, own)).toThrow();
  });
});
