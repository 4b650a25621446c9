import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../../src/internal.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { createPlainApi, type PlainAnswer, type PlainApi } from '../../../support/plain-api.ts';
import { testResources } from '../../../support/resources.ts';

const BASE = '/v1/mixpanel/acme';
const TIME = Date.parse('2024-05-03T10:00:00.123Z');
const PAID = {
  event: 'Paid',
  properties: { time: TIME, distinct_id: 'ada', $insert_id: 'i1', token: 'tok', plan: 'pro' },
};
const BAD = { event: 'Paid', properties: { time: 'never', $insert_id: 'i2' } };
const STORED = {
  ...{ eventName: 'Paid', userId: 'ada', eventTs: '2024-05-03T10:00:00.123Z', eventDate: '2024-05-03' },
  insertId: expect.stringMatching(/^mp-[0-9a-f]{32}$/) as string,
  properties: { $insert_id: 'i1', plan: 'pro' },
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const basic = (user: string, password = '') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

async function setUp(options: Parameters<typeof createPlainApi>[0] = {}) {
  const api = createPlainApi(options);
  const secret = await api.createTenant('acme');
  const query = async () => {
    const body = { pagination: { size: 1000 } };
    const answer = await api.post('/v1/api/query/acme', body, { 'x-api-key': secret });
    return JSON.parse(answer.body) as { eventName: string; insertId: string; properties: object }[];
  };
  const form = (path: string, body: string, headers: object = {}) =>
    api.send({ target: `${BASE}/${path}`, headers: { ...FORM, ...headers }, body });
  return { ...api, query, form };
}

const said = ({ status, body }: PlainAnswer) => [status, body];
const saidJson = ({ status, body }: PlainAnswer) => [status, JSON.parse(body) as unknown];

describe('a message of Mixpanel', () => {
  it.each<[string, (api: Awaited<ReturnType<typeof setUp>>) => Promise<PlainAnswer>]>([
    ['as JSON', ({ post }) => post(`${BASE}/track`, PAID)],
    ['as an array', ({ post }) => post(`${BASE}/track/`, [PAID])],
    ['in a form, as JSON', ({ form }) => form('track/', `data=${encodeURIComponent(JSON.stringify(PAID))}`)],
    ['in a form, as Base64', ({ form }) => form('track', `ip=1&data=${encodeURIComponent(base64([PAID]))}`)],
    ['in a form that escapes nothing', ({ form }) => form('track', `data=${base64([PAID])}`)],
    [
      'in a beacon',
      ({ form }) =>
        form('track/?ip=1', `data=${base64(PAID)}`, { 'content-type': 'text/plain;charset=UTF-8' }),
    ],
    [
      'in an address',
      ({ send }) => send({ method: 'GET', target: `${BASE}/track?ip=0&verbose=0&data=${base64(PAID)}` }),
    ],
  ])('%s is stored once, and answered 1', async (_name, send) => {
    const api = await setUp();
    expect(said(await send(api))).toEqual([200, '1']);
    expect(said(await send(api))).toEqual([200, '1']);
    expect(await api.query()).toEqual([STORED]);
  });

  it('is stored once where the runtime takes time for a hash', async () => {
    const { runtime } = testResources();
    const sha256 = async (text: string) => runtime.sha256(text);
    const api = await setUp({ resources: testResources({ runtime: { ...runtime, sha256 } }) });
    expect(said(await api.post(`${BASE}/track`, [PAID, PAID]))).toEqual([200, '1']);
    const own = await setUp();
    await own.post(`${BASE}/track`, PAID);
    expect(await api.query()).toEqual(await own.query());
  });

  it.each(['+ü>?~', '🙂🙂', 'þÿ', 'a b&c=d%'])('keeps the text %j in every form', async (text) => {
    const message = { event: text, properties: { distinct_id: text, text } };
    const bodies = [
      `data=${base64(message)}`,
      `data=${base64(message).replaceAll('+', '-').replaceAll('/', '_')}`,
      new URLSearchParams({ data: JSON.stringify(message) }).toString(),
      new URLSearchParams({ data: base64(message) }).toString(),
    ];
    const { form, query } = await setUp();
    for (const body of bodies) expect(said(await form('track', body))).toEqual([200, '1']);
    const one = { eventName: text, userId: text, properties: { text } };
    expect(await query()).toMatchObject(bodies.map(() => one));
  });

  it('is answered with a reason where that is asked, in the address or the form', async () => {
    const { post, form } = await setUp();
    expect(saidJson(await post(`${BASE}/track?verbose=1`, PAID))).toEqual([200, { status: 1, error: null }]);
    const partly = await form('track', `data=${base64([PAID, BAD])}&verbose=1`);
    const reason = expect.stringMatching(/^events\[1\]: eventTs: takes an ISO 8601/) as string;
    expect(saidJson(partly)).toEqual([200, { status: 1, error: reason }]);
  });

  it('is answered with a picture where that is asked', async () => {
    const { send } = await setUp();
    const answer = await send({ method: 'GET', target: `${BASE}/track/?img=1&data=${base64(PAID)}` });
    expect(answer.headers['Content-Type']).toBe('image/gif');
    expect(answer.body).toMatch(/^GIF89a/);
  });

  it.each([
    ['track', 'data=%', /^data: takes JSON or its Base64/],
    ['track', 'data=!!', /^data: takes JSON or its Base64/],
    ['track', 'data=%FF', /^data: takes JSON or its Base64/],
    ['track', `data=${Buffer.from([0x5b, 0xff]).toString('base64')}`, /^data: takes JSON or its Base64/],
    ['track', 'ip=1', /^data: takes JSON or its Base64/],
    ['track', 'data=', /^The body is not valid JSON/],
    ['track', `data=${base64(7)}`, /^body: takes an array of events/],
    ['track', 'data=[', /^The body is not valid JSON/],
    ['track', `data=${base64([BAD])}`, /^No event was accepted/],
    ['engage', `data=${base64({ $distinct_id: 'ada' })}`, /^No event was accepted.* takes one of \$set/],
  ])('at %s with the body %s is refused', async (path, body, error) => {
    const { form, query } = await setUp();
    const refused = { error: expect.stringMatching(error) as string, status: 0 };
    expect(saidJson(await form(path, body))).toEqual([400, refused]);
    expect(await query()).toEqual([]);
  });

  it('in a form that is too large is refused, as SDKs do not send it', async () => {
    const { form, post } = await setUp();
    const large = { event: 'Paid', properties: { text: 'x'.repeat(1_000_000) } };
    expect((await form('track', `data=${base64(large)}`)).status).toBe(413);
    expect((await post(`${BASE}/track`, large)).status).toBe(200);
  });
});

describe('an import of Mixpanel', () => {
  const failed = {
    ...{ index: 1, $insert_id: 'i2', field: 'properties.time' },
    message: expect.stringMatching(/^eventTs: takes an ISO 8601/) as string,
  };

  it('takes JSON and lines, and says how many it stored', async () => {
    const { post, send, query } = await setUp();
    const stored = { code: 200, num_records_imported: 1, status: 'OK' };
    expect(saidJson(await post(`${BASE}/import?strict=1`, [PAID]))).toEqual([200, stored]);
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = `${JSON.stringify(PAID)}\n\n`;
    expect(saidJson(await send({ target: `${BASE}/import`, headers, body }))).toEqual([200, stored]);
    expect(await query()).toEqual([STORED]);
  });

  it('of a batch that is partly bad stores the good, and names the bad', async () => {
    const { post, query } = await setUp();
    const answer = await post(`${BASE}/import?strict=1&project_id=1`, [PAID, BAD]);
    expect(saidJson(answer)).toEqual([
      400,
      {
        ...{ code: 400, error: 'some data points in the request failed validation', status: 'Bad Request' },
        ...{ failed_records: [failed], num_records_imported: 1 },
      },
    ]);
    expect(await query()).toEqual([STORED]);
    const lax = await post(`${BASE}/import?strict=0`, [PAID, BAD]);
    const kept = { code: 200, failed_records: [failed], num_records_imported: 1, status: 'OK' };
    expect(saidJson(lax)).toEqual([200, kept]);
  });

  it('names the ids of the bad lines that have one, behind a line that is no JSON too', async () => {
    const { send } = await setUp();
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = `{"event":\n${[PAID, BAD].map((each) => JSON.stringify(each)).join('\n')}`;
    const [, said] = saidJson(await send({ target: `${BASE}/import?strict=1`, headers, body }));
    const ids = [
      { index: 0, $insert_id: null },
      { index: 2, $insert_id: 'i2' },
    ];
    expect(said).toMatchObject({ failed_records: ids, num_records_imported: 1 });
  });

  it('of nothing good stores nothing, and names all', async () => {
    const { post, query } = await setUp();
    const [status, body] = saidJson(await post(`${BASE}/import?strict=1`, [BAD]));
    expect([status, body]).toMatchObject([
      400,
      { code: 400, failed_records: [{ ...failed, index: 0 }], num_records_imported: 0 },
    ]);
    expect(await query()).toEqual([]);
  });

  it('from the SDK for Node is answered as a call of its own', async () => {
    const { form, send } = await setUp();
    expect(said(await form('import?verbose=0', `data=${base64([PAID])}`))).toEqual([200, '1']);
    const target = `${BASE}/import?api_key=k&data=${base64(PAID)}`;
    expect(said(await send({ method: 'GET', target }))).toEqual([200, '1']);
  });
});

describe('any request of Mixpanel', () => {
  const messages = fc.array(
    fc.dictionary(fc.constantFrom('event', 'properties', '$set', 'token'), jsonValues).chain((fields) =>
      fc.constantFrom<Record<string, unknown>>({ ...PAID, ...fields }, fields, {
        ...{ ...fields, $set: {}, $distinct_id: 'x' },
      }),
    ),
    { minLength: 1, maxLength: 6 },
  );

  it('has each message stored or refused, never both', () =>
    fc.assert(
      fc.asyncProperty(
        messages,
        fc.constantFrom('import?strict=1', 'import?strict=0', 'track', 'engage', 'groups'),
        async (all, path) => {
          const { post, query } = await setUp();
          // An id of its own says which message an event was.
          const numbered = all.map((message, i) =>
            isJsonObject(message.properties)
              ? { ...message, properties: { ...message.properties, i } }
              : { ...message, i },
          );
          const answer = await post(`${BASE}/${path}`, numbered);
          expect([200, 400]).toContain(answer.status);
          const stored = await query();
          if (!path.startsWith('import')) {
            expect(stored.length > 0).toBe(answer.status === 200);
            return;
          }
          const body = JSON.parse(answer.body) as {
            num_records_imported: number;
            failed_records?: { index: number; message: string }[];
          };
          const refused = (body.failed_records ?? []).map(({ index }) => index);
          expect((body.failed_records ?? []).every(({ message }) => message.length > 10)).toBe(true);
          expect(new Set(refused).size).toBe(refused.length);
          expect(body.num_records_imported + refused.length).toBe(all.length);
          expect(answer.status === 400).toBe(
            refused.length > 0 && (path.endsWith('1') || stored.length === 0),
          );
          const places = stored.map(({ properties }) => placeOf(properties));
          expect(places.filter((place) => refused.includes(place))).toEqual([]);
        },
      ),
      { numRuns: 100 },
    ));

  function placeOf(properties: object): number {
    const { i, mixpanel } = properties as { i?: number; mixpanel?: { i?: number } };
    return i ?? mixpanel?.i ?? -1;
  }
});

describe('who may send to Mixpanel’s routes', () => {
  const track = (token: string) => ({ ...PAID, properties: { ...PAID.properties, token } });

  it('under NONE is anyone, with any token', async () => {
    const { post } = await setUp();
    for (const headers of [{}, basic('x'), basic('x', 'y'), { authorization: 'Basic ?' }])
      expect((await post(`${BASE}/track`, PAID, headers)).status).toBe(200);
  });

  it('under SERVER_SIDE has a key, as Basic credentials, in the form or a message', async () => {
    const api = await setUp();
    await api.admin.updateTenant('acme', { authStrategy: 'SERVER_SIDE' });
    const { secret } = await api.admin.createKey('acme', { name: 'k', permissions: ['ingest'] });
    const restrictions = { origins: ['*'] };
    const write = await api.admin.createKey('acme', { name: 'w', permissions: ['write'], restrictions });
    const data = (token: string) => `data=${encodeURIComponent(base64([track(token)]))}`;
    const good: PlainAnswer[] = [
      await api.post(`${BASE}/track`, PAID, basic(secret)),
      await api.post(`${BASE}/import`, [PAID], basic('account', secret)),
      await api.post(`${BASE}/track`, PAID, { authorization: `Chase ${secret}` }),
      await api.post(`${BASE}/track`, track(secret)),
      await api.post(`${BASE}/engage`, [{ $token: secret, $distinct_id: 'ada', $set: {} }]),
      await api.form('track', data(secret)),
      await api.form('track', `${data('x')}&api_key=${secret}`),
      await api.send({ method: 'GET', target: `${BASE}/track?${data(write.secret)}` }),
    ];
    expect(good.map(({ status }) => status)).toEqual(good.map(() => 200));
    const refused = [
      await api.post(`${BASE}/track`, PAID),
      await api.post(`${BASE}/track`, track(secret), basic('wrong')),
      await api.post(`${BASE}/import`, [PAID], basic(secret, 'wrong')),
      await api.form('track', data('wrong')),
      await api.send({ method: 'GET', target: `${BASE}/track?${data('wrong')}` }),
      // Addresses are logged, so no secret counts there.
      await api.send({ method: 'GET', target: `${BASE}/track?${data(secret)}` }),
      await api.post(`${BASE}/track?api_key=${secret}`, [PAID]),
      // A token counts only where it is left out of what is stored.
      await api.post(`${BASE}/track`, { event: 'Paid', $token: secret }),
      await api.post(`${BASE}/engage`, [{ $set: {}, properties: { token: secret } }]),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(JSON.parse(refused[0]!.body)).toMatchObject({ status: 0 });
    expect(JSON.parse(refused[2]!.body)).toMatchObject({ code: 401, status: 'Unauthorized' });
    expect(JSON.stringify(await api.query())).not.toContain(secret);
    expect(JSON.stringify(api.log.entries)).not.toContain(secret);
  });

  it('is told that there is no such tenant', async () => {
    const { post, send }: PlainApi = await setUp();
    expect(saidJson(await post('/v1/mixpanel/nobody/track', PAID))).toEqual([
      404,
      { error: 'Tenant not found', status: 0 },
    ]);
    expect((await send({ method: 'GET', target: '/v1/mixpanel/nobody/flags' })).status).toBe(404);
  });
});

describe('what Mixpanel’s web SDK asks beside', () => {
  it.each([
    ['settings/', {}],
    ['flags/', { flags: {} }],
  ])('%s has nothing', async (path, expected) => {
    const { send } = await setUp();
    const answer = await send({ method: 'GET', target: `${BASE}/${path}?mp_lib=web` });
    expect(saidJson(answer)).toEqual([200, expected]);
  });
});
