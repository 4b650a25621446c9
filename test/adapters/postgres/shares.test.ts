import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresStores } from '../../../adapters/postgres/index.ts';
import { isAborted, type Stores, type Tenant } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';
import { testResources } from '../../support/resources.ts';
import { askEveryQuestion } from '../sql/every-question.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

if (!HAS_POSTGRES) {
  it('THE SHARES OF POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

const WAIT = { timeout: 100_000, interval: 20 };

function eventOf(insertId: string): StoredEvent {
  return { eventName: 'seen', userId: 'u', eventTs: Date.UTC(2025, 5, 15), insertId, propertiesJson: '{}' };
}

const TENANT: Tenant = {
  ...{ id: 'quiet', alias: 'quiet', name: 'Quiet', plan: 'custom', limits: null, ingestion: null },
  ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 7 },
};

/** Holds whatever reads the events of a tenant: there is nothing else for it to wait for. */
const HOLD = 'lock table event_query.events in access exclusive mode';

describe.runIf(HAS_POSTGRES)('the connections of PostgreSQL', () => {
  let server: PostgresServer;
  let beside: pg.Pool;
  let pool: pg.Pool;
  let stores: Stores;

  beforeAll(async () => {
    server = await startPostgres();
    [pool, beside] = await Promise.all([server.pool('shares', { max: 10 }), server.pool('shares')]);
    stores = await postgresStores({ pool, resources: testResources() });
    await recordsIn(stores.control).tenants.create(TENANT);
    for (const tenant of ['loud', 'quiet', 'third']) await stores.events.append(tenant, [eventOf('1')]);
  });
  afterAll(() => server.stop());

  /** How many statements of the stores wait for the events. */
  async function waiting(): Promise<number> {
    const text = `select from pg_locks where not granted and relation = 'event_query.events'::regclass`;
    return (await beside.query(text)).rowCount!;
  }

  /** Does some work while every statement about events has to wait; lets them go on afterwards. */
  async function whileHeld(work: () => Promise<void>): Promise<void> {
    const holder = await beside.connect();
    await holder.query('begin');
    await holder.query(HOLD);
    try {
      await work();
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  }

  const counts = (tenant: string, times: number, signal?: { readonly aborted: boolean }) =>
    Array.from({ length: times }, () => stores.events.count(tenant, EVERYTHING, signal));

  it('are not one tenant’s alone: it has half of them, the next some of what is left', async () => {
    const all: Promise<number>[] = [];
    await whileHeld(async () => {
      all.push(...counts('loud', 30));
      await vi.waitUntil(async () => (await waiting()) === 4, WAIT);
      all.push(...counts('quiet', 1));
      await vi.waitUntil(async () => (await waiting()) === 5, WAIT);
      // As many of the loud one wait in line as before.
      expect(pool.totalCount).toBeLessThanOrEqual(8);
    });
    expect(await Promise.all(all)).toEqual(Array<number>(31).fill(1));
  });

  it('are never all lent for events: keys, tenants and limits are asked meanwhile', async () => {
    const all: Promise<number>[] = [];
    await whileHeld(async () => {
      for (const tenant of ['loud', 'quiet', 'third', 'a', 'b', 'c', 'd', 'e'])
        all.push(...counts(tenant, 9));
      await vi.waitUntil(async () => (await waiting()) === 8, WAIT);
      expect(await recordsIn(stores.control).tenants.findByAlias('quiet')).toEqual(TENANT);
      expect(await recordsIn(stores.control).keys.findBySecretHash('none')).toBeUndefined();
      const { allowed } = await stores.limits.take('k', [{ limit: 5, windowMs: 60_000 }], [1]);
      expect(allowed).toBe(true);
      await stores.ready();
      expect(await waiting()).toBe(8);
    });
    await Promise.all(all);
  });

  it('are asked nothing more for who has left, and go on for others', async () => {
    const signal = { aborted: false };
    await whileHeld(async () => {
      const left = [
        ...counts('loud', 6, signal),
        stores.events.properties!('quiet', undefined, signal),
        stores.events.erase('third', undefined, signal),
      ].map((each) => each.then(() => 'answered', isAborted));
      await vi.waitUntil(async () => (await waiting()) === 6, WAIT);
      signal.aborted = true;
      // While the events are held nothing but their end ends them.
      expect(await Promise.all(left)).toEqual(Array<boolean>(8).fill(true));
      await vi.waitUntil(async () => (await waiting()) === 0, WAIT);
    });
    expect(await stores.events.count('third', EVERYTHING)).toBe(1);
    expect(await Promise.all(counts('loud', 20))).toEqual(Array<number>(20).fill(1));
  });

  it('are asked nothing more for who has left, whatever was asked', async () => {
    const signal = { aborted: false };
    await whileHeld(async () => {
      const left = askEveryQuestion(stores.events, signal).map((each) =>
        each.then(() => 'answered', isAborted),
      );
      await vi.waitUntil(async () => (await waiting()) === left.length, WAIT);
      signal.aborted = true;
      expect(await Promise.all(left)).toEqual(Array<boolean>(left.length).fill(true));
      await vi.waitUntil(async () => (await waiting()) === 0, WAIT);
    });
  });

  it('of a caller stay open when the stores close', async () => {
    const own = await server.pool('shares');
    const closing = await postgresStores({ pool: own, resources: testResources() });
    await closing.close();
    expect((await own.query('select 1')).rowCount).toBe(1);
    expect(own.ended).toBe(false);
  });
});
