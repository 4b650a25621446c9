import { expect, it } from 'vitest';
import { createPlainApi } from '../../../support/plain-api.ts';

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
