import { describe, expect, it } from 'vitest';
import type { Explanation, Stores } from '../../../../src/index.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

const PATH = '/v1/api/query/explain/acme';
const EVENTS = Array.from({ length: 5 }, (_, i) => ({
  eventName: 'a',
  userId: 'u',
  eventTs: Date.UTC(2024, 4, 18) + i,
  insertId: `${i}`,
  properties: { plan: 'pro', SHIPPING: 1, Total: i, user: { email: 'a' }, tags: [1] },
}));

async function openShop(
  wrap: (stores: Stores) => Stores = (stores) => stores,
  limits: { perMinute: number; perDay: number } | null = null,
) {
  const api = createPlainApi({ wrap });
  const key = await api.createTenant('acme', { plan: 'custom', limits });
  await (await api.tenant('acme')).append(EVENTS);
  const ask = (body: unknown) => api.post(PATH, body, { 'x-api-key': key });
  const explain = async (body: unknown) => JSON.parse((await ask(body)).body) as Explanation;
  return { ...api, key, ask, explain };
}

const test = (property: string, comparison = 'EQUALS', value: unknown = 'x') => ({
  property,
  comparison,
  value,
});

describe('an explanation', () => {
  it('tells what the query means, to the byte of a body that asks the same', async () => {
    const { ask } = await openShop();
    const { status, body } = await ask({ event: 'a', filterSet: [test('properties.plan')] });
    const name = '{"property":"eventName","comparison":"EQUALS","value":"a"}';
    const plan = '{"property":"properties.plan","comparison":"EQUALS","value":"x"}';
    const columns = ['eventName', 'properties.plan'].map(
      (path) => `{"path":"${path}","from":"column","read":0}`,
    );
    expect([status, body]).toEqual([
      200,
      `{"query":{"filterSet":[${name},${plan}],"pagination":{"offset":0,"size":100}},` +
        `"unknownPaths":[],"more":false,"plan":{"by":"columns","events":5,` +
        `"paths":[{"path":"eventTs","from":"order","read":0},${columns.join(',')}]}}\n`,
    ]);
  });

  it.each([
    ['properties.plam', ['properties.plan']],
    ['properties.total', ['properties.Total']],
    ['properties.shippin', ['properties.SHIPPING']],
    ['properties.email', ['properties.user.email']],
    ['properties.tags.0', ['properties.tags']],
    ['properties.user.plan', ['properties.plan']],
    ['properties.country', []],
    [`properties.${'x'.repeat(500)}`, []],
  ])('of %s, which no event has, names the nearest', async (path, nearest) => {
    const { explain } = await openShop();
    const filterSet = [{ not: { anyOf: [test(path), test('properties.plan'), test('userId')] } }, test(path)];
    expect((await explain({ filterSet })).unknownPaths).toEqual([{ path, nearest }]);
  });

  it('tells what has been read already, and what is read each time', async () => {
    const { explain, post, key } = await openShop();
    const body = {
      filterSet: [
        test('properties.plan'),
        test('insertId'),
        test('insertId', 'CONTAINS'),
        test('properties.tags', 'CONTAINS', 1),
      ],
    };
    await post('/v1/api/query/acme', body, { 'x-api-key': key });
    const { plan } = await explain(body);
    expect(plan).toEqual({
      by: 'columns',
      events: 5,
      paths: [
        { path: 'eventTs', from: 'order', read: 5 },
        { path: 'properties.plan', from: 'column', read: 5 },
        { path: 'insertId', from: 'hashes', read: 5 },
        { path: 'insertId', from: 'events', read: 0 },
        { path: 'properties.tags', from: 'column', read: 5 },
      ],
    });
  });

  it('knows nothing of how a store answers that does not say', async () => {
    const { explain } = await openShop((stores) => {
      const events = { ...stores.events };
      delete events.plan;
      return { ...stores, events };
    });
    expect((await explain({})).plan).toEqual({ by: 'store' });
  });

  it('takes no token, also where none is left, and is refused like a query', async () => {
    const { ask, post, key } = await openShop(undefined, { perMinute: 1, perDay: 20 });
    expect((await ask({})).headers['X-RateLimit-Remaining']).toBe('1');
    expect((await post('/v1/api/query/acme', {}, { 'x-api-key': key })).status).toBe(200);
    expect((await post('/v1/api/query/acme', {}, { 'x-api-key': key })).status).toBe(429);
    const free = await ask({});
    expect([free.status, free.headers['X-RateLimit-Remaining']]).toEqual([200, '0']);
    expect((await ask({ pagination: { size: 0 } })).status).toBe(400);
    expect((await post(PATH, {}, { 'x-api-key': 'eqk_0' })).status).toBe(401);
  });

  it('takes a token where the store reads every event for its paths', async () => {
    const wrap = (stores: Stores) => {
      const events = { ...stores.events };
      delete events.properties;
      return { ...stores, events };
    };
    const { ask } = await openShop(wrap, { perMinute: 1, perDay: 20 });
    const body = { filterSet: [test('properties.plan')] };
    expect((await ask(body)).headers['X-RateLimit-Remaining']).toBe('0');
    expect((await ask(body)).status).toBe(429);
  });

  it('says that a path may be among those that are not kept', async () => {
    const { explain, tenant } = await openShop();
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
    await (await tenant('acme')).append([{ ...EVENTS[0]!, insertId: 'wide', properties: wide }]);
    const { more, unknownPaths } = await explain({ filterSet: [test('properties.k9999')] });
    expect([more, unknownPaths[0]?.path]).toEqual([true, 'properties.k9999']);
  });

  it('has read no more events than there are, whatever was erased', async () => {
    const { explain, tenant, post, key } = await openShop();
    const filterSet = [test('properties.Total', 'LESS_THAN', 3), test('eventName')];
    await post('/v1/api/query/acme', { filterSet }, { 'x-api-key': key });
    const one = { property: 'properties.Total', comparison: 'EQUALS', value: 1 } as const;
    expect(await (await tenant('acme')).erase({ filterSet: [one] })).toBe(1);
    const { plan } = await explain({ filterSet });
    expect(plan).toMatchObject({ events: 4, paths: [{ read: 4 }, { read: 4 }, { read: 4 }] });
    await post('/v1/api/query/acme', { filterSet }, { 'x-api-key': key });
    expect((await explain({ filterSet })).plan).toEqual(plan);
  });

  it('is of the engine too', async () => {
    const { tenant } = await openShop();
    const { unknownPaths } = await (
      await tenant('acme')
    ).explain({
      filterSet: [{ property: 'properties.planet', comparison: 'IS_NULL', value: null }],
    });
    expect(unknownPaths).toEqual([{ path: 'properties.planet', nearest: ['properties.plan'] }]);
  });
});
