import { describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { createPlainApi, toRequest } from '../../../support/plain-api.ts';

const PATH = '/v1/api/query/breakdown/acme';
const DAY = Date.UTC(2024, 4, 18);
const EVENTS = ['pro', 'free', 'pro', null, ['a'], { a: 1 }, 5, true].map((plan, i) => ({
  eventName: 'a',
  userId: `u${i % 2}`,
  eventTs: DAY + i * 8 * 3_600_000,
  insertId: String(i),
  properties: { plan },
}));

async function openShop(
  options: Parameters<typeof createPlainApi>[0] = {},
  limits?: readonly [number, number],
) {
  const api = createPlainApi(options);
  const [perMinute = 0, perDay = 0] = limits ?? [];
  const key = await api.createTenant('acme', limits && { plan: 'custom', limits: { perMinute, perDay } });
  await (await api.tenant('acme')).append(EVENTS);
  return { ...api, key, ask: (body: unknown) => api.post(PATH, body, { 'x-api-key': key }) };
}

describe('a breakdown over HTTP', () => {
  it('by a path: counts by value, what is no scalar apart, in the order of the contract', async () => {
    const { ask } = await openShop();
    const { status, body } = await ask({ by: 'properties.plan', distinct: 'userId', size: 3 });
    const [pro, yes, five] = ['"pro","count":2', 'true,"count":1', '5,"count":1'];
    const groups = [pro, yes, five].map((group) => `{"key":${group},"distinct":1}`).join(',');
    const counts = '"total":8,"missing":1,"arrays":1,"objects":1,"groupsTotal":4';
    expect([status, body]).toEqual([200, `{${counts},"groups":[${groups}],"distinct":2}\n`]);
  });

  it('by time: every bucket between the dates, empty ones too', async () => {
    const { ask } = await openShop();
    const { body } = await ask({ by: 'day', after: '2024-05-17', before: '2024-05-19' });
    expect((JSON.parse(body) as { groups: unknown }).groups).toEqual([
      { key: '2024-05-17T00:00:00.000Z', count: 0 },
      { key: '2024-05-18T00:00:00.000Z', count: 3 },
      { key: '2024-05-19T00:00:00.000Z', count: 3 },
    ]);
    const { groups } = JSON.parse((await ask({ by: 'week' })).body) as { groups: unknown };
    expect(groups).toEqual([
      { key: '2024-05-13T00:00:00.000Z', count: 6 },
      { key: '2024-05-20T00:00:00.000Z', count: 2 },
    ]);
  });

  it('groups are right operands of a filter on their path', async () => {
    const { ask } = await openShop();
    for (const by of ['eventTs', 'eventDate', 'insertId', 'receivedAt', 'eventName', 'properties.plan']) {
      const { groups } = JSON.parse((await ask({ by })).body) as {
        groups: { key: unknown; count: number }[];
      };
      expect(groups.length).toBeGreaterThan(0);
      for (const { key, count } of groups) {
        const filterSet = [{ property: by, comparison: 'EQUALS', value: key }];
        expect(JSON.parse((await ask({ by: 'month', filterSet })).body)).toMatchObject({ total: count });
      }
    }
  });

  it.each([
    [
      {},
      'by: takes a property path, lateness, or a unit of time: minute, hour, day, week, month, got nothing',
    ],
    [
      { by: 'year' },
      'by: takes a property path, lateness, or a unit of time: minute, hour, day, week, month; got "year"; ' +
        'did you mean "properties.year"?',
    ],
    [{ by: 'properties.' }, 'by: the path "properties." has an empty segment'],
    [{ by: 'day', distinct: 'plan' }, /^distinct: unknown property path "plan"/],
    [{ by: 'day', size: 1001 }, 'size: takes a whole number from 1 to 1000, got the number 1001'],
    [{ by: 'day', size: 0 }, 'size: takes a whole number from 1 to 1000, got the number 0'],
    [{ by: 'day', pagination: {} }, /^body: unknown key "pagination"/],
    [
      { by: 'minute', after: '2024-05-01', before: '2024-05-31' },
      'by: a minute cuts this time into more than 2000 buckets; use hour',
    ],
    [
      { by: 'month', after: '0001-05-01', before: '2024-05-31' },
      /more than 2000 buckets; ask for less time with after and before$/,
    ],
  ])('refuses %j, and takes no token for it', async (body, text) => {
    const { ask } = await openShop({}, [1, 10]);
    const refused = await ask(body);
    expect(refused.status).toBe(400);
    const { error } = JSON.parse(refused.body) as { error: string };
    if (typeof text === 'string') expect(error).toBe(text);
    else expect(error).toMatch(text);
    expect((await ask({ by: 'day' })).status).toBe(200);
    expect((await ask({ by: 'day' })).status).toBe(429);
  });

  it('leaves in pieces where keys are long, which are booked while they leave', async () => {
    const memory = createMemoryBudget({ bytesMax: 1e9 });
    const { tenant, handler, key } = await openShop({ resources: { memory } });
    const long = Array.from({ length: 4 }, (_, i) => ({
      eventName: 'long',
      userId: 'u',
      properties: { plan: String(i).repeat(300_000) },
    }));
    await (await tenant('acme')).append(long);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const asked = JSON.stringify({ by: 'properties.plan', event: 'long' });
    const ask = async () => (await handler(toRequest({ target: PATH, headers, body: asked }))).body;
    // The columns of the store stay.
    for await (const piece of await ask()) expect(piece).not.toBe('');
    const before = memory.bytes;
    let most = 0;
    let body = '';
    for await (const piece of await ask()) {
      body += piece;
      most = Math.max(most, memory.bytes - before);
    }
    expect(most).toBeGreaterThan(1_200_000);
    const { groups } = JSON.parse(body) as { groups: { key: string }[] };
    expect(groups.map(({ key }) => key.slice(0, 2))).toEqual(['00', '11', '22', '33']);
    expect(memory.bytes).toBe(before);
  });

  it('of keys that are too long for one answer is refused', async () => {
    const keyOf = 'x'.repeat(1_000_000);
    const groups = Array.from({ length: 68 }, () => ({ key: keyOf, count: 1 }));
    const found = { total: 68, missing: 0, arrays: 0, objects: 0, groupsTotal: 68, groups };
    const { ask } = await openShop({
      wrap: (stores) => ({
        ...stores,
        events: { ...stores.events, breakdown: () => Promise.resolve(found) },
      }),
    });
    const { status, body } = await ask({ by: 'properties.plan' });
    expect([status, body]).toEqual([400, expect.stringContaining('ask for fewer') as string]);
  });
});
