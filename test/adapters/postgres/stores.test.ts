import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { storeAuditEntry } from '../../../adapters/postgres/admins.ts';
import { postgresStores, type PostgresPool } from '../../../adapters/postgres/index.ts';
import type { Stores, Tenant } from '../../../src/index.ts';
import { collect } from '../../../src/internal.ts';
import type { AuditEntry } from '../../../src/store-kit.ts';
import {
  testAdminStore,
  testEventStore,
  testKeyStore,
  testRateLimiter,
  testRefusalStore,
  testTenantStore,
  testUsageStore,
  testViewStore,
  type Fixture,
  type Noting,
  type RefusalsWithAudit,
  type SteerableClock,
  type ViewsWithAudit,
} from '../../conformance/index.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_POSTGRES) {
  it('THE STORES IN POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

/** How long is waited for a state. */
const WAIT = { timeout: 50_000, interval: 20 };
const runner = { describe, it, expect };

/** Takes back what the newest steps added: arrivals of events, refusals, remote
 * configs, views and usage. */
async function undoNewest(pool: PostgresPool): Promise<void> {
  await pool.query('alter table event_query.events drop column received_at');
  const texts = 'text[], text[], text[], text[]';
  await pool.query(`drop function event_query.append_known(text, bigint[], ${texts}, bigint[])`);
  await pool.query('drop table event_query.refusals');
  await pool.query('drop table event_query.views');
  await pool.query('drop table event_query.usage_days');
  await pool.query('alter table event_query.tenants drop column remote_config');
}

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  let server: PostgresServer;
  let databases = 0;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** One kind of store in a database of its own. */
  const fixture = <K extends keyof Stores>(kind: K, clock?: SteerableClock): Promise<Fixture<Stores[K]>> =>
    fixtureOf((stores) => stores[kind], clock);

  /** What is picked of stores in a database of their own. */
  async function fixtureOf<Store>(
    pick: (stores: Stores) => Store,
    clock: SteerableClock = { now: () => Date.now() },
  ): Promise<Fixture<Store>> {
    const database = `conformance_${(databases += 1)}`;
    let pool: pg.Pool;
    const open = async () =>
      pick(
        await postgresStores({
          pool: (pool = await server.pool(database)),
          resources: testResources({ runtime: clock }),
        }),
      );
    const store = await open();
    const reopen = async () => {
      await pool.end();
      return open();
    };
    return { store, reopen, close: () => pool.end() };
  }

  it('asks once for a batch of names that the tenant has, and once for a take', async () => {
    const pool = await server.pool('round_trips');
    const asked: string[] = [];
    const stores = await postgresStores({
      pool: {
        query: (text, values) => {
          asked.push(text);
          return pool.query(text, values);
        },
        connect: async () => {
          const client = await pool.connect();
          return {
            query: (text, values) => {
              asked.push(text);
              return client.query(text, values);
            },
            release: (broken) => client.release(broken),
          };
        },
      },
      resources: testResources(),
    });
    const batch = (from: number) =>
      Array.from({ length: 10 }, (_, i) => ({
        eventName: 'viewed',
        userId: 'u',
        eventTs: 5,
        insertId: String(from + i),
        propertiesJson: '{}',
      }));
    await stores.events.append('t', batch(0));
    asked.length = 0;
    expect(await stores.events.append('t', batch(5))).toEqual({ duplicates: [0, 1, 2, 3, 4], overNames: [] });
    await stores.limits.take('k', [{ limit: 5, windowMs: 1000 }], [1]);
    expect(asked.length).toBe(2);
  });

  it('refuses a database that begins transactions otherwise than read committed', async () => {
    const options = { options: '-c default_transaction_isolation=serializable' };
    const pool = await server.pool('serializable', options);
    const opened = postgresStores({ pool, resources: testResources() });
    const refused = await opened.catch((error: unknown) => String((error as Error).cause));
    expect(refused).toContain("set default_transaction_isolation = 'read committed'");
    await pool.end();
  });

  it('a note that is told later has a larger number', async () => {
    const pool = await server.pool('notes');
    const stores = await postgresStores({ pool, resources: testResources() });
    const told = async () => (await stores.admins!.audit({ size: 9, tenantIds: null }))!.map(({ at }) => at);
    const noteAt = (at: number): AuditEntry => ({
      ...{ who: 'ada', from: '::1', at, action: 'tenant.create', tenantId: null, alias: null, details: {} },
      ...{ id: randomUUID(), passId: null, person: null },
    });
    const tenant: Tenant = {
      ...{ id: 'i', alias: 'shop', name: 'Shop', plan: 'scale', limits: null, ingestion: 'default' },
      ...{ authStrategy: 'NONE', jwt: null, createdAt: 5, retentionDays: null },
    };
    const client = await pool.connect();
    await client.query('begin');
    await storeAuditEntry(client, noteAt(1));
    let isMade = false;
    const made = stores.tenants.create(tenant, noteAt(2)).then(() => (isMade = true));
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await vi.waitUntil(async () => isMade || (await pool.query(waiting)).rowCount === 1, WAIT);
    // The first note has its number already, and nobody is told of it yet.
    expect(await told()).toEqual([]);
    await client.query('commit');
    client.release();
    await made;
    expect(await told()).toEqual([2, 1]);
  });

  it('brings a database from before retention and audit to this version, whoever is first', async () => {
    const tenant: Tenant = {
      ...{ id: 'id', alias: 'shop', name: 'Shop', plan: 'custom', limits: null, ingestion: null },
      ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 7 },
    };
    const fields = { eventName: 'n', userId: 'u', eventTs: 5, insertId: 'i', propertiesJson: '{}' };
    const event = { ...fields, receivedAt: 9 };
    const pool = await server.pool('older');
    const clock = { now: () => Date.now() };
    const before = await postgresStores({ pool, resources: testResources({ runtime: clock }) });
    await before.tenants.create(tenant);
    await before.events.append('id', [event]);
    // What that version had: neither the setting in a tenant nor the tables, nor what counts properties.
    await pool.query(`update event_query.tenants set tenant = (tenant::jsonb - 'retentionDays')::json`);
    await pool.query('drop table event_query.passes, event_query.audit, event_query.spent');
    await pool.query('drop aggregate event_query.few(text)');
    await pool.query('drop function event_query.keep_few, event_query.join_few');
    await undoNewest(pool);
    await pool.query('update event_query.schema_version set version = 2');
    const open = async () =>
      postgresStores({ pool: await server.pool('older'), resources: testResources({ runtime: clock }) });
    const [stores, beside] = await Promise.all([open(), open()]);
    expect(await stores.tenants.findById('id')).toEqual(tenant);
    const kept = { ...tenant, retentionDays: 30 };
    expect(await stores.tenants.update('id', { retentionDays: 30 })).toEqual(kept);
    expect(await beside.tenants.findById('id')).toEqual(kept);
    expect(await beside.events.count('id', EVERYTHING)).toBe(1);
    // The event of before has no arrival, and events that come now keep theirs.
    await beside.events.append('id', [event, { ...event, insertId: 'j' }]);
    const page = await stores.events.query('id', EVERYTHING, { offset: 0, size: 9 });
    const arrivals = (await collect(page)).map(({ insertId, receivedAt }) => [insertId, receivedAt]);
    expect(arrivals).toEqual([
      ['j', 9],
      ['i', undefined],
    ]);
  });

  it('takes keys out of notes and private ones out of tenants, and gives the notes ids', async () => {
    const secret =
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAtheveryfoundkey\n-----END PRIVATE KEY-----';
    const jwt = { issuer: 'i', audience: 'a', publicKeyPem: secret };
    const shop: Tenant = {
      ...{ id: 't', alias: 'shop', name: 'Shop', plan: 'scale', limits: null, ingestion: 'default' },
      ...{ retentionDays: null, authStrategy: 'JWT', jwt, createdAt: 7 },
    };
    const other = { ...shop, id: 'u', alias: 'other', jwt: { ...jwt, publicKeyPem: 'a public key' } };
    const pool = await server.pool('noted');
    const clock = { now: () => Date.now() };
    const before = await postgresStores({ pool, resources: testResources({ runtime: clock }) });
    await before.tenants.create(shop);
    await before.tenants.create(other);
    // What the sixth step left: notes without ids, and nothing that was used once.
    await pool.query('alter table event_query.audit drop column id');
    await pool.query('drop table event_query.spent');
    await undoNewest(pool);
    await pool.query('update event_query.schema_version set version = 6');
    const note = { who: 'ada', from: '::1', at: 7, action: 'tenant.set', tenantId: 't', alias: 'shop' };
    const keep = (more: object) =>
      pool.query('insert into event_query.audit (tenant_id, note) values ($1, $2)', [
        't',
        JSON.stringify({ ...note, ...more }),
      ]);
    await keep({ details: { authStrategy: 'JWT', jwt } });
    await keep({ at: 8, details: { name: 'Shop', jwt: null } });
    const after = await postgresStores({
      pool: await server.pool('noted'),
      resources: testResources({ runtime: clock }),
    });
    const [admins, tenants] = [after.admins!, after.tenants];
    const notes = (await admins.audit({ size: 9, tenantIds: ['t'] }))!;
    expect(notes.map(({ at, passId, person, details }) => ({ at, passId, person, details }))).toEqual([
      { at: 8, passId: null, person: null, details: { name: 'Shop', jwt: null } },
      {
        ...{ at: 7, passId: null, person: null },
        details: { authStrategy: 'JWT', jwt: { issuer: 'i', audience: 'a', publicKey: 'not kept' } },
      },
    ]);
    expect(await admins.audit({ before: notes[0]!.id, size: 9, tenantIds: null })).toEqual([notes[1]]);
    const publicKeyPem = 'It was a private key, and is not kept.';
    expect(await tenants.findById('t')).toEqual({ ...shop, jwt: { ...jwt, publicKeyPem } });
    expect(await tenants.findById('u')).toEqual(other);
    const rows = await pool.query(
      'select tenant from event_query.tenants union all select note from event_query.audit',
    );
    expect(JSON.stringify(rows.rows)).not.toContain('veryfound');
    expect(await admins.spend('once', 9, 5)).toBe(true);
    expect(await admins.spend('once', 9, 5)).toBe(false);
  });

  it('refuses a database that a newer version has written', async () => {
    await postgresStores({ pool: await server.pool('newer'), resources: testResources() });
    const again = await server.pool('newer');
    await again.query('insert into event_query.schema_version values (99)');
    const opened = postgresStores({ pool: again, resources: testResources() });
    const refused = await opened.catch(
      (error: unknown) => `${String(error)} ${String((error as Error).cause)}`,
    );
    expect(refused).toContain('written by a newer event-query');
    await again.end();
  });

  it('a connection that gives no answer is not waited for again, and given to nobody', async () => {
    const pool = await server.pool('lost');
    const asked: string[] = [];
    let isBroken: boolean | undefined;
    const lost = await postgresStores({
      pool: {
        query: (text, values) => pool.query(text, values),
        connect: async () => {
          const client = await pool.connect();
          return {
            query: (text, values) => {
              asked.push(text);
              if (text.includes('delete from')) throw new Error('Query read timeout');
              return client.query(text, values);
            },
            release: (broken) => client.release((isBroken = broken)),
          };
        },
      },
      resources: testResources(),
    });
    await expect(lost.events.erase('t')).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked.at(-1)).toContain('delete from');
    expect(isBroken).toBe(true);
  });

  testEventStore('postgres', () => fixture('events'), runner);
  testAdminStore('postgres', () => fixtureOf((stores) => stores as Noting), runner);
  testRefusalStore('postgres', () => fixtureOf((stores) => stores as RefusalsWithAudit), runner);
  testUsageStore('postgres', () => fixtureOf((stores) => stores.usage!), runner);
  testViewStore('postgres', () => fixtureOf((stores) => stores as ViewsWithAudit), runner);
  testTenantStore('postgres', () => fixture('tenants'), runner);
  testKeyStore('postgres', () => fixture('keys'), runner);
  testRateLimiter('postgres', (clock) => fixture('limits', clock), runner, { numRuns: 8 });
});
