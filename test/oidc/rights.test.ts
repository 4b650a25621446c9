import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_ROUTES } from '../../src/core/http/admin-routes.ts';
import { startWorld, type World } from './fixture.ts';
import { newPerson, type Person } from './person.ts';

let world: World;
let host: string;
const people: Record<string, Person> = {};
beforeAll(async () => {
  world = await startWorld();
  ({ host } = world);
  for (const name of ['ada', 'eve', 'bob', 'mia']) people[name] = await world.signIn(name);
});
afterAll(() => world.stop());

/** What each is told on a route of a tenant, or of none: 'in', or the status of the refusal. */
function expected(name: string, caller: string, alias: string): number | 'in' {
  const changes = caller === 'admin' || caller === 'owner';
  if (name === 'ada') return 'in';
  if (name === 'eve') return changes ? 403 : 'in';
  if (name === 'bob') return changes ? 403 : alias === 'other' ? 404 : 'in';
  if (caller === 'owner') return 403;
  return caller === 'admin' && alias === 'other' ? 403 : 'in';
}

describe('viewer against admin, by the groups of a provider', () => {
  it.each(ADMIN_ROUTES.filter(({ caller }) => caller !== 'anyone' && caller !== 'provider'))(
    '$name',
    async ({ path, methods, caller, name: route }) => {
      const aliases = path.includes('{tenantId}') ? ['mine', 'other'] : [''];
      for (const alias of aliases) {
        const place = path.replace('/v1/admin/', '').replace('{tenantId}', alias);
        // A body that no operation takes, so that nothing is changed: who is let in is told of the body.
        const body = (methods as readonly string[]).includes('GET') ? undefined : { wrong: 1 };
        for (const [name, person] of Object.entries(people)) {
          const { status } = await person.ask(host, place, body);
          const right = expected(name, caller, alias);
          const told = right === 'in' && [200, 400].includes(status) ? 'in' : status;
          expect([route, alias, name, told]).toEqual([route, alias, name, right]);
        }
        expect((await newPerson().ask(host, place, body)).status).toBe(401);
      }
    },
  );

  it('who is for one tenant is told of another what is told of none', async () => {
    const { bob } = people;
    const [other, none] = await Promise.all(
      ['other', 'never-made'].map((alias) => bob!.ask(host, `tenants/show/${alias}`)),
    );
    expect(other).toEqual(none);
    const { json } = await bob!.ask(host, 'tenants');
    expect((json as unknown as { alias: string }[]).map(({ alias }) => alias)).toEqual(['mine']);
    expect(JSON.stringify((await bob!.ask(host, 'audit')).json)).not.toContain('other');
    expect(JSON.stringify((await people.mia!.ask(host, 'audit')).json)).toContain('other');
  });
});

/** Signs a logout token as the provider does, with changes. */
const logoutToken = (changes: Record<string, unknown>, look?: { typ?: string; known?: boolean }) => {
  const [now, jti] = [Math.floor(Date.now() / 1000), randomUUID()];
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const claims = { iss: world.provider.issuer, aud: 'dash', iat: now, exp: now + 120, jti, events };
  return world.provider.sign({ ...claims, ...changes }, look);
};
const logOut = async (token: string) =>
  (
    await fetch(`http://${host}/v1/admin/back-channel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
  ).status;

describe('a logout at the provider', () => {
  it('ends the session there and here, and no other', async () => {
    const bob = await world.signIn('bob');
    const elsewhere = await world.signIn('bob');
    const eve = await world.signIn('eve');
    const ends = `${world.provider.issuer}/session/end`;
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(await (await bob.fetch(ends)).text())![1]!;
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    expect((await bob.fetch(`${ends}/confirm`, { method: 'POST', body })).status).toBeLessThan(400);
    await expect.poll(async () => (await bob.ask(host, 'session')).status).toBe(401);
    expect((await elsewhere.ask(host, 'session')).status).toBe(200);
    expect((await eve.ask(host, 'session')).status).toBe(200);
  });

  it('is where a page goes that signs out here, with what the provider knows the session by', async () => {
    const eve = await world.signIn('eve');
    const { status, json } = await eve.ask(host, 'sign-out', {});
    expect(status).toBe(200);
    const place = new URL(json.url as string);
    expect(place.origin + place.pathname).toBe(`${world.provider.issuer}/session/end`);
    const form = await (await eve.fetch(place.href)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)![1]!;
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    const ends = `${world.provider.issuer}/session/end/confirm`;
    const confirmed = await eve.fetch(ends, { method: 'POST', body });
    expect(confirmed.headers.get('location')).toBe(`http://${host}/sign-in`);
    // A provider that knows the session no more asks who that is, which this one answers at once.
    await world.provider.set({ person: 'bob' });
    expect((await eve.signIn(host)).json.name).toMatch(/^bob/);
  });

  it('of a person ends all their sessions, and not those of later', async () => {
    const [first, second] = [await world.signIn('bob'), await world.signIn('bob')];
    const [token, late] = [await logoutToken({ sub: 'bob' }), await logoutToken({ sub: 'bob' })];
    expect(await logOut(token)).toBe(200);
    for (const person of [first, second]) expect((await person.ask(host, 'session')).status).toBe(401);
    // Whoever sends it again ends no session that was begun since.
    const next = await world.signIn('bob');
    expect(await logOut(token)).toBe(400);
    expect((await next.ask(host, 'session')).status).toBe(200);
    // A clock may be a minute off, so a session counts as a later one after that.
    await world.advance(120_000);
    const later = await world.signIn('bob');
    expect(await logOut(late)).toBe(200);
    expect((await later.ask(host, 'session')).status).toBe(200);
  });

  it.each([
    ['of another key', {}, { known: false }],
    ['of another audience', { aud: 'other' }, {}],
    ['of another issuer', { iss: 'https://evil.test' }, {}],
    ['that is an ID token', { nonce: 'a' }, {}],
    ['of another type', {}, { typ: 'at+jwt' }],
    ['without its event', { events: {} }, {}],
    ['that names nobody', { sub: undefined }, {}],
    ['that was kept', { iat: Math.floor(Date.now() / 1000) - 3_600, exp: undefined }, {}],
    ['without an id', { jti: undefined }, {}],
  ])('is not believed by a token %s', async (_what, changes, look) => {
    const token = await logoutToken({ sub: 'ada', ...changes }, look);
    expect(await logOut(token)).toBe(400);
    expect((await people.ada!.ask(host, 'session')).status).toBe(200);
  });

  it('is not believed by what is no token, and not at a foreign host', async () => {
    for (const text of ['', 'a.b.c', 'x'.repeat(50_000), '..']) expect(await logOut(text)).toBe(400);
    expect((await people.ada!.ask(host, 'back-channel-logout', '{}', { host: 'evil.test' })).status).not.toBe(
      200,
    );
    expect((await people.ada!.ask(host, 'session')).status).toBe(200);
  });
});
