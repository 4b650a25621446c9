import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCli } from '../support/built.ts';
import { cleanEnv } from '../support/clean-env.ts';
import { spawnSync } from 'node:child_process';
import { createFolder, createTenant, type TestTenant } from '../support/file.ts';
import { findFreePort } from '../support/free-port.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { HOST, hasProxy, startNginx, type Proxy } from './proxy.ts';

/** The sample with its locations below a path, which stand there as comments. */
const belowPath = (sample: string) => sample.replace(/^ {2}# ((?:location|}| ).*)$/gm, '  $1');

describe.runIf(hasProxy('nginx'))('a dashboard below a path of nginx', () => {
  const folder = createFolder();
  const db = folder.file('events.db');
  let shop: TestTenant;
  let server: ServerProcess;
  let proxy: Proxy;
  let base: string;

  beforeAll(async () => {
    shop = await createTenant(db, 'shop');
    // The server has to know the port of the proxy, and the proxy that of the server.
    const port = await findFreePort();
    proxy = await startNginx(folder.path, port, belowPath);
    base = `https://${HOST}:${proxy.port}/analytics`;
    server = await startServer({
      db,
      args: ['--port', String(port), '--dashboard', '--dashboard-url', base],
    });
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    folder.remove();
  });

  async function ask(path: string, body?: string, headers: Readonly<Record<string, string>> = {}) {
    const sent = request({
      ...{ host: '127.0.0.1', port: proxy.port, servername: HOST, ca: readFileSync(proxy.certificate), path },
      ...{ method: body === undefined ? 'GET' : 'POST', agent: false },
      headers: { host: `${HOST}:${proxy.port}`, 'content-type': 'application/json', ...headers },
    }).end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  const own = () => ({
    ...{ origin: new URL(base).origin, 'sec-fetch-site': 'same-origin', 'x-event-query': 'dashboard' },
  });

  it('leads to its page, whose files are below the path', async () => {
    const { status, headers } = await ask('/analytics/');
    expect([status, new URL(headers.location!, `${base}/`).href]).toEqual([302, `${base}/dashboard`]);
    const page = await ask('/analytics/dashboard');
    const named = [...page.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(3);
    for (const path of named)
      expect((await ask(new URL(path, `${base}/dashboard`).pathname)).status).toBe(200);
  });

  it('signs a colleague in by a link of the command, and invites others by links below it', async () => {
    const made = spawnSync(
      process.execPath,
      [
        builtCli(),
        '--db',
        db,
        'dashboard',
        'link',
        '--name',
        'ada',
        '--role',
        'admin',
        '--dashboard-url',
        base,
      ],
      { env: { ...cleanEnv(), NODE_EXTRA_CA_CERTS: proxy.certificate }, encoding: 'utf8' },
    );
    const code = made.stdout.split(`${base}/sign-in#`)[1]?.split(/\s/, 1)[0] ?? made.stderr;
    const entered = await ask('/analytics/v1/admin/sign-in', JSON.stringify({ code }), own());
    expect([entered.status, entered.text]).toEqual([200, expect.stringContaining('"name":"ada"')]);
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(new RegExp(`^__Host-event-query-${proxy.port}~analytics=\\S+; Path=/; Secure`));
    const session = { ...own(), cookie: cookie.split(';', 1)[0]! };
    expect((await ask('/analytics/v1/admin/session', undefined, session)).status).toBe(200);
    const invitation = JSON.stringify({ name: 'eve', role: 'viewer', tenants: ['shop'] });
    const invited = await ask('/analytics/v1/admin/sessions/invite', invitation, session);
    expect((JSON.parse(invited.text) as { readonly url: string }).url).toContain(`${base}/sign-in#`);
    // Another page of the same site is refused as before.
    const other = { ...session, 'sec-fetch-site': 'same-site' };
    expect((await ask('/analytics/v1/admin/session', undefined, other)).status).toBe(403);
  });

  it('answers the API and its exports there', async () => {
    const key = { 'x-api-key': shop.secret };
    const sent = [{ eventName: 'sold', userId: 'ann' }];
    expect((await ask('/analytics/v1/events/shop/multi', JSON.stringify(sent), key)).status).toBe(200);
    const exported = await ask('/analytics/v1/api/query/export/shop', '{}', key);
    expect([exported.status, exported.text.trimEnd().split('\n').length]).toEqual([200, 1]);
  });
});
