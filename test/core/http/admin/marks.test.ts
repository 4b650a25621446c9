import { expect, it } from 'vitest';
import { createPlainApi } from '../../../support/plain-api.ts';
import { signIn, withKey, withSession, type Ask } from './visitors.ts';

interface Mark {
  readonly id: string;
  readonly time: string;
  readonly name: string;
}

async function setUp() {
  const api = createPlainApi();
  for (const alias of ['shop', 'other']) await api.createTenant(alias);
  const idOf = async (alias: string) => (await api.admin.getTenant(alias)).id;
  return { api, shop: await idOf('shop'), other: await idOf('other') };
}

const RELEASE = { name: 'v1.2', time: '2026-05-18T11:00:00+02:00', url: 'https://shop.example/releases/1.2' };
const read = async <T>(answer: ReturnType<Ask>) => JSON.parse((await answer).body) as T;
const namesIn = async (ask: Ask, query = '') =>
  (await read<readonly Mark[]>(ask(`marks/shop${query}`))).map(({ name }) => name);

it('an admin key of the tenant sets marks and removes them, and both are audited', async () => {
  const { api, shop } = await setUp();
  const { ask } = await withKey(api, 'admin', [shop]);
  const said = { ...RELEASE, time: '2026-05-18T09:00:00.000Z' };
  const mark = await read<Mark>(ask('marks/create/shop', RELEASE));
  expect(mark).toEqual({ id: mark.id, tenantId: shop, ...said });
  const next = await read<Mark>(ask('marks/create/shop', { name: 'v1.3' }));
  const now = new Date(api.clock.now()).toISOString();
  expect(next).toEqual({ id: next.id, tenantId: shop, name: 'v1.3', time: now, url: null });
  const byTime = [mark, next].sort((a, b) => (a.time < b.time ? -1 : 1));
  expect(await read(ask('marks/shop'))).toEqual(byTime);
  expect(await read(ask('marks/delete/shop', { id: next.id }))).toEqual({});
  expect(await read(ask('marks/shop'))).toEqual([mark]);
  const { entries } = await read<{ entries: object[] }>(ask('audit'));
  const { id, name, time } = next;
  expect(entries.slice(0, 3)).toMatchObject([
    { action: 'mark.delete', who: 'robot', alias: 'shop', details: { id, name, time, url: null } },
    { action: 'mark.create', who: 'robot', alias: 'shop', details: { id, name, time, url: null } },
    { action: 'mark.create', who: 'robot', alias: 'shop', details: { id: mark.id, ...said } },
  ]);
});

it('who may read the tenant reads its marks, and only who administers it changes them', async () => {
  const { api, shop, other } = await setUp();
  const { id } = await api.admin.createMark('shop', RELEASE);
  const viewer = await withKey(api, 'viewer', [shop]);
  const looks = await withSession(api, { role: 'admin', tenantIds: [other], viewedIds: [shop] });
  for (const { ask } of [viewer, looks]) {
    expect(await namesIn(ask)).toEqual(['v1.2']);
    expect((await ask('marks/create/shop', RELEASE)).status).toBe(403);
    expect((await ask('marks/delete/shop', { id })).status).toBe(403);
  }
  const stranger = await withKey(api, 'admin', [other]);
  expect((await stranger.ask('marks/shop')).status).toBe(404);
  expect((await stranger.ask('marks/create/shop', RELEASE)).status).toBe(404);
  // Nor is it a mark of another tenant.
  expect((await stranger.ask('marks/delete/other', { id })).status).toBe(400);
  expect(await api.admin.listMarks('shop')).toHaveLength(1);
});

it('a range selects marks, and they go with their tenant', async () => {
  const { api } = await setUp();
  const { ask } = await signIn(api);
  for (const day of ['18', '16', '17'])
    await api.admin.createMark('shop', { name: day, time: `2026-05-${day}T00:00:00Z` });
  expect(await namesIn(ask)).toEqual(['16', '17', '18']);
  expect(await namesIn(ask, '?from=2026-05-17T00:00:00Z')).toEqual(['17', '18']);
  expect(await namesIn(ask, '?from=2026-05-17T00:00:00Z&until=2026-05-18T00:00:00Z')).toEqual(['17']);
  await api.admin.deleteTenant('shop');
  await api.createTenant('shop');
  expect(await namesIn(ask)).toEqual([]);
});

it('the mark beyond a thousand is refused, with what to do', async () => {
  const { api } = await setUp();
  const { ask } = await signIn(api);
  for (let i = 2; i < 1_000; i++) await api.admin.createMark('shop', { name: `${i}` });
  const five = await Promise.all([1, 2, 3, 4, 5].map(() => ask('marks/create/shop', RELEASE)));
  expect(five.filter((answer) => answer.status === 200)).toHaveLength(2);
  expect(await api.admin.listMarks('shop')).toHaveLength(1_000);
  const { status, body } = await ask('marks/create/shop', RELEASE);
  const error = 'marks: a tenant has at most 1000; delete the oldest ones first';
  expect([status, JSON.parse(body)]).toEqual([400, { error }]);
  expect((await ask('marks/create/other', RELEASE)).status).toBe(200);
  const [oldest] = await api.admin.listMarks('shop');
  expect((await ask('marks/delete/shop', { id: oldest!.id })).status).toBe(200);
  expect((await ask('marks/create/shop', RELEASE)).status).toBe(200);
});

it.each([
  ['marks/create/shop', {}, /^name: takes 1 to 100 characters/],
  ['marks/create/shop', { name: 'a', url: 'javascript:alert(1)' }, /^url: takes an http or https URL/],
  ['marks/create/shop', { name: 'a', time: 'now' }, /^time: takes a date-time with an offset/],
  ['marks/create/shop', { name: 'a', at: 5 }, /^body: unknown field "at"; use one of name, time, url/],
  ['marks/delete/shop', {}, /^id: takes the id of a mark, got nothing/],
  ['marks/delete/shop', { id: 'x' }, /^id: the tenant "shop" has no mark "x"/],
  ['marks/shop?from=yesterday', undefined, /^from: takes a date-time with an offset/],
  ['marks/shop?since=5', undefined, /^query string: takes from, until, each once/],
])('%s with %j is a 400', async (path, body, reason) => {
  const { api } = await setUp();
  const { ask } = await signIn(api);
  const answer = await ask(path, body);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    400,
    { error: expect.stringMatching(reason) as string },
  ]);
});
