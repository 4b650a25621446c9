import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defectsIn, startServer } from '../support/server-process.ts';
import { newPerson } from './person.ts';
import { startProvider } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-query-oidc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('serve --dashboard --oidc-issuer', () => {
  it('signs people in by what flags, a file and the environment say, in every worker', async () => {
    const provider = await startProvider();
    const secret = join(folder, 'secret');
    const config = join(folder, 'config.json');
    writeFileSync(secret, 'a secret that only two know\n');
    writeFileSync(config, JSON.stringify({ oidcRole: ['a=b=viewer', 'admins=admin'], oidcClientId: 'dash' }));
    const server = await startServer({
      db: join(folder, 'events.db'),
      args: ['--dashboard', '--workers', '2', '--oidc-issuer', provider.issuer, '--config', config],
      env: { EVENT_QUERY_OIDC_CLIENT_SECRET_FILE: secret, EVENT_QUERY_OIDC_KEY: 'k'.repeat(16) },
    });
    try {
      const host = `127.0.0.1:${server.port}`;
      await provider.serve({
        redirectUris: [`http://${host}/sign-in`],
        logoutUri: `http://${host}/v1/admin/back-channel-logout`,
      });
      await provider.set({ person: 'ada', groups: { ada: ['admins'], eve: ['a=b'] } });
      const ada = newPerson();
      // The page that the provider sends back to is the dashboard's own.
      const callback = await ada.visit(await ada.begin(host));
      const page = await ada.fetch(`http://${host}/sign-in${callback}`);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await ada.ask(host, 'sign-in', { callback })).toMatchObject({ status: 200 });
      for (let i = 0; i < 6; i += 1) expect((await ada.ask(host, 'tenants')).status).toBe(200);
      await provider.set({ person: 'eve' });
      expect((await newPerson().signIn(host)).json).toMatchObject({ role: 'viewer', tenants: null });
      expect(defectsIn(server.log)).toEqual([]);
      expect(JSON.stringify(server.log)).not.toMatch(/eyJ|only two know|code=/);
    } finally {
      await server.stop();
      await provider.kill();
    }
  });
});
