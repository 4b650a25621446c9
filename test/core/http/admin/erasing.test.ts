import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../../adapters/memory/index.ts';
import { erasingBy } from '../../../../src/core/access/erasing-operations.ts';
import { countMatches } from '../../../../src/core/access/erasure-receipt.ts';
import { createAdmin, unavailable, type ErasureReceipt, type Stores } from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';
import { createPlainApi, type PlainApi } from '../../../support/plain-api.ts';
import { signIn, withKey, withSession, type Ask } from './visitors.ts';
import { failingFor, puts } from '../../../support/failing-control.ts';

const NAMES = ['visited', 'bought', 'left'];

/** Two tenants with events of the users `ada` and `bob`, three of each name. */
async function createTenants(api: PlainApi): Promise<{ readonly shop: string; readonly outlet: string }> {
  for (const alias of ['shop', 'outlet']) {
    await api.createTenant(alias);
    const events = ['ada', 'bob'].flatMap((userId) =>
      Array.from({ length: 9 }, (_, i) => ({
        eventName: NAMES[i % 3]!,
        userId,
        eventTs: new Date(5000 + i).toISOString(),
      })),
    );
    expect(await (await api.tenant(alias)).append(events)).toMatchObject({ accepted: 18 });
  }
  const idOf = async (alias: string) => (await api.admin.getTenant(alias)).id;
  return { shop: await idOf('shop'), outlet: await idOf('outlet') };
}

/** How many events a user has at a tenant. */
async function countOf(api: PlainApi, alias: string, userId: string): Promise<number> {
  const filter = { property: 'userId', comparison: 'EQUALS', value: userId } as const;
  return (await api.tenant(alias)).count({ filterSet: [filter] });
}

/** How many events `ada` and `bob` have at both tenants. */
const allCounts = async (api: PlainApi) => [
  await countOf(api, 'shop', 'ada'),
  await countOf(api, 'shop', 'bob'),
  await countOf(api, 'outlet', 'ada'),
  await countOf(api, 'outlet', 'bob'),
];

interface Entry {
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly tenantId: string;
  readonly details: object;
}

async function auditOf(ask: Ask): Promise<readonly Entry[]> {
  return (JSON.parse((await ask('audit')).body) as { entries: Entry[] }).entries;
}

const PATH = 'events/erase/shop';
const ofUser = (userId: string) => ({
  alias: 'shop',
  query: { filterSet: [{ property: 'userId', comparison: 'EQUALS' as const, value: userId }] },
});
const ADA = ofUser('ada');
/** The answer of an erasure of so many events. */
const erasedOf = (count: number) => expect.stringContaining(`"erased":${count},`) as string;

describe('the erasure of events', () => {
  it('removes all events that match at this tenant, and no others, and says how many', async () => {
    const api = createPlainApi();
    await createTenants(api);
    const { ask } = await signIn(api);
    expect(await ask(PATH, ADA)).toMatchObject({ status: 200, body: erasedOf(9) });
    expect(await allCounts(api)).toEqual([0, 9, 9, 9]);
    expect(await ask(PATH, ADA)).toMatchObject({ status: 200, body: erasedOf(0) });
    expect(await allCounts(api)).toEqual([0, 9, 9, 9]);
  });

  it('is for who may change this tenant', async () => {
    const api = createPlainApi();
    const { shop, outlet } = await createTenants(api);
    const others = {
      viewer: [await signIn(api, 'viewer', [shop]), 403],
      'key of a viewer': [await withKey(api, 'viewer'), 403],
      'admin of another tenant': [await signIn(api, 'admin', [outlet]), 404],
      'admin of another tenant who may look at this one': [
        await withSession(api, { role: 'admin', tenantIds: [outlet], viewedIds: [shop] }),
        403,
      ],
    } as const;
    for (const [who, [{ ask }, status]] of Object.entries(others))
      expect([who, (await ask(PATH, ADA)).status]).toEqual([who, status]);
    expect(await allCounts(api)).toEqual([9, 9, 9, 9]);
    const { ask } = await signIn(api, 'admin', [shop]);
    expect(await ask(PATH, ADA)).toMatchObject({ status: 200, body: erasedOf(9) });
  });

  it('removes the events of a name or of days, and notes which', async () => {
    const api = createPlainApi();
    await createTenants(api);
    const day = { eventName: 'visited', userId: 'ada', eventTs: '2024-05-18T23:59:59.999Z' };
    const next = { ...day, eventTs: '2024-05-19T00:00:00.000Z' };
    await (await api.tenant('shop')).append([day, next]);
    const { ask } = await signIn(api);
    const erase = (query: object) => ask(PATH, { alias: 'shop', query });
    const until = { after: '2024-05-18', before: '2024-05-18', event: 'visited' };
    expect(await erase(until)).toMatchObject({ status: 200, body: erasedOf(1) });
    expect(await allCounts(api)).toEqual([10, 9, 9, 9]);
    expect((await auditOf(ask))[0]).toMatchObject({ details: { matched: 1, ...until } });
    expect(await erase({ event: 'visited' })).toMatchObject({ body: erasedOf(7) });
    expect(await allCounts(api)).toEqual([6, 6, 9, 9]);
    expect(await erase({ before: '1970-01-01' })).toMatchObject({ body: erasedOf(12) });
    expect(await allCounts(api)).toEqual([0, 0, 9, 9]);
  });

  it('takes the alias once more and what to erase, and never everything', async () => {
    const api = createPlainApi();
    await createTenants(api);
    const { ask } = await signIn(api);
    const bodies = [
      ...[{}, [], null, 'ada', { query: ADA.query }, { alias: 'shop' }, { ...ADA, alias: 'outlet' }],
      ...['', 5, null, ['ada'], {}, { filterSet: [] }, { userId: 'ada' }, { after: 'May' }].map((query) => ({
        ...ADA,
        query,
      })),
      { ...ADA, event: 'visited' },
    ];
    for (const body of bodies) expect([body, (await ask(PATH, body)).status]).toEqual([body, 400]);
    expect(await allCounts(api)).toEqual([9, 9, 9, 9]);
    expect((await auditOf(ask)).map(({ action }) => action)).not.toContain('events.erase');
  });

  it('answers a receipt that names what was erased, and the audit entry by its checksum', async () => {
    const api = createPlainApi();
    await createTenants(api);
    const shop = await api.tenant('shop');
    const times = ['2024-05-18T10:00:00.000Z', '2025-01-01T00:00:00.000Z', '1999-12-31T23:59:59.999Z'];
    await shop.append(
      times.map((eventTs, i) => ({ eventName: `n${i % 2}`, userId: 'eve', eventTs, insertId: `${i}` })),
    );
    const { ask } = await signIn(api);
    const receipt = JSON.parse((await ask(PATH, ofUser('eve'))).body) as ErasureReceipt;
    const [entry] = await auditOf(ask);
    const sorted = Object.fromEntries(Object.entries(entry!).sort(([a], [b]) => (a < b ? -1 : 1)));
    const text = JSON.stringify({ ...sorted, details: { filters: 1, matched: 3 } });
    expect(receipt).toEqual({
      ...{ tenant: 'shop', erased: 3, otherNames: 0, first: times[2], last: times[1], by: 'a admin' },
      names: [
        { eventName: 'n0', count: 2 },
        { eventName: 'n1', count: 1 },
      ],
      at: new Date(entry!.at).toISOString(),
      auditEntry: { id: entry!.id, sha256: createHash('sha256').update(text).digest('hex') },
    });
    const none = JSON.parse((await ask(PATH, ofUser('eve'))).body) as ErasureReceipt;
    expect(none).toMatchObject({ erased: 0, names: [], otherNames: 0, first: null, last: null });
  });

  it('tells of events that arrive once they are counted in the number of the erased alone', async () => {
    let arrive = (): Promise<unknown> => Promise.resolve();
    const wrap = (stores: Stores): Stores => ({
      ...stores,
      events: {
        ...stores.events,
        erase: async (...args) => {
          await arrive();
          return stores.events.erase(...args);
        },
      },
    });
    const api = createPlainApi({ wrap });
    await createTenants(api);
    const shop = await api.tenant('shop');
    const late = ['visited', 'returned'].map((eventName) => ({ eventName, userId: 'ada', eventTs: 1e12 }));
    arrive = () => shop.append(late);
    const { ask } = await signIn(api);
    const receipt = JSON.parse((await ask(PATH, ADA)).body) as ErasureReceipt;
    const names = NAMES.toSorted().map((eventName) => ({ eventName, count: 3 }));
    expect(receipt).toMatchObject({ erased: 11, names, otherNames: 0, last: new Date(5008).toISOString() });
    expect((await auditOf(ask))[0]).toMatchObject({ details: { matched: 9 } });
    expect(await countOf(api, 'shop', 'ada')).toBe(0);
  });

  it('tells the same of a store that measures nothing', async () => {
    const { events } = memoryStores({ resources: testResources() });
    const names = Array.from({ length: 1100 }, (_, i) => `name ${i}`);
    const all = [...names, ...names.slice(0, 500), 'name 7'].map((eventName, i) => ({
      ...{ eventName, userId: 'eve', eventTs: (i * 7919) % 5000, insertId: `${i}`, propertiesJson: '{}' },
    }));
    await events.append('T', all);
    const { runtime } = testResources();
    const withoutMeasure = Object.entries(events).filter(([name]) => name !== 'measure');
    const plain = erasingBy(Object.fromEntries(withoutMeasure) as unknown as typeof events, runtime);
    const whole = erasingBy(events, runtime);
    for (const body of [{}, { event: 'name 7' }, { event: 'nothing' }]) {
      const found = await countMatches(plain, 'T', body);
      expect(found).toEqual(await countMatches(whole, 'T', body));
    }
    expect(await countMatches(plain, 'T', {})).toMatchObject({ matched: 1601, otherNames: 100 });
  });

  it('leaves the same entry by every way, which says who it was', async () => {
    const api = createPlainApi();
    const { shop } = await createTenants(api);
    const { ask } = await signIn(api);
    const { query } = ADA;
    const program = { who: 'program', from: 'program' };
    const admin = createAdmin({
      stores: api.stores,
      runtime: api.resources.runtime,
      by: { ...program, who: 'me' },
    });
    const ways = {
      'a admin': async () => JSON.parse((await ask(PATH, ADA)).body) as unknown,
      program: async () => ({ erased: await (await api.tenant('shop')).erase(query) }),
      me: () => admin.eraseEvents('shop', query),
    };
    for (const [who, erase] of Object.entries(ways)) {
      const visit = { eventName: 'visited', userId: 'ada', eventTs: 1e12 };
      await (await api.tenant('shop')).append([{ ...visit, insertId: who }]);
      const matched = await countOf(api, 'shop', 'ada');
      expect([who, await erase()]).toMatchObject([who, { erased: matched }]);
      const details = { matched, filters: 1 };
      expect((await auditOf(ask))[0]).toMatchObject({ who, action: 'events.erase', tenantId: shop, details });
      expect(await countOf(api, 'shop', 'ada')).toBe(0);
    }
    await expect((await api.tenant('shop')).erase({})).rejects.toMatchObject({ status: 400 });
    expect(await countOf(api, 'shop', 'bob')).toBe(9);
  });

  it('is noted with how many events there were, and without the user of a filter', async () => {
    const api = createPlainApi();
    const { shop } = await createTenants(api);
    const marked = 'marked-user@example.com';
    await (await api.tenant('shop')).append([{ eventName: 'a', userId: marked }]);
    const { ask } = await signIn(api, 'admin', [shop]);
    await ask(PATH, ofUser(marked));
    const { body } = await ask('audit');
    expect((JSON.parse(body) as { entries: Entry[] }).entries[0]).toMatchObject({
      ...{
        action: 'events.erase',
        tenantId: shop,
        alias: 'shop',
        who: 'a admin',
        details: { matched: 1, filters: 1 },
      },
    });
    expect(body).not.toContain('marked');
  });

  it('takes instants as bounds, which its note names', async () => {
    const api = createPlainApi();
    await createTenants(api);
    const before = await countOf(api, 'shop', 'ada');
    const { ask } = await signIn(api);
    const query = { until: '1971-01-01T00:00:00+01:00', from: '1970-12-31T00:00:00Z' };
    expect(JSON.parse((await ask(PATH, { ...ADA, query })).body)).toMatchObject({ erased: 0 });
    expect((await auditOf(ask))[0]).toMatchObject({ details: { matched: 0, ...query } });
    expect(await countOf(api, 'shop', 'ada')).toBe(before);
    const day = { after: '2099-12-31', timeZone: 'Europe/Berlin' };
    expect(JSON.parse((await ask(PATH, { ...ADA, query: day })).body)).toMatchObject({ erased: 0 });
    expect((await auditOf(ask))[0]).toMatchObject({ details: { matched: 0, ...day } });
    // A zone alone chooses nothing.
    expect((await ask(PATH, { ...ADA, query: { timeZone: 'Europe/Berlin' } })).status).toBe(400);
    expect(await countOf(api, 'shop', 'ada')).toBe(before);
  });

  it('erases nothing if its note cannot be written', async () => {
    let isAway = false;
    const wrap = (stores: Stores) => failingFor(stores, (change) => isAway && puts(change, 'tenant'));
    const api = createPlainApi({ wrap });
    await createTenants(api);
    const { ask } = await signIn(api);
    isAway = true;
    expect((await ask(PATH, ADA)).status).toBe(503);
    expect(await allCounts(api)).toEqual([9, 9, 9, 9]);
  });

  it('erases nothing while an example of what was refused may stay', async () => {
    let isAway = true;
    const wrap = (stores: Stores) => failingFor(stores, (change) => isAway && puts(change, 'refusals'));
    const api = createPlainApi({ wrap });
    await createTenants(api);
    isAway = false;
    await api.post('/v1/events/shop/multi', [{}]);
    await api.flushCounts();
    isAway = true;
    const { ask } = await signIn(api);
    expect((await ask(PATH, ADA)).status).toBe(503);
    expect(await allCounts(api)).toEqual([9, 9, 9, 9]);
    isAway = false;
    expect(await ask(PATH, ADA)).toMatchObject({ body: erasedOf(9) });
  });

  it('is noted and can be asked for again if the store fails in it', async () => {
    let isAway = true;
    const wrap = (stores: Stores): Stores => ({
      ...stores,
      events: {
        ...stores.events,
        erase: (...args) => (isAway ? Promise.reject(unavailable('away')) : stores.events.erase(...args)),
      },
    });
    const api = createPlainApi({ wrap });
    await createTenants(api);
    const { ask } = await signIn(api);
    expect((await ask(PATH, ADA)).status).toBe(503);
    expect((await auditOf(ask))[0]).toMatchObject({ action: 'events.erase', details: { matched: 9 } });
    isAway = false;
    expect(await ask(PATH, ADA)).toMatchObject({ body: erasedOf(9) });
    expect(await allCounts(api)).toEqual([0, 9, 9, 9]);
  });

  it('counts as a change, of which a person makes 60 a minute', async () => {
    const api = createPlainApi();
    await createTenants(api);
    const { ask } = await signIn(api);
    for (let i = 0; i < 60; i++) await ask(PATH, ofUser('nobody'));
    expect((await ask(PATH, ADA)).status).toBe(429);
    expect(await allCounts(api)).toEqual([9, 9, 9, 9]);
  });
});
