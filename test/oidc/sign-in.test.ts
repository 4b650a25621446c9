import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { sessionOf, startWorld, type World } from './fixture.ts';
import { newPerson } from './person.ts';

const MINUTE = 60_000;
let world: World;
let host: string;
beforeAll(async () => {
  world = await startWorld();
  ({ host } = world);
});
afterAll(() => world.stop());

/** How often the provider was asked for tokens by a code. */
const codesTried = async () => (await world.provider.seen()).grants.authorization_code ?? 0;

describe('signing in at a provider', () => {
  it('gives a session by its groups, and brings the page back to where it was', async () => {
    await world.provider.set({ person: 'mia' });
    const mia = newPerson();
    expect((await mia.ask(host, 'session')).status).toBe(401);
    expect((await mia.ask(host, 'sign-in/ways')).json).toEqual({
      link: true,
      provider: new URL(world.provider.issuer).host,
    });
    const { status, json, setCookie } = await mia.signIn(host, '/dashboard#/live/mine?x=1');
    expect(status).toBe(200);
    const view = {
      ...{ name: 'mia <b>of</b> test', role: 'admin', tenants: ['mine', 'other'], administers: ['mine'] },
      provider: world.provider.issuer,
    };
    expect(json).toMatchObject({ ...view, returnTo: '/dashboard#/live/mine?x=1' });
    const name = `__Host-event-query-${host.split(':')[1]}`;
    const pattern = `^${name}=eqs_[0-9a-f]{64}; Path=/; Secure; HttpOnly; SameSite=Strict$`;
    const [own, spent, ...others] = setCookie!.split('\n');
    expect(own).toMatch(new RegExp(pattern));
    // The login is over, and what was kept of it in the browser with it.
    expect(spent).toMatch(new RegExp(`^${name}-login-[0-3]=; .*; Max-Age=0$`));
    expect(others).toEqual([]);
    expect([...mia.cookies.get(host)!.keys()]).toEqual([name]);
    expect((await mia.ask(host, 'session')).json).toMatchObject(view);
  });

  it('keeps no token in the browser, and none that can be read on the disk', async () => {
    const ada = await world.signIn('ada');
    const { refreshTokens } = await world.provider.seen();
    expect(refreshTokens.length).toBeGreaterThan(0);
    const held = JSON.stringify([...ada.cookies.get(host)!]);
    const disk = ['', '-wal'].map((end) => readFileSync(world.db + end, 'latin1')).join('');
    expect(disk).toContain('refreshToken');
    for (const token of refreshTokens) {
      expect(held).not.toContain(token);
      expect(disk).not.toContain(token);
    }
    // A token of JSON, by its first part: what is sealed may begin like one, but has no dot.
    expect(held + disk).not.toMatch(/eyJ[\w-]{10,}\./);
  });

  it('takes no session that the browser was given, and ends the one that it had', async () => {
    const ada = await world.signIn('ada');
    const before = sessionOf(ada, host);
    const cookie = `__Host-event-query-${host.split(':')[1]}`;
    expect((await ada.signIn(host)).status).toBe(200);
    const after = sessionOf(ada, host);
    expect(after).not.toBe(before);
    ada.cookies.get(host)!.set(cookie, before);
    expect((await ada.ask(host, 'session')).status).toBe(401);
    const planted = newPerson();
    planted.cookies.set(host, new Map([[cookie, after]]));
    expect((await planted.signIn(host)).status).toBe(200);
    expect(sessionOf(planted, host)).not.toBe(after);
  });

  it('opens nothing to whom the groups give nothing, and says which came', async () => {
    await world.provider.set({ person: 'zoe' });
    const zoe = newPerson();
    const refused = await zoe.signIn(host);
    expect(refused).toMatchObject({ status: 403, setCookie: null });
    expect(refused.json.error).toMatch(/claim groups holds "of none", "<b>/);
    await world.provider.set({ person: 'nobody' });
    const nobody = await newPerson().signIn(host);
    expect(nobody.json.error).toMatch(/claim groups holds nothing/);
    expect((await zoe.ask(host, 'session')).status).toBe(401);
  });

  it('lets many tabs of a browser go there at once', async () => {
    await world.provider.set({ person: 'ada' });
    const ada = newPerson();
    const urls: string[] = [];
    for (let tab = 0; tab < 4; tab += 1) urls.push(await ada.begin(host, `/dashboard#/${tab}`));
    for (const [tab, url] of urls.entries()) {
      const { status, json } = await ada.ask(host, 'sign-in', { callback: await ada.visit(url) });
      expect([status, json.returnTo]).toEqual([200, `/dashboard#/${tab}`]);
    }
    // Of those that begin at once many are apart: that forty draws show only two of four happens never.
    const atOnce = await Promise.all(Array.from({ length: 40 }, () => newPerson().begin(host)));
    const slots = atOnce.map((url) => new URL(url).searchParams.get('state')!.slice(0, 2));
    expect(new Set(slots).size).toBeGreaterThan(2);
    // More than that push others out, and no header grows without end.
    for (let more = 0; more < 10; more += 1) await ada.begin(host);
    const logins = [...ada.cookies.get(host)!.keys()].filter((name) => name.includes('-login-'));
    expect(logins.length).toBe(4);
  });
});

describe('what is no answer to this login', () => {
  it('a second use of the same answer', async () => {
    await world.provider.set({ person: 'ada' });
    const ada = newPerson();
    const callback = await ada.visit(await ada.begin(host));
    const before = await codesTried();
    const login = new Map(ada.cookies.get(host));
    expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(200);
    ada.cookies.set(host, login);
    for (const again of [callback, callback.replace('code=', 'code=x')]) {
      const refused = await ada.ask(host, 'sign-in', { callback: again });
      expect(refused).toMatchObject({ status: 401, setCookie: null });
      expect(refused.json.error).toMatch(/was used/);
    }
    expect(await codesTried()).toBe(before + 1);
  });

  it('the answer to a login that somebody else began, with or without one of the own', async () => {
    await world.provider.set({ person: 'eve' });
    const [eve, victim] = [newPerson(), newPerson()];
    const callback = await eve.visit(await eve.begin(host));
    const before = await codesTried();
    expect(await victim.ask(host, 'sign-in', { callback })).toMatchObject({ status: 401, setCookie: null });
    await victim.begin(host);
    expect(await victim.ask(host, 'sign-in', { callback })).toMatchObject({ status: 401, setCookie: null });
    // It is refused before anybody is asked.
    expect(await codesTried()).toBe(before);
  });

  it('one whose state was changed, taken away or doubled', async () => {
    const ada = newPerson();
    const callback = await ada.visit(await ada.begin(host));
    const before = await codesTried();
    const state = /state=([^&]*)/.exec(callback)![1]!;
    for (const changed of [
      `${state}x`,
      state.slice(0, -1),
      `0-${'a'.repeat(43)}`,
      '0-',
      '',
      `${state}&state=0-x`,
    ]) {
      const query = callback.replace(`state=${state}`, `state=${changed}`);
      expect((await ada.ask(host, 'sign-in', { callback: query })).status).toBe(401);
    }
    expect((await ada.ask(host, 'sign-in', { callback: callback.replace('state=', 'stat=') })).status).toBe(
      401,
    );
    expect(await codesTried()).toBe(before);
    expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(200);
  });

  it('one of another issuer, or of none', async () => {
    const before = await codesTried();
    for (const iss of ['iss=https%3A%2F%2Fevil.test', 'is=x']) {
      const ada = newPerson();
      const callback = (await ada.visit(await ada.begin(host))).replace(/iss=[^&]*/, iss);
      expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(401);
    }
    expect(await codesTried()).toBe(before);
  });

  it('a token of another nonce, and a code of another verifier', async () => {
    for (const name of ['nonce', 'code_challenge']) {
      const ada = newPerson();
      const url = new URL(await ada.begin(host));
      url.searchParams.set(name, 'A'.repeat(43));
      const callback = await ada.visit(url.href);
      const refused = await ada.ask(host, 'sign-in', { callback });
      expect(refused).toMatchObject({ status: 401, setCookie: null });
    }
  });

  it('what the person refused, in words that nobody can choose', async () => {
    const refused = async (error: string) => {
      const ada = newPerson();
      const callback = await ada.visit(await ada.begin(host));
      const state = /state=[^&]*/.exec(callback)![0];
      const iss = /iss=[^&]*/.exec(callback)![0];
      const said = `?error=${error}&error_description=call+us&${state}&${iss}`;
      return ada.ask(host, 'sign-in', { callback: said });
    };
    expect((await refused('access_denied')).json.error).toMatch(/: access_denied$/);
    expect((await refused('Call%20%2B1%20555')).json.error).toMatch(/: refused$/);
  });

  it('a login that is older than ten minutes, was changed, or is of another server', async () => {
    const ada = newPerson();
    const callback = await ada.visit(await ada.begin(host));
    const jar = ada.cookies.get(host)!;
    const [name, sealed] = [...jar].find(([each]) => each.includes('-login-'))!;
    const flipped = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`;
    for (const broken of [flipped, sealed.slice(0, 20), '', 'null', sealed.slice(0, -4)]) {
      jar.set(name, broken);
      expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(401);
    }
    // The cookie of one port does not finish at another.
    const other = world.servers[1]!.host;
    const moved = name.replace(host.split(':')[1]!, other.split(':')[1]!);
    ada.cookies.set(other, new Map([[moved, sealed]]));
    expect((await ada.ask(other, 'sign-in', { callback })).status).toBe(401);
    jar.set(name, sealed);
    await world.advance(10 * MINUTE);
    const late = await ada.ask(host, 'sign-in', { callback });
    expect(late.json.error).toMatch(/has expired/);
  });

  it('a page of another origin: it neither begins nor finishes', async () => {
    const ada = newPerson();
    const callback = await ada.visit(await ada.begin(host));
    const foreign = [
      { origin: 'http://evil.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'x-event-query': '' },
    ];
    for (const headers of foreign as Record<string, string>[]) {
      expect((await ada.ask(host, 'sign-in', { callback }, headers)).status).toBe(403);
      expect((await ada.ask(host, 'sign-in/begin', {}, headers)).status).toBe(403);
    }
    expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(200);
  });

  it.each(['https://evil.test/', '//evil.test', '/\\evil.test', '/dashboard/../../evil', 'javascript:1'])(
    'a way back to %s',
    async (returnTo) => {
      await world.provider.set({ person: 'ada' });
      expect((await newPerson().signIn(host, returnTo)).json.returnTo).toBe('/dashboard');
    },
  );

  it('a way back that is no text', async () => {
    const { status, json } = await newPerson().ask(host, 'sign-in/begin', { returnTo: 7 });
    expect([status, json]).toEqual([400, { error: 'returnTo: takes a text, got the number 7' }]);
  });

  it('what is no query string at all', async () => {
    const ada = newPerson();
    for (const callback of [1, null, ['state=0-a'], {}, `state=0-${'x'.repeat(4_096)}`]) {
      expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(400);
    }
    for (const callback of ['', '?', 'state=9-x', '%', '&&&', `state=0-${'x'.repeat(4_000)}`]) {
      expect((await ada.ask(host, 'sign-in', { callback })).status).toBe(401);
    }
  });
});

describe('a clock that is not ours', () => {
  it.each([
    [45_000, 200],
    [-45_000, 200],
    [-3 * 3_600_000, 401],
  ])('of a provider that is %i ms off: %i', async (skewMs, status) => {
    await world.provider.set({ person: 'ada', skewMs });
    try {
      expect((await newPerson().signIn(host)).status).toBe(status);
    } finally {
      await world.provider.set({ skewMs: 0 });
    }
  });
});
