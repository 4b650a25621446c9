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
  const paged = (size: number) => ({ distinct: by, pagination: { size } });
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
