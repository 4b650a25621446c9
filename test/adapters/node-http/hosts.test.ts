import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeServer } from '../../../adapters/node-http/index.ts';
import { sdkProtocols } from '../../../adapters/sdks/index.ts';
import { createApi, type Api } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';

const TENANTS = ['shop', 'other'];
const HOSTS = {
  'ph.example.com': '/v1/posthog/shop',
  'Rs.Example.com': '/v1/rudderstack/shop',
  'amp.example.com': '/v1/amplitude/shop',
  'mp.example.com': '/v1/mixpanel/shop',
  'seg.example.com': '/v1/segment/shop',
  'ph-other.example.com': '/v1/posthog/other',
};

let api: Api;
let port: number;
let close: () => Promise<void>;
beforeAll(async () => {
  const resources = testResources();
  api = createApi({ stores: memoryStores({ resources }), resources, protocols: sdkProtocols() });
  for (const alias of TENANTS) await api.admin.createTenant({ alias, plan: 'growth' });
  const server = createNodeServer({ api, hosts: HOSTS });
  close = () => server.close();
  ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
});
afterAll(() => close());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends a request for a host, as an SDK does whose address is that host alone. */
function ask(host: string, { method = 'POST', path, headers = {}, body }: Sent) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers, host };
    request({ port, host: '127.0.0.1', method, path, headers: all }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode!, body: said }), reject);
    })
      .on('error', reject)
      .end(body);
  });
}

const namesOf = async (alias: string) => (await api.tenant(alias)).eventNames();
const basic = { authorization: `Basic ${Buffer.from('key:').toString('base64')}` };
const posthog = (event: string) => JSON.stringify({ api_key: 'k', batch: [{ event, distinct_id: 'u' }] });
const call = (event: string) => JSON.stringify({ batch: [{ type: 'track', event, userId: 'u' }] });

describe('a host of its own', () => {
  it.each<[string, string, Sent]>([
    ['PostHog for iOS', 'ph.example.com', { path: '/batch', body: posthog('of-ios') }],
    [
      'PostHog with gzip',
      'ph.example.com',
      { path: '/batch/', headers: { 'content-encoding': 'gzip' }, body: gzipSync(posthog('of-gzip')) },
    ],
    ['PostHog for the web', 'PH.example.com:443', { path: '/i/v0/e/?ip=0', body: posthog('of-web') }],
    [
      'RudderStack for iOS',
      'rs.example.com',
      { path: '/v1/batch', headers: basic, body: call('of-rudderstack') },
    ],
    ['Segment', 'seg.example.com', { path: '/v1/b', headers: basic, body: call('of-segment') }],
    [
      'Amplitude',
      'amp.example.com',
      {
        path: '/2/httpapi',
        body: JSON.stringify({ api_key: 'k', events: [{ event_type: 'of-amplitude', user_id: 'u' }] }),
      },
    ],
    [
      'Mixpanel',
      'mp.example.com',
      {
        path: '/track?verbose=1',
        body: JSON.stringify([{ event: 'of-mixpanel', properties: { distinct_id: 'u', token: 'k' } }]),
      },
    ],
  ])('takes what %s sends to its root', async (_, host, sent) => {
    expect(await ask(host, sent)).toMatchObject({ status: 200 });
    const [name] = /of-[a-z]+/.exec(String(sent.body)) ?? ['of-gzip'];
    expect(await namesOf('shop')).toContain(name);
  });

  it('answers what an SDK asks before it sends', async () => {
    for (const [host, method, path] of [
      ['ph.example.com', 'POST', '/flags/?v=2'],
      ['rs.example.com', 'GET', '/sourceConfig?p=ios&v=1.31.1&bv=1'],
      ['rs.example.com', 'OPTIONS', '/v1/batch'],
    ] as const) {
      const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
      expect((await ask(host, { method, path, headers })).status, path).toBeLessThan(300);
    }
  });

  it('is that of one tenant, whichever was asked before from the same network', async () => {
    for (const [host, event] of [
      ['ph.example.com', 'mine'],
      ['ph-other.example.com', 'theirs'],
      ['ph.example.com', 'mine-again'],
    ] as const)
      expect((await ask(host, { path: '/batch', body: posthog(event) })).status).toBe(200);
    expect(await namesOf('other')).toEqual(['theirs']);
    expect(await namesOf('shop')).not.toContain('theirs');
  });

  it('has nothing but the routes of its protocol, and answers health checks', async () => {
    for (const path of ['/v1/events/other/multi', '/v1/openapi.json', '/../other/batch', '/', '*'])
      expect((await ask('ph.example.com', { path, body: posthog('x') })).status, path).toBe(404);
    expect((await ask('ph.example.com', { method: 'GET', path: '/healthz' })).status).toBe(200);
  });

  it('leaves other hosts as they are', async () => {
    for (const host of ['127.0.0.1', 'x.ph.example.com', 'ph.example.com.', 'constructor'])
      expect((await ask(host, { path: '/batch', body: posthog('lost') })).status, host).toBe(404);
    const sent = { path: '/v1/posthog/other/batch', body: posthog('by-path') };
    expect((await ask('events.example.com', sent)).status).toBe(200);
    expect(await namesOf('other')).toContain('by-path');
  });
});
