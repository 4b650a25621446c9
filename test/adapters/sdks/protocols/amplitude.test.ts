import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { createPlainApi, type PlainAnswer } from '../../../support/plain-api.ts';

const HTTPAPI = '/v1/amplitude/acme/2/httpapi';
const TIME = Date.parse('2024-05-03T10:00:00.123Z');
const PAID = { event_type: 'Paid', user_id: 'ada', device_id: 'd', time: TIME, insert_id: 'i1' };
const BAD = { ...PAID, time: 'never', insert_id: 'i2' };

async function setUp(options: Parameters<typeof createPlainApi>[0] = {}) {
  const api = createPlainApi(options);
  const secret = await api.createTenant('acme');
  const query = async () => {
    const body = { pagination: { size: 1000 } };
    const answer = await api.post('/v1/api/query/acme', body, { 'x-api-key': secret });
    return JSON.parse(answer.body) as { properties: { amplitude: { insert_id?: string } } }[];
  };
  const upload = (events: unknown, more: object = {}, path = HTTPAPI) =>
    api.post(path, { api_key: 'key', events, ...more });
  return { ...api, query, upload };
}

const saidJson = ({ status, body }: PlainAnswer) => [status, JSON.parse(body) as unknown];

describe('a batch of Amplitude', () => {
  it.each([HTTPAPI, '/v1/amplitude/acme/batch'])('at %s is stored once', async (path) => {
    const { upload, query, clock } = await setUp();
    const more = { options: { min_id_length: 1 }, client_upload_time: '2024-05-03T10:00:01.000Z' };
    const stored = {
      ...{ code: 200, events_ingested: 1, server_upload_time: clock.now() },
      payload_size_bytes: expect.any(Number) as number,
    };
    expect(saidJson(await upload([PAID], more, path))).toEqual([200, stored]);
    expect(saidJson(await upload([PAID], more, path))).toEqual([200, stored]);
    expect(await query()).toEqual([
      {
        ...{ eventName: 'Paid', userId: 'ada', eventTs: '2024-05-03T10:00:00.123Z', eventDate: '2024-05-03' },
        insertId: expect.stringMatching(/^amp-[0-9a-f]{32}$/) as string,
        properties: {
          amplitude: {
            ...{ user_id: 'ada', device_id: 'd', insert_id: 'i1' },
            client_upload_time: '2024-05-03T10:00:01.000Z',
          },
        },
      },
    ]);
  });

  it('in a beacon is stored', async () => {
    const { send, query } = await setUp();
    const headers = { 'content-type': 'text/plain;charset=UTF-8' };
    const body = JSON.stringify({ events: [PAID], api_key: 'key' });
    expect((await send({ target: HTTPAPI, headers, body })).status).toBe(200);
    expect(await query()).toHaveLength(1);
  });

  it('that is partly bad keeps the good, and names the bad, so that these are not sent again', async () => {
    const { upload, query } = await setUp();
    const error = expect.stringMatching(/^eventTs: takes an ISO 8601/) as string;
    const wrongName = { ...PAID, event_type: '', insert_id: 'i3' };
    expect(saidJson(await upload([BAD, PAID, wrongName]))).toEqual([
      400,
      {
        ...{ code: 400, error: expect.stringMatching(/^events\[0\]: eventTs: /) as string },
        ...{ events_with_invalid_fields: { time: [0], event_type: [2] }, events_with_missing_fields: {} },
        rejected: [
          { index: 0, error },
          { index: 2, error: expect.stringMatching(/^eventName: /) as string },
        ],
      },
    ]);
    // What an SDK does then.
    expect(saidJson(await upload([PAID]))).toMatchObject([200, { events_ingested: 1 }]);
    expect(await query()).toHaveLength(1);
  });

  it('that is partly bad is taken as it is where an event could not be recognised again', async () => {
    const { upload, query } = await setUp();
    const answer = await upload([BAD, { ...PAID, insert_id: undefined }]);
    expect(saidJson(answer)).toMatchObject([
      200,
      { code: 200, events_ingested: 1, events_with_invalid_fields: { time: [0] }, rejected: [{ index: 0 }] },
    ]);
    expect(await query()).toHaveLength(1);
    // The next request is judged by its own events.
    expect((await upload([BAD, PAID])).status).toBe(400);
  });

  it('of nothing good names all events', async () => {
    const { upload, query } = await setUp();
    expect(saidJson(await upload([BAD, BAD]))).toMatchObject([
      400,
      { code: 400, events_with_invalid_fields: { time: [0, 1] } },
    ]);
    expect(await query()).toEqual([]);
  });

  it.each([
    ['{"events":[', /^The body is not valid JSON/],
    ['{"api_key":"k"}', /^events: takes an array of events, got nothing/],
    ['{"events":[]}', /^body: takes 1 to 2000 events, got 0/],
    ['[]', /^body: takes an object with the array events/],
  ])('%s is refused as a whole, which makes its SDK drop it', async (body, error) => {
    const { send } = await setUp();
    const headers = { 'content-type': 'application/json' };
    expect(saidJson(await send({ target: HTTPAPI, headers, body }))).toEqual([
      400,
      { code: 400, error: expect.stringMatching(error) as string, missing_field: 'events' },
    ]);
  });

  it('beyond the limit of its tenant is put off, all of it', async () => {
    const { upload, admin, query } = await setUp();
    await admin.updateTenant('acme', { ingestion: { eventsPerMinute: 1, bytesPerMinute: 10_000 } });
    expect((await upload([PAID])).status).toBe(200);
    const answer = await upload([
      { ...PAID, insert_id: 'i2' },
      { ...PAID, insert_id: 'i3' },
    ]);
    expect(answer.headers['Retry-After']).toMatch(/^\d+$/);
    expect(saidJson(answer)).toEqual([
      429,
      {
        ...{ code: 429, error: 'Rate limit exceeded. Upgrade for higher limits.', eps_threshold: 0 },
        ...{ throttled_devices: {}, throttled_users: {}, throttled_events: [0, 1] },
      },
    ]);
    expect(await query()).toHaveLength(1);
  });

  it('that is too large is to be sent in parts', async () => {
    const { upload } = await setUp();
    const large = { events: [], more: 'x'.repeat(1000) };
    const events = Array.from({ length: 2000 }, () => PAID);
    const answer = await upload(events, { client_upload_time: 'x'.repeat(6000), large });
    expect(saidJson(answer)).toEqual([
      413,
      { code: 413, error: 'The body is too large: at most 10485760 bytes' },
    ]);
  });

  it('that did not arrive in time names nothing missing, so that it is sent again', async () => {
    const { send } = await setUp();
    const late = new ApiError('requestTimeout');
    const headers = { 'content-type': 'application/json' };
    const answer = await send({ target: HTTPAPI, headers, body: () => Promise.reject(late) });
    expect(saidJson(answer)).toEqual([408, { code: 408, error: late.message }]);
  });

  const events = fc
    .array(
      fc.dictionary(
        fc.constantFrom('event_type', 'user_id', 'device_id', 'time', 'event_properties', 'user_properties'),
        fc.oneof(jsonValues, fc.constantFrom(TIME, 'ada')),
        { maxKeys: 3 },
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((all) => all.map((fields, i) => ({ ...PAID, ...fields, insert_id: `i-${i}` })));

  it('has each event stored or refused, never both, and none twice when it comes as SDKs send it again', () =>
    fc.assert(
      fc.asyncProperty(events, async (all) => {
        const { upload, query } = await setUp();
        const places = async () =>
          (await query()).map(({ properties }) => {
            const key = Object.keys(properties).findLast((name) => /^amplitude_*$/.test(name))!;
            const { insert_id } = (properties as Record<string, { insert_id: string }>)[key]!;
            return Number(insert_id.slice(2));
          });
        const answer = await upload(all);
        const body = JSON.parse(answer.body) as {
          code: number;
          rejected?: { index: number; error: string }[];
        };
        expect([200, 400]).toContain(answer.status);
        expect(body.code).toBe(answer.status);
        const refused = (body.rejected ?? []).map(({ index }) => index);
        expect(new Set([...(await places()), ...refused])).toEqual(new Set(all.keys()));
        expect((await places()).length + refused.length).toBe(all.length);
        if (answer.status === 200) return;
        const again = all.filter((_, index) => !refused.includes(index));
        if (again.length > 0) expect((await upload(again)).status).toBe(200);
        expect(await places()).toHaveLength(again.length);
      }),
      { numRuns: 100 },
    ));
});

describe('who may send to Amplitude’s routes', () => {
  it('under SERVER_SIDE has a key of the tenant as the API key', async () => {
    const { admin, upload, post, query, createTenant } = await setUp();
    await admin.updateTenant('acme', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await admin.createKey('acme', { name: 'k', permissions: ['ingest'] });
    await createTenant('other');
    const foreign = await admin.createKey('other', { name: 'k', permissions: ['ingest'] });
    expect((await upload([PAID], { api_key: secret })).status).toBe(200);
    const chase = await post(HTTPAPI, { events: [PAID] }, { authorization: `Chase ${secret}` });
    expect(chase.status).toBe(200);
    for (const api_key of ['wrong', foreign.secret, undefined]) {
      const answer = await upload([PAID], { api_key });
      expect(saidJson(answer)).toMatchObject([401, { code: 401, missing_field: 'api_key' }]);
    }
    expect(JSON.stringify(await query())).not.toContain(secret);
  });

  it('is told that there is no such tenant', async () => {
    const { post } = await setUp();
    expect(saidJson(await post('/v1/amplitude/nobody/batch', { events: [PAID] }))).toEqual([
      404,
      { code: 404, error: 'Tenant not found', missing_field: 'tenantId' },
    ]);
  });
});
