import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { storeAuditEntry } from '../../../adapters/postgres/control.ts';
import { postgresStores } from '../../../adapters/postgres/index.ts';
import { migrate, MIGRATIONS } from '../../../adapters/postgres/schema.ts';
import type { Stores, Tenant } from '../../../src/index.ts';
import type { AuditEntry } from '../../../src/store-kit.ts';
import {
  testControlStore,
  testEventStore,
  testRateLimiter,
  type Fixture,
  type SteerableClock,
} from '../../conformance/index.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';
import { expectOneStatement } from '../sql/measured-thousand.ts';
import { expectPlansBySql } from '../sql/plans-by-sql.ts';
import { testResources } from '../../support/resources.ts';
import { expectSignInReads } from '../../support/sign-in-reads.ts';
import { expectRulesOfTwo } from '../../support/two-processes.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

if (!HAS_POSTGRES) {
  it('THE STORES IN POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

/** How long is waited for a state. */
const WAIT = { timeout: 50_000, interval: 20 };
const runner = { describe, it, expect };

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

  it('asks once for a batch of names that the tenant has, for a take, and for measures', async () => {
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
    await stores.events.append('batches', batch(0));
    asked.length = 0;
    expect(await stores.events.append('batches', batch(5))).toEqual({
      duplicates: [0, 1, 2, 3, 4],
      overNames: [],
    });
    await stores.limits.take('k', [{ limit: 5, windowMs: 1000 }], [1]);
    expect(asked.length).toBe(2);
    await expectOneStatement(stores.events, asked);
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
    const told = async () =>
      (await recordsIn(stores.control).admins.audit({ size: 9, tenantIds: null }))!.map(({ at }) => at);
    const noteAt = (at: number): AuditEntry => ({
      ...{ who: 'ada', from: '::1', at, action: 'tenant.create', tenantId: null, alias: null, details: {} },
      ...{ id: randomUUID(), credentialId: null, person: null },
    });
    const tenant: Tenant = {
      ...{ id: 'i', alias: 'shop', name: 'Shop', plan: 'scale', limits: null, ingestion: 'default' },
      ...{ authStrategy: 'NONE', jwt: null, createdAt: 5, retentionDays: null },
    };
    const client = await pool.connect();
    await client.query('begin');
    await storeAuditEntry(client, noteAt(1));
    let isMade = false;
    const made = recordsIn(stores.control)
      .tenants.create(tenant, noteAt(2))
      .then(() => (isMade = true));
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await vi.waitUntil(async () => isMade || (await pool.query(waiting)).rowCount === 1, WAIT);
    // The first note has its number already, and nobody is told of it yet.
    expect(await told()).toEqual([]);
    await client.query('commit');
    client.release();
    await made;
    expect(await told()).toEqual([2, 1]);
  });

  it('brings a database to the next schema, once, and keeps what it has', async () => {
    const tenant: Tenant = {
      ...{ id: 'id', alias: 'shop', name: 'Shop', plan: 'custom', limits: null, ingestion: null },
      ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 7 },
    };
    const pool = await server.pool('older');
    const stores = await postgresStores({ pool, resources: testResources() });
    await recordsIn(stores.control).tenants.create(tenant);
    const fields = { eventName: 'n', userId: 'u', eventTs: 5, insertId: 'i', propertiesJson: '{}' };
    await stores.events.append('id', [fields]);
    // A made-up next step, which must be taken once.
    const step = `create table event_query.made_up as select id from event_query.documents;
      update event_query.documents set document = (document::jsonb || '{"name": "SHOP"}')::json`;
    const next = [...MIGRATIONS, step];
    const others = await Promise.all([server.pool('older'), server.pool('older')]);
    await Promise.all([pool, ...others].map((each) => migrate(each, next)));
    expect(await recordsIn(stores.control).tenants.findById('id')).toEqual({ ...tenant, name: 'SHOP' });
    expect(await stores.events.count('id', EVERYTHING)).toBe(1);
    expect((await pool.query('select id from event_query.made_up')).rows).toEqual([{ id: 'id' }]);
    // A step that fails leaves the schema and the data as they were.
    const failing = [...next, 'drop table event_query.made_up', 'no statement'];
    await expect(migrate(pool, failing)).rejects.toThrow();
    expect((await pool.query('select id from event_query.made_up')).rows).toEqual([{ id: 'id' }]);
    // The version of today is an older one now.
    const refused = await migrate(pool).catch((error: unknown) => String((error as Error).cause));
    const version = next.length;
    expect(refused).toContain(`written by a newer event-query: its schema is version ${version}, and`);
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

  it('two servers keep every bound, and lose no change of each other', async () => {
    const url = await server.url('two_servers');
    const stores = await postgresStores({
      pool: await server.pool('two_servers'),
      resources: testResources(),
    });
    await expectRulesOfTwo(url, stores);
  }, 120_000);

  it('what a sign-in and a session read does not grow with who is signed in', async () => {
    const pool = await server.pool('sign_in_reads');
    await expectSignInReads((await postgresStores({ pool, resources: testResources() })).control);
  }, 60_000);

  it('a plan says that SQL answers', async () => {
    const { store, close } = await fixture('events');
    await expectPlansBySql(store);
    await close?.();
  });

  testEventStore('postgres', () => fixture('events'), runner);
  testControlStore('postgres', () => fixture('control'), runner, { numRuns: 30 });
  testRateLimiter('postgres', (clock) => fixture('limits', clock), runner, { numRuns: 8 });
});
