import { describe, expect, it } from 'vitest';
import { createPlainApi } from '../../../support/plain-api.ts';

const PATH = '/v1/events/shop/multi';
const event = (insertId: string, order: string) =>
  `{"eventName":"o","userId":"u","eventTs":1e12,"insertId":"${insertId}","properties":{"order":${order}}}`;

async function openShop() {
  const api = createPlainApi();
  const key = await api.createTenant('shop');
  const post = (target: string, body: string, type = 'application/json') =>
    api.send({ target, body, headers: { 'content-type': type, 'x-api-key': key } });
  return { post, shop: await api.tenant('shop') };
}

const REFUSED = 'properties.order: the integer 9007199254740993 would be rounded; send it as text';

describe('an integer that a double does not hold', () => {
  it('is refused by itself in a batch, as JSON and as lines', async () => {
    const { post, shop } = await openShop();
    const events = [event('a', '9007199254740992'), event('b', '9007199254740993'), event('c', '0.5')];
    for (const [type, text] of [
      ['application/json', `[${events.join(',')}]`],
      ['application/x-ndjson', events.join('\n')],
    ] as const) {
      const { status, body } = await post(PATH, text, type);
      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({ rejected: [{ index: 1, error: REFUSED }] });
    }
    expect(await shop.count({})).toBe(2);
  });

  it.each([
    [
      'segment/shop/v1/batch',
      (n: string) => `{"batch":[{"type":"track","event":"a","userId":"u","properties":{"n":${n}}}]}`,
    ],
    ['mixpanel/shop/track', (n: string) => `[{"event":"a","properties":{"distinct_id":"u","n":${n}}}]`],
    [
      'posthog/shop/batch',
      (n: string) => `{"batch":[{"event":"a","distinct_id":"u","properties":{"n":${n}}}]}`,
    ],
    [
      'amplitude/shop/2/httpapi',
      (n: string) => `{"events":[{"event_type":"a","user_id":"u","event_properties":{"n":${n}}}]}`,
    ],
  ])('is refused on /v1/%s', async (path, bodyOf) => {
    const { post, shop } = await openShop();
    await post(`/v1/${path}`, bodyOf('76561198275305774'));
    expect(await shop.count({})).toBe(0);
    await post(`/v1/${path}`, bodyOf('1152921504606846976'));
    expect(await shop.count({})).toBe(1);
  });
});

it('whole numbers are answered in all their digits, which can be sent again', async () => {
  const { post } = await openShop();
  await post(PATH, `[${event('a', '1152921504606846976')},${event('b', '1e300')}]`);
  const ask = (path: string, body: string) => post(`/v1/api/query/${path}shop`, body);
  const { body } = await ask('', '{}');
  expect(body).toContain('"properties":{"order":1e+300}');
  expect(body).toContain('"properties":{"order":1152921504606846976}');
  expect((await ask('breakdown/', '{"by":"properties.order"}')).body).toContain('"key":1152921504606846976');
  const filter = '{"property":"properties.order","comparison":"EQUALS","value":1152921504606846976}';
  expect((await ask('count/', `{"filterSet":[${filter}]}`)).body).toBe('{"count":1}\n');
});

describe('a question', () => {
  const filter = (value: string) =>
    `{"filterSet":[{"property":"properties.order","comparison":"EQUALS","value":${value}}]}`;
  it.each([
    [
      'with a rounded operand',
      filter('76561198275305774'),
      'filterSet[0].value: the integer 76561198275305774 would be rounded; send it as text',
    ],
    [
      'with a rounded one in a list',
      filter('1,"x":[5,9007199254740993]'),
      'filterSet[0].x[1]: the integer 9007199254740993 would be rounded; send it as text',
    ],
    ['with a key twice', '{"event":"a","ev\\u0065nt":"b"}', 'event: the key stands there twice'],
    ['with one twice in a filter', filter('1,"value":2'), 'filterSet[0].value: the key stands there twice'],
  ])('%s is a 400 that says where', async (_, body, error) => {
    const { post } = await openShop();
    for (const path of ['', 'count/', 'breakdown/', 'export/', 'explain/']) {
      const answer = await post(`/v1/api/query/${path}shop`, body);
      expect([path, answer.status, answer.body]).toEqual([path, 400, `${JSON.stringify({ error })}\n`]);
    }
  });
});

it('an empty list of properties is none', async () => {
  const { post, shop } = await openShop();
  await post(PATH, '[{"eventName":"o","userId":"u","properties":[]}]');
  await post('/v1/segment/shop/v1/batch', '{"batch":[{"type":"identify","userId":"u","traits":[]}]}');
  expect(await shop.count({})).toBe(2);
});
