import { describe, expect, it } from 'vitest';
import { createApi, type Protocol } from '../../../../src/index.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { pulse } from './pulse.ts';

const BEAT = { what: 'beat', who: 'ada', at: '2024-05-03T10:00:00.000Z', with: { rate: 60 } };
const BEATS = '/v1/pulse/shop/beats';

async function setUp() {
  const api = createPlainApi({ protocols: [pulse], accessLog: true });
  const secret = await api.createTenant('shop');
  const count = async () => {
    const { body } = await api.post('/v1/api/query/count/shop', {}, { 'x-api-key': secret });
    return (JSON.parse(body) as { readonly count: number }).count;
  };
  return { ...api, count };
}

describe('a protocol that a program passes', () => {
  it('stores the events of its messages, and answers in its own words', async () => {
    const { post, count, log } = await setUp();
    const answer = await post(BEATS, { beats: [BEAT, { ...BEAT, who: 'bob' }, 7] });
    expect([answer.status, answer.body]).toEqual([202, '{"beats":2}\n']);
    expect(await count()).toBe(2);
    expect(log.entries.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ operation: 'pulse', route: '/v1/pulse/{tenantId}/beats', status: 202 }),
    );
    const refused = await post(BEATS, { beats: [{}] });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      400,
      { arrhythmia: expect.stringContaining('events[0]: eventName: ') as string },
    ]);
  });

  it('is held to the strategy of the tenant, with a key where the protocol has it', async () => {
    const { post, admin, count } = await setUp();
    await admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await admin.createKey('shop', { name: 'send', permissions: ['ingest'] });
    expect((await post(BEATS, { beats: [BEAT], token: 'none' })).status).toBe(401);
    expect((await post(BEATS, { beats: [BEAT] }, { 'x-api-key': secret })).status).toBe(202);
    expect((await post(BEATS, { beats: [BEAT], token: secret })).status).toBe(202);
    expect(await count()).toBe(2);
  });

  it('tells what its senders ask, of existing tenants alone', async () => {
    const { send } = await setUp();
    const ask = async (target: string) => {
      const { status, body } = await send({ method: 'GET', target });
      return [status, body.trim()];
    };
    expect(await ask('/v1/pulse/shop/hello/hey')).toEqual([200, '{"said":"hey"}']);
    expect((await ask('/v1/pulse/shop/hello/you'))[0]).toBe(404);
    expect((await ask('/v1/pulse/other/hello/hey'))[0]).toBe(404);
    expect((await ask(BEATS))[0]).toBe(405);
    expect(
      (await send({ method: 'OPTIONS', target: BEATS, headers: { origin: 'https://a.b' } })).status,
    ).toBe(204);
  });

  it('stands among the paths and schemas of the OpenAPI document', async () => {
    const { send } = await setUp();
    const { body } = await send({ method: 'GET', target: '/v1/openapi.json' });
    const { paths, components } = JSON.parse(body) as Record<string, Record<string, Record<string, object>>>;
    expect(Object.keys(paths!).filter((path) => path.startsWith('/v1/pulse/'))).toEqual([
      '/v1/pulse/{tenantId}/beats',
      '/v1/pulse/{tenantId}/hello/{greeting}',
    ]);
    expect(paths!['/v1/pulse/{tenantId}/beats']!.post).toMatchObject({
      ...{ operationId: 'pulse', summary: 'Store beats' },
      security: [{}, { secretKey: [] }, { writeKey: [] }, { accessToken: [] }],
    });
    expect(components!.schemas!.Beats).toEqual(pulse.schemas!.Beats);
  });
});

it('without protocols, an API has no other routes than its own', async () => {
  const { send, createTenant } = createPlainApi({ protocols: [] });
  await createTenant('shop');
  expect((await send({ target: '/v1/segment/shop/v1/track' })).status).toBe(404);
});

describe('a protocol that cannot be served is refused', () => {
  const [beats, hello] = pulse.routes as [Protocol['routes'][number], Protocol['routes'][number]];
  const { stores, resources } = createPlainApi();
  const serving = (...protocols: readonly unknown[]) =>
    createApi({ stores, resources, protocols: protocols as readonly Protocol[] });

  it.each<[string, readonly unknown[], string]>([
    ['without a name', [{ routes: [] }], 'its name has 1 to 64 of a-z, 0-9 and dashes, got nothing'],
    ['with a name of two parts', [{ ...pulse, name: 'a/b' }], 'got "a/b"'],
    ['at the Query API', [{ ...pulse, name: 'api' }], 'another one lies at /v1/api'],
    ['at the Admin API', [{ ...pulse, name: 'admin' }], 'another one lies at /v1/admin'],
    ['twice', [pulse, pulse], 'another one lies at /v1/pulse'],
    [
      'with a name of a route of this API',
      [{ ...pulse, routes: [{ ...beats, name: 'count' }] }],
      'another route is called count',
    ],
    [
      'with one name for two routes',
      [{ ...pulse, routes: [beats, { ...hello, name: 'pulse' }] }],
      'of pulse: another route is called pulse',
    ],
    [
      'with a schema of this API',
      [{ ...pulse, schemas: { Event: {} } }],
      'of pulse: another schema is called Event',
    ],
    ...['beats', '/{tenantId}', '/{a}/{b}', '/beats/', '/a b', '', undefined].map(
      (path) =>
        [
          `with the path ${path}`,
          [{ ...pulse, routes: [{ ...beats, path }] }],
          'of pulse: a path is like /v1/{call}, with at most one parameter, got ',
        ] as [string, readonly unknown[], string],
    ),
  ])('%s', (_what, protocols, message) => {
    expect(() => serving(...protocols)).toThrow(TypeError);
    expect(() => serving(...protocols)).toThrow(message);
  });
});
