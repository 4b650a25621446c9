import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';

const place = createPlace();
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop', '--plan', 'custom']);
});
afterAll(() => place.remove());

const LINK = /^dashboard: (http:\/\/127\.0\.0\.1:\d+)\/sign-in#(eql_[0-9a-f]{64})\nThe link works once/m;
/** The headers that a page of the dashboard sends. */
const headersOf = (origin: string) => ({
  Origin: origin,
  'Sec-Fetch-Site': 'same-origin',
  'X-Event-Query': 'dashboard',
  'Content-Type': 'application/json',
});

async function signIn(origin: string, code: string): Promise<Response> {
  const body = JSON.stringify({ code });
  return fetch(`${origin}/v1/admin/sign-in`, { method: 'POST', headers: headersOf(origin), body });
}

/** A GET with any Host header, which `fetch` would not send. */
async function getAs(origin: string, path: string, host: string): Promise<{ status: number; body: string }> {
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request(origin + path, { headers: { Host: host } }, resolve)
      .on('error', reject)
      .end();
  });
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

describe('serve --dashboard', () => {
  it('prints a link that signs in once, and link prints another', async () => {
    const server = await place.serve(['serve', '--dashboard'], LINK);
    const [, origin = '', code = ''] = LINK.exec(server.printed) ?? [];
    expect(origin).toBe(server.url);
    expect((await fetch(`${origin}/sign-in`)).status).toBe(200);
    const first = await signIn(origin, code);
    expect(first.status).toBe(200);
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!;
    expect((await signIn(origin, code)).status).toBe(401);
    const tenants = await fetch(`${origin}/v1/admin/tenants`, { headers: { ...headersOf(origin), cookie } });
    expect(await tenants.json()).toMatchObject([{ alias: 'shop' }]);
    const { port } = new URL(origin);
    const other = LINK.exec(await place.ok(['dashboard', 'link', '--port', port]))!;
    expect(other[1]).toBe(origin);
    expect((await signIn(origin, other[2]!)).status).toBe(200);
    expect(server.log()).not.toMatch(/eq[ls]_/);
    await server.stop();
  });

  it('serves pages that load nothing from elsewhere and cannot be framed', async () => {
    const server = await place.serve(['serve', '--dashboard'], LINK);
    for (const path of [
      '/dashboard',
      '/dashboard/',
      '/sign-in',
      '/dashboard/app.js',
      '/dashboard/app.css',
      '/dashboard/icon.svg',
    ]) {
      const answer = await fetch(server.url + path);
      expect([path, answer.status]).toEqual([path, 200]);
      const policy = answer.headers.get('content-security-policy')!;
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        expect(policy).toContain(rule);
      }
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      const etag = answer.headers.get('etag') ?? '';
      const again = await fetch(server.url + path, { headers: { 'If-None-Match': etag } });
      // The URL may contain the answer of an identity provider.
      if (path === '/sign-in') expect([etag, answer.headers.get('cache-control')]).toEqual(['', 'no-store']);
      else expect(again.status).toBe(304);
    }
    const html = await (await fetch(`${server.url}/dashboard`)).text();
    expect(html).not.toMatch(/<script(?![^>]* src="dashboard\/(app|theme)\.js")|style=|https?:/);
    expect((await fetch(`${server.url}/`, { redirect: 'manual' })).headers.get('location')).toBe('dashboard');
    for (const path of ['/dashboard/index', '/dashboard/app.js/x', '/dashboard/__proto__']) {
      expect((await getAs(server.url, path, new URL(server.url).host)).status).toBe(404);
    }
    for (const path of ['/', '/dashboard', '/sign-in', '/dashboard/app.js', '/v1/admin/tenants']) {
      expect((await getAs(server.url, path, 'evil.test')).status).toBe(421);
    }
    // The API itself accepts any host name.
    expect((await getAs(server.url, '/healthz', 'api.test')).status).toBe(200);
    await server.stop();
  });

  it('can have its own port, and the API port then does not serve it', async () => {
    // Whatever the API listens on, the dashboard listens on this machine only.
    const args = ['--host', '0.0.0.0', '--dashboard', '--admin-port', '0'];
    const server = await place.serve(['serve', ...args], LINK);
    const [, origin = '', code = ''] = LINK.exec(server.printed) ?? [];
    expect(origin).not.toBe(server.url);
    expect((await signIn(origin, code)).status).toBe(200);
    // The commands that its pages show are for the API.
    const page = await (await fetch(`${origin}/dashboard`)).text();
    const api = server.url.replace('0.0.0.0', '127.0.0.1');
    expect(page).toContain(`<meta name="api" content="${api}" />`);
    for (const path of ['/', '/dashboard', '/v1/admin/tenants', '/sign-in']) {
      expect((await fetch(server.url + path)).status).toBe(404);
    }
    expect((await fetch(`${origin}/v1/api/query/events/shop`)).status).toBe(404);

    // Another link leads to the same port, by the flag or the variable of serve.
    const { port } = new URL(origin);
    for (const [args, env] of [
      [['--admin-port', port], {}],
      [[], { EVENT_QUERY_ADMIN_PORT: port }],
    ] as const)
      expect(await place.ok(['dashboard', 'link', ...args], { env })).toContain(`${origin}/sign-in#`);
    const astray = await place.run(['dashboard', 'link', '--port', new URL(server.url).port]);
    expect([astray.code, astray.stderr]).toEqual([
      1,
      expect.stringContaining('start it with --dashboard, or name its port with --admin-port') as string,
    ]);

    // When the dashboard's port is in use, the API is closed too.
    const again = ['serve', '--port', '0', '--dashboard', '--admin-port', port];
    const second = await place.run(again, { process: true });
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining('the port is in use') as string,
    ]);
    await server.stop();
  });

  it('is served only with the flag, and only on addresses of this machine', async () => {
    const server = await place.serve(['serve']);
    expect(server.printed).not.toContain('dashboard');
    for (const path of ['/', '/dashboard', '/v1/admin/tenants', '/v1/admin/sign-in']) {
      expect((await fetch(server.url + path)).status).toBe(404);
    }
    await server.stop();
    const refused = await place.run(['serve', '--dashboard', '--host', '192.0.2.1', '--port', '0']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--admin-port') as string]);
  });
});

describe('dashboard key', () => {
  it('creates keys for programs, lists them without secrets, and ends them', async () => {
    const server = await place.serve(['serve', '--dashboard'], LINK);
    const secret = (
      await place.ok([
        'dashboard',
        'key',
        'create',
        '--name',
        'robot',
        '--role',
        'viewer',
        '--tenant',
        'shop',
      ])
    ).trim();
    expect(secret).toMatch(/^eqa_[0-9a-f]{64}$/);
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}/v1/admin/${path}`, { ...init, headers: { Authorization: `Bearer ${secret}` } });
    expect(await (await ask('session')).json()).toMatchObject({
      name: 'robot',
      role: 'viewer',
      tenants: ['shop'],
    });
    const listed = await place.ok(['dashboard', 'key', 'list', '--json']);
    expect(listed).not.toContain(secret);
    const [key] = JSON.parse(listed) as { id: string; name: string; tenants: string[] }[];
    expect(key).toMatchObject({ name: 'robot', tenants: ['shop'] });
    expect(await place.ok(['dashboard', 'key', 'revoke', key!.id])).toBe(`revoked robot (${key!.id})\n`);
    expect((await ask('session')).status).toBe(401);
    expect((await place.run(['dashboard', 'key', 'revoke', key!.id])).code).toBe(1);
    for (const wrong of [
      ['--name', 'x', '--role', 'boss'],
      ['--name', 'x'],
      ['--role', 'viewer', '--name', 'x', '--tenant', 'nobody'],
    ]) {
      expect((await place.run(['dashboard', 'key', 'create', ...wrong])).code).not.toBe(0);
    }
    await server.stop();
  });
});
