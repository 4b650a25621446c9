import { describe, expect, it } from 'vitest';
import { createService } from '../../../src/core/access/service.ts';
import { isApiError, unavailable, type Stores, type TokenVerifier } from '../../../src/index.ts';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createAdmin, type TenantOptions } from '../../../src/index.ts';
import { createTestClock } from '../../support/test-server.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn, type Records } from '../../../src/core/access/records.ts';

const tokens: TokenVerifier = { verify: (token) => Promise.resolve(`sub of ${token}`) };

function setUp(
  change: (
    records: Pick<Stores, 'limits'> & Records,
  ) => Partial<Pick<Stores, 'limits'> & Records> = () => ({}),
) {
  const clock = createTestClock();
  const resources = testResources({ runtime: { now: () => clock.now() } });
  const { runtime, meter } = resources;
  const memory = memoryStores({ resources });
  const records = { limits: memory.limits, ...recordsIn(memory.control) };
  const service = createService({
    ...records,
    ...change(records),
    tokens,
    runtime,
    meter,
  });
  const admin = createAdmin({ stores: memory, runtime });
  const createTenant = async (alias: string, options: Partial<TenantOptions> = {}) => {
    const { id } = await admin.createTenant({ alias, plan: 'builder', ...options });
    const { key, secret } = await admin.createKey(alias, { name: 'k', permissions: ['query'] });
    return { id, keyId: key.id, secret };
  };
  return { clock, stores: memory, service, admin, createTenant };
}

/** How a refusal looks: its code, and how many tokens it tells of. */
async function refusalOf(promise: Promise<unknown>) {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  if (!isApiError(error)) throw new Error(`no refusal: ${String(error)}`);
  return [error.code, error.limits?.windows.map(({ remaining }) => remaining)] as const;
}

describe('a question', () => {
  it('is judged by key, tenant and plan, in this order; who is known is told the limits', async () => {
    const { service, admin, createTenant } = setUp();
    const shop = await createTenant('shop');
    const free = await createTenant('free', { plan: 'free' });
    const ingest = await admin.createKey('shop', { name: 'i', permissions: ['ingest'] });
    const ask = (alias: string, apiKey: string | undefined) =>
      refusalOf(service.authorize({ alias, apiKey }));
    expect(await ask('nobody', undefined)).toEqual(['missingKey', undefined]);
    expect(await ask('nobody', '')).toEqual(['missingKey', undefined]);
    expect(await ask('shop', 'eqk_wrong')).toEqual(['invalidKey', undefined]);
    expect(await ask('shop', ingest.secret)).toEqual(['invalidKey', undefined]);
    expect(await ask('nobody', shop.secret)).toEqual(['tenantNotFound', [2, 20]]);
    expect(await ask(shop.id, shop.secret)).toEqual(['tenantNotFound', [2, 20]]);
    expect(await ask('shop', free.secret)).toEqual(['tenantNotFound', undefined]);
    expect(await ask('free', free.secret)).toEqual(['planTooLow', undefined]);
    expect((await service.authorize({ alias: 'shop', apiKey: shop.secret })).tenantId).toBe(shop.id);
  });

  it('costs a token when it is taken, and none before', async () => {
    const { service, createTenant } = setUp();
    const { secret } = await createTenant('shop');
    const admit = () => service.authorize({ alias: 'shop', apiKey: secret });
    const grant = await admit();
    expect(
      await refusalOf(
        grant.refuse(new Error('x')).catch(async () => (await admit()).refuse(unavailable(''))),
      ),
    ).toEqual(['unavailable', undefined]);
    expect((await grant.take())?.windows.map(({ remaining }) => remaining)).toEqual([1, 19]);
    expect((await (await admit()).take())?.windows.map(({ remaining }) => remaining)).toEqual([0, 18]);
    expect(await refusalOf((await admit()).take())).toEqual(['rateLimited', [0, 18]]);
  });

  it('is counted by key, not by tenant', async () => {
    const { service, admin, createTenant } = setUp();
    const { secret } = await createTenant('shop');
    const other = (await admin.createKey('shop', { name: 'other', permissions: ['query'] })).secret;
    const take = async (apiKey: string) => (await service.authorize({ alias: 'shop', apiKey })).take();
    await take(secret);
    await take(secret);
    await expect(take(secret)).rejects.toMatchObject({ code: 'rateLimited' });
    expect((await take(other))?.windows.map(({ remaining }) => remaining)).toEqual([1, 19]);
    // A refusal tells of the key that asked.
    expect(await refusalOf(service.authorize({ alias: 'x', apiKey: other }))).toEqual([
      'tenantNotFound',
      [1, 19],
    ]);
    expect(await refusalOf(service.authorize({ alias: 'x', apiKey: secret }))).toEqual([
      'tenantNotFound',
      [0, 18],
    ]);
  });

  it('is refused with its own reason where the limits cannot be looked at', async () => {
    const { service, createTenant } = setUp(({ limits }) => ({
      limits: { ...limits, take: () => Promise.reject(unavailable(new Error('away'))) },
    }));
    const { secret } = await createTenant('shop');
    expect(await refusalOf(service.authorize({ alias: 'x', apiKey: secret }))).toEqual([
      'tenantNotFound',
      undefined,
    ]);
    const grant = await service.authorize({ alias: 'shop', apiKey: secret });
    expect(await refusalOf(grant.take())).toEqual(['unavailable', undefined]);
  });

  it('without limits has none to tell', async () => {
    const { service, createTenant } = setUp();
    const { secret } = await createTenant('shop', { plan: 'custom', limits: null });
    expect(await (await service.authorize({ alias: 'shop', apiKey: secret })).take()).toBeNull();
  });

  it.each([
    [
      'revoked',
      async ({ admin }: ReturnType<typeof setUp>, keyId: string) => {
        await admin.revokeKey('shop', keyId);
      },
    ],
    ['removed with its tenant', ({ admin }: ReturnType<typeof setUp>) => admin.deleteTenant('shop')],
  ])('whose key was %s while its body came is refused, and costs nothing', async (_name, end) => {
    const place = setUp();
    const { secret, keyId } = await place.createTenant('shop');
    const grant = await place.service.authorize({ alias: 'shop', apiKey: secret });
    await end(place, keyId);
    place.clock.advance(1);
    expect(await refusalOf(grant.look())).toEqual(['invalidKey', undefined]);
    expect(await refusalOf(grant.take())).toEqual(['invalidKey', undefined]);
    const { windows } = await place.stores.limits.take(keyId, [{ limit: 2, windowMs: 60_000 }], 0);
    expect(windows[0]?.remaining).toBe(2);
  });

  it('whose key or secret has expired while its body came is refused', async () => {
    const { service, admin, createTenant, clock } = setUp();
    const { secret, keyId } = await createTenant('shop');
    const expiring = await admin.createKey('shop', {
      name: 'short',
      permissions: ['query'],
      expiresAt: clock.now() + 10,
    });
    const grants = [
      await service.authorize({ alias: 'shop', apiKey: expiring.secret }),
      await service.authorize({ alias: 'shop', apiKey: secret }),
    ];
    await admin.rotateKey('shop', keyId, 10);
    clock.advance(10);
    for (const grant of grants) expect(await refusalOf(grant.take())).toEqual(['invalidKey', undefined]);
  });
});

describe('the last use of a key', () => {
  it('is noted once a minute, after a step of the clock too; a note that fails refuses nothing', async () => {
    let touches = 0;
    const { service, createTenant, clock } = setUp(({ keys }) => ({
      keys: {
        ...keys,
        touch: async (id, at) => {
          touches += 1;
          await keys.touch(id, at);
          throw new Error('the note cannot be written');
        },
      },
    }));
    const { secret } = await createTenant('shop');
    const touchesAfter = async (ms: number) => {
      clock.advance(ms);
      await service.authorize({ alias: 'shop', apiKey: secret });
      return touches;
    };
    expect(await touchesAfter(0)).toBe(1);
    expect(await touchesAfter(59_999)).toBe(1);
    expect(await touchesAfter(1)).toBe(2);
    expect(await touchesAfter(-59_999)).toBe(2);
    expect(await touchesAfter(-1)).toBe(3);
  });
});

describe('events', () => {
  it('come in by the strategy of the tenant, whatever a sender shows', async () => {
    const { service, admin, createTenant } = setUp();
    for (const alias of ['none', 'server', 'jwt', 'other']) await createTenant(alias);
    const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://id.example/keys' };
    await admin.updateTenant('server', { authStrategy: 'SERVER_SIDE' });
    await admin.updateTenant('jwt', { authStrategy: 'JWT', jwt });
    const secretOf = async (alias: string, permission: string) =>
      (await admin.createKey(alias, { name: 'k', permissions: [permission] })).secret;
    const secret = await secretOf('server', 'ingest');
    const admit = async (alias: string, credentials: object) =>
      (await service.ingestion(alias)).authorize(credentials);
    expect((await admit('none', {})).userId).toBeUndefined();
    expect((await admit('server', { secret })).userId).toBeUndefined();
    expect((await admit('jwt', { token: 't' })).userId).toBe('sub of t');
    for (const wrong of [
      {},
      { token: 't' },
      { secret: 'eqk_x' },
      { secret: await secretOf('server', 'query') },
      { secret: await secretOf('other', 'ingest') },
    ]) {
      expect(await refusalOf(admit('server', wrong))).toEqual(['invalidSecret', undefined]);
    }
    for (const wrong of [{}, { secret }]) {
      expect(await refusalOf(admit('jwt', wrong))).toEqual(['invalidToken', undefined]);
    }
    expect(await refusalOf(service.ingestion('nobody'))).toEqual(['tenantNotFound', undefined]);
    const open = await Promise.all(['none', 'server', 'jwt'].map((alias) => service.ingestion(alias)));
    expect(open.map(({ isOpenToBrowsers }) => isOpenToBrowsers)).toEqual([true, false, true]);
  });

  it('of a tenant whose strategy nobody knows do not come in', async () => {
    const { service, createTenant } = setUp(({ tenants }) => ({
      tenants: {
        ...tenants,
        findByAlias: async (alias) => {
          const tenant = await tenants.findByAlias(alias);
          return tenant && { ...tenant, authStrategy: 'SERVERSIDE' as never };
        },
      },
    }));
    await createTenant('shop');
    const ingestion = await service.ingestion('shop');
    expect(ingestion.isOpenToBrowsers).toBe(false);
    await expect(ingestion.authorize({})).rejects.toThrow('a strategy that is not known');
  });

  it('and their bytes are counted by tenant; a whole bucket is there at first and refills', async () => {
    const { service, createTenant, clock } = setUp();
    const ingestion = { eventsPerMinute: 60, bytesPerMinute: 6000 };
    for (const alias of ['shop', 'other']) await createTenant(alias, { ingestion });
    await createTenant('free', { ingestion: null });
    const take = async (alias: string, events: number, bytes: number) =>
      (await (await service.ingestion(alias)).authorize({})).take(events, bytes);
    await take('shop', 60, 1);
    const refused: unknown = await take('shop', 30, 1).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'rateLimited', headers: { 'Retry-After': '30' } });
    clock.advance(29_999);
    await expect(take('shop', 30, 1)).rejects.toMatchObject({ headers: { 'Retry-After': '1' } });
    clock.advance(1);
    await take('shop', 30, 1);
    await take('other', 1, 6000);
    await expect(take('other', 1, 1)).rejects.toMatchObject({ status: 429 });
    // More than a bucket waits for a whole one, and not for ever.
    clock.advance(60_000);
    await take('other', 500, 1_000_000);
    await expect(take('other', 1, 1)).rejects.toMatchObject({ status: 429 });
    await take('free', 1_000_000, 1_000_000_000);
  });

  it.each([
    ['SERVER_SIDE', 'ingest', 'invalidSecret'],
    ['SERVER_SIDE', 'write', 'invalidWriteKey'],
    ['NONE', 'write', 'invalidWriteKey'],
  ] as const)('with %s, whose %s key was revoked while they came, are refused', async (...row) => {
    const [authStrategy, permission, code] = row;
    const { service, admin, createTenant, clock } = setUp();
    await createTenant('shop');
    await admin.updateTenant('shop', { authStrategy });
    const restrictions = permission === 'write' ? { restrictions: { origins: ['*'] } } : {};
    const options = { name: 'k', permissions: [permission], ...restrictions };
    const { key, secret } = await admin.createKey('shop', options);
    const grant = await (await service.ingestion('shop')).authorize({ secret });
    await admin.revokeKey('shop', key.id);
    clock.advance(1);
    expect(await refusalOf(grant.take(1, 1))).toEqual([code, undefined]);
  });
});
