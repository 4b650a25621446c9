import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { createPlainApi, type PlainAnswer } from '../../../support/plain-api.ts';

const BASE = '/v1/posthog/acme';
const TIME = '2024-05-03T10:00:00.000Z';
const EVENT = { event: 'paid', distinct_id: 'ada', uuid: 'u-1', timestamp: TIME, properties: { name: 'Ü' } };
const STORED = { accepted: 1, duplicates: 0, rejected: [] };

async function setUp() {
  const api = createPlainApi();
  const secret = await api.createTenant('acme');
  const query = async () => {
    const answer = await api.post(
      '/v1/api/query/acme',
      { pagination: { size: 1000 } },
      { 'x-api-key': secret },
    );
    return JSON.parse(answer.body) as Record<string, unknown>[];
  };
  return { ...api, query };
}

const reportOf = ({ status, body }: PlainAnswer) => [status, JSON.parse(body) as unknown];
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

describe('an event without a time', () => {
  const uuid = '018f3de5-7900-7000-8000-000000000001';

  it('has that of its uuid of version 7, and is the same when it is sent again', async () => {
    const { post, query } = await setUp();
    const event = { uuid, event: 'clicked', properties: { distinct_id: 'u' }, offset: 1500 };
    expect(reportOf(await post(`${BASE}/e/`, [event]))).toEqual([200, STORED]);
    const again = await post(`${BASE}/batch/?retry_count=1`, { batch: [{ ...event, offset: 4500 }] });
    expect(reportOf(again)).toEqual([200, { accepted: 0, duplicates: 1, rejected: [] }]);
    expect(await query()).toMatchObject([{ eventTs: '2024-05-03T10:00:00.000Z', insertId: uuid }]);
  });

  it('has that of its arrival where its uuid says none', async () => {
    const { post, query } = await setUp();
    const event = { uuid: uuid.replace('-7000', '-4000'), event: 'clicked', distinct_id: 'u' };
    await post(`${BASE}/e/`, event);
    await post(`${BASE}/e/`, event);
    expect(await query()).toHaveLength(2);
  });
});

describe('a limit that is reached', () => {
  it('is a 429, but to a page a 503, whose SDK would drop the events of a 429', async () => {
    const { admin, post, query } = await setUp();
    await admin.updateTenant('acme', { ingestion: { eventsPerMinute: 1, bytesPerMinute: 10_000 } });
    const origin = 'https://shop.example';
    expect((await post(`${BASE}/e/`, EVENT)).status).toBe(200);
    const answers = [
      await post(`${BASE}/e/`, { ...EVENT, uuid: 'u-2' }),
      await post(`${BASE}/e/`, { ...EVENT, uuid: 'u-2' }, { origin }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([429, 503]);
    for (const { headers, body } of answers) {
      expect(headers).toMatchObject({ 'Retry-After': expect.stringMatching(/^\d+$/) as string });
      expect(JSON.parse(body)).toEqual({ error: 'Rate limit exceeded. Upgrade for higher limits.' });
    }
    // Any other refusal of a page keeps its status.
    expect((await post(`${BASE}/e/`, [], { origin })).status).toBe(400);
    expect(await query()).toHaveLength(1);
  });
});

describe('events of PostHog', () => {
  it.each(
    ['batch', 'capture', 'e', 'track', 'engage', 'i/v0/e'].flatMap((path) => [
      path,
      `${path}/`,
      `${path}/?v=1`,
    ]),
  )('are taken at /%s alone, in an array and in a batch, and stored once', async (path) => {
    const { post, query } = await setUp();
    expect(reportOf(await post(`${BASE}/${path}`, { api_key: 'k', ...EVENT }))).toEqual([200, STORED]);
    const batch = { api_key: 'k', batch: [EVENT], historical_migration: true, sent_at: TIME };
    for (const body of [[EVENT], batch])
      expect(reportOf(await post(`${BASE}/${path}`, body))).toEqual([
        200,
        { accepted: 0, duplicates: 1, rejected: [] },
      ]);
    expect(await query()).toMatchObject([
      { eventName: 'paid', userId: 'ada', insertId: 'u-1', eventTs: TIME },
    ]);
  });

  it.each([
    ['', `data=${encodeURIComponent(JSON.stringify(EVENT))}`],
    ['', `data=${encodeURIComponent(JSON.stringify(EVENT)).replaceAll('%20', '+')}&ver=1`],
    ['?compression=base64', `data=${encodeURIComponent(base64(EVENT))}`],
    ['?ip=1&compression=base64', `data=${base64(EVENT)}`],
    ['?compression=base64', base64(EVENT)],
  ])('are taken with %j from %s', async (parameters, body) => {
    const { send, query } = await setUp();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send({ target: `${BASE}/e/${parameters}`, headers, body });
    expect(reportOf(answer)).toEqual([200, STORED]);
    expect(await query()).toMatchObject([{ properties: { name: 'Ü' } }]);
  });

  it.each([
    ['', ''],
    ['', '1'],
    ['', '{"event":'],
    ['', '{"batch":[{}'],
    ['', '{"batch":[1],"batch":[1]}'],
    ['', 'data=%'],
    ['', 'data={}'],
    ['?compression=base64', 'data=?'],
    ['?compression=base64', `data=${Buffer.from([0xff]).toString('base64')}`],
    ['?compression=lz64', 'data=abc'],
  ])('with %j that cannot be read from %j are a 400', async (parameters, body) => {
    const { send, query } = await setUp();
    const headers = { 'content-type': 'text/plain' };
    expect((await send({ target: `${BASE}/e/${parameters}`, headers, body })).status).toBe(400);
    expect(await query()).toEqual([]);
  });

  it('are at most 2,000 in a batch and in an array', async () => {
    const { post } = await setUp();
    const bodies = (count: number) => {
      const events = Array.from({ length: count }, (_, i) => ({ ...EVENT, uuid: `u-${i}` }));
      return [events, { batch: events }];
    };
    const accepted: number[] = [];
    for (const body of bodies(2000)) {
      const { accepted: stored, duplicates } = JSON.parse((await post(`${BASE}/batch/`, body)).body) as {
        readonly accepted: number;
        readonly duplicates: number;
      };
      accepted.push(stored + duplicates);
    }
    expect(accepted).toEqual([2000, 2000]);
    for (const body of bodies(2001)) expect((await post(`${BASE}/batch/`, body)).status).toBe(400);
  });

  it('in a form have at most 1 MiB', async () => {
    const { send } = await setUp();
    const headers = { 'content-type': 'text/plain' };
    const body = `data=${base64({ ...EVENT, properties: { text: 'x'.repeat(800_000) } })}`;
    expect((await send({ target: `${BASE}/e/?compression=base64`, headers, body })).status).toBe(413);
  });

  it('are each stored or refused, never both, whatever they hold', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.dictionary(fc.constantFrom('event', 'distinct_id', 'properties', '$set'), jsonValues, {
            maxKeys: 2,
          }),
          { minLength: 1, maxLength: 6 },
        ),
        async (odd) => {
          const { post, query } = await setUp();
          const batch = odd.map((fields, i) => ({ ...EVENT, ...fields, uuid: `m-${i}` }));
          const answer = await post(`${BASE}/batch/`, { batch });
          const events = await query();
          if (answer.status === 400) {
            expect(events).toEqual([]);
            return;
          }
          const report = JSON.parse(answer.body) as { accepted: number; rejected: { index: number }[] };
          const refused = report.rejected.map(({ index }) => index);
          const places = events.map(({ insertId }) => Number(String(insertId).slice(2)));
          expect([...places, ...refused].sort()).toEqual([...batch.keys()]);
          expect(events).toHaveLength(report.accepted);
        },
      ),
      { numRuns: 100 },
    ));
});

describe('who may send', () => {
  it('under SERVER_SIDE has a secret key as the key of its project', async () => {
    const { admin, post, send, query } = await setUp();
    await admin.updateTenant('acme', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await admin.createKey('acme', { name: 'k', permissions: ['ingest'] });
    const event = { ...EVENT, uuid: undefined };
    for (const body of [
      { api_key: secret, batch: [event] },
      { ...event, token: secret },
      { ...event, api_key: secret, properties: { token: secret } },
    ])
      expect((await post(`${BASE}/batch/`, body)).status).toBe(200);
    const form = `data=${base64({ api_key: secret, batch: [event] })}`;
    const beacon = { target: `${BASE}/e/?compression=base64`, headers: { 'content-type': 'text/plain' } };
    expect((await send({ ...beacon, body: form })).status).toBe(200);
    const chase = { authorization: `Chase ${secret}` };
    expect((await post(`${BASE}/batch/`, [event], chase)).status).toBe(200);
    expect(await query()).toHaveLength(5);
    for (const body of [[event], [{ ...event, api_key: secret }], { ...event, api_key: 'phc' }, event])
      expect((await post(`${BASE}/batch/`, body)).status).toBe(401);
    expect(await query()).toHaveLength(5);
    expect(JSON.stringify(await query())).not.toContain(secret);
  });
});

describe('what the SDKs ask beside', () => {
  it('is answered by settings without flags, and an empty script', async () => {
    const { send, post } = await setUp();
    const config = await send({ method: 'GET', target: `${BASE}/array/phc_key/config` });
    expect(reportOf(config)).toMatchObject([200, { hasFeatureFlags: false, sessionRecording: false }]);
    const script = await send({ method: 'GET', target: `${BASE}/array/phc_key/config.js` });
    expect([script.status, script.headers['Content-Type'], script.body]).toEqual([
      200,
      'text/javascript',
      '',
    ]);
    for (const path of ['flags', 'flags/?v=2', 'decide/?v=3'])
      expect(reportOf(await post(`${BASE}/${path}`, {}))).toMatchObject([
        200,
        { featureFlags: {}, flags: {} },
      ]);
  });

  it('is a 404 for a tenant that does not exist, and for anything else', async () => {
    const { send, post } = await setUp();
    const target = '/v1/posthog/nobody/array/k/config';
    expect((await send({ method: 'GET', target })).status).toBe(404);
    expect((await post('/v1/posthog/nobody/batch/', EVENT)).status).toBe(404);
    for (const path of ['batch/x/', 's/', 'toString', 'i/v0/ai'])
      expect((await post(`${BASE}/${path}`, EVENT)).status).toBe(404);
  });
});
