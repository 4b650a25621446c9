import { describe, expect, it } from 'vitest';
import * as client from 'openid-client';
import { oidcProvider } from '../../../../adapters/oidc/index.ts';
import type { Identity } from '../../../../src/store-kit.ts';
import { createPlainApi, toRequest } from '../../../support/plain-api.ts';
import { asking, createWaitingApi, PAGE_HEADERS, signIn, withKey } from './visitors.ts';

it('who has left holds no place among those who are answered at once', async () => {
  const { api, asked, areAsked } = await createWaitingApi();
  const { ask, cookie } = await signIn(api);
  const signals = Array.from({ length: 16 }, () => ({ aborted: false }));
  const open = (signal: { aborted: boolean }) =>
    api.adminHandler(
      toRequest({
        target: '/v1/admin/query/count/shop',
        headers: { ...PAGE_HEADERS, cookie, 'content-type': 'application/json' },
        ...{ body: '{}', signal },
      }),
    );
  const left = signals.map(open);
  await areAsked(16);
  for (const signal of signals) signal.aborted = true;
  const last = ask('query/count/shop', {});
  await areAsked(17);
  for (const answer of asked) answer();
  expect((await last).status).toBe(200);
  await Promise.all(left);
});

it('who was refused holds no place among them either', async () => {
  const api = createPlainApi();
  await api.createTenant('shop');
  const { ask } = await signIn(api);
  const statuses = [];
  for (let i = 0; i < 16; i++) statuses.push((await ask('query/count/shop', { wrong: 1 })).status);
  expect(statuses).toEqual(Array<number>(16).fill(400));
  expect((await ask('query/count/shop', {})).status).toBe(200);
});

describe('the Admin API', () => {
  it('tells of no further page of the audit where there is none', async () => {
    const api = createPlainApi();
    const { ask } = await signIn(api);
    const { length } = (JSON.parse((await ask('audit')).body) as { entries: unknown[] }).entries;
    for (let i = length; i < 100; i++) await api.admin.createTenant({ alias: `t${i}`, plan: 'free' });
    const { entries, before } = JSON.parse((await ask('audit')).body) as {
      entries: { id: string }[];
      before?: string;
    };
    expect([entries.length, before]).toEqual([100, undefined]);
    await api.admin.createTenant({ alias: 'one-more', plan: 'free' });
    expect(JSON.parse((await ask('audit')).body)).toMatchObject({ before: entries[98]!.id });
  });

  it('notes who did it by credential and person, whatever they call themselves', async () => {
    const provider = oidcProvider({ client, issuer: 'https://id.test', clientId: 'c', clientSecret: 's' });
    const api = createPlainApi({ signIn: { provider, roles: [] } });
    await api.createTenant('shop');
    await api.createTenant('other');
    const { id } = await api.admin.getTenant('shop');
    const now = api.clock.now();
    const identity: Identity = {
      ...{ issuer: 'https://id.test', subject: 'bob', providerSession: null, refreshToken: null, version: 1 },
      ...{ idToken: null, refreshAt: now + 1_000, holdsUntil: now + 60_000 },
    };
    const holder = { name: 'root', role: 'admin' as const, tenantIds: [id], identity };
    const { credential, secret } = await api.credentials.createSession(holder, {
      who: 'root',
      from: 'test',
    });
    const ask = asking(api, { cookie: `__Host-event-query-8787=${secret}` });
    expect((await ask('keys/create/shop', { name: 'k', permissions: ['query'] })).status).toBe(200);
    const { entries } = JSON.parse((await ask('audit')).body) as { entries: object[] };
    expect(entries[0]).toMatchObject({
      ...{ who: 'root', credentialId: credential.id, person: { issuer: 'https://id.test', subject: 'bob' } },
      action: 'key.create',
    });
    expect(entries[1]).toMatchObject({ who: 'program', credentialId: null, person: null });
    // What happens elsewhere changes nothing of what this tenant's people see.
    const before = JSON.stringify(entries);
    for (let i = 0; i < 5; i++) await api.admin.createKey('other', { name: 'k', permissions: ['query'] });
    expect(JSON.stringify((JSON.parse((await ask('audit')).body) as { entries: object[] }).entries)).toBe(
      before,
    );
    expect(entries.some((entry) => 'number' in entry)).toBe(false);
    expect((await ask('audit?before=00000000-0000-0000-0000-000000000000')).status).toBe(400);
    expect((await ask('audit?before=7;')).status).toBe(400);
  });

  it('changes the restrictions of a public write key, and notes what changed', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const restrictions = { origins: ['https://shop.example'], eventNames: ['a'] };
    const web = { name: 'web', permissions: ['write'], restrictions };
    const { id } = (await api.admin.createKey('shop', web)).key;
    const { ask } = await signIn(api);
    const changes = { origins: ['*'], eventNames: null };
    const { status, body } = await ask('keys/set/shop', { id, restrictions: changes });
    expect([status, JSON.parse(body)]).toMatchObject([
      200,
      { id, restrictions: { ...changes, eventsPerMinute: 6_000, eventsPerDay: 1_000_000 } },
    ]);
    // Nothing that changes leaves no note.
    expect((await ask('keys/set/shop', { id, restrictions: {} })).status).toBe(200);
    const { entries } = JSON.parse((await ask('audit')).body) as { entries: object[] };
    expect(entries[0]).toMatchObject({
      ...{ who: 'a admin', action: 'key.set', alias: 'shop' },
      details: { id, name: 'web', restrictions: changes },
    });
    expect(entries[1]).not.toMatchObject({ action: 'key.set' });
    for (const wrong of [undefined, null, [], { origin: '*' }, { eventsPerDay: null }, { origins: [] }])
      expect((await ask('keys/set/shop', { id, restrictions: wrong })).status).toBe(400);
    expect((await (await signIn(api, 'viewer')).ask('keys/set/shop', { id, restrictions: {} })).status).toBe(
      403,
    );
    await api.admin.revokeKey('shop', id);
    expect((await ask('keys/set/shop', { id, restrictions: changes })).status).toBe(400);
  });

  it('signs out no key for programs', async () => {
    const api = createPlainApi();
    const { ask } = await withKey(api, 'admin');
    const refused = await ask('sign-out', {});
    expect([refused.status, refused.body]).toEqual([400, expect.stringMatching(/came with a key/)]);
    expect((await ask('session')).status).toBe(200);
  });

  it('takes no parameters beside a question', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { ask } = await signIn(api);
    expect((await ask('query/count/shop?event=a', {})).status).toBe(400);
    expect((await ask('query/events/shop?x=1')).status).toBe(400);
    expect((await ask('query/properties/shop?event=a')).status).toBe(200);
  });

  it('tells of a session only those of its tenants that there still are', async () => {
    const api = createPlainApi();
    await api.createTenant('gone');
    await api.createTenant('stays');
    const ids = [(await api.admin.getTenant('gone')).id, (await api.admin.getTenant('stays')).id];
    const { ask } = await signIn(api, 'viewer', ids);
    await api.admin.deleteTenant('gone');
    const { status, body } = await ask('session');
    expect([status, JSON.parse(body)]).toMatchObject([200, { tenants: ['stays'] }]);
  });
});
