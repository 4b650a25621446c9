import { expect, it } from 'vitest';
import { createPlainApi } from '../../../support/plain-api.ts';
import { signIn, withKey } from './visitors.ts';

async function setUp() {
  const api = createPlainApi();
  for (const alias of ['shop', 'other']) await api.createTenant(alias);
  const { id } = await api.admin.getTenant('shop');
  return { api, id };
}

it('the remote config of a tenant is set and removed by its administrators, and audited', async () => {
  const { api, id } = await setUp();
  const { ask } = await withKey(api, 'admin', [id]);
  const entries = async (path: string, body?: unknown) => JSON.parse((await ask(path, body)).body) as unknown;
  expect(await entries('config/shop')).toEqual([]);
  expect(await entries('config/set/shop', { key: 'b', value: '2' })).toEqual([{ key: 'b', value: '2' }]);
  await ask('config/set/shop', { key: 'a', value: '1' });
  expect(await entries('config/shop')).toEqual([
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ]);
  expect(await entries('config/unset/shop', { key: 'a' })).toEqual([{ key: 'b', value: '2' }]);
  const { entries: noted } = JSON.parse((await ask('audit')).body) as { entries: object[] };
  expect(noted.slice(0, 3)).toMatchObject([
    { action: 'config.unset', who: 'robot', alias: 'shop', details: { key: 'a' } },
    { action: 'config.set', who: 'robot', alias: 'shop', details: { key: 'a', value: '1' } },
    { action: 'config.set', who: 'robot', alias: 'shop', details: { key: 'b', value: '2' } },
  ]);
  // To an administrator of one tenant, the others are not there.
  for (const [path, body] of [['config/other'], ['config/set/other', { key: 'a', value: '1' }]] as const)
    expect((await ask(path, body)).status).toBe(404);
  expect(await api.admin.listConfig('other')).toEqual([]);
});

it('a viewer reads the remote config and changes nothing', async () => {
  const { api, id } = await setUp();
  await api.admin.setConfig('shop', 'a', '1');
  const { ask } = await withKey(api, 'viewer', [id]);
  expect(JSON.parse((await ask('config/shop')).body)).toEqual([{ key: 'a', value: '1' }]);
  expect((await ask('config/set/shop', { key: 'a', value: '2' })).status).toBe(403);
  expect((await ask('config/unset/shop', { key: 'a' })).status).toBe(403);
  expect(await api.admin.listConfig('shop')).toEqual([{ key: 'a', value: '1' }]);
});

it.each([
  ['config/set/shop', {}, /^key: takes 1 to 128 of/],
  ['config/set/shop', { key: 'a' }, /^value: takes a text of 1 to 4096 characters, got nothing/],
  ['config/set/shop', { key: 'a', value: 5 }, /^value: takes a text/],
  ['config/set/shop', { key: 'a', value: '' }, /^value: takes a text/],
  [
    'config/set/shop',
    { key: 'a', value: 'v', more: 1 },
    /^body: unknown field "more"; use one of key, value/,
  ],
  ['config/set/shop', [], /^body: takes an object, got an empty array/],
  ['config/unset/shop', { key: 'a' }, /^key: the remote config of "shop" has no "a"/],
  ['config/unset/shop', { key: null }, /^key: takes a key of the remote config, got null/],
])('%s with %j is a 400', async (path, body, reason) => {
  const { api } = await setUp();
  const { ask } = await signIn(api);
  const answer = await ask(path, body);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    400,
    { error: expect.stringMatching(reason) as string },
  ]);
});
