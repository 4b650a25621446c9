import { expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createApi, type TenantQuestions } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';

async function openShop() {
  const resources = testResources();
  const api = createApi({ stores: memoryStores({ resources }), resources });
  const { admin } = api;
  await admin.createTenant({ alias: 'shop', plan: 'builder' });
  const { secret, key } = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
  await (await api.tenant('shop')).append([{ eventName: 'a', userId: 'u' }]);
  return { api, admin, secret, keyId: key.id };
}

const LIMITED = { status: 429, code: 'rateLimited' };

/** An explanation has none where no events have to be read for it. */
type Priced = Exclude<keyof TenantQuestions, 'explain'>;

/** Each question that has a price. */
const QUESTIONS: Readonly<Record<Priced, (shop: TenantQuestions, position: string) => Promise<unknown>>> = {
  query: (shop) => shop.query({}),
  count: (shop) => shop.count({}),
  breakdown: (shop) => shop.breakdown({ by: 'eventName' }),
  sequence: (shop) => shop.sequence({ steps: [{ event: 'a' }] }),
  userPage: (shop) => shop.userPage(),
  compare: (shop) => shop.compare({ selected: { event: 'a' } }),
  users: (shop) => shop.users().next(),
  retention: (shop) => shop.retention({ steps: [{ event: 'a' }, {}], unit: 'day' }),
  top: (shop) => shop.top({ of: 'properties.n' }),
  properties: (shop) => shop.properties(),
  since: (shop) => shop.since({}),
  eventNames: (shop) => shop.eventNames(),
  pages: (shop) => shop.pages().next(),
  events: (shop) => shop.events().next(),
  export: (shop) => shop.export().next(),
  tail: (shop, position) => shop.tail({}, { position }).next(),
};

it.each(Object.entries(QUESTIONS))(
  '%s takes a token of the key, and is refused without one',
  async (_, ask) => {
    const { api, secret } = await openShop();
    const shop = await api.tenant('shop', { key: secret });
    // The plan allows two a minute.
    const own = await api.tenant('shop');
    const position = (await own.since()).position.replace(/\d+$/, '0');
    for (let i = 0; i < 2; i++) await ask(shop, position);
    await expect(ask(shop, position)).rejects.toMatchObject(LIMITED);
    // Its owner asks without a limit.
    await ask(own, position);
  },
);

it('limits are those of the requests with the same key', async () => {
  const { api, secret } = await openShop();
  const shop = await api.tenant('shop', { key: secret });
  const again = await api.tenant('shop', { key: secret });
  await shop.count({});
  await again.count({});
  await expect(shop.count({})).rejects.toMatchObject({ ...LIMITED, limits: { allowed: false } });
  await expect(again.count({})).rejects.toMatchObject(LIMITED);
});

it('a body that is refused costs nothing', async () => {
  const { api, secret } = await openShop();
  const shop = await api.tenant('shop', { key: secret });
  for (let i = 0; i < 5; i++)
    await expect(shop.count({ after: 'soon' })).rejects.toMatchObject({ status: 400 });
  expect(await shop.count({})).toBe(1);
});

it('a holder of a key neither stores nor erases', async () => {
  const { api, secret } = await openShop();
  const shop = await api.tenant('shop', { key: secret });
  expect(Object.keys(shop)).not.toEqual(expect.arrayContaining(['append']));
  expect(Object.keys(shop)).not.toEqual(expect.arrayContaining(['erase']));
});

it('opens by a valid key of the tenant alone', async () => {
  const { api, admin, secret } = await openShop();
  await admin.createTenant({ alias: 'other', plan: 'builder' });
  await admin.createTenant({ alias: 'small', plan: 'free' });
  const { secret: small } = await admin.createKey('small', { name: 'k', permissions: ['query'] });
  const { secret: sends } = await admin.createKey('shop', { name: 'i', permissions: ['ingest'] });
  await expect(api.tenant('other', { key: secret })).rejects.toMatchObject({ status: 404 });
  await expect(api.tenant('small', { key: small })).rejects.toMatchObject({ status: 403 });
  for (const key of [undefined, '', 'x', sends])
    await expect(api.tenant('shop', { key })).rejects.toMatchObject({ status: 401 });
});

it('a key that is revoked answers no more, and a larger plan counts at once', async () => {
  const { api, admin, secret, keyId } = await openShop();
  const shop = await api.tenant('shop', { key: secret });
  for (let i = 0; i < 2; i++) await shop.count({});
  await admin.updateTenant('shop', { plan: 'growth' });
  expect(await shop.count({})).toBe(1);
  await admin.revokeKey('shop', keyId);
  await expect(shop.count({})).rejects.toMatchObject({ status: 401 });
});
