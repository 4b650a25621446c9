import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSpecServer, type SpecServer } from './spec-server.ts';

/** Every row of the spec's tables about queries, counts and names, on a real server. Titles name the row. */
let server: SpecServer;
let key: Record<string, string>;
let tenantUuid: string;

const purchase = {
  eventName: 'purchase',
  userId: 'ada',
  eventTs: '2024-05-18T10:00:00.000Z',
  insertId: 'p-1',
  properties: { plan: 'pro', total: 40, address: { city: 'Paris', geo: { lat: 48.85 } }, tags: ['a', 'b'] },
};
const signup = {
  eventName: 'signup',
  userId: 'bob',
  eventTs: '2024-05-19T23:59:59.999Z',
  insertId: 's-1',
  properties: { plan: 'free', referrer: null },
};
const visit = { eventName: 'visit', userId: 'ada', eventTs: '2024-05-20T00:00:00.000Z', insertId: 'v-1' };
const filter = (property: string, comparison: string, value: unknown) => ({ property, comparison, value });

beforeAll(async () => {
  server = await startSpecServer();
  const { limits } = await server.admin.createTenant({ alias: 'big', plan: 'custom' });
  expect(limits).toBeNull();
  const { key: created, secret } = await server.admin.createKey('big', {
    name: 'tests',
    permissions: ['query'],
  });
  key = { 'X-API-Key': secret };
  tenantUuid = created.tenantId;
  await server.send('big', [purchase, signup, visit]);
});
afterAll(() => server.close());

async function query(body: unknown): Promise<{ insertId: string }[]> {
  const response = await server.post('/big', body, key);
  expect(response.status).toBe(200);
  return (await response.json()) as { insertId: string }[];
}
const ids = async (body: unknown) => (await query(body)).map(({ insertId }) => insertId);
async function count(body: unknown): Promise<unknown> {
  const response = await server.post('/count/big', body, key);
  expect(response.status).toBe(200);
  return response.json();
}

describe('Tenant', () => {
  it('Alias: it is the path parameter', async () => {
    expect(await ids({})).toHaveLength(3);
  });
  it('UUID: in the path it returns 404', async () => {
    const response = await server.post(`/${tenantUuid}`, {}, key);
    expect([response.status, await response.json()]).toEqual([404, { error: 'Tenant not found' }]);
  });
});

describe('Event object', () => {
  it('has eventName, userId, eventTs, nested properties, eventDate and insertId', async () => {
    expect(await query({ event: 'purchase' })).toEqual([
      {
        eventName: 'purchase',
        userId: 'ada',
        eventTs: '2024-05-18T10:00:00.000Z',
        properties: purchase.properties,
        eventDate: '2024-05-18',
        insertId: 'p-1',
      },
    ]);
  });
  it('keeps the difference between null and a missing property', async () => {
    expect(await query({ event: 'signup' })).toMatchObject([
      { properties: { plan: 'free', referrer: null } },
    ]);
  });
});

describe('Query request body', () => {
  it('event: only events with this name', async () => {
    expect(await ids({ event: 'visit' })).toEqual(['v-1']);
  });
  it('after: start date, inclusive', async () => {
    expect(await ids({ after: '2024-05-19' })).toEqual(['v-1', 's-1']);
  });
  it('before: end date, inclusive', async () => {
    expect(await ids({ before: '2024-05-19' })).toEqual(['s-1', 'p-1']);
  });
  it('filterSet: every filter has to match', async () => {
    const filterSet = [filter('userId', 'EQUALS', 'ada'), filter('properties.plan', 'EQUALS', 'pro')];
    expect(await ids({ filterSet })).toEqual(['p-1']);
  });
  it('pagination: skips and takes', async () => {
    expect(await ids({ pagination: { offset: 1, size: 1 } })).toEqual(['s-1']);
  });
  it('{} means no restriction', async () => {
    expect(await ids({})).toEqual(['v-1', 's-1', 'p-1']);
  });
});

describe('Count request body and response', () => {
  it('{} counts every event', async () => {
    expect(await count({})).toEqual({ count: 3 });
  });
  it('event, after, before and filterSet mean what they mean in a query', async () => {
    expect(await count({ event: 'visit' })).toEqual({ count: 1 });
    expect(await count({ after: '2024-05-19', before: '2024-05-19' })).toEqual({ count: 1 });
    expect(await count({ filterSet: [filter('properties.total', 'GREATER_THAN', 39)] })).toEqual({
      count: 1,
    });
  });
  it('takes no pagination', async () => {
    const response = await server.post('/count/big', { pagination: {} }, key);
    const error =
      'body: unknown key "pagination"; use one of event, after, before, from, until, timeZone, filterSet';
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });
});

describe('Filter object', () => {
  it.each([
    ['property', { comparison: 'EQUALS', value: 1 }],
    ['comparison', { property: 'userId', value: 1 }],
    ['value', { property: 'userId', comparison: 'EQUALS' }],
    ['value', { property: 'userId', comparison: 'IS_NOT_NULL' }],
  ])('%s is required', async (name, entry) => {
    const response = await server.post('/big', { filterSet: [entry] }, key);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toMatch(
      new RegExp(`^filterSet\\[0\\]\\.${name}: `),
    );
  });
});

describe('Property paths', () => {
  it.each([
    ['eventName', 'purchase'],
    ['userId', 'ada'],
    ['properties.plan', 'pro'],
    ['properties.address.city', 'Paris'],
    ['properties.address.geo.lat', 48.85],
  ])('%s', async (path, value) => {
    expect(await ids({ event: 'purchase', filterSet: [filter(path, 'EQUALS', value)] })).toEqual(['p-1']);
  });
});

describe('Comparison operators', () => {
  it.each([
    ['EQUALS', 'properties.plan', 'pro', ['p-1']],
    ['NOT_EQUALS', 'properties.plan', 'pro', ['v-1', 's-1']],
    ['CONTAINS', 'properties.address.city', 'ari', ['p-1']],
    ['CONTAINS', 'properties.tags', 'b', ['p-1']],
    ['GREATER_THAN', 'properties.total', 39.5, ['p-1']],
    ['IN', 'properties.plan', ['free', 'pro'], ['s-1', 'p-1']],
    ['IS_NOT_NULL', 'properties.plan', null, ['s-1', 'p-1']],
    ['IS_NOT_NULL', 'properties.referrer', null, []],
  ])('%s on %s', async (comparison, property, value, expected) => {
    expect(await ids({ filterSet: [filter(property, comparison, value)] })).toEqual(expected);
  });
});

describe('Pagination object', () => {
  it('offset 0 and size 100 are the defaults, 1000 the maximum', async () => {
    const secret = await server.createTenant('pages');
    const events = Array.from({ length: 1001 }, (_, i) => ({
      ...visit,
      insertId: `v-${i}`,
      eventTs: 1e12 + i,
    }));
    expect(await (await server.send('pages', events)).json()).toEqual({
      accepted: 1001,
      duplicates: 0,
      rejected: [],
    });
    const pageOf = async (pagination: unknown) => {
      const response = await server.post('/pages', { pagination }, { 'X-API-Key': secret });
      expect(response.status).toBe(200);
      return ((await response.json()) as { insertId: string }[]).map(({ insertId }) => insertId);
    };
    const all = events.map(({ insertId }) => insertId).reverse();
    expect(await pageOf({})).toEqual(all.slice(0, 100));
    expect(await pageOf({ size: 1000 })).toEqual(all.slice(0, 1000));
    expect(await pageOf({ size: 1000, offset: 1000 })).toEqual(all.slice(1000));
    expect(await pageOf({ offset: 2000 })).toEqual([]);
    const tooLarge = await server.post('/pages', { pagination: { size: 1001 } }, { 'X-API-Key': secret });
    const error = 'pagination.size: takes a whole number from 1 to 1000, got the number 1001';
    expect([tooLarge.status, await tooLarge.json()]).toEqual([400, { error }]);
  });
});

describe('Event-name list response', () => {
  it('is an array of strings without a wrapper', async () => {
    const response = await server.get('/events/big', key);
    expect([response.status, await response.json()]).toEqual([200, ['purchase', 'signup', 'visit']]);
  });
  it('is empty for a tenant without events', async () => {
    const secret = await server.createTenant('empty');
    expect(await (await server.get('/events/empty', { 'X-API-Key': secret })).json()).toEqual([]);
    expect(await (await server.post('/empty', {}, { 'X-API-Key': secret })).json()).toEqual([]);
    expect(await (await server.post('/count/empty', {}, { 'X-API-Key': secret })).json()).toEqual({
      count: 0,
    });
  });
});
