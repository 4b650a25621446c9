import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { DIST } from '../support/built.ts';

/** Pages of another origin than the API, each with one way to send events. */
export interface Pages {
  readonly origin: string;
  close(): void;
}

/** The ways: the two web SDKs, and what a page can do without one. */
export const WAYS = ['analytics-web', 'tag', 'plain'] as const;
/** The tenant of the page whose answers are lost, and its path. */
export const RETRIED = 'retried';
/** The tenant of the page with a sender of `event-query/client`, and its path. */
export const SENDER = 'sender';
export type Way = (typeof WAYS)[number];
/** The paths of pages that have loaded an SDK and not begun it. */
export const LOADED = { 'analytics-web': 'loaded-analytics-web', tag: 'loaded-tag' } as const;

/**
 * Keeps every event that the page hands to the browser in the page's own storage, which survives the end of
 * the page: what the browser then refuses to send is missing on the server, and only there.
 */
const KEEP = `
  const change = (edit) => {
    const kept = JSON.parse(localStorage.getItem('handed') ?? '[]');
    edit(kept);
    localStorage.setItem('handed', JSON.stringify(kept));
  };
  const keep = (via, url, body) => {
    if (!String(url).includes('/v1/events/')) return () => undefined;
    const id = Math.random();
    change((kept) => kept.push({ id, via, path: new URL(url).pathname, body, isAnswered: false }));
    return () => change((kept) => (kept.find((each) => each.id === id).isAnswered = true));
  };
  const texts = new WeakMap();
  window.Blob = class extends Blob {
    constructor(parts, options) { super(parts, options); texts.set(this, parts.join('')); }
  };
  const beacon = navigator.sendBeacon.bind(navigator);
  navigator.sendBeacon = (url, data) => {
    keep('beacon', url, typeof data === 'string' ? data : texts.get(data));
    return beacon(url, data);
  };
  const plainFetch = window.fetch;
  window.fetch = (url, init) => {
    const end = keep('fetch', url, init?.body);
    const answer = plainFetch(url, init);
    answer.then(end, end);
    return answer;
  };
`;

function scriptOf(way: Way, api: string): string {
  if (way === 'analytics-web')
    return `<script src="/analytics-web.js"></script><script>
      window.grain = Grain.createGrainAnalytics({
        tenantId: 'analytics-web', apiUrl: '${api}', flushInterval: 500, heartbeatActiveInterval: 700,
        consentMode: 'GDPR_OPT_OUT',
      });
      window.bought = () => grain.track('bought', { amount: 12.5, items: ['a', 'b'] });
    </script>`;
  if (way === 'tag')
    return `<script>window.__GRAIN_CONFIG__ = { tenantId: 'tag', apiUrl: '${api}', debug: false };</script>
    <script src="/tag.js"></script>
    <script>window.bought = () => GrainTag.track('bought', { amount: 12.5, items: ['a', 'b'] });</script>`;
  return `<script>
      const url = '${api}/v1/events/plain/multi';
      const toEvent = (eventName) => ({ eventName, userId: 'u', properties: { at: Date.now() } });
      const send = (eventName) => JSON.stringify([toEvent(eventName)]);
      const headers = { 'Content-Type': 'application/json' };
      fetch(url, { method: 'POST', headers, body: send('page_view') });
      window.bought = () => {
        navigator.sendBeacon(url, send('bought'));
        fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: send('no_cors') });
      };
      addEventListener('pagehide', () => {
        navigator.sendBeacon(url, send('left'));
        navigator.sendBeacon(url, new Blob([send('left_as_json')], { type: 'application/json' }));
      });
    </script>`;
}

/** A page that keeps what it hands over, and whose button does nothing of its own. */
const PLAIN_BUTTON = `<script>${KEEP} window.bought = () => undefined;</script>`;

/** A page of the first SDK that sends nothing but what is bought, each time the same. */
const ONLY_BOUGHT = (api: string) => `<script src="/analytics-web.js"></script><script>
  window.grain = Grain.createGrainAnalytics({
    tenantId: '${RETRIED}', apiUrl: '${api}', flushInterval: 3600000, enableHeartbeat: false,
    enableAutoPageView: false, enableHeatmapTracking: false, consentMode: 'GDPR_OPT_OUT',
  });
  window.bought = () => grain.track('bought', { amount: 1 }, { flush: true });
</script>`;

/**
 * A page that appends events while it is used and while it is left, and keeps the number of each in its
 * storage. Its own listeners come after those of the sender.
 */
const WITH_SENDER = (api: string) => `<script src="/client.js"></script><script>
  window.reported = [];
  window.sender = EventQuery.createSender({
    url: '${api}', tenant: '${SENDER}', delayMs: 300,
    onError: (error, undelivered) => reported.push(error.message),
  });
  window.track = (eventName, more) => {
    const n = Number(localStorage.getItem('appended') ?? 0);
    localStorage.setItem('appended', n + 1);
    sender.append({ eventName, userId: 'u', properties: { n, ...more } });
  };
  window.bought = () => track('bought');
  track('page_view');
  addEventListener('pagehide', () => track('left'));
  document.addEventListener('visibilitychange', () => track('visibility_' + document.visibilityState));
</script>`;

/** The built client as a script that a page can load. */
async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(DIST, 'client.js')],
    ...{ bundle: true, format: 'iife', globalName: 'EventQuery', write: false, logLevel: 'silent' },
  });
  return outputFiles[0]!.text;
}

/** Serves a page for each way at \`/WAY\`, and an empty one at \`/empty\`. */
export async function startPages(api: string): Promise<Pages> {
  const client = await bundleClient();
  const scripts: Readonly<Record<string, URL>> = {
    '/analytics-web.js': new URL('node_modules/@grainql/analytics-web/dist/index.global.js', import.meta.url),
    '/tag.js': new URL('node_modules/@grainql/tag/dist/grain-tag.global.js', import.meta.url),
  };
  const server = createServer(({ url: target = '' }, res) => {
    const [url = ''] = target.split('?');
    if (url === '/favicon.ico') {
      res.writeHead(204).end();
      return;
    }
    const script = scripts[url];
    if (script !== undefined) {
      res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(script));
      return;
    }
    if (url === '/client.js') {
      res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(client);
      return;
    }
    const way = WAYS.find((each) => url === `/${each}`);
    const ofWay = way === undefined ? '' : `<script>${KEEP}</script>${scriptOf(way, api)}`;
    const others: Readonly<Record<string, string>> = {
      [`/${RETRIED}`]: ONLY_BOUGHT(api),
      [`/${SENDER}`]: WITH_SENDER(api),
      [`/${LOADED['analytics-web']}`]: `${PLAIN_BUTTON}<script src="/analytics-web.js"></script>`,
      [`/${LOADED.tag}`]: `${PLAIN_BUTTON}<script src="/tag.js"></script>`,
    };
    const tags = others[url] ?? ofWay;
    // A cookie, so that what is sent with credentials has some.
    res.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'session=1; Path=/' });
    res.end(
      `<!doctype html><title>${way ?? 'empty'}</title>${tags}` +
        '<h1>A shop</h1><section><p>Text</p><button id="buy" onclick="bought()">Buy</button></section>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
