import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IssuedKey } from '../../../src/index.ts';
import { casesOf } from '../../support/cases.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';

let server: TestServer;
/** The query keys of the tenants, by their aliases. */
const secrets = new Map<string, string>();
beforeAll(async () => {
  server = await startTestServer({ accessLog: true });
});
afterAll(() => server.close());

let made = 0;
/** Makes a tenant that takes events from holders of a key. */
async function createTenant(authStrategy: 'NONE' | 'SERVER_SIDE' = 'SERVER_SIDE'): Promise<string> {
  const alias = `tenant-${++made}`;
  secrets.set(alias, await server.createTenant(alias));
  await server.admin.updateTenant(alias, { authStrategy });
  return alias;
}

type Restrictions = NonNullable<Parameters<typeof server.admin.createKey>[1]['restrictions']>;
const createWriteKey = (alias: string, restrictions: Restrictions = { origins: [SHOP] }, more = {}) =>
  server.admin.createKey(alias, {
    name: 'web',
    permissions: ['write'],
    restrictions,
    ...more,
  });

/** The ways in which a sender shows a write key: the path below the tenant, and the headers. */
const WAYS = {
  header: (alias: string, key: string) => [`/v1/events/${alias}/multi`, { Authorization: `Chase ${key}` }],
  address: (alias: string, key: string) => [`/v1/events/${alias}/multi?writeKey=${key}`, {}],
  Segment: (alias: string, key: string) => [
    `/v1/segment/${alias}/v1/batch`,
    { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
  ],
} as const satisfies Record<string, (alias: string, key: string) => readonly [string, object]>;
type Way = keyof typeof WAYS;

/** Sends events of these names, as a page of an origin or as something without one. */
async function send(
  way: Way,
  alias: string,
  key: string,
  origin: string | undefined,
  names: readonly string[] = ['page_viewed'],
) {
  const [path, headers] = WAYS[way](alias, key);
  const events = names.map((eventName) => ({ eventName, userId: 'ada' }));
  const messages = names.map((event) => ({
    type: 'track',
    event,
    userId: 'ada',
  }));
  const body = JSON.stringify(way === 'Segment' ? { batch: messages } : events);
  const answer = await server.post(path, body, {
    ...headers,
    ...(origin && { Origin: origin }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    allows: answer.headers.get('access-control-allow-origin'),
  };
}

/** The names of all events of a tenant, with the number of each. */
async function storedOf(alias: string): Promise<Readonly<Record<string, number>>> {
  const body = JSON.stringify({ by: 'eventName', size: 1000 });
  const headers = { 'X-API-Key': secrets.get(alias)! };
  const answer = await server.post(`/v1/api/query/breakdown/${alias}`, body, headers);
  const { groups } = (await answer.json()) as {
    groups: { key: string; count: number }[];
  };
  return Object.fromEntries(groups.map(({ key, count }) => [key, count]));
}

const errorOf = (text: string) => (JSON.parse(text) as { error?: string }).error;
const INVALID = 'Invalid write key. It is a public write key of this tenant, neither revoked nor expired.';
const REFUSED = 'The write key is not valid for the origin of this request.';

/** Every way in which a key can be wrong, and what a tenant with SERVER_SIDE answers. */
const JUDGED: readonly (readonly [string, number, (alias: string) => Promise<readonly [string, string?]>])[] =
  [
    ['from its origin', 200, async (alias) => [(await createWriteKey(alias)).secret, SHOP]],
    ['from another origin', 403, async (alias) => [(await createWriteKey(alias)).secret, OTHER]],
    [
      'from its origin on another port',
      403,
      async (alias) => [(await createWriteKey(alias)).secret, `${SHOP}:8443`],
    ],
    ['from a page without an origin', 403, async (alias) => [(await createWriteKey(alias)).secret, 'null']],
    ['without an origin', 403, async (alias) => [(await createWriteKey(alias)).secret]],
    [
      'of any origin, without one',
      200,
      async (alias) => [(await createWriteKey(alias, { origins: ['*'] })).secret],
    ],
    [
      'of any origin, from one',
      200,
      async (alias) => [(await createWriteKey(alias, { origins: ['*'] })).secret, OTHER],
    ],
    [
      'that is revoked',
      401,
      async (alias) => {
        const { key, secret } = await createWriteKey(alias);
        await server.admin.revokeKey(alias, key.id);
        return [secret, SHOP];
      },
    ],
    [
      'that has expired',
      401,
      async (alias) => {
        const expiresAt = server.clock.now() + 1000;
        const { secret } = await createWriteKey(alias, { origins: [SHOP] }, { expiresAt });
        server.clock.advance(1000);
        return [secret, SHOP];
      },
    ],
    [
      'that was replaced at once',
      401,
      async (alias) => {
        const { key, secret } = await createWriteKey(alias);
        await server.admin.rotateKey(alias, key.id, 0);
        return [secret, SHOP];
      },
    ],
    [
      'that replaced another',
      200,
      async (alias) => {
        const { key } = await createWriteKey(alias);
        return [(await server.admin.rotateKey(alias, key.id, 0)).secret, SHOP];
      },
    ],
    [
      'of another tenant',
      401,
      async () => [(await createWriteKey(await createTenant(), { origins: ['*'] })).secret, SHOP],
    ],
    ['that nobody made', 401, () => Promise.resolve([`eqw_${'0'.repeat(64)}`, SHOP])],
  ];

describe.each(Object.keys(WAYS) as Way[])('a write key in the %s', (way) => {
  it.each(JUDGED)('%s: %i with SERVER_SIDE', async (_name, status, prepare) => {
    const alias = await createTenant();
    const [key, origin] = await prepare(alias);
    const answer = await send(way, alias, key, origin);
    expect(answer.status).toBe(status);
    expect(errorOf(answer.text)).toBe({ 200: undefined, 401: INVALID, 403: REFUSED }[status]);
    expect(answer.text).not.toContain('eqw_');
    expect(await storedOf(alias)).toEqual(status === 200 ? { page_viewed: 1 } : {});
  });

  it.each(JUDGED)('%s: stores the event with NONE, which needs no key', async (_name, status, prepare) => {
    const alias = await createTenant('NONE');
    const [key, origin] = await prepare(alias);
    expect((await send(way, alias, key, origin)).status).toBe(200);
    expect(await storedOf(alias)).toEqual({ page_viewed: 1 });
    // The access log names a key only where it is valid.
    const { keyId } = server.log.entries.findLast(({ fields }) => fields.operation !== 'breakdown')!.fields;
    expect(typeof keyId).toBe(status === 200 ? 'string' : 'undefined');
  });

  it('opens nothing with JWT', async () => {
    const alias = await createTenant();
    const { secret } = await createWriteKey(alias, { origins: ['*'] });
    const jwt = {
      issuer: 'i',
      audience: 'a',
      jwksUrl: 'https://id.example/keys',
    };
    await server.admin.updateTenant(alias, { authStrategy: 'JWT', jwt });
    const answer = await send(way, alias, secret, SHOP);
    expect([answer.status, errorOf(answer.text)]).toEqual([401, expect.stringContaining('access token')]);
    expect(await storedOf(alias)).toEqual({});
  });

  it.each(['NONE', 'SERVER_SIDE'] as const)(
    'stores the events of its names with %s, and reports the others',
    async (strategy) => {
      const alias = await createTenant(strategy);
      const { secret } = await createWriteKey(alias, {
        origins: [SHOP],
        eventNames: ['a', 'ä b'],
      });
      const answer = await send(way, alias, secret, SHOP, ['a', 'b', 'ä b', 'A', 'a']);
      const rejectedBy = (name: string) =>
        `eventName: is not one of those of the write key, got ${JSON.stringify(name)}`;
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        200,
        {
          ...{ accepted: 3, duplicates: 0 },
          rejected: [
            { index: 1, error: rejectedBy('b') },
            { index: 3, error: rejectedBy('A') },
          ],
        },
      ]);
      expect(await storedOf(alias)).toEqual({ a: 2, 'ä b': 1 });
      const alone = await send(way, alias, secret, SHOP, ['b']);
      expect([alone.status, errorOf(alone.text)]).toEqual([400, expect.stringContaining(rejectedBy('b'))]);
    },
  );

  it.each(['NONE', 'SERVER_SIDE'] as const)(
    'counts events against its own limits with %s',
    async (strategy) => {
      const alias = await createTenant(strategy);
      const limits = { eventsPerMinute: 3, eventsPerDay: 5 };
      const { secret } = await createWriteKey(alias, {
        origins: [SHOP],
        ...limits,
      });
      const status = async (count: number) =>
        (await send(way, alias, secret, SHOP, Array<string>(count).fill('a'))).status;
      expect([await status(2), await status(2), await status(1), await status(1)]).toEqual([
        200, 429, 200, 429,
      ]);
      server.clock.advance(60_000);
      // The limit of the day has two left.
      expect([await status(3), await status(2), await status(1)]).toEqual([429, 200, 429]);
      expect(await storedOf(alias)).toEqual({ a: 5 });
    },
  );

  it('is shown by the tenant’s own answers to pages, and by no other', async () => {
    const alias = await createTenant();
    const { secret, key } = await createWriteKey(alias);
    expect((await send(way, alias, secret, SHOP)).allows).toBe(SHOP);
    // A page can read why it is refused.
    expect((await send(way, alias, secret, OTHER)).allows).toBe(OTHER);
    await server.admin.revokeKey(alias, key.id);
    expect((await send(way, alias, secret, SHOP)).allows).toBe(null);
  });
});

describe('the limits of a write key', () => {
  it('come beside those of the tenant: what one refuses takes nothing of the other', async () => {
    const alias = await createTenant();
    const ingestion = { eventsPerMinute: 5, bytesPerMinute: 1_000_000 };
    await server.admin.updateTenant(alias, { ingestion });
    const limits = { eventsPerMinute: 4, eventsPerDay: 100 };
    const { secret } = await createWriteKey(alias, {
      origins: ['*'],
      ...limits,
    });
    const server1 = await server.admin.createKey(alias, {
      name: 'server',
      permissions: ['ingest'],
    });
    const status = async (key: string, count: number) =>
      (await send('header', alias, key, undefined, Array<string>(count).fill('a'))).status;
    // The key's limit refuses a second batch, and the tenant still has three.
    expect([await status(secret, 2), await status(secret, 3)]).toEqual([200, 429]);
    expect(await status(server1.secret, 2)).toBe(200);
    // The tenant has one left, and the key two: the tenant refuses, and the key keeps its two.
    expect(await status(secret, 2)).toBe(429);
    expect(await status(secret, 1)).toBe(200);
    const looked = await server.stores.limits.take(
      (await server.admin.listKeys(alias)).find(({ name }) => name === 'web')!.id,
      [{ limit: 4, windowMs: 60_000 }],
      0,
    );
    expect(looked.windows[0]!.remaining).toBe(1);
  });
});

describe('a secret key', () => {
  it.each(['NONE', 'SERVER_SIDE'] as const)('in the address counts for nothing with %s', async (strategy) => {
    const alias = await createTenant(strategy);
    const { secret } = await server.admin.createKey(alias, {
      name: 's',
      permissions: ['query', 'ingest'],
    });
    const answer = await send('address', alias, secret, undefined);
    expect(answer.status).toBe(strategy === 'NONE' ? 200 : 401);
    const [entry] = server.log.entries.slice(-1);
    expect(entry!.fields.keyId).toBe(undefined);
    expect((await send('header', alias, secret, undefined)).status).toBe(200);
  });

  it('goes before the write key in the address, and behind it nothing is tried', async () => {
    const alias = await createTenant();
    const shown = (await createWriteKey(alias, { origins: ['*'] })).secret;
    const path = `/v1/events/${alias}/multi?writeKey=${shown}`;
    const body = JSON.stringify([{ eventName: 'a', userId: 'ada' }]);
    const wrong = await server.post(path, body, {
      Authorization: `Chase eqk_${'0'.repeat(64)}`,
    });
    expect(wrong.status).toBe(401);
    expect((await server.post(path, body)).status).toBe(200);
    expect((await server.post(`/v1/events/${alias}/multi?a=b&writeKey=${shown}&c=d`, body)).status).toBe(200);
    expect((await server.post(`/v1/events/${alias}/multi?notwriteKey=${shown}`, body)).status).toBe(401);
  });

  it('stays what a sender without any is told to send', async () => {
    const alias = await createTenant();
    const answer = await server.post(`/v1/events/${alias}/multi`, '[]');
    expect([answer.status, await answer.json()]).toEqual([
      401,
      {
        error: 'Missing or invalid secret key. Send the header Authorization: Chase <SECRET_KEY>.',
      },
    ]);
  });
});

it('a write key opens no query', async () => {
  const alias = await createTenant();
  const { secret } = await createWriteKey(alias, { origins: ['*'] });
  const answer = await server.post(`/v1/api/query/count/${alias}`, '{}', {
    'X-API-Key': secret,
  });
  expect([answer.status, await answer.json()]).toEqual([
    401,
    { error: 'Invalid API key or insufficient permissions' },
  ]);
});

it('a preflight passes where the tenant has a write key that is valid', async () => {
  const preflight = async (alias: string) => {
    const headers = { Origin: OTHER, 'Access-Control-Request-Method': 'POST' };
    const answer = await fetch(`${server.origin}/v1/events/${alias}/multi`, {
      method: 'OPTIONS',
      headers,
    });
    return [answer.status, answer.headers.get('access-control-allow-origin')];
  };
  const alias = await createTenant();
  expect(await preflight(alias)).toEqual([204, null]);
  await server.admin.createKey(alias, {
    name: 'secret',
    permissions: ['ingest', 'query'],
  });
  expect(await preflight(alias)).toEqual([204, null]);
  const expiresAt = server.clock.now() + 5000;
  const { key } = await createWriteKey(alias, { origins: [SHOP] });
  await createWriteKey(alias, { origins: [SHOP] }, { expiresAt });
  expect(await preflight(alias)).toEqual([204, OTHER]);
  await server.admin.revokeKey(alias, key.id);
  expect(await preflight(alias)).toEqual([204, OTHER]);
  server.clock.advance(5000);
  expect(await preflight(alias)).toEqual([204, null]);
});

it('no log line, error or audit entry holds the text of a key', async () => {
  const issued: IssuedKey[] = [];
  const alias = await createTenant();
  const first = await createWriteKey(alias);
  issued.push(first, await server.admin.rotateKey(alias, first.key.id, 1000));
  issued.push(await server.admin.createKey(alias, { name: 's', permissions: ['ingest'] }));
  const said: string[] = [];
  for (const { secret } of issued) {
    for (const way of Object.keys(WAYS) as Way[])
      for (const origin of [SHOP, OTHER]) said.push((await send(way, alias, secret, origin)).text);
    // In every wrong place as well.
    for (const path of [`/v1/events/${secret}/multi`, `/v1/${secret}`, `/v1/segment/${alias}/v1/${secret}`])
      said.push(await (await server.post(path, '[]')).text());
    said.push(await (await server.post(`/v1/events/${alias}/multi?writeKey=${first.secret}`, secret)).text());
    const body = JSON.stringify({ event: 'a', [secret]: 1 });
    const headers = { 'X-API-Key': secrets.get(alias)! };
    said.push(await (await server.post(`/v1/api/query/count/${alias}`, body, headers)).text());
  }
  await server.admin.revokeKey(alias, first.key.id);
  const { id } = await server.admin.getTenant(alias);
  const audited = (await recordsIn(server.stores.control).admins.audit({
    size: 1000,
    tenantIds: [id],
  }))!;
  expect(audited.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['key.create', 'key.rotate', 'key.revoke']),
  );
  said.push(JSON.stringify(audited), JSON.stringify(server.log.entries));
  for (const { secret } of issued)
    expect(said.filter((text) => text.includes(secret.slice(0, 12)))).toEqual([]);
  // The audit entry says what the key is restricted to.
  expect(
    audited.find(({ details }) => details.id === first.key.id && 'restrictions' in details)!.details,
  ).toMatchObject({
    restrictions: { origins: [SHOP], eventNames: null, eventsPerMinute: 6000 },
  });
});

it('exactly the events are stored that the restrictions allow', async () => {
  const names = ['a', 'b', 'c'];
  const origins = [SHOP, OTHER, 'http://localhost:3000'];
  const some = <T>(from: readonly T[]) => fc.subarray([...from], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        origins: fc.oneof(fc.constant<readonly string[]>(['*']), some<string>(origins)),
        eventNames: fc.option(some(names)),
        eventsPerMinute: fc.integer({ min: 1, max: 12 }),
        eventsPerDay: fc.integer({ min: 1, max: 20 }),
      }),
      fc.array(
        fc.record({
          way: fc.constantFrom(...(Object.keys(WAYS) as Way[])),
          origin: fc.constantFrom(undefined, 'null', ...origins),
          names: fc.array(fc.constantFrom(...names), {
            minLength: 1,
            maxLength: 5,
          }),
        }),
        { maxLength: 8 },
      ),
      async (restrictions, batches) => {
        const alias = await createTenant();
        const { secret } = await createWriteKey(alias, restrictions);
        const expected: Record<string, number> = {};
        // The clock stands still, so both buckets only lose tokens. A batch takes at most a whole bucket.
        const buckets = [restrictions.eventsPerMinute, restrictions.eventsPerDay];
        const left = [...buckets];
        for (const batch of batches) {
          const isOfOrigin =
            restrictions.origins[0] === '*' ||
            (batch.origin !== undefined && restrictions.origins.includes(batch.origin));
          const cost = buckets.map((limit) => Math.min(limit, batch.names.length));
          const isWithin = cost.every((tokens, i) => tokens <= left[i]!);
          const allowed = batch.names.filter((name) => restrictions.eventNames?.includes(name) ?? true);
          const { status } = await send(batch.way, alias, secret, batch.origin, batch.names);
          expect(status).toBe(!isOfOrigin ? 403 : !isWithin ? 429 : allowed.length === 0 ? 400 : 200);
          if (!isOfOrigin || !isWithin) continue;
          cost.forEach((tokens, i) => (left[i]! -= tokens));
          for (const name of allowed) expected[name] = (expected[name] ?? 0) + 1;
        }
        expect(await storedOf(alias)).toEqual(expected);
      },
    ),
    { numRuns: casesOf(60) },
  );
});
