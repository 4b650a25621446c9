import { describe, expect, it } from 'vitest';
import { QUESTION_BYTES_MAX } from '../../../../src/core/access/saved-view.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { signIn, withKey, withSession, type Ask } from './visitors.ts';

interface View {
  readonly id: string;
  readonly name: string;
  readonly question: string;
  readonly isShared: boolean;
  readonly by: string;
  readonly mayChange: boolean;
}

const FILTER = JSON.stringify([{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }]);
const QUESTION = `event=signed_up&filter=${encodeURIComponent(FILTER)}&by=properties.plan`;
const SHARED = { name: 'pros', question: QUESTION, isShared: true };
const OWN = { ...SHARED, isShared: false };

/** An API with two tenants, and the ids of both. */
async function createWorld(options: Parameters<typeof createPlainApi>[0] = {}) {
  const api = createPlainApi(options);
  for (const alias of ['mine', 'other']) await api.createTenant(alias);
  const idOf = async (alias: string) => (await api.admin.getTenant(alias)).id;
  return { api, mine: await idOf('mine'), other: await idOf('other') };
}

const list = async (ask: Ask, alias = 'mine') =>
  JSON.parse((await ask(`views/${alias}`)).body) as readonly View[];
const create = async (ask: Ask, body: object, alias = 'mine') => {
  const answer = await ask(`views/create/${alias}`, body);
  return { status: answer.status, view: JSON.parse(answer.body) as View };
};
const statusOf = async (ask: Ask, path: string, body: object) => (await ask(`views/${path}`, body)).status;

describe('a saved view', () => {
  it('of the tenant is seen by all of it, and changed by its administrators alone', async () => {
    const { api, mine, other } = await createWorld();
    const admin = await withKey(api, 'admin', [mine]);
    const viewer = await signIn(api, 'viewer', [mine]);
    const looks = await withSession(api, { role: 'admin', tenantIds: [other], viewedIds: [mine] });
    const stranger = await signIn(api, 'admin', [other]);
    const { status, view } = await create(admin.ask, SHARED);
    expect([status, view]).toMatchObject([200, { ...SHARED, by: 'robot', mayChange: true }]);
    for (const { ask } of [viewer, looks]) {
      expect(await list(ask)).toMatchObject([{ ...SHARED, mayChange: false }]);
      expect((await create(ask, { ...SHARED, name: 'x' })).status).toBe(403);
      expect(await statusOf(ask, 'change/mine', { id: view.id, name: 'x' })).toBe(403);
      expect(await statusOf(ask, 'delete/mine', { id: view.id })).toBe(403);
    }
    expect((await stranger.ask('views/mine')).status).toBe(404);
    // Nor is it a view of another tenant.
    expect(await statusOf(stranger.ask, 'delete/other', { id: view.id })).toBe(400);
    const changed = await admin.ask('views/change/mine', { id: view.id, name: 'all', question: '' });
    expect(JSON.parse(changed.body)).toMatchObject({ id: view.id, name: 'all', question: '' });
    expect(await statusOf(admin.ask, 'delete/mine', { id: view.id })).toBe(200);
    expect(await list(viewer.ask)).toEqual([]);
  });

  it('of one person is seen and changed by this person alone', async () => {
    const { api } = await createWorld();
    const owner = await signIn(api);
    const viewer = await signIn(api, 'viewer');
    const key = await withKey(api, 'viewer');
    const { view } = await create(viewer.ask, OWN);
    // A name is free in each scope.
    for (const { ask } of [owner, key]) expect((await create(ask, OWN)).status).toBe(200);
    expect((await create(owner.ask, SHARED)).status).toBe(200);
    expect((await create(viewer.ask, OWN)).status).toBe(409);
    expect((await list(viewer.ask)).map(({ isShared }) => isShared)).toEqual([true, false]);
    for (const { ask } of [owner, key]) {
      expect((await list(ask)).map(({ id }) => id)).not.toContain(view.id);
      expect(await statusOf(ask, 'change/mine', { id: view.id, name: 'x' })).toBe(400);
      expect(await statusOf(ask, 'delete/mine', { id: view.id })).toBe(400);
    }
    // By links, the name is all that is known of a person.
    const again = await signIn(api, 'viewer');
    expect(await statusOf(again.ask, 'delete/mine', { id: view.id })).toBe(200);
  });

  it('of a person whom a provider knows is theirs under any name, and no namesake’s', async () => {
    const silent = { name: 'id.test', claim: 'groups', retryMs: 2000 } as never;
    const { api } = await createWorld({ signIn: { provider: silent, roles: [] } });
    const now = api.clock.now();
    const as = (subject: string) =>
      withSession(api, {
        ...{ role: 'viewer', tenantIds: null, viewedIds: [] },
        identity: {
          ...{ issuer: 'https://id.test', subject, providerSession: null, refreshToken: null, idToken: null },
          ...{ refreshAt: now + 200_000, holdsUntil: now + 300_000, version: 1 },
        },
      });
    await create((await as('1')).ask, OWN);
    expect(await list((await as('1')).ask)).toMatchObject([OWN]);
    expect(await list((await as('2')).ask)).toEqual([]);
    const byLink = await withSession(api, { role: 'viewer', tenantIds: null, viewedIds: [] });
    expect(await list(byLink.ask)).toEqual([]);
  });

  it('goes with its tenant, and is audited: of a person’s, neither name nor question', async () => {
    const { api } = await createWorld();
    const { ask } = await signIn(api);
    const { view } = await create(ask, { ...OWN, name: 'secret' });
    await create(ask, SHARED);
    await ask('views/change/mine', { id: view.id, name: 'secret too' });
    const { entries } = JSON.parse((await ask('audit')).body) as { entries: { action: string }[] };
    expect(entries.slice(0, 3)).toMatchObject([
      { action: 'view.set', alias: 'mine', details: { id: view.id, of: 'one person' } },
      { action: 'view.create', alias: 'mine', details: { name: 'pros', question: QUESTION } },
      { action: 'view.create', alias: 'mine', details: { id: view.id, of: 'one person' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    await api.admin.deleteTenant('mine');
    await api.createTenant('mine');
    expect(await list(ask)).toEqual([]);
  });

  it('is bounded: 200 for a tenant, 50 for a person over all tenants', async () => {
    const { api } = await createWorld();
    const fill = async (body: object, count: number, alias: (i: number) => string) => {
      const { ask } = await signIn(api);
      for (let i = 0; i < count; i++) {
        if (i % 50 === 0) api.clock.advance(60_000);
        expect((await create(ask, { ...body, name: `${i}` }, alias(i))).status).toBe(200);
      }
      api.clock.advance(60_000);
      return ask;
    };
    const shares = await fill(SHARED, 200, () => 'mine');
    expect((await create(shares, SHARED)).status).toBe(400);
    expect((await create(shares, SHARED, 'other')).status).toBe(200);
    const owns = await fill(OWN, 50, (i) => (i % 2 === 0 ? 'mine' : 'other'));
    expect((await create(owns, OWN)).status).toBe(400);
    expect((await create(owns, OWN, 'other')).status).toBe(400);
  });

  it.each([
    [{ ...OWN, name: '' }],
    [{ ...OWN, name: 'a\u0000' }],
    [{ ...OWN, name: 'a\nb' }],
    [{ ...OWN, isShared: 'no' }],
    [{ ...OWN, wrong: 1 }],
    [{ name: 'x', isShared: false }],
    [{ ...OWN, question: 5 }],
    [{ ...OWN, question: '?event=a' }],
    [{ ...OWN, question: 'event=a&event=b' }],
    [{ ...OWN, question: 'cursor=abc' }],
    [{ ...OWN, question: 'filter=[broken' }],
    [{ ...OWN, question: 'filter=%5' }],
    [{ ...OWN, question: `filter=${encodeURIComponent('{"a":1}')}` }],
    [{ ...OWN, question: `filter=${encodeURIComponent(FILTER.replace('EQUALS', 'LIKE'))}` }],
    [{ ...OWN, question: 'after=2026-13-45' }],
    [{ ...OWN, question: `by=${'x'.repeat(QUESTION_BYTES_MAX)}` }],
  ])('refuses %j', async (body) => {
    const { api } = await createWorld();
    const { ask } = await signIn(api);
    expect((await create(ask, body)).status).toBe(400);
    expect(await list(ask)).toEqual([]);
  });

  it('keeps what only changes how the answer is shown', async () => {
    const { api } = await createWorld();
    const { ask } = await signIn(api);
    for (const question of ['', 'range=24h&unit=hour&columns=a%2Cb', 'after=2026-01-01&by=x+y'])
      expect((await create(ask, { ...OWN, name: `q ${question}`, question })).view.question).toBe(question);
  });
});
