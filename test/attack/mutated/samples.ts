/** A request as the SDKs send it, before anything is wrong with it. */
export interface Sample {
  readonly method: 'GET' | 'POST';
  /** The path, in which `@` stands for the tenant's alias. */
  readonly path: string;
  readonly type: string | null;
  /** How many events it has; null for a question. */
  readonly events: number | null;
  /** The JSON of its body; the ids in it contain the marker, and its key is the sender's. */
  readonly json: ((marker: string, key: string) => unknown) | null;
  /** The member of the body that holds the key, where its protocol looks for one. */
  readonly keyed: boolean;
  /** How the JSON stands in the body or, of a GET, in the query string. */
  readonly form: 'json' | 'lines' | 'data' | 'base64' | 'data64';
}

/** The user of every event, who is also the one of the access token. */
export const USER = 'ada';

const ISO = '2024-05-03T10:00:00.123Z';
const TIME = Date.parse(ISO);
const JSON_TYPE = 'application/json';
const PLAIN = 'text/plain;charset=UTF-8';
const FORM = 'application/x-www-form-urlencoded';

const post = (path: string, more: Partial<Sample>): Sample => ({
  ...{
    method: 'POST',
    path,
    type: JSON_TYPE,
    events: 1,
    json: null,
    keyed: false,
    form: 'json',
  },
  ...more,
});
const get = (path: string): Sample => post(path, { method: 'GET', type: null, events: null });

const own = (marker: string, i = 0) => ({
  ...{
    eventName: 'Paid',
    userId: USER,
    eventTs: ISO,
    insertId: `${marker}-${i}`,
  },
  properties: { plan: 'pro', nested: { list: [1, null, 'x'] } },
});
const call = (type: string, marker: string, i = 0) => ({
  ...{
    type,
    messageId: `${marker}-${i}`,
    anonymousId: 'anon',
    userId: USER,
    timestamp: ISO,
  },
  ...{
    originalTimestamp: ISO,
    sentAt: ISO,
    integrations: { All: true },
    _metadata: { nodeVersion: '20' },
  },
  context: {
    library: { name: 'analytics.js', version: 'npm:1.70.0' },
    page: { path: '/', url: 'http://a/' },
  },
  ...(type === 'track' ? { event: 'Paid' } : {}),
  ...(type === 'identify' || type === 'group'
    ? { traits: { plan: 'pro' } }
    : { properties: { plan: 'pro' } }),
  ...(type === 'group' ? { groupId: 'g' } : {}),
});
const calls = (marker: string, key: string) => ({
  batch: ['track', 'identify', 'page'].map((type, i) => call(type, marker, i)),
  ...{
    writeKey: key,
    sentAt: ISO,
    context: { app: { name: 'a' } },
    integrations: {},
  },
});
const posthog = (marker: string, i = 0) => ({
  ...{
    event: 'Paid',
    distinct_id: USER,
    uuid: `${marker}-${i}`,
    timestamp: ISO,
    type: 'capture',
  },
  properties: { $lib: 'web', $current_url: 'http://a/', plan: 'pro' },
  $set: { plan: 'pro' },
});
const mixpanel = (marker: string, key: string, i = 0) => ({
  event: 'Paid',
  properties: {
    ...{
      time: TIME / 1000,
      distinct_id: USER,
      $insert_id: `${marker}-${i}`,
      token: key,
      plan: 'pro',
    },
    ...{ $os: 'Linux', mp_lib: 'web' },
  },
});
const update = (marker: string, key: string) => ({
  ...{ $token: key, $distinct_id: USER, $time: TIME, $set: { plan: marker } },
});
const amplitude = (marker: string, i = 0) => ({
  ...{
    event_type: 'Paid',
    user_id: USER,
    device_id: 'd',
    time: TIME,
    insert_id: `${marker}-${i}`,
  },
  ...{
    event_properties: { plan: 'pro' },
    user_properties: {},
    library: 'amplitude-ts/2',
    session_id: TIME,
  },
});
const upload = (marker: string, key: string) => ({
  api_key: key,
  events: [amplitude(marker, 0), amplitude(marker, 1)],
  options: { min_id_length: 1 },
  client_upload_time: ISO,
});

/** Requests to every route that SDKs use. The shapes are those that `npm run sdks` and the tests record. */
export const SAMPLES: readonly Sample[] = [
  post('/v1/events/@/multi', {
    json: (marker) => [own(marker, 0), own(marker, 1)],
    events: 2,
  }),
  post('/v1/events/@/multi?dryRun=true', {
    json: (marker) => [own(marker)],
    events: 0,
  }),
  post('/v1/events/@/multi', {
    ...{ type: 'application/x-ndjson', form: 'lines', events: 2 },
    json: (marker) => [own(marker, 0), own(marker, 1)],
  }),
  post('/v1/events/@/properties', {
    json: (marker) => ({ userId: USER, plan: marker, seats: '3' }),
  }),
  post('/v1/events/@/snapshot', {
    json: (marker) => ({
      ...{
        sessionId: USER,
        pageUrl: 'http://a/',
        snapshot: marker,
        timestamp: TIME,
        deviceType: 'desktop',
      },
    }),
  }),
  post('/v1/client/@/config/configurations', {
    json: () => ({ userId: USER, x: 1 }),
    events: null,
  }),
  get('/v1/client/@/rescue/campaigns'),
  get('/v1/client/@/trackers'),
  get('/v1/tenant/@/trackers'),
  post('/v1/tenant/@/debug-sessions/verify', {
    json: () => ({ sessionId: 's', domain: 'd' }),
    events: null,
  }),

  post('/v1/segment/@/v1/batch', { json: calls, events: 3, keyed: true }),
  post('/v1/segment/@/v1/b', {
    json: calls,
    events: 3,
    keyed: true,
    type: PLAIN,
  }),
  ...['track', 'identify', 'page', 'screen', 'group', 'alias'].map((type) =>
    post(`/v1/segment/@/v1/${type}`, {
      ...{ keyed: true, type: type === 'track' ? PLAIN : JSON_TYPE },
      json: (marker, key) => ({ ...call(type, marker), writeKey: key }),
    }),
  ),
  post('/v1/segment/@/v1/t', { json: (marker) => call('track', marker) }),
  post('/v1/segment/@/v1/m', { json: () => ({ series: [] }), events: null }),
  get('/v1/segment/@/v1/projects/shop/settings'),

  post('/v1/rudderstack/@/v1/batch', { json: calls, events: 3 }),
  post('/v1/rudderstack/@/v1/import', { json: calls, events: 3, type: FORM }),
  post('/v1/rudderstack/@/v1/track', {
    json: (marker) => call('track', marker),
  }),
  post('/v1/rudderstack/@/v1/merge', {
    json: (marker) => call('merge', marker),
    type: '',
  }),
  post('/v1/rudderstack/@/beacon/v1/batch', {
    json: calls,
    events: 3,
    type: PLAIN,
  }),
  get('/v1/rudderstack/@/sourceConfig/?p=cdn&v=3&writeKey=shop'),

  post('/v1/posthog/@/batch/', {
    ...{ events: 2, keyed: true },
    json: (marker, key) => ({
      api_key: key,
      batch: [posthog(marker, 0), posthog(marker, 1)],
      sent_at: ISO,
    }),
  }),
  post('/v1/posthog/@/e/?ip=0&_=1&ver=1.4', {
    ...{ type: PLAIN, keyed: true, events: 2 },
    json: (marker, key) => ({
      api_key: key,
      batch: [posthog(marker, 0), posthog(marker, 1)],
    }),
  }),
  post('/v1/posthog/@/i/v0/e/', {
    ...{ type: PLAIN, keyed: true },
    json: (marker, key) => ({ api_key: key, ...posthog(marker) }),
  }),
  post('/v1/posthog/@/i/v0/e/?compression=base64', {
    ...{ type: FORM, form: 'data64', keyed: true },
    json: (marker, key) => ({ token: key, ...posthog(marker) }),
  }),
  post('/v1/posthog/@/track?compression=base64', {
    ...{ type: PLAIN, form: 'base64', keyed: true },
    json: (marker, key) => ({ api_key: key, ...posthog(marker) }),
  }),
  post('/v1/posthog/@/capture', { json: (marker) => [posthog(marker)] }),
  post('/v1/posthog/@/engage', {
    ...{ keyed: true, type: FORM, form: 'data' },
    json: (marker, key) => ({
      api_key: key,
      $distinct_id: USER,
      $set: { plan: marker },
      timestamp: ISO,
      uuid: marker,
    }),
  }),
  post('/v1/posthog/@/flags/?v=2', {
    json: () => ({ distinct_id: USER, token: 'k' }),
    events: null,
  }),
  post('/v1/posthog/@/decide', {
    json: () => ({ distinct_id: USER }),
    events: null,
  }),
  get('/v1/posthog/@/array/shop/config'),
  get('/v1/posthog/@/array/shop/config.js'),

  post('/v1/mixpanel/@/track/?verbose=1&ip=1&_=1', {
    ...{ form: 'data', type: FORM, keyed: true, events: 2 },
    json: (marker, key) => [mixpanel(marker, key, 0), mixpanel(marker, key, 1)],
  }),
  post('/v1/mixpanel/@/track', {
    ...{ form: 'data64', type: FORM, keyed: true },
    json: (marker, key) => mixpanel(marker, key),
  }),
  post('/v1/mixpanel/@/track?ip=1', {
    ...{ keyed: true },
    json: (marker, key) => [mixpanel(marker, key)],
  }),
  {
    ...post('/v1/mixpanel/@/track/', {
      json: (marker) => mixpanel(marker, 'tok'),
      form: 'data64',
    }),
    method: 'GET',
    type: null,
  },
  {
    ...post('/v1/mixpanel/@/track?img=1', {
      json: (marker) => [mixpanel(marker, 'tok')],
      form: 'data',
    }),
    method: 'GET',
    type: null,
  },
  post('/v1/mixpanel/@/import?strict=1', {
    ...{ keyed: true, events: 2 },
    json: (marker, key) => [mixpanel(marker, key, 0), mixpanel(marker, key, 1)],
  }),
  post('/v1/mixpanel/@/import?strict=0', {
    ...{ keyed: true, events: 2, type: 'application/x-ndjson', form: 'lines' },
    json: (marker, key) => [mixpanel(marker, key, 0), mixpanel(marker, key, 1)],
  }),
  post('/v1/mixpanel/@/engage/', {
    json: (marker, key) => [update(marker, key)],
    keyed: true,
  }),
  post('/v1/mixpanel/@/groups/', {
    ...{ form: 'data', type: FORM, keyed: true },
    json: (marker, key) => [{ ...update(marker, key), $group_key: 'g', $group_id: '1' }],
  }),
  get('/v1/mixpanel/@/settings?token=t'),
  get('/v1/mixpanel/@/flags/?context=%7B%7D'),

  post('/v1/amplitude/@/2/httpapi', { json: upload, events: 2, keyed: true }),
  post('/v1/amplitude/@/batch', { json: upload, events: 2, keyed: true }),
  post('/v1/amplitude/@/2/httpapi', {
    json: upload,
    events: 2,
    keyed: true,
    type: PLAIN,
  }),
];

/** The text of a body in one of the forms. */
export function toText(form: Sample['form'], json: string): string {
  const base64 = () => Buffer.from(json).toString('base64');
  switch (form) {
    case 'data':
      return `data=${encodeURIComponent(json.toWellFormed())}`;
    case 'data64':
      return `data=${encodeURIComponent(base64())}`;
    case 'base64':
      return base64();
    default:
      return json;
  }
}
