import { describe, expect, it } from 'vitest';
import { deepArrays, deepObjects, withEachValue } from '../../../support/deep-json.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

const TIME = '2024-05-03T10:00:00.000Z';
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

/** How a path takes one event, and an event with a value in each place that a protocol reads. */
interface Way {
  readonly path: string;
  readonly event: object;
  readonly type?: string;
  readonly method?: 'GET';
  /** The body of an event's JSON, or the query string of a GET; absent for the JSON itself. */
  readonly wrap?: (json: string) => string;
}

const own = { eventName: 'Paid', userId: 'ada', eventTs: TIME, insertId: 'i', properties: { plan: 'pro' } };
const call = {
  ...{ type: 'track', event: 'Paid', userId: 'ada', anonymousId: 'a', messageId: 'm', timestamp: TIME },
  ...{ originalTimestamp: TIME, properties: { plan: 'pro' }, traits: {}, context: { page: 1 }, more: 1 },
};
const posthog = {
  ...{ event: 'Paid', distinct_id: 'ada', uuid: 'u', timestamp: TIME, properties: { plan: 'pro' } },
  ...{ $set: { plan: 'pro' }, api_key: 'k', sent_at: TIME },
};
const mixpanel = {
  event: 'Paid',
  properties: { time: 1_714_730_400, distinct_id: 'ada', $insert_id: 'i', token: 't', plan: 'pro' },
};
const update = { $token: 't', $distinct_id: 'ada', $time: 1_714_730_400_000, $set: { plan: 'pro' } };
const amplitude = {
  ...{ event_type: 'Paid', user_id: 'ada', device_id: 'd', time: 1_714_730_400_000, insert_id: 'i' },
  ...{ event_properties: { plan: 'pro' }, user_properties: {} },
};

const base64 = (json: string) => Buffer.from(json).toString('base64');
const asData = (json: string) => `data=${encodeURIComponent(json)}`;
const asData64 = (json: string) => asData(base64(json));

/** Every form in which an event comes. */
const WAYS: Readonly<Record<string, Way>> = {
  'own, a list': { path: '/v1/events/acme/multi', event: own, wrap: (json) => `[${json}]` },
  'own, lines': { path: '/v1/events/acme/multi', event: own, type: 'application/x-ndjson' },
  properties: { path: '/v1/events/acme/properties', event: { userId: 'ada', plan: 'pro' } },
  snapshot: {
    path: '/v1/events/acme/snapshot',
    event: { sessionId: 'ada', pageUrl: 'http://a/', snapshot: 's', timestamp: 1_714_730_400_000, more: 1 },
  },
  'Segment, one': { path: '/v1/segment/acme/v1/track', event: call },
  'Segment, a batch': {
    path: '/v1/segment/acme/v1/batch',
    event: call,
    wrap: (json) => `{"batch":[${json}]}`,
  },
  'RudderStack, one': { path: '/v1/rudderstack/acme/v1/identify', event: call },
  'RudderStack, a beacon': {
    path: '/v1/rudderstack/acme/beacon/v1/batch',
    event: call,
    wrap: (json) => `{"batch":[${json}]}`,
  },
  'PostHog, one': { path: '/v1/posthog/acme/i/v0/e/', event: posthog },
  'PostHog, a list': { path: '/v1/posthog/acme/capture', event: posthog, wrap: (json) => `[${json}]` },
  'PostHog, Base64': { path: '/v1/posthog/acme/e/?compression=base64', event: posthog, wrap: base64 },
  'PostHog, a person': { path: '/v1/posthog/acme/engage', event: posthog, type: FORM, wrap: asData },
  'Mixpanel, one': { path: '/v1/mixpanel/acme/track', event: mixpanel },
  'Mixpanel, a list': { path: '/v1/mixpanel/acme/track', event: mixpanel, wrap: (json) => `[${json}]` },
  'Mixpanel, lines': { path: '/v1/mixpanel/acme/import', event: mixpanel, type: 'application/x-ndjson' },
  'Mixpanel, a form': { path: '/v1/mixpanel/acme/track', event: mixpanel, type: FORM, wrap: asData },
  'Mixpanel, Base64': { path: '/v1/mixpanel/acme/track', event: mixpanel, type: FORM, wrap: asData64 },
  'Mixpanel, an address': {
    path: '/v1/mixpanel/acme/track/',
    event: mixpanel,
    method: 'GET',
    wrap: asData64,
  },
  'Mixpanel, an update': { path: '/v1/mixpanel/acme/engage', event: update },
  Amplitude: {
    path: '/v1/amplitude/acme/2/httpapi',
    event: amplitude,
    wrap: (json) => `{"api_key":"k","events":[${json}]}`,
  },
};

const DEEP = [
  ['arrays', deepArrays],
  ['objects', deepObjects],
] as const;

/** Makes what sends the JSON of an event and gives the status, and what counts the stored events. */
async function setUp({ path, type = JSON_TYPE, method, wrap = (json) => json }: Way) {
  const api = createPlainApi({ accessLog: false });
  const secret = await api.createTenant('acme');
  const send = async (json: string) => {
    const text = wrap(json);
    const { status } =
      method === 'GET'
        ? await api.send({ method, target: `${path}?${text}` })
        : await api.send({ target: path, headers: { 'content-type': type }, body: text });
    return status;
  };
  const count = async () => {
    const { body } = await api.post('/v1/api/query/count/acme', {}, { 'x-api-key': secret });
    return (JSON.parse(body) as { count: number }).count;
  };
  return { ...api, send, count };
}

describe('a value that nests too deep, wherever it stands', () => {
  describe.each(Object.entries(WAYS))('%s', (_name, way) => {
    it.each(DEEP)('is refused as %s, and its server goes on', async (_kind, toDeep) => {
      const { send, count, log } = await setUp(way);
      for (const levels of [65, 129, 10_000, 20_000]) {
        for (const json of withEachValue(way.event, toDeep(levels))) {
          // A key of a project is not kept, so it may be any value that is read at all.
          const expected = levels > 128 ? [400] : [200, 400];
          expect(expected).toContain(await send(json));
        }
      }
      expect(log.entries).toEqual([]);
      expect(await send(JSON.stringify(way.event))).toBe(200);
      expect(await count()).toBeGreaterThan(0);
    });
  });
});
