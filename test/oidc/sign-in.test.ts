import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson } from './person.ts';
import { startProvider, startServer, type RunningProvider, type RunningServer } from './processes.ts';

let provider: RunningProvider;
let server: RunningServer;
const folder = mkdtempSync(join(tmpdir(), 'event-query-oidc-'));
beforeAll(async () => {
  provider = await startProvider();
  const roles = [{ value: 'admins', role: 'admin' as const, aliases: null }];
  server = await startServer({ db: join(folder, 'a.db'), issuer: provider.issuer, roles, offsetMs: 0 });
  const origin = `http://${server.host}`;
  await provider.serve({
    redirectUris: [`${origin}/sign-in`],
    logoutUri: `${origin}/v1/admin/back-channel-logout`,
  });
  await provider.set({ groups: { ada: ['admins'] } });
});
afterAll(async () => {
  await server.kill();
  await provider.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe('signing in', () => {
  it('works', async () => {
    const ada = newPerson();
    const answer = await ada.signIn(server.host, '/dashboard#/live/shop?x=1');
    expect(answer).toMatchObject({ status: 200 });
    console.log(answer);
    console.log(await ada.ask(server.host, 'session'));
  });
});
