import { beforeEach, describe, expect, it } from 'vitest';
import { checkTakes, copyTenant } from '../../../../adapters/cli/copy/tenant.ts';
import type { Workplace } from '../../../../adapters/cli/stores/open-stores.ts';
import { memoryStores } from '../../../../adapters/memory/index.ts';
import { createAdmin, createEngine, unavailable, type Tenant } from '../../../../src/index.ts';
import { createOperations, toAuditEntry } from '../../../../src/internal.ts';
import { testResources } from '../../../support/resources.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

const DAY = 86_400_000;
let now: number;
let [source, target]: [Workplace, Workplace] = [workplace(), workplace()];
let shop: Tenant;

function workplace(): Workplace {
  const resources = testResources({ runtime: { now: () => now } });
  const { runtime } = resources;
  const stores = memoryStores({ resources });
  const by = { who: 'somebody', from: 'here' };
  const parts = { events: stores.events, resources };
  const [engine, operations] = [createEngine(parts), createOperations(parts)];
  return { stores, runtime, by, engine, operations, admin: createAdmin({ stores, runtime, by }) };
}

beforeEach(async () => {
  now = 1_700_000_000_000;
  [source, target] = [workplace(), workplace()];
  shop = await source.admin.createTenant({ alias: 'shop', plan: 'growth' });
});

const copy = () => copyTenant(shop, source, target);
const keysOf = ({ stores }: Workplace) => recordsIn(stores.control).keys.list(shop.id);
const notesOf = async ({ stores }: Workplace) =>
  (await recordsIn(stores.control).admins.audit({ before: undefined, size: 100, tenantIds: null }))!.map(
    ({ action }) => action,
  );

describe('a copied tenant', () => {
  it('has the restrictions of its public write keys, also when they changed', async () => {
    const options = { name: 'web', permissions: ['write'], restrictions: { origins: ['*'] } };
    const { key } = await source.admin.createKey('shop', options);
    await copy();
    await source.admin.updateKey('shop', key.id, { restrictions: { origins: ['https://a.example'] } });
    await copy();
    await copy();
    expect(await keysOf(target)).toEqual(await keysOf(source));
    expect(await notesOf(target)).toEqual(['key.set', 'key.create', 'tenant.create']);
  });

  it('has all its settings, and each change is audited', async () => {
    await copy();
    await copy();
    shop = await source.admin.updateTenant('shop', { retentionDays: 30, name: 'Shop' });
    await copy();
    expect(await recordsIn(target.stores.control).tenants.findByAlias('shop')).toEqual(shop);
    expect(await notesOf(target)).toEqual(['tenant.set', 'tenant.create']);
  });

  it('is not audited again when its settings are equal', async () => {
    const limits = { perMinute: 6, perDay: 60 };
    shop = await source.admin.updateTenant('shop', { plan: 'custom', limits });
    await copy();
    // A copy of the object, as a store that reads a file returns it.
    shop = structuredClone(shop);
    await copy();
    expect(await notesOf(target)).toEqual(['tenant.create']);
  });

  it('has its remote config, and nothing else of one that it had there', async () => {
    await source.admin.setConfig('shop', 'a', 'x'.repeat(4096));
    await source.admin.setConfig('shop', 'b', 'old');
    await copy();
    await target.admin.setConfig('shop', 'gone', 'v');
    await source.admin.setConfig('shop', 'b', 'new');
    await copy();
    await copy();
    expect(await target.admin.listConfig('shop')).toEqual(await source.admin.listConfig('shop'));
    expect(await notesOf(target)).toEqual([
      ...['config.set', 'config.unset', 'config.set'],
      ...['config.set', 'config.set', 'tenant.create'],
    ]);
  });

  it('takes over a remote config that fills all the room, where another filled it', async () => {
    const fill = async ({ admin }: Workplace, key: string, value: string) => {
      for (let i = 0; i < 15; i++) await admin.setConfig('shop', `${key}${i}`, value);
    };
    await copy();
    await fill(source, 'k', 'x'.repeat(4096));
    await fill(target, 'k', 'y'.repeat(2000));
    await fill(target, 'z', 'y'.repeat(2300));
    await copy();
    expect(await target.admin.listConfig('shop')).toEqual(await source.admin.listConfig('shop'));
  });

  it('is refused where its alias is another’s, and where it has another alias', async () => {
    await target.admin.createTenant({ alias: 'shop', plan: 'growth' });
    await expect(copy()).rejects.toThrow('another tenant "shop", or this one under another alias');
    target = workplace();
    const note = { action: 'tenant.create', tenantId: shop.id } as const;
    await recordsIn(target.stores.control).tenants.create(
      { ...shop, alias: 'store' },
      toAuditEntry(target.by, target.runtime, { ...note, alias: 'store', details: {} }),
    );
    await expect(copy()).rejects.toThrow('this one under another alias');
  });

  it('has its keys with all their secrets, each valid for as long as before', async () => {
    const { key } = await source.admin.createKey('shop', { name: 'k', permissions: ['query'] });
    await copy();
    now += 1000;
    await source.admin.rotateKey('shop', key.id, DAY);
    await copy();
    await copy();
    expect(await keysOf(target)).toEqual(await keysOf(source));
    expect((await notesOf(target)).filter((action) => action === 'key.rotate')).toHaveLength(1);
  });

  it('has all secrets of a key rotated twice since, each valid for as long as before', async () => {
    const { key } = await source.admin.createKey('shop', { name: 'k', permissions: ['query'] });
    await copy();
    await source.admin.rotateKey('shop', key.id, DAY);
    now += 1000;
    await source.admin.rotateKey('shop', key.id, 2 * DAY);
    await copy();
    expect(await keysOf(target)).toEqual(await keysOf(source));
  });

  it('has revoked keys that stay revoked, with the time of revocation', async () => {
    const { key } = await source.admin.createKey('shop', { name: 'k', permissions: ['query'] });
    await copy();
    await source.admin.revokeKey('shop', key.id);
    await copy();
    now += 1000;
    await copy();
    expect(await keysOf(target)).toEqual(await keysOf(source));
    expect((await notesOf(target)).filter((action) => action === 'key.revoke')).toHaveLength(1);
  });
});

describe('the target of a copy', () => {
  it('accepts a tenant that it does not know', async () => {
    await expect(checkTakes(shop.id, target)).resolves.toBeUndefined();
  });

  it('is refused for ever when the tenant was deleted there, and only then', async () => {
    await target.stores.events.drop(shop.id);
    await expect(checkTakes(shop.id, target)).rejects.toThrow('was deleted at the place of --to once');
    const away = { ...target.stores.events, append: () => Promise.reject(unavailable(new Error('away'))) };
    const place = { ...target, stores: { ...target.stores, events: away } };
    await expect(checkTakes(shop.id, place)).rejects.toMatchObject({ status: 503 });
  });
});
