import { expect, it } from 'vitest';
import { createPlainApi } from '../../../support/plain-api.ts';

/** Events whose names for a plan have together more characters than one answer takes. */
const EVENTS = 66;
const LENGTH = 1_030_000;

it('groups whose keys are too long for one answer are refused, also of sequences and users', async () => {
  const api = createPlainApi();
  const headers = { 'x-api-key': await api.createTenant('acme') };
  const tenant = await api.tenant('acme');
  for (let i = 0; i < EVENTS; i++) {
    const properties = { plan: String(i).padEnd(LENGTH, 'x') };
    const event = { eventName: 'a', userId: `u${i}`, eventTs: 1e12 + i, insertId: String(i), properties };
    expect(await tenant.append([event])).toMatchObject({ accepted: 1 });
  }
  const refused = 'these keys are too long for one answer; ask for fewer"}\n';
  const ask = (name: string, body: object) => api.post(`/v1/api/query/${name}/acme`, body, headers);
  const by = 'properties.plan';
  const sized = (size: number) => ({ by, size });
  // A full page has a cursor, which names its last user.
  const paged = (size: number) => ({
    ...{ distinct: by, pagination: { size: 1000 } },
    until: new Date(1e12 + size).toISOString(),
  });
  for (const [name, bodyOf, where] of [
    ['breakdown', sized, 'size'],
    ['sequence', (size: number) => ({ ...sized(size), steps: [{}] }), 'size'],
    ['users', paged, 'pagination.size'],
  ] as const) {
    const { status, body } = await ask(name, bodyOf(100));
    expect([name, status, body.slice(0, 200)]).toEqual([name, 400, `{"error":"${where}: ${refused}`]);
    const few = await ask(name, bodyOf(2));
    const told = JSON.parse(few.body) as { groups: unknown[] } | unknown[];
    expect([few.status, ('groups' in told ? told.groups : told).length]).toEqual([200, 2]);
  }
});

it('a page of users ends with none whose value is too long for a header', async () => {
  const api = createPlainApi();
  const headers = { 'x-api-key': await api.createTenant('acme') };
  const lengths = [10, 3000, 4000, 20_000];
  const plans = lengths.map((length, i) => String(i).padEnd(length, 'x'));
  await (
    await api.tenant('acme')
  ).append(
    plans.map((plan, i) => {
      return { eventName: 'a', userId: 'u', eventTs: 1e12 + i, insertId: String(i), properties: { plan } };
    }),
  );
  const page = (size: number, cursor?: string) => {
    const body = { distinct: 'properties.plan', pagination: { size, ...(cursor ? { cursor } : {}) } };
    return api.post('/v1/api/query/users/acme', body, headers);
  };
  const two = await page(2);
  const next = two.headers['X-Next-Cursor'];
  expect(next!.length).toBeLessThan(3100);
  const rest = await page(3, next);
  expect((JSON.parse(rest.body) as { key: string }[]).map(({ key }) => key)).toEqual(plans.slice(2));
  for (const [size, length] of [
    [3, 4000],
    [4, 20_000],
  ] as const) {
    const { status, body } = await page(size);
    expect([status, body]).toEqual([
      400,
      `{"error":"distinct: a page ends with a value of ${length} characters, which is too long for a ` +
        'cursor; ask for another size, or leave such values out by a filter"}\n',
    ]);
  }
  expect((await page(5)).status).toBe(200);
});
