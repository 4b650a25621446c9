import { describe, expect, it } from 'vitest';
import type { AdminCredential, IdentityProvider } from '../../../../src/store-kit.ts';
import { createPlainApi, type PlainApi } from '../../../support/plain-api.ts';
import { asking, signIn, withKey, withSession, type Ask } from './visitors.ts';

const HOUR = 3_600_000;

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly tenants: readonly string[] | null;
  readonly isPending: boolean;
  readonly isOwn: boolean;
  readonly isCurrent: boolean;
  readonly invitedBy: string | null;
  readonly expiresAt: number;
}

/** An API with two tenants, and the ids of both. */
async function createWorld(options: Parameters<typeof createPlainApi>[0] = {}) {
  const api = createPlainApi(options);
  for (const alias of ['mine', 'other']) await api.createTenant(alias);
  const idOf = async (alias: string) => (await api.admin.getTenant(alias)).id;
  return { api, mine: await idOf('mine'), other: await idOf('other') };
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
const jsonOf = <T>({ body }: { readonly body: string }) => JSON.parse(body) as T;
const list = async (ask: Ask) => jsonOf<Listed[]>(await ask('sessions'));
/** Ends sessions: how many, or the text of the refusal. */
const end = async (ask: Ask, body: object) => {
  const answer = jsonOf<{ ended?: number; error?: string }>(await ask('sessions/end', body));
  return answer.ended ?? answer.error;
};
const namesOf = async (ask: Ask) => (await list(ask)).map(({ name }) => name).sort();

/** A provider that no test asks. */
const SILENT = { name: 'id.test', claim: 'groups', retryMs: 2000 } as IdentityProvider;

/** Somebody as a provider knows them, whom it need not be asked about yet. */
function identityOf(subject: string, now: number): NonNullable<AdminCredential['identity']> {
  return {
    ...{ issuer: 'https://id.test', subject, providerSession: null, refreshToken: null, idToken: null },
    ...{ refreshAt: now + 200_000, holdsUntil: now + 300_000, version: 1 },
  };
}

/** Makes sessions of many reaches, named by them. */
async function fill(api: PlainApi, mine: string, other: string) {
  const made = {
    owner: ['admin', null],
    'viewer of all': ['viewer', null],
    'admin of mine': ['admin', [mine]],
    'viewer of mine': ['viewer', [mine]],
    'viewer of both': ['viewer', [mine, other]],
    'viewer of other': ['viewer', [other]],
  } as const;
  const by = { who: 'test', from: 'test' };
  for (const [name, [role, tenantIds]] of Object.entries(made))
    await api.credentials.createSession({ name, role, tenantIds }, by);
  await api.credentials.createSession(
    { name: 'admin who looks', role: 'admin', tenantIds: [mine], viewedIds: [other] },
    by,
  );
  await api.credentials.createLink({ name: 'link of mine', role: 'viewer', tenantIds: [mine] }, by);
  await api.credentials.createKey({ name: 'a key', role: 'viewer', tenantIds: [mine] }, null, by);
}

const ALL = [
  ...['admin of mine', 'admin who looks', 'link of mine', 'owner'],
  ...['viewer of all', 'viewer of both', 'viewer of mine', 'viewer of other'],
];

describe('the list of sessions', () => {
  it('holds what the caller may end, and never a key, a secret or a hash', async () => {
    const { api, mine, other } = await createWorld();
    await fill(api, mine, other);
    const owner = await withKey(api, 'admin');
    expect(await namesOf(owner.ask)).toEqual(ALL);
    const text = (await owner.ask('sessions')).body;
    expect(text).not.toMatch(/eq[asl]_|[0-9a-f]{64}/);
    const ofMine = await withKey(api, 'admin', [mine]);
    expect(await namesOf(ofMine.ask)).toEqual(['admin of mine', 'link of mine', 'viewer of mine']);
    const ofOther = await withKey(api, 'admin', [other]);
    expect(await namesOf(ofOther.ask)).toEqual(['viewer of other']);
    for (const ids of [null, [mine]])
      expect(await namesOf((await withKey(api, 'viewer', ids)).ask)).toEqual([]);
    const looks = await withSession(api, { role: 'admin', tenantIds: [mine], viewedIds: [other] });
    expect(await namesOf(looks.ask)).toEqual(['ada', 'admin of mine', 'link of mine', 'viewer of mine']);
  });

  it('holds of a viewer the own sessions: by the subject of the provider, and never by a name', async () => {
    const { api } = await createWorld();
    // Two sessions from links with one name may be of two people.
    const one = await signIn(api, 'viewer');
    const two = await signIn(api, 'viewer');
    for (const { ask } of [one, two]) {
      expect(await list(ask)).toMatchObject([{ name: 'a viewer', isOwn: true, isCurrent: true }]);
    }
    const [{ id } = { id: '' }] = await list(one.ask);
    expect((await two.ask('sessions/end', { id })).status).toBe(400);
    expect((await two.ask('sessions/end', { name: 'a viewer' })).status).toBe(200);
    expect((await two.ask('session')).status).toBe(401);
    expect((await one.ask('session')).status).toBe(200);
  });

  it('shows pending links and expired ones no longer, and tenants that were deleted as none', async () => {
    const { api, mine } = await createWorld();
    const { ask } = await withKey(api, 'admin');
    await api.credentials.createLink(
      { name: 'ada', role: 'viewer', tenantIds: [mine] },
      { who: 'test', from: 'test' },
    );
    expect(await list(ask)).toMatchObject([{ name: 'ada', isPending: true, tenants: ['mine'] }]);
    await api.admin.deleteTenant('mine');
    expect(await list(ask)).toMatchObject([{ name: 'ada', tenants: [] }]);
    api.clock.advance(600_000);
    expect(await list(ask)).toEqual([]);
  });
});

describe('ending sessions', () => {
  it('is possible where the list shows them, and anything else is as if it did not exist', async () => {
    const { api, mine, other } = await createWorld();
    await fill(api, mine, other);
    const owner = await withKey(api, 'admin');
    const all = await list(owner.ask);
    const ofMine = await withKey(api, 'admin', [mine]);
    const reached = new Set((await list(ofMine.ask)).map(({ id }) => id));
    for (const { id, name } of all) {
      const told = await end(ofMine.ask, { id });
      expect([name, told]).toEqual([name, reached.has(id) ? 1 : 'id: there is no such session']);
    }
    const left = ALL.filter((name) => !['admin of mine', 'link of mine', 'viewer of mine'].includes(name));
    expect(await namesOf(owner.ask)).toEqual(left);
    const nobody = { id: '2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11' };
    expect(await end(ofMine.ask, nobody)).toBe('id: there is no such session');
  });

  it('by a name ends all of them that are within reach, open links too', async () => {
    const { api, mine, other } = await createWorld();
    const by = { who: 'test', from: 'test' };
    for (const tenantIds of [[mine], [mine], [other], null])
      await api.credentials.createSession({ name: 'eve', role: 'viewer', tenantIds }, by);
    const link = await api.credentials.createLink({ name: 'eve', role: 'viewer', tenantIds: [mine] }, by);
    const ofMine = await withKey(api, 'admin', [mine]);
    expect(await end(ofMine.ask, { name: 'eve' })).toBe(3);
    expect((await asking(api, {})('sign-in', { code: link.secret })).status).toBe(401);
    const owner = await withKey(api, 'admin');
    expect((await list(owner.ask)).length).toBe(2);
    expect(await end(owner.ask, { name: 'eve' })).toBe(2);
  });

  it('holds from the next request on, deletes the own cookie, and is audited', async () => {
    const { api } = await createWorld();
    const owner = await withKey(api, 'admin');
    const { ask } = await signIn(api, 'viewer');
    const [{ id } = { id: '' }] = await list(ask);
    const answer = await ask('sessions/end', { id });
    expect(answer.headers['Set-Cookie']).toMatch(/^__Host-event-query-8787=; .*Max-Age=0$/);
    expect((await ask('session')).status).toBe(401);
    const other = await signIn(api, 'viewer');
    const [{ id: otherId } = { id: '' }] = await list(other.ask);
    expect((await owner.ask('sessions/end', { id: otherId })).headers['Set-Cookie']).toBeUndefined();
    expect((await other.ask('session')).status).toBe(401);
    const { entries } = jsonOf<{ entries: { action: string; who: string; details: object }[] }>(
      await owner.ask('audit'),
    );
    expect(entries[0]).toMatchObject({
      ...{ action: 'credential.end', who: 'robot' },
      details: { id: otherId, kind: 'session', name: 'a viewer' },
    });
  });

  it.each([[{}], [{ id: 'a', name: 'b' }], [{ id: 5 }], [{ name: null }], [{ id: 'a', wrong: 1 }]])(
    'refuses %j',
    async (body) => {
      const { api } = await createWorld();
      expect((await (await withKey(api, 'admin')).ask('sessions/end', body)).status).toBe(400);
    },
  );
});

describe('an invitation', () => {
  const VIEWER = { name: 'ada', role: 'viewer', tenants: ['mine'] };

  it('signs somebody in as what it says', async () => {
    const { api } = await createWorld();
    const { ask } = await signIn(api);
    const invited = jsonOf<{ id: string; url: string; expiresAt: number }>(
      await ask('sessions/invite', { ...VIEWER, tenants: ['mine', 'mine'] }),
    );
    expect(invited.expiresAt).toBe(api.clock.now() + 600_000);
    const [, code = ''] = /^http:\/\/127\.0\.0\.1:8787\/sign-in#(eql_[0-9a-f]{64})$/.exec(invited.url) ?? [];
    const pending = (await list(ask)).find(({ isPending }) => isPending);
    expect(pending).toMatchObject({ id: invited.id, name: 'ada', invitedBy: 'a admin', tenants: ['mine'] });
    const answer = await asking(api, {})('sign-in', { code });
    expect(jsonOf(answer)).toMatchObject({ name: 'ada', role: 'viewer', tenants: ['mine'], administers: [] });
    expect(await list(ask)).toMatchObject([{ name: 'ada', isPending: false }, { name: 'a admin' }]);
    const { entries } = jsonOf<{ entries: { action: string; details: { kind: string } }[] }>(
      await ask('audit'),
    );
    const made = entries.filter(({ action }) => action === 'credential.create');
    expect(made.map(({ details }) => details.kind)).toEqual(['session', 'link', 'session', 'link']);
    expect(made[1]!.details).toMatchObject({ name: 'ada', role: 'viewer' });
    expect(JSON.stringify(entries)).not.toMatch(/eq[ls]_/);
  });

  it('gives nobody more than who makes it has', async () => {
    const { api, mine, other } = await createWorld();
    const callers = {
      owner: await withKey(api, 'admin'),
      'admin of mine': await withKey(api, 'admin', [mine]),
      'who looks at other': await withSession(api, { role: 'admin', tenantIds: [mine], viewedIds: [other] }),
      'who looks at all': await withSession(api, { role: 'admin', tenantIds: [mine], viewedIds: null }),
      'viewer of all': await withKey(api, 'viewer'),
      'viewer of mine': await withKey(api, 'viewer', [mine]),
    };
    const statuses: Record<string, Record<string, number>> = {};
    for (const [who, { ask }] of Object.entries(callers)) {
      const told: Record<string, number> = {};
      for (const role of ['viewer', 'admin']) {
        for (const tenants of [['mine'], ['other'], ['mine', 'other'], ['nobody'], null]) {
          const { status } = await ask('sessions/invite', { name: 'x', role, tenants });
          const place = tenants === null ? 'all' : tenants.join('+');
          // The role of the invited changes nothing about which tenants may be named.
          if (role === 'admin') expect([who, place, told[place]]).toEqual([who, place, status]);
          told[place] = status;
        }
      }
      statuses[who] = told;
    }
    expect(statuses).toEqual({
      owner: { mine: 200, other: 200, 'mine+other': 200, nobody: 404, all: 200 },
      'admin of mine': { mine: 200, other: 404, 'mine+other': 404, nobody: 404, all: 403 },
      'who looks at other': { mine: 200, other: 403, 'mine+other': 403, nobody: 404, all: 403 },
      'who looks at all': { mine: 200, other: 403, 'mine+other': 403, nobody: 404, all: 403 },
      'viewer of all': { mine: 403, other: 403, 'mine+other': 403, nobody: 403, all: 403 },
      'viewer of mine': { mine: 403, other: 403, 'mine+other': 403, nobody: 403, all: 403 },
    });
  });

  it('lasts no longer than what who makes it has, over any number of steps', async () => {
    const { api, mine } = await createWorld();
    const by = { who: 'test', from: 'test' };
    const first = await api.credentials.createSession(
      { name: 'first', role: 'admin', tenantIds: [mine] },
      by,
    );
    const end = first.credential.expiresAt;
    let ask = asking(api, { cookie: `__Host-event-query-8787=${first.secret}` });
    for (let step = 0; step < 3; step++) {
      api.clock.advance(3 * HOUR);
      const { url } = jsonOf<{ url: string }>(
        await ask('sessions/invite', { ...VIEWER, role: 'admin', name: `step ${step}` }),
      );
      const answer = await asking(api, {})('sign-in', { code: url.split('#')[1] });
      expect(jsonOf<{ expiresAt: number }>(answer).expiresAt).toBe(end);
      ask = asking(api, { cookie: answer.headers['Set-Cookie']!.split(';')[0]! });
    }
    // A link ends with its maker too.
    api.clock.advance(3 * HOUR - 1000);
    const late = jsonOf<{ expiresAt: number }>(await ask('sessions/invite', VIEWER));
    expect(late.expiresAt).toBe(end);
    api.clock.advance(1000);
    expect((await ask('session')).status).toBe(401);
    // A key that does not expire sets no such end.
    const { ask: byKey } = await withKey(api, 'admin');
    const { url } = jsonOf<{ url: string }>(await byKey('sessions/invite', VIEWER));
    const answer = await asking(api, {})('sign-in', { code: url.split('#')[1] });
    expect(jsonOf<{ expiresAt: number }>(answer).expiresAt).toBe(api.clock.now() + 12 * HOUR);
  });

  it.each([
    [{ ...VIEWER, name: '' }],
    [{ ...VIEWER, name: 'a\nb' }],
    [{ ...VIEWER, name: 'a\u202eb' }],
    [{ ...VIEWER, name: 'x'.repeat(257) }],
    [{ ...VIEWER, name: 5 }],
    [{ ...VIEWER, role: 'owner' }],
    [{ ...VIEWER, tenants: [] }],
    [{ ...VIEWER, tenants: 'mine' }],
    [{ ...VIEWER, tenants: Array.from({ length: 101 }, () => 'mine') }],
    [{ ...VIEWER, wrong: 1 }],
  ])('refuses %j', async (body) => {
    const { api } = await createWorld();
    expect((await (await withKey(api, 'admin')).ask('sessions/invite', body)).status).toBe(400);
  });

  it('counts as a change, as does ending a session', async () => {
    const { api } = await createWorld();
    const { ask } = await withKey(api, 'admin');
    for (let i = 0; i < 59; i++) expect((await ask('sessions/invite', VIEWER)).status).toBe(200);
    expect(await end(ask, { name: 'ada' })).toBe(59);
    expect((await ask('sessions/end', { name: 'ada' })).status).toBe(429);
    expect((await ask('sessions/invite', VIEWER)).status).toBe(429);
  });
});

it('the sessions of one subject belong to one person, whatever names they have', async () => {
  const { api } = await createWorld({ signIn: { provider: SILENT, roles: [] } });
  const now = api.clock.now();
  const rights = { role: 'viewer' as const, tenantIds: null, viewedIds: [] };
  const one = await withSession(api, { ...rights, identity: identityOf('1', now) });
  const two = await withSession(api, { ...rights, identity: identityOf('1', now) });
  await withSession(api, { ...rights, identity: identityOf('2', now) });
  expect((await list(one.ask)).map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
  expect(await end(one.ask, { name: 'ada' })).toBe(2);
  expect((await two.ask('session')).status).toBe(401);
  const owner = await withKey(api, 'admin');
  expect((await list(owner.ask)).length).toBe(1);
});
