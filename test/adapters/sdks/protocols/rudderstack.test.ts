import { describe, expect, it } from 'vitest';
import { RUDDERSTACK_PATHS } from '../../../../adapters/sdks/events/rudderstack.ts';
import { createPlainApi, type PlainAnswer } from '../../../support/plain-api.ts';

const BASE = '/v1/rudderstack/acme';
const TIME = '2024-05-03T10:00:00.000Z';
const TRACK = { type: 'track', event: 'Paid', userId: 'ada', messageId: 'm1', originalTimestamp: TIME };

const basic = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}`,
});

async function setUp() {
  const api = createPlainApi();
  const secret = await api.createTenant('acme');
  const query = async () => {
    const answer = await api.post('/v1/api/query/acme', {}, { 'x-api-key': secret });
    return JSON.parse(answer.body) as Record<string, unknown>[];
  };
  return { ...api, query };
}

const reportOf = ({ status, body }: PlainAnswer) => [status, JSON.parse(body) as unknown];

describe('a call of RudderStack', () => {
  it.each(Object.entries(RUDDERSTACK_PATHS))(
    'at /v1/%s is taken as %s, and stored once',
    async (path, call) => {
      const { post, query } = await setUp();
      const message = { ...TRACK, type: undefined };
      const body = call === 'batch' ? { batch: [TRACK], sentAt: TIME } : message;
      expect(reportOf(await post(`${BASE}/v1/${path}`, body))).toEqual([
        200,
        { accepted: 1, duplicates: 0, rejected: [] },
      ]);
      expect(reportOf(await post(`${BASE}/v1/${path}`, body))).toEqual([
        200,
        { accepted: 0, duplicates: 1, rejected: [] },
      ]);
      expect(await query()).toMatchObject([
        {
          ...{ userId: 'ada', insertId: 'm1', eventTs: TIME },
          properties: { rudderstack: { type: call === 'batch' ? 'track' : call } },
        },
      ]);
    },
  );

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined])(
    'may be of the type %s',
    async (type) => {
      const { send } = await setUp();
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const answer = await send({ target: `${BASE}/v1/track`, headers, body: JSON.stringify(TRACK) });
      expect(answer.status).toBe(200);
    },
  );

  it('of another type, or unreadable as a whole, is refused', async () => {
    const { send, query } = await setUp();
    const sent = { target: `${BASE}/v1/batch`, body: JSON.stringify({ batch: [TRACK] }) };
    const other = await send({ ...sent, headers: { 'content-type': 'text/html' } });
    expect(reportOf(other)).toEqual([
      415,
      {
        error: [
          'Content-Type: takes application/json or text/plain or application/x-www-form-urlencoded',
          'in UTF-8, got "text/html"',
        ].join(' '),
      },
    ]);
    for (const body of ['{"batch":[', '{"batch":{}}', '[]', 'batch=1'])
      expect((await send({ ...sent, headers: {}, body })).status).toBe(400);
    expect(await query()).toEqual([]);
  });

  it('is stored as far as it is good', async () => {
    const { post, query } = await setUp();
    const batch = [TRACK, { ...TRACK, messageId: 'm2', userId: null }];
    expect(reportOf(await post(`${BASE}/v1/batch`, { batch }))).toEqual([
      200,
      {
        ...{ accepted: 1, duplicates: 0 },
        rejected: [{ index: 1, error: 'userId: takes a userId or an anonymousId, got neither' }],
      },
    ]);
    expect(await query()).toHaveLength(1);
  });
});

describe('who may send', () => {
  it('under SERVER_SIDE has a key as its write key, in a header or the address', async () => {
    const { admin, post, query } = await setUp();
    await admin.updateTenant('acme', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await admin.createKey('acme', { name: 'k', permissions: ['ingest'] });
    const restrictions = { origins: ['*'] };
    const write = await admin.createKey('acme', { name: 'w', permissions: ['write'], restrictions });
    const beacon = (text: string) => post(`${BASE}/beacon/v1/batch${text}`, { batch: [TRACK] });
    expect((await post(`${BASE}/v1/track`, TRACK, basic(secret))).status).toBe(200);
    expect((await post(`${BASE}/v1/track`, TRACK, { authorization: `Chase ${secret}` })).status).toBe(200);
    expect((await beacon(`?a=b&writeKey=${write.secret}`)).status).toBe(200);
    // Addresses are logged, so no secret counts there.
    for (const text of ['', '?writeKey=', '?writeKey=eqw_wrong', `?writeKey=${secret}`, '?writeKey=%'])
      expect((await beacon(text)).status).toBe(401);
    for (const headers of [{}, basic('a key')])
      expect((await post(`${BASE}/v1/track`, TRACK, headers)).status).toBe(401);
    expect(JSON.stringify(await query())).not.toContain(secret);
  });
});

describe('the source of the web SDK', () => {
  it('has no destinations, and the public write key that was asked for', async () => {
    const { send } = await setUp();
    const writeKey = `eqw_${'5'.repeat(64)}`;
    const target = `${BASE}/sourceConfig/?p=npm&v=3.34.1&build=modern&writeKey=${writeKey}`;
    expect(reportOf(await send({ method: 'GET', target }))).toEqual([
      200,
      {
        source: {
          ...{ id: 'acme', name: 'acme', workspaceId: 'acme', writeKey },
          ...{ enabled: true, destinations: [] },
          config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
        },
      },
    ]);
  });

  it.each([
    `eqk_${'5'.repeat(64)}`,
    `eqk_${'5'.repeat(63)}`,
    `eqw_${'5'.repeat(63)}`,
    `eqw_eqk_${'5'.repeat(64)}`,
    `EQK_${'A'.repeat(64)}`,
    'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
    'a+key%21',
    '',
  ])('does not repeat %s, which may be a secret', async (key) => {
    const { send } = await setUp();
    const answer = await send({ method: 'GET', target: `${BASE}/sourceConfig/?writeKey=${key}` });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ source: { id: 'acme', writeKey: '' } });
  });

  it('is none of a tenant that does not exist', async () => {
    const { send } = await setUp();
    const target = '/v1/rudderstack/nobody/sourceConfig/?writeKey=k';
    expect((await send({ method: 'GET', target })).status).toBe(404);
  });

  it('and each call pass a preflight with the headers of the SDK', async () => {
    const { send } = await setUp();
    const asked = 'anonymousid,authorization,content-type,rsa-retry-attempt,rsa-retry-reason,sentat';
    const headers = { origin: 'https://shop.example', 'access-control-request-headers': asked };
    const answer = await send({ method: 'OPTIONS', target: `${BASE}/v1/track`, headers });
    expect([answer.status, answer.headers['Access-Control-Allow-Origin']]).toEqual([204, headers.origin]);
    expect(answer.headers['Access-Control-Allow-Headers']).toBe(asked);
  });
});
