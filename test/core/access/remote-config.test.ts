import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { withConfigChange, type ConfigEntry } from '../../../src/core/access/remote-config.ts';
import { createAdmin, type ApiError } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

async function setUp() {
  const resources = testResources();
  const stores = memoryStores({ resources });
  const admin = createAdmin({ stores, runtime: resources.runtime });
  await admin.createTenant({ alias: 'shop', plan: 'free' });
  const notes = async () => {
    const found = await recordsIn(stores.control).admins.audit({
      before: undefined,
      size: 100,
      tenantIds: null,
    });
    return found!.map(({ action, details }) => [action, details]).slice(0, -1);
  };
  return { admin, notes };
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => `${(error as ApiError).status} ${(error as ApiError).message}`,
  );

describe('the remote config of a tenant', () => {
  it('is set, changed and removed by key, and each change is audited once', async () => {
    const { admin, notes } = await setUp();
    await admin.setConfig('shop', 'b', 'two');
    expect(await admin.setConfig('shop', 'a', 'one')).toEqual([
      { key: 'a', value: 'one' },
      { key: 'b', value: 'two' },
    ]);
    // It is so already, so nothing changes.
    await admin.setConfig('shop', 'a', 'one');
    expect(await admin.unsetConfig('shop', 'b')).toEqual([{ key: 'a', value: 'one' }]);
    expect(await admin.listConfig('shop')).toEqual([{ key: 'a', value: 'one' }]);
    expect(await notes()).toEqual([
      ['config.unset', { key: 'b' }],
      ['config.set', { key: 'a', value: 'one' }],
      ['config.set', { key: 'b', value: 'two' }],
    ]);
  });

  it.each(['', '_a', '.a', 'a b', 'é', '__proto__', 'x'.repeat(129), 7, null])(
    'takes no key %j',
    async (key) => {
      const { admin } = await setUp();
      expect(await refusal(admin.setConfig('shop', key as string, 'v'))).toMatch(
        /^400 key: takes 1 to 128 of A-Z, a-z, 0-9, \., _ and -, beginning with a letter or digit, got /,
      );
    },
  );

  it.each(['constructor', 'x'.repeat(128), '0', 'a.b-c_D'])('takes the key %j', async (key) => {
    const { admin } = await setUp();
    expect(await admin.setConfig('shop', key, 'v')).toEqual([{ key, value: 'v' }]);
  });

  it.each([
    ['', 'value: takes a text of 1 to 4096 characters, got the string ""'],
    ['x'.repeat(4097), 'value: takes a text of 1 to 4096 characters, got 4097 characters'],
    [true, 'value: takes a text of 1 to 4096 characters, got true'],
    ['a\u0000', 'value: must be well-formed Unicode without U+0000'],
    ['\ud800', 'value: must be well-formed Unicode without U+0000'],
  ])('takes no such value', async (value, reason) => {
    const { admin, notes } = await setUp();
    expect(await refusal(admin.setConfig('shop', 'k', value as string))).toBe(`400 ${reason}`);
    expect(await notes()).toEqual([]);
  });

  it('says what is full, and what is missing', async () => {
    const { admin, notes } = await setUp();
    for (let i = 0; i < 200; i++) await admin.setConfig('shop', `k${i}`, 'v');
    expect(await refusal(admin.setConfig('shop', 'one-more', 'v'))).toBe(
      '400 remote config: holds at most 200 keys, and 65536 bytes of keys and values; ' +
        'there is no room for "one-more". Remove others first',
    );
    expect(await notes()).not.toContainEqual(['config.set', { key: 'one-more', value: 'v' }]);
    expect(await refusal(admin.unsetConfig('shop', 'nothing'))).toBe(
      '400 key: the remote config of "shop" has no "nothing"',
    );
    for (const change of [
      admin.listConfig('nobody'),
      admin.setConfig('nobody', 'k', 'v'),
      admin.unsetConfig('nobody', 'k'),
    ])
      expect(await refusal(change)).toMatch(/^404 /);
  });

  it('goes with the tenant', async () => {
    const { admin } = await setUp();
    await admin.setConfig('shop', 'k', 'v');
    await admin.deleteTenant('shop');
    await admin.createTenant({ alias: 'shop', plan: 'free' });
    expect(await admin.listConfig('shop')).toEqual([]);
  });
});

it('a remote config that is over its bounds can become smaller', () => {
  const entries: ConfigEntry[] = Array.from({ length: 201 }, (_, i) => ({ key: `k${i}`, value: 'long' }));
  expect(withConfigChange(entries, { key: 'k0', value: 'no' })).toHaveLength(201);
  expect(withConfigChange(entries, { key: 'k0', value: null })).toHaveLength(200);
  expect(withConfigChange(entries, { key: 'k0', value: 'longer' })).toBe('full');
});
