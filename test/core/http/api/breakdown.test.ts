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
    const { groups } = JSON.parse((await ask({ by: 'week' })).body) as {
      groups: unknown;
    };
    expect(groups).toEqual([
      { key: '2024-05-13T00:00:00.000Z', count: 6 },
      { key: '2024-05-20T00:00:00.000Z', count: 2 },
    ]);
  });

  it('measures the numbers of all events and of each group, and instants', async () => {
    const { ask, tenant } = await openShop();
    const sold = [12, 0.1, 0.2, '12', true, 2 ** 62, null].map((total, i) => ({
      ...{
        eventName: 'sold',
        userId: 'u',
        eventTs: DAY + i,
        insertId: `sold-${i}`,
      },
      properties: { total, plan: i < 3 ? 'pro' : 'free' },
    }));
    await (await tenant('acme')).append(sold);
    const measures = [
      {
        of: 'properties.total',
        take: ['sum', 'avg', 'min', 'max', 'p50', 'p99.9'],
      },
      { of: 'eventTs', take: ['max'] },
    ];
    const whole =
      '[{"numbers":4,"others":2,"sum":4611686018427387904,"avg":1152921504606846976,' +
      '"min":0.1,"max":4611686018427387904,"p50":0.2,"p99.9":4611686018427387904},' +
      '{"max":"2024-05-18T00:00:00.006Z"}]';
    const { status, body } = await ask({ event: 'sold', measures });
    expect([status, body]).toEqual([200, `{"total":7,"measures":${whole}}\n`]);
    const byPlan = await ask({
      event: 'sold',
      by: 'properties.plan',
      measures,
      size: 1,
    });
    expect(byPlan.body).toMatch(new RegExp(`^{"total":7,.*"groups":\\[{"key":"free","count":4,"measures":`));
    expect(byPlan.body).toContain(`}],"measures":${whole},"rest":{"count":3,"measures":[`);
    const { groups } = JSON.parse((await ask({ event: 'sold', by: 'properties.plan', measures })).body) as {
      groups: { measures: unknown[] }[];
    };
    expect(groups[1]?.measures[0]).toEqual({
      ...{
        numbers: 3,
        others: 0,
        sum: 12.3,
        avg: 4.1,
        min: 0.1,
        max: 12,
        p50: 0.2,
        'p99.9': 12,
      },
    });
    const users = await ask({ event: 'sold', distinct: 'userId' });
    expect(users.body).toBe('{"total":7,"distinct":1}\n');
  });

  it('tells the rest outside of the groups where it is asked for', async () => {
    const { ask } = await openShop();
    const plain = await ask({ by: 'userId', size: 1, distinct: 'eventName' });
    const { body } = await ask({ by: 'userId', size: 1, distinct: 'eventName', rest: true });
    const { rest, ...found } = JSON.parse(body) as { rest: { count: number }; total: number };
    expect(`${JSON.stringify(found)}\n`).toBe(plain.body);
    const groups = (found as unknown as { groups: { count: number }[] }).groups;
    expect(rest.count).toBe(found.total - groups[0]!.count);
  });

  it('makes a table of two dimensions: every cell, and what is outside of it', async () => {
    const { ask, tenant } = await openShop();
    const sold = [
      ['pro', 1, 5],
      ['pro', 2, 0.1],
      ['free', 2, 0.2],
      [['a'], 1, 7],
      [undefined, 3, '8'],
    ].map(([plan, day, total], i) => ({
      ...{ eventName: 'sold', userId: `u${i % 2}`, eventTs: DAY + (day as number) * 86_400_000 },
      ...{ insertId: `sold-${i}`, properties: { plan, total } },
    }));
    await (await tenant('acme')).append(sold);
    const asked = { event: 'sold', by: ['properties.plan', 'day'], size: [2, 2], distinct: 'userId' };
    const { status, body } = await ask({ ...asked, measures: [{ of: 'properties.total', take: ['sum'] }] });
    const told = (count: number, distinct: number, numbers: number, others: number, sum: number) => ({
      ...{ count, distinct, measures: [{ numbers, others, sum }] },
    });
    const none = told(0, 0, 0, 0, 0);
    const { count, ...figures } = told(5, 2, 4, 1, 12.3);
    expect([status, JSON.parse(body)]).toEqual([
      200,
      {
        ...{ total: count, missing: 1, arrays: 1, objects: 0, groupsTotal: 2, ...figures },
        groups: [
          {
            key: 'pro',
            ...told(2, 2, 2, 0, 5.1),
            cells: [told(1, 1, 1, 0, 5), told(1, 1, 1, 0, 0.1)],
            rest: none,
          },
          { key: 'free', ...told(1, 1, 1, 0, 0.2), cells: [none, told(1, 1, 1, 0, 0.2)], rest: none },
        ],
        columns: [
          { key: '2024-05-19T00:00:00.000Z', ...told(2, 2, 2, 0, 12) },
          { key: '2024-05-20T00:00:00.000Z', ...told(2, 2, 2, 0, 0.3) },
        ],
        columnsTotal: 3,
        rest: {
          ...told(2, 2, 1, 1, 7),
          cells: [told(1, 1, 1, 0, 7), none],
          rest: told(1, 1, 0, 1, 0),
        },
      },
    ]);
  });

  it('refuses too many cells in a time zone once its clock is read, before any event is', async () => {
    const { ask } = await openShop();
    const zoned = { timeZone: 'Europe/Berlin', after: '2024-05-01', before: '2024-05-21' };
    const { status, body } = await ask({ by: ['userId', 'hour'], ...zoned });
    const text =
      'size: 20 groups and 504 hours have more than 10000 cells; ask for at most 19 groups, or for ';
    expect([status, JSON.parse(body)]).toEqual([400, { error: `${text}less time with after and before` }]);
    const { body: fitting } = await ask({ by: ['userId', 'hour'], size: 19, ...zoned });
    expect(JSON.parse(fitting)).toMatchObject({ columnsTotal: 504 });
  });

  it('orders groups by a figure, the greatest first, those without one last', async () => {
    const { ask, tenant } = await openShop();
    const sold = [3, 2, 2, 9, 'x'].map((total, i) => ({
      ...{ eventName: 'sold', userId: ['b', 'b', 'a', 'c', 'd'][i]!, eventTs: DAY, insertId: `sold-${i}` },
      properties: { total },
    }));
    await (await tenant('acme')).append(sold);
    const keysBy = async (take: string, size?: number) => {
      const body = { event: 'sold', by: 'userId', size, orderBy: { measure: 0, take } };
      const answer = await ask({ ...body, measures: [{ of: 'properties.total', take: ['sum', 'min'] }] });
      return (JSON.parse(answer.body) as { groups: { key: string }[] }).groups.map(({ key }) => key);
    };
    expect(await keysBy('sum')).toEqual(['c', 'b', 'a', 'd']);
    expect(await keysBy('min')).toEqual(['c', 'a', 'b', 'd']);
    expect(await keysBy('min', 2)).toEqual(['c', 'a']);
  });

  it('tells a sum that no number is as large as by null', async () => {
    const { ask, tenant } = await openShop();
    const large = [1e308, 1e308].map((n, i) => ({
      ...{
        eventName: 'large',
        userId: 'u',
        eventTs: DAY,
        insertId: `large-${i}`,
        properties: { n },
      },
    }));
    await (await tenant('acme')).append(large);
    const measures = [{ of: 'properties.n', take: ['sum', 'avg'] }];
    const { body } = await ask({ event: 'large', measures });
    expect(body).toBe('{"total":2,"measures":[{"numbers":2,"others":0,"sum":null,"avg":1e+308}]}\n');
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

  it('cuts days by the clock of a time zone, also where no bound is given', async () => {
    const { ask, tenant } = await openShop();
    const shop = await tenant('acme');
    await shop.erase({ before: '2099-12-31' });
    const instants = ['2024-10-26T21:59:59.999Z', '2024-10-26T22:00:00Z', '2024-10-27T22:59:59.999Z'];
    await shop.append(instants.map((eventTs) => ({ eventName: 'night', userId: 'u', eventTs })));
    const timeZone = 'Europe/Berlin';
    const groups = [
      { key: '2024-10-26T00:00:00.000+02:00', count: 1 },
      { key: '2024-10-27T00:00:00.000+02:00', count: 2 },
    ];
    expect(JSON.parse((await ask({ by: 'day', timeZone })).body)).toMatchObject({ groups });
    const first = { after: '2024-10-27', before: '2024-10-27', timeZone };
    expect(JSON.parse((await ask({ by: 'day', ...first })).body)).toMatchObject({ groups: [groups[1]] });
    expect(await shop.count(first)).toBe(2);
    expect(await shop.count({ ...first, timeZone: 'UTC' })).toBe(1);
    // A key is an operand, and its bucket begins there.
    expect(await shop.count({ from: groups[1]!.key })).toBe(2);
    expect((await ask({ by: 'day', timeZone: 'UTC' })).body).toBe((await ask({ by: 'day' })).body);
    expect(await shop.explain(first)).toMatchObject({ timeZone, timeZoneData: process.versions.tz });
  });

  const SOLD = [{ of: 'properties.total', take: ['sum', 'max'] }];

  it.each<[object, string | RegExp]>([
    [
      {},
      'by: takes a property path, lateness, or a unit of time: minute, hour, day, week, month, or ' +
        'an array of two of these; got nothing',
    ],
    [
      { by: 'year' },
      'by: takes a property path, lateness, or a unit of time: minute, hour, day, week, month; got "year"; ' +
        'did you mean "properties.year"?',
    ],
    [{ by: 'properties.' }, 'by: the path "properties." has an empty segment'],
    [{ by: 'day', distinct: 'plan' }, /^distinct: unknown property path "plan"/],
    ...[1001, 0].map((size): [object, string] => [
      { by: 'day', size },
      `size: takes a whole number from 1 to 1000, or an array of two: of rows and columns, got the number ` +
        String(size),
    ]),
    [{ by: ['day', 'userId'], size: [5, 1001] }, /^size\[1\]: takes a whole number from 1 to 1000, got the/],
    [{ by: ['day', 'userId'], size: [5] }, /^size: takes a whole .*, or an array of two/],
    [{ by: 'day', size: [1, 2] }, 'size: takes two numbers with two dimensions only'],
    [{ by: ['day'] }, /^by: takes .*, or an array of two of these, got an array$/],
    [{ by: ['userId', 'plan'] }, /^by\[1\]: takes .*; got "plan"; did you mean "properties.plan"\?$/],
    [{ by: ['day', 'hour'] }, 'by: takes at most one unit of time; got "day" and "hour"'],
    [
      { by: ['userId', 'properties.plan'], size: [101, 100] },
      'size: 101 rows and 100 columns have more than 10000 cells; ask for at most 100 rows, or 99 columns',
    ],
    [
      { by: ['userId', 'hour'], after: '2024-05-01', before: '2024-05-31' },
      'size: 20 groups and 744 hours have more than 10000 cells; ask for at most 13 groups, ' +
        'or for less time with after and before',
    ],
    [
      { by: ['day', 'userId'], size: [1000, 1000], after: '2024-05-01', before: '2024-05-31' },
      /^size: 1000 groups and 31 days have more than 10000 cells; ask for at most 322 groups/,
    ],
    [{ distinct: 'userId', rest: true }, /^rest: takes groups that it is outside of/],
    [{ by: 'userId', rest: false }, 'rest: takes true, got false'],
    [
      { by: 'userId', orderBy: { measure: 0, take: 'sum' } },
      'orderBy.measure: takes the place of one of the measures, which are 0; got 0',
    ],
    ...['day', undefined, ['day', 'userId']].map((by): [object, RegExp] => [
      { by, measures: SOLD, orderBy: { measure: 0, take: 'sum' } },
      /^orderBy: takes groups of a path; buckets of time are in the order of time$/,
    ]),
    [
      { by: 'userId', measures: SOLD, orderBy: { measure: 1, take: 'sum' } },
      'orderBy.measure: takes the place of one of the measures, which are 1; got 1',
    ],
    [
      { by: 'userId', measures: SOLD, orderBy: { measure: 0, take: 'p50' } },
      'orderBy.take: takes a figure of that measure, sum, max; got "p50"',
    ],
    [{ by: 'userId', measures: SOLD, orderBy: 'sum' }, /^orderBy: takes an object {"measure", "take"}/],
    [{ by: 'day', pagination: {} }, /^body: unknown key "pagination"/],
    [{ measures: [] }, 'measures: takes an array of 1 to 5 objects {"of", "take"}, got an empty array'],
    [{ measures: Array(6).fill({ of: 'eventTs', take: ['min'] }) }, /^measures: takes an array of 1 to 5/],
    [{ measures: [{ of: 'properties.n', take: [] }] }, /^measures\[0\].take: takes an array of 1 to 10/],
    [{ measures: [{ of: 'properties.n', take: Array(11).fill('p1') }] }, /^measures\[0\].take: takes an/],
    [{ measures: [{ of: 'properties.n' }] }, /^measures\[0\].take: .*got nothing$/],
    [{ measures: [{ of: 'properties.n', take: ['sum'], by: 'day' }] }, /^measures\[0\]: unknown key "by"/],
    ...['median', 'p100.5', 'p101', 'p1.2345', 'p01', 'p-1', 'p', 'p1e1', 'toString', 'SUM'].map(
      (name): [object, string] => [
        { measures: [{ of: 'properties.n', take: ['min', name] }] },
        `measures[0].take[1]: takes sum, avg, min, max, or a percentile from p0 to p100 such as p95 or ` +
          `p99.9, got "${name}"`,
      ],
    ),
    [
      { measures: [{ of: 'properties.n', take: ['p5', 'p5'] }] },
      'measures[0].take[1]: takes each figure once, got "p5" again',
    ],
    [
      { measures: [{ of: 'total', take: ['sum'] }] },
      'measures[0].of: takes a path below properties, eventTs or receivedAt; got "total"; ' +
        'did you mean "properties.total"?',
    ],
    [
      { measures: [{ of: 'receivedAt', take: ['sum'] }] },
      'measures[0].take[0]: receivedAt takes min and max only, got "sum"',
    ],
    [{ measures: [{ of: 'properties.', take: ['sum'] }] }, /^measures\[0\].of: the path "properties." has/],
    [
      { by: 'minute', after: '2024-05-01', before: '2024-05-31' },
      'by: a minute cuts this time into more than 2000 buckets; use hour',
    ],
    [
      { by: 'hour', timeZone: 'Europe/Berlin', after: '2024-01-01', before: '2024-04-30' },
      'by: a hour cuts this time into more than 2000 buckets; use day',
    ],
    [{ by: 'day', timeZone: 'CET', after: '2024-01-01' }, /^timeZone: takes UTC, .* got "CET"/],
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
