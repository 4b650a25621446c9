import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../adapters/postgres/postgres-server.ts';
import { alsoAt, GROUPS, startWorld, type World } from './fixture.ts';
import { newPerson } from './person.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
let world: World;
let host: string;
beforeAll(async () => {
  world = await startWorld();
  ({ host } = world);
});
afterAll(() => world.stop());

const refreshes = async ({ provider }: World = world) => (await provider.seen()).grants.refresh_token ?? 0;

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status);

/** That of ten requests at once, at two processes that share a store, one asks the provider. */
async function asksOnce(of: World): Promise<void> {
  const ada = await of.signIn('ada');
  const hosts = of.servers.map((server) => server.host);
  alsoAt(ada, hosts[1]!, hosts[0]!);
  const tenAtOnce = () =>
    Promise.all(Array.from({ length: 10 }, (_, i) => ada.ask(hosts[i % 2]!, 'session')));
  const before = await refreshes(of);
  await of.advance(120 * SECOND);
  expect(statuses(await tenAtOnce())).toEqual(Array(10).fill(200));
  expect(await refreshes(of)).toBe(before);
  for (let round = 1; round <= 3; round += 1) {
    await of.advance(round === 1 ? 125 * SECOND : 245 * SECOND);
    expect(statuses(await tenAtOnce())).toEqual(Array(10).fill(200));
    expect(await refreshes(of)).toBe(before + round);
  }
  // Where it was not asked in time nothing holds meanwhile, and still one asks.
  await of.advance(2 * HOUR);
  expect(statuses(await tenAtOnce())).toEqual(Array(10).fill(200));
  expect(await refreshes(of)).toBe(before + 4);
}

describe('a session of a provider', () => {
  it('is asked for again after four minutes: once, by ten requests at two processes', () => asksOnce(world));

  it.runIf(HAS_POSTGRES)('is so over PostgreSQL, too', async () => {
    const postgres = await startPostgres();
    const own = await startWorld(await postgres.url('shared'));
    try {
      await asksOnce(own);
    } finally {
      await own.stop();
      await postgres.stop();
    }
  });

  it('loses what a group gave at the next time, and ends with the last', async () => {
    const mia = await world.signIn('mia');
    const rights = async () => {
      const { json } = await mia.ask(host, 'session');
      return [json.role, json.tenants];
    };
    expect(await rights()).toEqual(['admin', ['mine', 'other']]);
    await world.provider.set({ groups: { ...GROUPS, mia: ['other viewers'] } });
    await world.advance(120 * SECOND);
    expect(await rights()).toEqual(['admin', ['mine', 'other']]);
    await world.advance(125 * SECOND);
    expect(await rights()).toEqual(['viewer', ['other']]);
    expect((await mia.ask(host, 'tenants/show/mine')).status).toBe(404);
    await world.provider.set({ groups: { ...GROUPS, mia: [] } });
    await world.advance(245 * SECOND);
    const over = await mia.ask(host, 'session');
    expect(over.status).toBe(401);
    expect(over.setCookie).toMatch(/=; .*Max-Age=0$/);
    await world.provider.set({ groups: GROUPS });
    expect((await mia.ask(host, 'session')).status).toBe(401);
  });

  it('reads the groups of ID tokens as well as of what is said when asked', async () => {
    await world.provider.set({ inIdToken: true });
    const eve = await world.signIn('eve');
    await world.provider.set({ groups: { ...GROUPS, eve: ['admins'] } });
    await world.advance(245 * SECOND);
    expect((await eve.ask(host, 'session')).json.role).toBe('admin');
    await world.provider.set({ inIdToken: false, groups: GROUPS });
    await world.advance(245 * SECOND);
    expect((await eve.ask(host, 'session')).json.role).toBe('viewer');
  });

  it('holds while the provider is away until its token ends, waits then, and goes on', async () => {
    const ada = await world.signIn('ada');
    await world.provider.set({ down: true });
    await world.advance(250 * SECOND);
    expect((await ada.ask(host, 'tenants')).status).toBe(200);
    await world.advance(200 * SECOND);
    expect((await ada.ask(host, 'tenants')).status).toBe(200);
    await world.advance(160 * SECOND);
    const away = await ada.ask(host, 'tenants');
    expect(away).toMatchObject({ status: 503, retryAfter: '1', setCookie: null });
    expect(away.json).toEqual({ error: 'The service is temporarily unavailable. Retry later.' });
    // Who wants to come in meanwhile is told the same, and nobody learns more.
    expect((await newPerson().ask(host, 'sign-in', { callback: 'state=0-a' })).status).toBe(401);
    const { errors } = await world.servers[0]!.advance(0);
    expect(errors.some((text) => text.includes('the identity provider'))).toBe(true);
    expect(errors.join()).not.toMatch(/eyJ|secret/);
    await world.provider.set({ down: false });
    await world.advance(5 * SECOND);
    expect((await ada.ask(host, 'tenants')).status).toBe(200);
  });

  it('ends when somebody signs out, though its time has come and the provider never answers', async () => {
    const ada = await world.signIn('ada');
    // A process that has not heard of the provider yet, and would have to.
    const fresh = await world.startServer();
    alsoAt(ada, fresh.host, host);
    world.provider.hang(true);
    try {
      await world.advance(700 * SECOND);
      expect(await ada.ask(fresh.host, 'sign-out', {})).toMatchObject({ status: 200, json: {} });
    } finally {
      world.provider.hang(false);
    }
    for (const at of [fresh.host, host]) expect((await ada.ask(at, 'session')).status).toBe(401);
  });

  it('ends twelve hours after it began, however often it was asked for', async () => {
    const ada = await world.signIn('ada');
    for (let hours = 1; hours < 12; hours += 1) {
      await world.advance(HOUR);
      expect((await ada.ask(host, 'session')).status).toBe(200);
    }
    await world.advance(HOUR);
    const before = await refreshes();
    expect(await ada.ask(host, 'session')).toMatchObject({ status: 401 });
    expect(await refreshes()).toBe(before);
  });

  it('outlives the server, and ends where its seal does not open', async () => {
    const ada = await world.signIn('ada');
    const again = await world.startServer();
    alsoAt(ada, again.host, host);
    await world.advance(245 * SECOND);
    const before = await refreshes();
    expect((await ada.ask(again.host, 'session')).status).toBe(200);
    expect(await refreshes()).toBe(before + 1);
    const foreign = await world.startServer({ sealingSecret: 'another secret of enough characters' });
    alsoAt(ada, foreign.host, host);
    expect((await ada.ask(foreign.host, 'session')).status).toBe(200);
    await world.advance(245 * SECOND);
    expect((await ada.ask(foreign.host, 'session')).status).toBe(401);
    expect(await refreshes()).toBe(before + 1);
    expect((await ada.ask(host, 'session')).status).toBe(401);
  });
});
