import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';

const place = createPlace();
let adminKey = '';
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  adminKey = (await place.ok(['dashboard', 'key', 'create', '--name', 'k', '--role', 'admin'])).trim();
});
afterAll(() => place.remove());

/** Starts a server and changes a tenant as a proxy would; where that came from by the two logs. */
async function auditedFrom(args: readonly string[], headers: Record<string, string>, name: string) {
  const server = await place.serve(['serve', '--dashboard', '--log-addresses', ...args]);
  const all = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers };
  const body = JSON.stringify({ name });
  const url = `${server.url}/v1/admin/tenants/set/shop`;
  const changed = await fetch(url, { method: 'POST', headers: all, body });
  expect(changed.status).toBe(200);
  const audit = await fetch(`${server.url}/v1/admin/audit`, { headers: all });
  const { entries } = (await audit.json()) as { entries: { from: string; action: string }[] };
  expect(await server.stop()).toBe(0);
  const logged = server
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; method?: string; address?: string; requestId: string })
    .find(({ msg, method }) => msg === 'request' && method === 'POST');
  return {
    audited: entries.find(({ action }) => action === 'tenant.set')!.from,
    logged: logged!.address,
    requestId: logged!.requestId,
  };
}

it('serve --sdk-hosts takes what SDKs send to the root of a host', async () => {
  const flags = ['--sdk-hosts', 'localhost=posthog/shop'];
  const server = await place.serve(['serve', ...flags]);
  const { port } = new URL(server.url);
  const body = JSON.stringify({ api_key: 'k', batch: [{ event: 'of-a-host', distinct_id: 'u' }] });
  const headers = { 'content-type': 'application/json' };
  const sent = await fetch(`http://localhost:${port}/batch`, { method: 'POST', headers, body });
  expect(sent.status).toBe(200);
  expect((await fetch(`${server.url}/batch`, { method: 'POST', headers, body })).status).toBe(404);
  expect(await server.stop()).toBe(0);
  expect(await place.ok(['count', 'shop', '--event', 'of-a-host'])).toBe('1\n');
});

describe.each([[[]], [['--workers', '2']]])('serve --trust-proxy %j', (args) => {
  it.each([
    [{ 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }, '203.0.113.9'],
    [{ forwarded: 'for="[2001:db8::7]:4711"' }, '2001:db8::7'],
    [{ 'x-forwarded-for': 'nonsense' }, '127.0.0.1'],
  ])('counts %j for its client, in the audit log and in that of requests', async (headers, address) => {
    const sent = { ...headers, 'x-request-id': 'of-the-proxy' };
    const found = await auditedFrom([...args, '--trust-proxy', 'loopback'], sent, address);
    expect(found).toEqual({ audited: address, logged: address, requestId: 'of-the-proxy' });
  });

  it('counts it for the sender without the flag', async () => {
    const sent = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'of-a-client' };
    const found = await auditedFrom(args, sent, 'none');
    expect(found).toMatchObject({ audited: '127.0.0.1', logged: '127.0.0.1' });
    expect(found.requestId).not.toBe('of-a-client');
  });
});
