import { describe, expect, it } from 'vitest';
import { createSessionView } from '../../../../src/core/http/admin/session-view.ts';
import { unavailable } from '../../../../src/index.ts';
import { createAdminCredentials } from '../../../../src/internal.ts';
import type { IdentityProvider, AdminCredential } from '../../../../src/store-kit.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { asking, HOST } from './visitors.ts';
import { testResources } from '../../../support/resources.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const OWN = 'https://events.example';
const FROM_OWN = { host: 'events.example', origin: OWN };
const JWT = 'aaa.bbb-_.ccc';

/** The API with a provider that lets Ada in, and what it was asked. */
function createWorld() {
  const asked: unknown[] = [];
  const provider: IdentityProvider = {
    ...{ name: 'id.test', claim: 'groups', retryMs: 2000 },
    begin: (login, choice) => {
      asked.push({ ...login, ...choice });
      return Promise.resolve({ url: 'https://id.test/authorize', sealed: `sealed-${login.slot}` });
    },
    open: (sealed) => ({
      ...{
        id: `id of ${sealed}`,
        redirectUri: `http://${HOST}/sign-in`,
        returnTo: '/dashboard#/live',
        slot: 0,
      },
      expiresAt: Number.MAX_SAFE_INTEGER,
    }),
    finish: () =>
      Promise.resolve({
        ...{ issuer: 'https://id.test', subject: 'ada', name: 'Ada', values: ['admins'] },
        ...{ providerSession: 'one', refreshToken: 'r', idToken: null, lastsMs: 600_000 },
      }),
    refresh: () => Promise.reject(unavailable(new Error('away'))),
    signOutUrl: (_identity, back) => Promise.resolve(`https://id.test/end?back=${back}`),
    readLogout: (token) => {
      asked.push(token);
      return Promise.reject(new Error('nobody asks'));
    },
  };
  const roles = [{ value: 'admins', role: 'admin' as const, aliases: null }];
  const api = createPlainApi({ signIn: { provider, roles }, dashboardOrigin: OWN });
  const link = async (invitation: AdminCredential['invitation'] = null) => {
    const resources = testResources({ runtime: { now: () => api.clock.now() } });
    const { runtime } = resources;
    const credentials = createAdminCredentials({ admins: recordsIn(api.stores.control).admins, runtime });
    return (
      await credentials.createLink(
        { name: 'me', role: 'admin', tenantIds: null, invitation },
        { who: 'test', from: 'test' },
      )
    ).secret;
  };
  return { asked, ask: asking(api, {}), link, clock: api.clock };
}

const slotCookie = (slot: number, value: string) => `__Host-event-query-8787-login-${slot}=${value}`;
const bodyOf = ({ body }: { readonly body: string }) => JSON.parse(body) as Record<string, unknown>;

describe('who has no session', () => {
  it('is told the ways: a link on this machine alone', async () => {
    const { ask } = createWorld();
    expect(bodyOf(await ask('sign-in/ways'))).toEqual({ link: true, provider: 'id.test' });
    expect(bodyOf(await ask('sign-in/ways', undefined, FROM_OWN))).toMatchObject({ link: false });
    expect((await ask('sign-in/ways', undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('comes in by a link on this machine, and from nowhere else', async () => {
    const { ask, link } = createWorld();
    const code = await link();
    expect((await ask('sign-in', { code }, FROM_OWN)).status).toBe(421);
    expect((await ask('sign-in', { code })).status).toBe(200);
  });

  it('who was invited comes in wherever the pages are, once', async () => {
    const { ask, link } = createWorld();
    const code = await link({ by: 'ada', credentialId: null, until: null });
    expect((await ask('sign-in', { code }, { ...FROM_OWN, host: 'evil.test' })).status).toBe(421);
    expect((await ask('sign-in', { code }, FROM_OWN)).status).toBe(200);
    expect((await ask('sign-in', { code }, FROM_OWN)).status).toBe(401);
  });

  it('begins a login beside those that its browser has, and comes back to the dashboard', async () => {
    const { ask, asked } = createWorld();
    const cookie = [0, 1, 3].map((slot) => slotCookie(slot, 'x')).join('; ');
    for (let i = 0; i < 5; i++) {
      const answer = await ask('sign-in/begin', { returnTo: '//evil.test' }, { cookie });
      expect(answer.headers['Set-Cookie']).toBe(
        `${slotCookie(2, 'sealed-2')}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=600`,
      );
    }
    expect(asked[0]).toMatchObject({
      returnTo: '/dashboard',
      redirectUri: `http://${HOST}/sign-in`,
      slot: 2,
    });
    await ask('sign-in/begin', { returnTo: '/dashboard#/live' }, FROM_OWN);
    expect(asked.at(-1)).toMatchObject({ returnTo: '/dashboard#/live', redirectUri: `${OWN}/sign-in` });
    expect(asked.at(-1)).toMatchObject({ another: false });
    await ask('sign-in/begin', { anotherAccount: true });
    expect(asked.at(-1)).toMatchObject({ another: true });
    expect((await ask('sign-in/begin', { anotherAccount: 'yes' })).status).toBe(400);
  });

  it('finishes a login that its browser began, by the cookie of that very login', async () => {
    const { ask } = createWorld();
    const callback = '?code=a&state=1-abc';
    for (const cookie of [
      '',
      slotCookie(0, 'x'),
      `x${slotCookie(1, 'x')}`,
      `${slotCookie(1, 'x')}; ${slotCookie(1, 'y')}`,
    ])
      expect([cookie, (await ask('sign-in', { callback }, { cookie })).status]).toEqual([cookie, 401]);
    const long = `${callback}${'a'.repeat(4096)}`;
    expect((await ask('sign-in', { callback: long }, { cookie: slotCookie(1, 'x') })).status).toBe(400);
    const answer = await ask('sign-in', { callback }, { cookie: slotCookie(1, 'x') });
    expect([answer.status, bodyOf(answer)]).toMatchObject([
      200,
      { name: 'Ada', returnTo: '/dashboard#/live' },
    ]);
  });

  it('does not speak for the provider: a logout token is one', async () => {
    const { ask, asked } = createWorld();
    const { status } = await ask('back-channel-logout', { logout_token: JWT });
    expect([status, asked]).toEqual([400, []]);
  });
});

describe('who signs out', () => {
  const callback = '?code=a&state=1-abc';
  const signedIn = async ({ ask }: ReturnType<typeof createWorld>) => {
    const { headers } = await ask('sign-in', { callback }, { cookie: slotCookie(1, 'x') });
    return headers['Set-Cookie']!.split(';')[0]!;
  };

  it('is led to the provider, which leads back to the page to sign in', async () => {
    const world = createWorld();
    const cookie = await signedIn(world);
    const answer = await world.ask('sign-out', {}, { cookie });
    expect([answer.status, bodyOf(answer)]).toEqual([
      200,
      { url: `https://id.test/end?back=http://${HOST}/sign-in` },
    ]);
    expect(answer.headers['Set-Cookie']).toMatch(/Max-Age=0$/);
    expect((await world.ask('session', undefined, { cookie })).status).toBe(401);
  });

  it('has done so though the provider is away and would have to be asked before anything else', async () => {
    const world = createWorld();
    const cookie = await signedIn(world);
    world.clock.advance(700_000);
    expect((await world.ask('session', undefined, { cookie })).status).toBe(503);
    expect((await world.ask('sign-out', {}, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await world.ask('sign-out', {}, { cookie })).status).toBe(200);
    expect((await world.ask('session', undefined, { cookie })).status).toBe(401);
    expect((await world.ask('sign-out', {}, { cookie })).status).toBe(401);
  });
});

describe('a session as it is answered', () => {
  const tenants = { findById: (id: string) => Promise.resolve({ id, alias: `alias-${id}` } as never) };
  const view = (changes: object) =>
    createSessionView(tenants)({
      name: 'n',
      identity: null,
      expiresAt: 1,
      ...changes,
    } as unknown as AdminCredential);

  it.each([
    [
      { role: 'admin', tenantIds: ['a'], viewedIds: ['b', 'a'] },
      { tenants: ['alias-a', 'alias-b'], administers: ['alias-a'] },
    ],
    [
      { role: 'viewer', tenantIds: ['a'], viewedIds: [] },
      { tenants: ['alias-a'], administers: [] },
    ],
    [
      { role: 'admin', tenantIds: ['a'], viewedIds: null },
      { tenants: null, administers: ['alias-a'] },
    ],
    [
      { role: 'admin', tenantIds: null, viewedIds: [] },
      { tenants: null, administers: null },
    ],
  ])('%j', async (pass, expected) => {
    expect(await view(pass)).toMatchObject(expected);
  });
});
