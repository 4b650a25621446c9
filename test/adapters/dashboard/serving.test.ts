import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compressPages } from '../../../.config/compress-pages.ts';
import type { HttpHandler } from '../../../src/index.ts';
import { bundlePages, bundleSources } from '../../support/bundle.ts';
import { toRequest, type PlainRequest } from '../../support/plain-api.ts';
import { testResources } from '../../support/resources.ts';

// The pages are found beside the built code.
const folder = bundleSources({ index: 'adapters/dashboard/index.ts' });
bundlePages(folder);
// The build names what loads later after its content.
const LATER = 'page-3FUAMKMQ.js';
writeFileSync(join(folder, 'dashboard', LATER), `export default '${'later '.repeat(20)}';`);
compressPages(join(folder, 'dashboard'));
const { withDashboard } = (await import(
  pathToFileURL(join(folder, 'index.js')).href
)) as typeof import('../../../adapters/dashboard/index.ts');

const ORIGIN = 'https://events.example';
const say =
  (body: string): HttpHandler =>
  ({ method }) =>
    Promise.resolve({ status: 200, headers: {}, body: `${body} ${method}` });
const api = { handler: say('rest'), adminHandler: say('admin'), resources: testResources() };
const { handler } = withDashboard(api, { origin: ORIGIN });

const ask = ({ headers, ...request }: PlainRequest, by = handler) =>
  by(toRequest({ method: 'GET', ...request, headers: { host: 'localhost:80', ...headers } }));
/** What answers: the body that one of the two says, or the type of a page. */
const answerer = async (request: PlainRequest) => {
  const { headers, body } = await ask(request);
  return headers['Content-Type'] ?? body;
};

describe('the files of the dashboard', () => {
  it.each([
    ['/dashboard', 'text/html; charset=utf-8'],
    ['/sign-in', 'text/html; charset=utf-8'],
    ['/sign-in?code=a&state=b', 'text/html; charset=utf-8'],
    ['/dashboard/app.js', 'text/javascript; charset=utf-8'],
    ['/dashboard/theme.js', 'text/javascript; charset=utf-8'],
    [`/dashboard/${LATER}`, 'text/javascript; charset=utf-8'],
    ['/dashboard/app.css?v=1', 'text/css; charset=utf-8'],
    ['/dashboard/icon.svg', 'image/svg+xml'],
  ])('%s is of its type, and a proxy may ask for its head alone', async (target, type) => {
    const [whole, head] = [await ask({ target }), await ask({ target, method: 'HEAD' })];
    expect([whole.status, whole.headers['Content-Type']]).toEqual([200, type]);
    expect((whole.body as string).length).toBeGreaterThan(100);
    expect(head).toEqual({ ...whole, body: '' });
  });

  it('the icon, for which a browser looks at each step of a page, is kept for a day', async () => {
    const { headers } = await ask({ target: '/dashboard/icon.svg' });
    expect(headers['Cache-Control']).toBe('max-age=86400');
  });

  it('are asked for anew each time, but for those that never change under their names', async () => {
    const cached = async (name: string) =>
      (await ask({ target: `/dashboard/${name}` })).headers['Cache-Control'];
    expect(await cached(LATER)).toBe('max-age=31536000, immutable');
    for (const name of ['', 'index.html', 'app.js', 'app.css', 'theme.js'])
      expect([name, await cached(name)]).toEqual([name, 'no-cache']);
  });

  it('go with what keeps other sites and any markup out, and are asked for anew each time', async () => {
    const { headers } = await ask({ target: '/dashboard' });
    const { ETag, ...rest } = headers;
    expect(ETag).toMatch(/^"[\w-]{43}"$/);
    expect(rest).toEqual({
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
      'Cache-Control': 'no-cache',
      'Content-Type': 'text/html; charset=utf-8',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    });
  });

  it('are not sent again to who has them', async () => {
    const { headers } = await ask({ target: '/dashboard/app.js' });
    const again = { target: '/dashboard/app.js', headers: { 'if-none-match': headers.ETag as string } };
    expect(await ask(again)).toEqual({ status: 304, headers, body: '' });
    expect((await ask({ ...again, target: '/dashboard/app.css' })).status).toBe(200);
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0.0', 'gzip'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
  ])('go as small as who asks takes them: %s', async (accept, coding) => {
    const target = '/dashboard/app.js';
    const plain = await ask({ target });
    const { status, headers, body } = await ask({ target, headers: { 'accept-encoding': accept } });
    expect([status, headers['Content-Encoding'], headers.Vary]).toEqual([200, coding, 'Accept-Encoding']);
    const bytes = Buffer.from(body as string, coding === undefined ? 'utf8' : 'latin1');
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[coding as 'br' | 'gzip'];
    const read = coding === undefined ? bytes : unpack(bytes);
    expect(read.toString()).toBe(plain.body);
    // Each form has a tag of its own, by which who has it is not sent it again.
    expect(headers.ETag === plain.headers.ETag).toBe(coding === undefined);
    const again = { 'accept-encoding': accept, 'if-none-match': `"other", W/${String(headers.ETag)}` };
    expect((await ask({ target, headers: again })).status).toBe(304);
    const others = {
      'accept-encoding': coding === 'br' ? 'gzip' : 'br',
      'if-none-match': String(headers.ETag),
    };
    expect((await ask({ target, headers: others })).status).toBe(200);
  });

  it('are those that there are, at their places, and only read', async () => {
    for (const target of ['/dashboard/index.html/x', '/app.js', '/dashboard/../app.js', '/dashboard/none'])
      expect([target, await answerer({ target })]).toEqual([target, 'rest GET']);
    for (const target of ['/', '/dashboard', '/dashboard/app.js'])
      expect([target, await answerer({ target, method: 'POST' })]).toEqual([target, 'rest POST']);
  });
});

describe('a server with the dashboard', () => {
  it('leads from its root to it', async () => {
    const { status, headers, body } = await ask({ target: '/' });
    expect([status, headers.Location, body]).toEqual([302, 'dashboard', '']);
  });

  it('names nothing by a path from the root, which a proxy may have left out', async () => {
    expect((await ask({ target: '/dashboard/' })).headers.Location).toBe('../dashboard');
    const page = (await ask({ target: '/dashboard' })).body as string;
    const named = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, path = '']) => path);
    expect(named).toContain('dashboard/app.js');
    for (const path of named) expect(path).toMatch(/^dashboard\/[\w.-]+$/);
  });

  it('answers the Admin API whatever the method, and everything else as before', async () => {
    expect(await answerer({ target: '/v1/admin/tenants', method: 'POST' })).toBe('admin POST');
    expect(await answerer({ target: '/v1/admin/tenants', method: 'GET' })).toBe('admin GET');
    expect(await answerer({ target: '/v1/api/query/shop', method: 'POST' })).toBe('rest POST');
    // On a port of its own nothing else is there.
    const alone = withDashboard(api, { apiUrl: 'http://127.0.0.1:8787' });
    expect((await ask({ target: '/v1/api/query/shop' }, alone.handler)).body).toBe('admin GET');
  });

  it.each([
    ['localhost', 200],
    ['127.0.0.1:8787', 200],
    ['[::1]:1', 200],
    ['events.example', 200],
    ['EVENTS.example', 200],
    ['events.example:444', 421],
    ['localhost.evil.example', 421],
  ])('shows its pages by the name %s: %i', async (host, status) => {
    for (const target of ['/dashboard', '/dashboard/app.js']) {
      const answer = await ask({ target, headers: { host } });
      expect(answer.status).toBe(status);
      if (status === 421) expect(answer.headers['Content-Type']).toBe('text/plain; charset=utf-8');
    }
    expect((await ask({ target: '/', headers: { host } })).status).toBe(status === 200 ? 302 : 421);
  });
});
