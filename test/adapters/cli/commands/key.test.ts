import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../../../support/clean-env.ts';
import { createPlace, NODE_ARGS, type Server } from '../command.ts';

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
  return (
    await fetch(`${server.url}/v1/events/shop/multi`, {
      method: 'POST',
      headers,
      body,
    })
  ).status;
}

describe('keys, while a server has the file open', () => {
  it('a key is valid from its creation to its revocation', async () => {
    const key = await create('--permission', 'query');
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      name: 'backend',
      permissions: ['query'],
      restrictions: null,
      filterSet: null,
      writeKey: null,
      secret: expect.stringMatching(/^eqk_[0-9a-f]{64}$/) as string,
      state: 'active',
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
    expect((await list())[0]).toMatchObject({
      id: key.id,
      state: 'revoked',
      secrets: 0,
    });
    const rotated = await place.run(['key', 'rotate', 'shop', key.id]);
    expect([rotated.code, rotated.stderr]).toEqual([1, expect.stringMatching(/is revoked; make a new key/)]);
  });

  it('a public write key has the restrictions that its flags say, and is shown again', async () => {
    const flags = ['--permission', 'write', '--origin', 'https://shop.example', 'http://localhost:3000'];
    const limits = ['--per-minute', '2', '--per-day', '5'];
    const key = await create(...flags, '--event', 'page_viewed', 'a', ...limits);
    expect(key).toMatchObject({
      permissions: ['write'],
      secret: expect.stringMatching(/^eqw_[0-9a-f]{64}$/) as string,
      restrictions: {
        origins: ['https://shop.example', 'http://localhost:3000'],
        eventNames: ['page_viewed', 'a'],
        ...{ eventsPerMinute: 2, eventsPerDay: 5 },
      },
    });
    await place.ok(['tenant', 'set', 'shop', '--auth', 'SERVER_SIDE']);
    const sendFrom = async (origin: string) =>
      fetch(`${server.url}/v1/events/shop/multi?writeKey=${key.secret}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: origin },
        body: JSON.stringify([{ eventName: 'a', userId: 'u' }]),
      }).then(({ status }) => status);
    expect(await sendFrom('https://shop.example')).toBe(200);
    expect(await sendFrom('https://other.example')).toBe(403);
    expect(await statusWith(key.secret)).toBe(401);
    const of = async () => (await list()).find(({ id }) => id === key.id) as unknown;
    expect(await of()).toMatchObject({ writeKey: key.secret });
    const rotated = parse(await place.ok(['key', 'rotate', 'shop', key.id, '--json']));
    expect(rotated.secret).toMatch(/^eqw_/);
    expect(await of()).toMatchObject({ writeKey: rotated.secret, secrets: 2 });
    const { stderr, stdout } = await place.run(['key', 'rotate', 'shop', key.id]);
    expect([stdout, stderr]).toEqual([
      expect.stringMatching(/^eqw_[0-9a-f]{64}\n$/),
      expect.stringMatching(/Pages may show it, and key list prints it again/),
    ]);
    expect(await place.ok(['key', 'list', 'shop'])).toContain(stdout.trim());
    await place.ok(['key', 'revoke', 'shop', key.id]);
    expect(await sendFrom('https://shop.example')).toBe(401);
    expect(await of()).toMatchObject({ writeKey: null, state: 'revoked' });
    await place.ok(['tenant', 'set', 'shop', '--auth', 'NONE']);
  });

  it('what a public write key is restricted to changes from the next request on', async () => {
    const created = await create('--permission', 'write', '--origin', 'https://shop.example', '--event', 'a');
    await place.ok(['tenant', 'set', 'shop', '--auth', 'SERVER_SIDE']);
    const send = async (origin: string, eventName: string, events = 1) => {
      const body = JSON.stringify(Array(events).fill({ eventName, userId: 'u' }));
      const headers = { 'Content-Type': 'application/json', Origin: origin };
      const url = `${server.url}/v1/events/shop/multi?writeKey=${created.secret}`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    const set = (...flags: string[]) => place.ok(['key', 'set', 'shop', created.id, ...flags]);
    expect(await send('https://shop.example', 'a')).toBe(200);
    expect(await set('--origin', 'https://new.example')).toBe(`changed the restrictions of ${created.id}\n`);
    expect(await send('https://shop.example', 'a')).toBe(403);
    expect(await send('https://new.example', 'a')).toBe(200);
    expect(await send('https://new.example', 'b')).toBe(400);
    await set('--any-event');
    expect(await send('https://new.example', 'b')).toBe(200);
    await set('--event', 'b');
    expect(await send('https://new.example', 'a')).toBe(400);
    // What was sent before stays counted.
    await set('--per-day', '4');
    expect(await send('https://new.example', 'b', 4)).toBe(429);
    expect(await set('--per-day', '100', '--reset-limits')).toContain('reset the limits');
    expect(await send('https://new.example', 'b', 4)).toBe(200);
    expect((await list()).find(({ id }) => id === created.id)).toMatchObject({
      restrictions: { origins: ['https://new.example'], eventNames: ['b'], eventsPerDay: 100 },
    });
    await place.ok(['key', 'revoke', 'shop', created.id]);
    await place.ok(['tenant', 'set', 'shop', '--auth', 'NONE']);
    const { code, stderr } = await place.run(['key', 'set', 'shop', created.id, '--per-day', '5']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is revoked; make a new key/)]);
  });

  it.each([
    [[], /key set needs --origin, --event/],
    [['--event', 'a', '--any-event'], /cannot be used with/],
    [['--origin', 'https://a.b/'], /origins: takes https/],
    [['--per-minute', '0'], /eventsPerMinute: takes a whole number from 1/],
  ])('key set refuses %j', async (flags, said) => {
    const { id } = await create('--permission', 'write', '--origin', '*');
    const { code, stderr } = await place.run(['key', 'set', 'shop', id, ...flags]);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(said)]);
    expect(code).not.toBe(0);
    expect((await list()).find((each) => each.id === id)).toMatchObject({ restrictions: { origins: ['*'] } });
  });

  it('a key for queries reads the events that match its filters, and no others', async () => {
    const filters = ['--filter', 'eventName = "page_viewed"', '--filter', 'properties.n > 1'];
    const key = await create('--permission', 'query', ...filters);
    const filterSet = [
      { property: 'eventName', comparison: 'EQUALS', value: 'page_viewed' },
      { property: 'properties.n', comparison: 'GREATER_THAN', value: 1 },
    ];
    expect((await list()).find(({ id }) => id === key.id)).toMatchObject({ filterSet });
    expect(await place.ok(['key', 'list', 'shop'])).toContain(
      'eventName = "page_viewed" and properties.n > 1',
    );
    expect(await statusWith(key.secret)).toBe(403);
  });

  it('only a public write key has restrictions to change', async () => {
    const { id } = await create('--permission', 'query');
    const { code, stderr } = await place.run(['key', 'set', 'shop', id, '--per-minute', '5']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/permission write only/)]);
  });

  it.each([
    ['--permission write', /needs --origin/],
    ['--permission write query --origin https://a.b', /takes write alone/],
    ['--permission query --origin https://a.b', /permission write only/],
    ['--permission query --per-day 5', /permission write only/],
    ['--permission ingest --filter userId=1', /filterSet: is for a key with the permission query alone/],
    ['--permission query --filter userId', /--filter "userId": /],
    [
      '--permission write --origin https://a.b/',
      /origins: takes https:\/\/shop\.example .* got "https:\/\/a\.b\/"/,
    ],
    ['--permission write --origin https://a.b:443', /without a path or a default port/],
    ['--permission write --origin HTTPS://A.B', /in lower case/],
    ['--permission write --origin * https://a.b', /"\*" alone/],
    ['--permission write --origin * --per-minute 0', /eventsPerMinute: takes a whole number from 1/],
    ['--permission write --origin null', /origins: takes/],
  ])('refuses %s', async (flags, said) => {
    const { code, stderr } = await place.run(['key', 'create', 'shop', '--name', 'k', ...flags.split(' ')]);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(said)]);
    expect(code).not.toBe(0);
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

  it('rotation says until when the old secret counts, and that revoking ends the new one too', async () => {
    const { id, secret } = await create('--permission', 'query');
    const rotate = async (overlap: string) => {
      const { stdout, stderr } = await place.run(['key', 'rotate', 'shop', id, '--overlap', overlap]);
      return { secret: stdout.trim(), said: stderr };
    };
    const before = Date.now();
    const second = await rotate('1h');
    const until = /old secret is valid until (\S+Z); "key revoke" would end both/.exec(second.said)?.[1];
    expect(Date.parse(until ?? '') - 3_600_000).toBeGreaterThanOrEqual(before);
    expect(Date.parse(until ?? '') - 3_600_000).toBeLessThanOrEqual(Date.now());
    // What expires sooner keeps its time, so the last of them counts.
    expect((await rotate('2h')).said).toMatch(
      /old secrets are valid until \S+Z at most; "key revoke" would end all/,
    );
    const last = await rotate('0');
    expect(last.said).toContain('The old secret is not valid any more.');
    await place.ok(['key', 'revoke', 'shop', id]);
    const secrets = [secret, second.secret, last.secret];
    expect(await Promise.all(secrets.map(statusWith))).toEqual([401, 401, 401]);
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
    expect((await list()).at(-1)).toMatchObject({ state: 'expired' });
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
      (
        await fetch(`${server.url}/v1/api/query/events/${alias}`, {
          headers: { 'X-API-Key': secret },
        })
      ).status;
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

/** Runs a command whose stdout takes nothing, as on a full disk. */
function runUnprinted(...args: readonly string[]): {
  readonly status: number | null;
  readonly stderr: string;
} {
  const full = openSync('/dev/full', 'w');
  try {
    return spawnSync(process.execPath, [...NODE_ARGS, ...args], {
      encoding: 'utf8',
      env: { ...cleanEnv(), EVENT_QUERY_DB: place.db },
      stdio: ['ignore', full, 'pipe'],
    });
  } finally {
    closeSync(full);
  }
}

describe('a secret that cannot be printed', () => {
  const failed = {
    status: 1,
    stderr: expect.stringMatching(/the secret cannot be printed.*ENOSPC/) as string,
  };

  it.each([
    ['query', []],
    ['write', ['--origin', '*', '--json']],
  ])('leaves no live key with the permission %s', async (permission, flags) => {
    const before = await list();
    const args = ['key', 'create', 'shop', '--name', 'unseen', '--permission', permission, ...flags];
    expect(runUnprinted(...args)).toMatchObject(failed);
    const made = (await list()).slice(before.length);
    expect(made).toMatchObject([{ name: 'unseen', state: 'revoked', secrets: 0 }]);
  });

  it('leaves no key of the dashboard', async () => {
    const create = ['dashboard', 'key', 'create', '--name', 'unseen', '--role', 'viewer'];
    expect(runUnprinted(...create)).toMatchObject(failed);
    expect(JSON.parse(await place.ok(['dashboard', 'key', 'list', '--json']))).toEqual([]);
  });

  it.each([[[]], [['--json', '--overlap', '0']]])('does not rotate a key with %j', async (flags) => {
    const key = await create('--permission', 'query');
    const { status, stderr } = runUnprinted('key', 'rotate', 'shop', key.id, ...flags);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot be printed.*nothing was changed/)]);
    expect(await statusWith(key.secret)).toBe(200);
    expect((await list()).find(({ id }) => id === key.id)).toMatchObject({ state: 'active', secrets: 1 });
    await place.ok(['key', 'revoke', 'shop', key.id]);
  });
});
