import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Server } from '../command.ts';

const place = createPlace();
let server: Server;
beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop', '--plan', 'custom']);
  server = await place.serve(['serve']);
});
afterAll(() => place.remove());

interface KeyJson {
  id: string;
  secret: string;
  status: string;
  secrets: number;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

const parse = (json: string) => JSON.parse(json) as KeyJson;
const create = async (...flags: string[]) =>
  parse(await place.ok(['key', 'create', 'shop', '--name', 'backend', ...flags, '--json']));
const list = async () => JSON.parse(await place.ok(['key', 'list', 'shop', '--json'])) as KeyJson[];

async function statusWith(secret: string): Promise<number> {
  const url = `${server.url}/v1/api/query/events/shop`;
  return (await fetch(url, { headers: { 'X-API-Key': secret } })).status;
}

async function sendWith(authorization?: string): Promise<number> {
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  };
  const body = JSON.stringify([{ eventName: 'a', userId: 'u' }]);
  return (await fetch(`${server.url}/v1/events/shop/multi`, { method: 'POST', headers, body })).status;
}

describe('keys, while a server has the file open', () => {
  it('a key is valid from its creation to its revocation', async () => {
    const key = await create('--permission', 'query');
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      name: 'backend',
      permissions: ['query'],
      secret: expect.stringMatching(/^eqk_[0-9a-f]{64}$/) as string,
      status: 'active',
      secrets: 1,
      createdAt: expect.any(String) as string,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(await statusWith(key.secret)).toBe(200);
    const listed = await place.ok(['key', 'list', 'shop', '--json']);
    expect(listed).not.toMatch(/eqk_|hash/);
    expect((JSON.parse(listed) as KeyJson[])[0]?.lastUsedAt).toMatch(/^\d{4}-/);
    expect(await place.ok(['key', 'revoke', 'shop', key.id])).toBe(`revoked backend (${key.id})\n`);
    expect(await statusWith(key.secret)).toBe(401);
    expect((await list())[0]).toMatchObject({ id: key.id, status: 'revoked', secrets: 0 });
    const rotated = await place.run(['key', 'rotate', 'shop', key.id]);
    expect([rotated.code, rotated.stderr]).toEqual([1, expect.stringMatching(/is revoked; make a new key/)]);
  });

  it('prints the bare secret without --json, so that a script can take it', async () => {
    const { stdout, stderr } = await place.run([
      'key',
      'create',
      'shop',
      '--name',
      'ci',
      '--permission',
      'query',
    ]);
    expect(stdout).toMatch(/^eqk_[0-9a-f]{64}\n$/);
    expect(stderr).toMatch(/ci \([0-9a-f-]{36}\)/);
    expect(await statusWith(stdout.trim())).toBe(200);
  });

  it('rotation keeps the old secret for the overlap', async () => {
    const first = await create('--permission', 'query');
    const second = parse(await place.ok(['key', 'rotate', 'shop', first.id, '--overlap', '1h', '--json']));
    expect(second).toMatchObject({ id: first.id, secrets: 2 });
    expect([await statusWith(first.secret), await statusWith(second.secret)]).toEqual([200, 200]);
    const third = parse(await place.ok(['key', 'rotate', 'shop', first.id, '--overlap', '0', '--json']));
    // Expired secrets are not counted.
    expect(third).toMatchObject({ id: first.id, secrets: 1 });
    const secrets = [first.secret, second.secret, third.secret];
    expect(await Promise.all(secrets.map(statusWith))).toEqual([401, 401, 200]);
  });

  it('an expiry day counts in full, and an instant to the millisecond', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const byDay = await create('--permission', 'query', '--expires', tomorrow);
    expect(Date.parse(byDay.expiresAt ?? '')).toBe(Date.parse(tomorrow) + 86_400_000);
    const soon = new Date(Date.now() + 1500).toISOString();
    const byInstant = await create('--permission', 'query', '--expires', soon);
    expect(byInstant.expiresAt).toBe(soon);
    while (Date.now() <= Date.parse(soon)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await statusWith(byDay.secret), await statusWith(byInstant.secret)]).toEqual([200, 401]);
    expect((await list()).at(-1)).toMatchObject({ status: 'expired' });
  });

  it('permissions, strategies and plans apply from the next request', async () => {
    const ingest = await create('--permission', 'ingest');
    const both = await create('--permission', 'query', 'ingest');
    expect(await statusWith(ingest.secret)).toBe(401);
    expect(await sendWith()).toBe(200);
    await place.ok(['tenant', 'set', 'shop', '--auth', 'SERVER_SIDE']);
    expect(await sendWith()).toBe(401);
    expect(await sendWith(`Chase ${ingest.secret}`)).toBe(200);
    expect([await sendWith(`Chase ${both.secret}`), await statusWith(both.secret)]).toEqual([200, 200]);
    await place.ok(['tenant', 'set', 'shop', '--plan', 'free']);
    expect(await statusWith(both.secret)).toBe(403);
    await place.ok(['tenant', 'set', 'shop', '--plan', 'growth']);
    expect(await statusWith(both.secret)).toBe(200);
  });

  it('an unknown key is a failure', async () => {
    const { code, stderr } = await place.run(['key', 'revoke', 'shop', 'nothing']);
    expect([code, stderr]).toEqual([1, 'event-query: key: the tenant "shop" has no key "nothing"\n']);
  });
});

describe('limits that a wrong clock has locked', () => {
  it('can be reset, for one key or for the tenant with all its keys', async () => {
    const alias = 'locked';
    await place.ok(['tenant', 'create', alias, '--plan', 'custom', '--per-minute', '100', '--per-day', '1']);
    const made = await place.ok(['key', 'create', alias, '--name', 'k', '--permission', 'query', '--json']);
    const { id, secret } = parse(made);
    const ask = async () =>
      (await fetch(`${server.url}/v1/api/query/events/${alias}`, { headers: { 'X-API-Key': secret } }))
        .status;
    // A limit of one request a day does not refill during this test.
    expect([await ask(), await ask()]).toEqual([200, 429]);
    expect(await place.ok(['key', 'set', alias, id, '--reset-limits'])).toBe(`reset the limits of ${id}\n`);
    expect([await ask(), await ask()]).toEqual([200, 429]);
    await place.ok(['tenant', 'set', alias, '--reset-limits']);
    expect(await ask()).toBe(200);
    expect((await place.run(['key', 'set', alias, 'none', '--reset-limits'])).code).toBe(1);
    expect((await place.run(['key', 'set', alias, id])).code).toBe(2);
  });
});
