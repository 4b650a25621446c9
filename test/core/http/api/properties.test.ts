import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { createPlainApi, toRequest } from '../../../support/plain-api.ts';

const NAMES = ['a b', 'a+b', 'ä&b', 'c'];

it.each([
  ['', ['properties.p0', 'properties.p1', 'properties.p2', 'properties.p3']],
  ['?event=a+b', ['properties.p0']],
  ['?event=a%20b', ['properties.p0']],
  ['?event=a%2Bb', ['properties.p1']],
  ['?event=%C3%A4%26b', ['properties.p2']],
  ['?event=nobody', []],
  ['?event=c&event=c', 400],
  ['?event=c&size=1', 400],
  ['?event=c&d', 400],
  ['?event=c=d', 400],
  ['?event', 400],
  ['?name=c', 400],
  ['?event=%ff', 400],
])('the query string %j is one event, or none', async (queryString, expected) => {
  const { send, tenant, createTenant } = createPlainApi();
  const headers = { 'x-api-key': await createTenant('acme') };
  const events = NAMES.map((eventName, i) => ({ eventName, userId: 'u', properties: { [`p${i}`]: i } }));
  await (await tenant('acme')).append(events);
  const target = `/v1/api/query/properties/acme${queryString}`;
  const { status, body } = await send({ method: 'GET', target, headers });
  if (typeof expected === 'number') return expect(status).toBe(expected);
  const { properties } = JSON.parse(body) as { properties: { path: string }[] };
  expect(properties.map(({ path }) => path)).toEqual(expected);
});

it('arrays of objects are counted, and a path into one is explained', async () => {
  const { post, send, tenant, createTenant } = createPlainApi();
  const headers = { 'x-api-key': await createTenant('acme') };
  const lists = [
    [{ sku: 'A' }],
    [1, { sku: 'B' }],
    [{ sku: 'D' }, 2],
    [1, null, [{ deep: 1 }]],
    [],
    { sku: 'C' },
    'none',
  ];
  const events = lists.map((items) => ({ eventName: 'a', userId: 'u', properties: { items, n: [1] } }));
  await (await tenant('acme')).append(events);
  const { body } = await send({ method: 'GET', target: '/v1/api/query/properties/acme', headers });
  expect(JSON.parse(body)).toMatchObject({
    properties: [
      { path: 'properties.items', types: { array: 5, object: 1, string: 1 }, arraysOfObjects: 3 },
      { path: 'properties.items.sku' },
      { path: 'properties.n', types: { array: 7 } },
    ],
  });
  expect(body.match(/arraysOfObjects/g)).toHaveLength(1);
  const explained = async (property: string) => {
    const filterSet = [{ property, comparison: 'EQUALS', value: 'A' }];
    const answer = await post('/v1/api/query/explain/acme', { filterSet }, headers);
    return JSON.parse(answer.body) as object;
  };
  // Some events have an object there, and others an array.
  expect(await explained('properties.items.sku')).toMatchObject({
    unknownPaths: [],
    pathsIntoArrays: [{ path: 'properties.items.sku', array: 'properties.items', events: 3 }],
  });
  expect(await explained('properties.items.size.of')).toMatchObject({
    unknownPaths: [{ path: 'properties.items.size.of' }],
    pathsIntoArrays: [{ path: 'properties.items.size.of', array: 'properties.items', events: 3 }],
  });
  for (const path of ['properties.items', 'properties.n.a', 'userId'])
    expect(await explained(path)).not.toHaveProperty('pathsIntoArrays');
});

it('an explanation tells of comparisons with a type that no value has', async () => {
  const { post, tenant, createTenant } = createPlainApi();
  const headers = { 'x-api-key': await createTenant('acme') };
  const shop = await tenant('acme');
  const events = [
    { total: '12.5', n: 1, mixed: 1, tags: ['a'], paid: true, gone: null },
    { total: '9', n: 2, mixed: 'one' },
  ];
  await shop.append(events.map((properties) => ({ eventName: 'a', userId: 'u', properties })));
  const explained = async (filterSet: readonly unknown[]) => {
    const answer = await post('/v1/api/query/explain/acme', { filterSet }, headers);
    return (JSON.parse(answer.body) as { typeMismatches?: unknown }).typeMismatches;
  };
  const total = {
    path: 'properties.total',
    types: { string: 2 },
    examples: ['12.5', '9'],
    compared: ['number'],
  };
  const greater = { property: 'properties.total', comparison: 'GREATER_THAN', value: 10 };
  expect(await explained([greater])).toEqual([total]);
  expect(await explained([{ not: { anyOf: [greater, greater] } }])).toEqual([total]);
  for (const [path, comparison, value, compared] of [
    ['total', 'NOT_EQUALS', true, ['boolean']],
    ['total', 'IN', [1, false], ['number', 'boolean']],
    ['total', 'IN', [1, '9'], undefined],
    ['total', 'IN', [], undefined],
    ['total', 'CONTAINS', '1', undefined],
    ['total', 'CONTAINS', 1, ['array']],
    ['total', 'IS_NULL', null, undefined],
    ['n', 'STARTS_WITH', '1', ['string']],
    ['n', 'CONTAINS', '1', ['string', 'array']],
    ['n', 'LESS_THAN', 0, undefined],
    ['mixed', 'EQUALS', 7, undefined],
    ['mixed', 'EQUALS', '7', undefined],
    ['tags', 'CONTAINS', 7, undefined],
    ['tags', 'EQUALS', 'a', ['string']],
    ['gone', 'EQUALS', 'a', ['string']],
    ['missing', 'EQUALS', 'a', undefined],
  ] as const) {
    const found = await explained([{ property: `properties.${path}`, comparison, value }]);
    const expected = compared && [expect.objectContaining({ path: `properties.${path}`, compared })];
    expect(found, `${path} ${comparison}`).toEqual(expected);
  }
});

it.each(['properties', 'events'])('many long %s leave in pieces, which are booked before', async (route) => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const { handler, tenant, createTenant, send } = createPlainApi({ resources: { memory } });
  const headers = { 'x-api-key': await createTenant('acme') };
  // Eight mebibytes of paths with their examples, of which four are kept; two of names.
  const events = Array.from({ length: 10_000 }, (_, i) => ({
    eventName: `${i}-${'n'.repeat(230)}`,
    userId: 'u',
    properties: i % 4 === 0 ? { [`${i}-${'ü'.repeat(900)}`]: `${i}-${'x'.repeat(240)}` } : {},
  }));
  const shop = await tenant('acme');
  for (let from = 0; from < events.length; from += 2000) await shop.append(events.slice(from, from + 2000));
  const target = `/v1/api/query/${route}/acme`;
  // The properties are known from here on.
  await send({ method: 'GET', target, headers });
  const before = memory.bytes;
  const lengths: number[] = [];
  let text = '';
  let least = Infinity;
  for await (const piece of (await handler(toRequest({ method: 'GET', target, headers }))).body) {
    lengths.push(piece.length);
    least = Math.min(least, memory.bytes - before);
    text += piece;
  }
  expect(lengths.length).toBeGreaterThan(3);
  expect(Math.max(...lengths)).toBeLessThan(540_000);
  expect(least).toBeGreaterThan(text.length);
  expect(memory.bytes).toBe(before);
  expect(text.length).toBeLessThan(5_500_000);
  const answer = JSON.parse(text) as string[] | { properties: unknown[]; more: boolean };
  if (Array.isArray(answer)) expect(answer).toHaveLength(10_000);
  else expect(answer.properties).toHaveLength(2500);
});

it('says that there are more paths than have room', async () => {
  const { tenant, createTenant, send } = createPlainApi();
  const headers = { 'x-api-key': await createTenant('acme') };
  const shop = await tenant('acme');
  const wide = (from: number) =>
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${from + i}-${'x'.repeat(950)}`, i]));
  for (let from = 0; from < 5000; from += 500) {
    await shop.append([{ eventName: 'a', userId: 'u', properties: wide(from) }]);
  }
  const { body } = await send({ method: 'GET', target: '/v1/api/query/properties/acme', headers });
  const { properties, more } = JSON.parse(body) as { properties: { path: string }[]; more: boolean };
  const length = properties.reduce((sum, { path }) => sum + path.length, 0);
  expect(more).toBe(true);
  expect(length).toBeGreaterThan(4_100_000);
  expect(length).toBeLessThanOrEqual(4_194_304);
});
