import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

const parse = (json: string) => JSON.parse(json) as Record<string, unknown>;

describe('tenant create, show, list', () => {
  it('prints the same fields everywhere', async () => {
    const created = parse(
      await place.ok(['tenant', 'create', 'shop', '--plan', 'growth', '--name', 'The shop', '--json']),
    );
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      alias: 'shop',
      name: 'The shop',
      plan: 'growth',
      limits: { perMinute: 10, perDay: 200 },
      ingestion: { eventsPerMinute: 600_000, bytesPerMinute: 536_870_912 },
      retentionDays: null,
      authStrategy: 'NONE',
      jwt: null,
      events: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    });
    expect(parse(await place.ok(['tenant', 'show', 'shop', '--json']))).toEqual(created);
    expect(JSON.parse(await place.ok(['tenant', 'list', '--json']))).toEqual([created]);
    expect(await place.ok(['tenant', 'list'])).toMatch(
      /^shop\tgrowth\t10\/min 200\/day\tNONE\t0\tfor ever\t\S+\tThe shop\n$/,
    );
    expect(await place.ok(['tenant', 'show', 'shop'])).toContain('alias\tshop\n');
  });

  it('says for how long events are kept', async () => {
    await place.ok(['tenant', 'create', 'kept', '--retention-days', '30']);
    expect(await place.ok(['tenant', 'show', 'kept'])).toContain('retentionDays\t30 days\n');
    await place.ok(['tenant', 'set', 'kept', '--retention-days', '7']);
    expect(await place.ok(['tenant', 'list'])).toMatch(/^kept\t.*\t0\t7 days\t/m);
    expect(JSON.parse(await place.ok(['tenant', 'set', 'kept', '--name', 'x', '--json']))).toMatchObject({
      retentionDays: 7,
    });
    await place.ok(['tenant', 'set', 'kept', '--retention-days', 'none']);
    expect(await place.ok(['tenant', 'show', 'kept'])).toContain('retentionDays\tfor ever\n');
    for (const days of ['0', '-1', '1.5', 'all', '40000']) {
      expect((await place.run(['tenant', 'set', 'kept', '--retention-days', days])).code).toBe(2);
    }
    await place.ok(['tenant', 'delete', 'kept', '--yes']);
  });

  it.each([
    [['--plan', 'custom', '--per-minute', '7', '--per-day', '70'], 'custom', { perMinute: 7, perDay: 70 }],
    [['--plan', 'custom'], 'custom', null],
    [['--plan', 'free'], 'free', { perMinute: 0, perDay: 0 }],
    [['--plan', 'scale'], 'scale', { perMinute: 100, perDay: 2000 }],
    [[], 'custom', null],
    [['--plan', 'builder'], 'builder', { perMinute: 2, perDay: 20 }],
  ])('with %j', async (flags, plan, limits) => {
    const alias = `plan-${flags.join('').replaceAll('-', '')}`;
    expect(parse(await place.ok(['tenant', 'create', alias, ...flags, '--json']))).toMatchObject({
      plan,
      limits,
    });
  });

  it('leaves an existing tenant unchanged with --if-absent, and says so', async () => {
    const create = ['tenant', 'create', 'twice', '--if-absent', '--json', '--plan'];
    const first = await place.run([...create, 'growth']);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const second = await place.run([...create, 'scale']);
    expect(second).toEqual({
      ...first,
      stderr: 'the tenant twice already exists and is unchanged\n',
    });
    expect((await place.run(['tenant', 'create', 'no such alias', '--if-absent'])).code).toBe(2);
    await place.ok(['tenant', 'delete', 'twice', '--yes']);
  });

  it('refuses an alias that is taken, and unknown tenants', async () => {
    const taken = await place.run(['tenant', 'create', 'shop']);
    expect([taken.code, taken.stderr]).toEqual([1, 'event-query: the tenant "shop" already exists\n']);
    for (const args of [
      ['tenant', 'show', 'nobody'],
      ['tenant', 'sizes', 'nobody'],
      ['tenant', 'delete', 'nobody', '--yes'],
      ['key', 'list', 'nobody'],
    ]) {
      const { code, stdout, stderr } = await place.run(args);
      expect([code, stdout, stderr]).toEqual([1, '', 'event-query: Tenant not found: "nobody"\n']);
    }
  });
});

describe('tenant sizes', () => {
  it('are those of an export, of each name and of all, the largest first', async () => {
    await place.ok(['tenant', 'create', 'sizes']);
    expect(await place.run(['tenant', 'sizes', 'sizes'])).toMatchObject({
      ...{ code: 0, stdout: '', stderr: '0 bytes in 0 events\n' },
    });
    const at = '2026-05-18T09:00:00.000Z';
    const events = ['small', 'large', 'large', '=1+1'].map((eventName, i) => ({
      ...{ eventName, userId: 'é', insertId: `id-${i}` },
      ...{ eventTs: at, properties: { text: '東京'.repeat(10) } },
    }));
    await place.import('sizes', toNdjson(events));
    const lines = (await place.ok(['export', 'sizes', '--format', 'ndjson'])).split(/(?<=\n)/);
    const bytesOf = (name: string) =>
      lines
        .filter((line) => line.includes(`"eventName":"${name}"`))
        .reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    const names = [
      { eventName: 'large', events: 2, bytes: bytesOf('large') },
      { eventName: 'small', events: 1, bytes: bytesOf('small') },
      { eventName: '=1+1', events: 1, bytes: bytesOf('=1+1') },
    ];
    const bytes = names.reduce((sum, each) => sum + each.bytes, 0);
    expect(parse(await place.ok(['tenant', 'sizes', 'sizes', '--json']))).toEqual({
      events: 4,
      bytes,
      names,
    });
    expect(await place.run(['tenant', 'sizes', 'sizes'])).toMatchObject({
      stdout: names.map((each) => `${each.bytes}\t${each.events}\t${each.eventName}\n`).join(''),
      stderr: `${bytes} bytes in 4 events\n`,
    });
    await place.ok(['tenant', 'delete', 'sizes', '--yes']);
  });
});

describe('tenant set', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const write = (name: string, text: string) => {
    const file = join(place.folder, name);
    writeFileSync(file, text);
    return file;
  };

  beforeAll(async () => {
    await place.ok(['tenant', 'create', 'refuses']);
  });

  it('changes what the flags name and keeps the rest', async () => {
    await place.ok(['tenant', 'create', 'set']);
    const jwt = ['--jwt-issuer', 'https://login.example', '--jwt-audience', 'shop'];
    // PKCS#1 is another form of the same key; one form is stored.
    const pem = write('pkcs1.pem', publicKey.export({ type: 'pkcs1', format: 'pem' }).toString());
    const set = await place.ok([
      'tenant',
      'set',
      'set',
      '--auth',
      'JWT',
      ...jwt,
      '--jwt-public-key',
      pem,
      '--json',
    ]);
    const settings = { issuer: 'https://login.example', audience: 'shop', publicKeyPem: spki };
    expect(parse(set)).toMatchObject({ authStrategy: 'JWT', plan: 'custom', jwt: settings });
    expect(await place.ok(['tenant', 'show', 'set'])).toMatch(/\njwt\.publicKeyPem\tset\n$/);
    const url = 'https://login.example/jwks.json';
    const moved = parse(
      await place.ok(['tenant', 'set', 'set', '--jwks-url', url, '--plan', 'scale', '--json']),
    );
    expect(await place.ok(['tenant', 'show', 'set'])).toContain(
      `\njwt.audience\tshop\njwt.jwksUrl\t${url}\n`,
    );
    expect(moved.jwt).toEqual({ issuer: 'https://login.example', audience: 'shop', jwksUrl: url });
    const named = parse(
      await place.ok(['tenant', 'set', 'set', '--auth', 'NONE', '--name', 'New', '--json']),
    );
    expect(named).toMatchObject({ authStrategy: 'NONE', name: 'New', plan: 'scale', jwt: { jwksUrl: url } });
    const renamed = parse(await place.ok(['tenant', 'set', 'set', '--jwt-audience', 'shop-2', '--json']));
    expect(renamed.jwt).toEqual({ issuer: 'https://login.example', audience: 'shop-2', jwksUrl: url });
  });

  it('is created with how senders authenticate, or not at all', async () => {
    const create = (alias: string, ...flags: string[]) =>
      place.run(['tenant', 'create', alias, ...flags, '--json']);
    const { stdout } = await create('guarded', '--auth', 'SERVER_SIDE');
    expect(parse(stdout)).toMatchObject({ authStrategy: 'SERVER_SIDE', jwt: null });
    const { code, stderr } = await create('half', '--auth', 'JWT', '--jwt-issuer', 'i');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^event-query: jwt\.audience: takes/)]);
    expect((await place.run(['tenant', 'show', 'half'])).code).not.toBe(0);
  });

  it('sets how much may come in', async () => {
    await place.ok(['tenant', 'create', 'flood', '--ingestion', '60,1024']);
    const set = async (...flags: string[]) =>
      parse(await place.ok(['tenant', 'set', 'flood', ...flags, '--json'])).ingestion;
    expect(await set('--name', 'x')).toEqual({ eventsPerMinute: 60, bytesPerMinute: 1024 });
    expect(await set('--ingestion', 'none')).toBe(null);
    expect(await set('--ingestion', 'default')).toMatchObject({ eventsPerMinute: 600_000 });
  });

  it.each([
    [['--ingestion', '60'], /default, none, or EVENTS,BYTES/],
    [['--ingestion', '0,1'], /eventsPerMinute: takes a whole number from 1/],
    [['--auth', 'JWT'], /JWT needs an issuer/],
    [[], /nothing to set/],
    [['--auth', 'BASIC'], /Allowed choices are NONE, SERVER_SIDE, JWT/],
    [['--per-minute', '1', '--per-day', '2'], /need --plan custom/],
    [['--jwt-issuer', 'i', '--jwt-audience', 'a', '--jwks-url', 'http://login.example/'], /https address/],
    [['--jwks-url', 'https://a.example/', '--jwt-public-key', 'x'], /cannot be used with/],
  ])('%j is misuse', async (flags, message) => {
    const { code, stderr } = await place.run(['tenant', 'set', 'refuses', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('refuses a private key, a shared secret and a text that is no key', async () => {
    const jwt = ['--jwt-issuer', 'i', '--jwt-audience', 'a', '--jwt-public-key'];
    const secret = write('private.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const hmac = write('hmac.txt', 'a-shared-secret-of-some-length');
    for (const [file, message] of [
      [secret, /holds a PRIVATE key/],
      [hmac, /shared \(HMAC\) secret/],
    ] as const) {
      const { code, stderr } = await place.run(['tenant', 'set', 'refuses', ...jwt, file]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    const missing = await place.run(['tenant', 'set', 'refuses', ...jwt, join(place.folder, 'none.pem')]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/no such file/)]);
  });
});

describe('tenant delete', () => {
  it('asks for --yes, then removes the tenant, its keys and its events', async () => {
    await place.ok(['tenant', 'create', 'gone']);
    await place.ok(['key', 'create', 'gone', '--name', 'k', '--permission', 'query']);
    const events = [{ eventName: 'a', userId: 'u', eventTs: '2024-01-01T00:00:00Z', insertId: '1' }];
    await place.import('gone', toNdjson(events));
    const unsure = await place.run(['tenant', 'delete', 'gone']);
    expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringMatching(/confirm with --yes/)]);
    expect(parse(await place.ok(['tenant', 'show', 'gone', '--json'])).events).toBe(1);
    expect(await place.ok(['tenant', 'delete', 'gone', '--yes'])).toBe('deleted gone with 1 events\n');
    expect((await place.run(['count', 'gone'])).code).toBe(1);
  });

  it('frees the alias and the ids of the events', async () => {
    await place.ok(['tenant', 'create', 'again']);
    const input = toNdjson([{ eventName: 'a', userId: 'u', eventTs: '2024-01-01T00:00:00Z', insertId: '1' }]);
    await place.import('again', input);
    const deleted = parse(await place.ok(['tenant', 'delete', 'again', '--yes', '--json']));
    expect(deleted).toMatchObject({ alias: 'again', events: 1 });
    await place.ok(['tenant', 'create', 'again']);
    expect(await place.ok(['count', 'again'])).toBe('0\n');
    expect(await place.ok(['key', 'list', 'again'])).toBe('');
    expect(await place.import('again', input)).toMatch(/^imported 1,/);
  });
});
