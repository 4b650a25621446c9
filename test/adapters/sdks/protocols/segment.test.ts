import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenVerifier } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { createPlainApi, type PlainApi, type PlainAnswer } from '../../../support/plain-api.ts';

const BASE = '/v1/segment/acme/v1';
const TIMESTAMP = '2024-05-03T10:00:00.000Z';
const TRACK = { type: 'track', event: 'Paid', userId: 'ada', messageId: 'm1', timestamp: TIMESTAMP };

const basic = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}`,
});

async function setUp(options: Parameters<typeof createPlainApi>[0] = {}) {
  const api = createPlainApi(options);
  const secret = await api.createTenant('acme');
  const query = async (body: object = {}) => {
    const answer = await api.post('/v1/api/query/acme', body, { 'x-api-key': secret });
    return JSON.parse(answer.body) as Record<string, unknown>[];
  };
  return { ...api, query };
}

const reportOf = ({ status, body }: PlainAnswer) => [status, JSON.parse(body) as unknown];

describe('a batch of Segment', () => {
  it('is stored once, however often it is sent', async () => {
    const { post, query } = await setUp();
    const batch = [TRACK, { ...TRACK, type: 'page', messageId: 'm2', name: 'Home' }];
    const first = await post(`${BASE}/batch`, { batch, writeKey: 'k', sentAt: '2024-05-03T10:00:01.000Z' });
    expect(reportOf(first)).toEqual([200, { accepted: 2, duplicates: 0, rejected: [] }]);
    const again = await post(`${BASE}/b`, { batch, writeKey: 'k', sentAt: '2024-05-03T10:09:00.000Z' });
    expect(reportOf(again)).toEqual([200, { accepted: 0, duplicates: 2, rejected: [] }]);
    const events = await query({
      filterSet: [{ property: 'eventName', comparison: 'EQUALS', value: 'Paid' }],
    });
    expect(events).toEqual([
      {
        ...{ eventName: 'Paid', userId: 'ada', insertId: 'm1', eventTs: TIMESTAMP, eventDate: '2024-05-03' },
        properties: { segment: { type: 'track', userId: 'ada', sentAt: '2024-05-03T10:00:01.000Z' } },
      },
    ]);
  });

  it('is stored as far as it is good', async () => {
    const { post } = await setUp();
    const answer = await post(`${BASE}/batch`, { batch: [TRACK, { ...TRACK, type: 'x' }] });
    expect(reportOf(answer)).toEqual([
      200,
      {
        accepted: 1,
        duplicates: 0,
        rejected: [{ index: 1, error: expect.stringMatching(/^type: use one of/) as string }],
      },
    ]);
  });

  it.each(['{"batch":[', '{"batch":[{}]}', '[]'])('%s is a 400', async (body) => {
    const { send } = await setUp();
    const headers = { 'content-type': 'application/json' };
    expect((await send({ target: `${BASE}/batch`, headers, body })).status).toBe(400);
  });

  it('takes what it makes of its messages from what the tenant may send', async () => {
    const { post, admin } = await setUp();
    await admin.updateTenant('acme', { ingestion: { eventsPerMinute: 100, bytesPerMinute: 10_000 } });
    const send = () => {
      const batch = [TRACK, { ...TRACK, messageId: 'm2' }];
      return post(`${BASE}/batch`, { batch, context: { text: 'x'.repeat(3000) } });
    };
    expect((await send()).status).toBe(200);
    // Each body has 3,000 bytes and a few, but makes events of twice as many.
    const refused = await send();
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  it('has each message stored or refused, never both, whatever it holds', () =>
    fc.assert(
      fc.asyncProperty(randomBatches, async (messages) => {
        const { post, query } = await setUp();
        const answer = await post(`${BASE}/batch`, { batch: messages });
        expect([200, 400]).toContain(answer.status);
        const events = await query({ pagination: { size: 1000 } });
        if (answer.status === 400) {
          expect(events).toEqual([]);
          return;
        }
        const report = JSON.parse(answer.body) as { accepted: number; rejected: { index: number }[] };
        const refused = new Set(report.rejected.map(({ index }) => index));
        const places = events.map(({ insertId }) => Number(String(insertId).slice(2)));
        expect(new Set([...places, ...refused])).toEqual(new Set(messages.keys()));
        expect(places.length + refused.size).toBe(messages.length);
        expect(events).toHaveLength(report.accepted);
      }),
    ));
});

/** Messages of which most have something wrong, with an id that says their place in the batch. */
const randomBatches = fc
  .array(
    fc.dictionary(
      fc.constantFrom('type', 'event', 'userId', 'timestamp', 'properties', 'traits', 'context', 'sentAt'),
      fc.oneof(
        { weight: 2, arbitrary: jsonValues },
        { weight: 1, arbitrary: fc.constantFrom('page', 'ada', '2020-01-01T00:00:00Z', {}) },
      ),
      { maxKeys: 3 },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) => all.map((message, i) => ({ ...TRACK, ...message, messageId: `m-${i}` })))
  // A time that the server makes comes with an id that it makes.
  .map((all) => all.map((message) => ({ ...message, timestamp: message.timestamp || TIMESTAMP })));

describe('who may send', () => {
  const send = (api: PlainApi, headers: Record<string, string>) => api.post(`${BASE}/t`, TRACK, headers);

  it('under NONE is anyone, with any write key', async () => {
    const api = await setUp();
    for (const headers of [
      {},
      basic('anything'),
      { authorization: 'Bearer x' },
      { authorization: 'Basic ?' },
    ])
      expect((await send(api, headers)).status).toBe(200);
  });

  it('under SERVER_SIDE has a key of the tenant as its write key', async () => {
    const api = await setUp();
    await api.admin.updateTenant('acme', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await api.admin.createKey('acme', { name: 'k', permissions: ['ingest'] });
    const reader = await api.admin.createKey('acme', { name: 'r', permissions: ['query'] });
    await api.createTenant('other');
    const foreign = await api.admin.createKey('other', { name: 'k', permissions: ['ingest'] });
    expect((await send(api, basic(secret))).status).toBe(200);
    expect((await send(api, { authorization: `Chase ${secret}` })).status).toBe(200);
    for (const headers of [{}, basic('anything'), basic(reader.secret), basic(foreign.secret), basic('')])
      expect((await send(api, headers)).status).toBe(401);
    // Libraries that have no header for it send it in the body.
    const keyed = (writeKey: string) => api.post(`${BASE}/batch`, { batch: [TRACK], writeKey });
    expect((await keyed(secret)).status).toBe(200);
    for (const key of ['anything', reader.secret, foreign.secret, ''])
      expect((await keyed(key)).status).toBe(401);
    expect(JSON.stringify(await api.query())).not.toContain(secret);
    // What this API's own protocol takes stays as it was.
    const own = await api.post('/v1/events/acme/multi', [{ eventName: 'a', userId: 'u' }], basic(secret));
    expect(own.status).toBe(401);
  });

  it('under JWT has a token, and sends for its user only', async () => {
    const tokens: TokenVerifier = { verify: () => Promise.resolve('ada') };
    const api = await setUp({ tokens });
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://example.com/keys' };
    await api.admin.updateTenant('acme', { authStrategy: 'JWT', jwt });
    const bearer = { authorization: 'Bearer token' };
    expect((await send(api, bearer)).status).toBe(200);
    expect((await send(api, basic('anything'))).status).toBe(401);
    expect((await api.post(`${BASE}/t`, { ...TRACK, userId: 'eve' }, bearer)).status).toBe(400);
  });

  it('is told that there is no such tenant', async () => {
    const { post, send: ask } = await setUp();
    expect((await post('/v1/segment/nobody/v1/t', TRACK)).status).toBe(404);
    const target = '/v1/segment/nobody/v1/projects/k/settings';
    expect((await ask({ method: 'GET', target })).status).toBe(404);
  });
});

describe('what the web SDK asks beside', () => {
  it.each([
    ['eqk_', ''],
    ['eqw_', 'eqw_'],
  ])('settings repeat a write key of an address, and no secret: a key %s', async (prefix, repeated) => {
    const { send } = await setUp();
    const key = `${prefix}${'0123456789abcdef'.repeat(4)}`;
    const answer = await send({ method: 'GET', target: `${BASE}/projects/${key}/settings` });
    const { integrations } = JSON.parse(answer.body) as {
      integrations: { 'Segment.io': { apiKey: string } };
    };
    expect(integrations['Segment.io'].apiKey.slice(0, 4)).toBe(repeated);
  });

  it('settings name the address of the host that it asked, and its write key', async () => {
    const { send } = await setUp();
    const headers = { host: 'events.example:8443' };
    const answer = await send({ method: 'GET', target: `${BASE}/projects/my%20key/settings`, headers });
    expect(reportOf(answer)).toEqual([
      200,
      {
        integrations: {
          'Segment.io': { apiKey: 'my key', apiHost: 'events.example:8443/v1/segment/acme/v1' },
        },
        metrics: { host: 'events.example:8443/v1/segment/acme/v1', sampleRate: 0 },
      },
    ]);
  });

  it('its counters are taken and not kept', async () => {
    const { send, query } = await setUp();
    const headers = { 'content-type': 'text/plain' };
    const answer = await send({ target: `${BASE}/m`, headers, body: '{"series":[]}' });
    expect(reportOf(answer)).toEqual([200, { success: true }]);
    expect(await query()).toEqual([]);
  });
});
