import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { guarded, transact } from '../../../adapters/postgres/database.ts';
import { postgresStores } from '../../../adapters/postgres/index.ts';
import { isApiError, type Stores, type Tenant } from '../../../src/index.ts';
import type { EventQuery, AdminCredential, StoredEvent } from '../../../src/store-kit.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';
import { testResources } from '../../support/resources.ts';
import { recordsIn } from '../../../src/core/access/records.ts';
import { apiKey } from '../../support/api-key.ts';

if (!HAS_POSTGRES) {
  it('THE SEAMS OF POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

const EVERYTHING: EventQuery = { from: -Infinity, until: Infinity, condition: { kind: 'all', of: [] } };
const WAIT = { timeout: 50_000, interval: 20 };
const clock = { now: () => Date.UTC(2025, 5, 15) };

const event = (insertId: string, eventName: string, more: Partial<StoredEvent> = {}): StoredEvent => ({
  ...{ eventName, userId: 'u', eventTs: 5, insertId, propertiesJson: '{}' },
  ...more,
});

describe.runIf(HAS_POSTGRES)('what happens beside each other in PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let stores: Stores;

  beforeAll(async () => {
    server = await startPostgres();
    pool = await server.pool('seams');
    stores = await postgresStores({ pool, resources: testResources({ runtime: clock }) });
  });
  afterAll(async () => {
    await server.stop();
  });

  const names = (tenant: string) => stores.events.eventNames(tenant);
  const isWaitedFor = async () =>
    (await pool.query('select from pg_locks where not granted and pid <> pg_backend_pid()')).rows.length > 0;

  /** Begins some work while a transaction holds what a statement takes; what it comes to once that ends. */
  async function behind<T>(statement: string, values: unknown[], work: () => Promise<T>): Promise<T> {
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(statement, values);
    let isOver = false;
    const begun = work().finally(() => (isOver = true));
    begun.catch(() => undefined);
    await vi.waitUntil(async () => isOver || (await isWaitedFor()), WAIT);
    const waited = !isOver;
    await holder.query('commit');
    holder.release();
    const answer = await begun;
    expect(waited).toBe(true);
    return answer;
  }

  const ALONE = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  const TOGETHER = 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))';

  it('who stores waits for who erases, with names that are known and with new ones', async () => {
    await stores.events.append('storing', [event('1', 'known')]);
    await behind(ALONE, ['storing'], () => stores.events.append('storing', [event('2', 'known')]));
    // A repeat under another name is judged at once within a transaction.
    const twice = [event('3', 'known'), event('3', 'new')];
    const judged = await behind(ALONE, ['storing'], () => stores.events.append('storing', twice));
    expect(judged).toEqual({ duplicates: [1], overNames: [] });
    expect(await stores.events.count('storing', EVERYTHING)).toBe(3);
  });

  it('who erases waits for who stores', async () => {
    await stores.events.append('erasing', [event('1', 'a')]);
    expect(await behind(TOGETHER, ['erasing'], () => stores.events.erase('erasing'))).toBe(1);
  });

  it('who adds names waits for who adds others, so that there are no more than may be', async () => {
    const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 1))';
    const add = () => stores.events.append('naming', [event('1', 'first')], { namesMax: 1 });
    expect(await behind(lock, ['naming'], add)).toEqual({ duplicates: [], overNames: [] });
    const late = await stores.events.append('naming', [event('2', 'second')], { namesMax: 1 });
    expect([late.overNames, await names('naming')]).toEqual([[0], ['first']]);
  });

  it('an event that another process stores meanwhile is a twin, with a new name beside it too', async () => {
    await stores.events.append('twins', [event('1', 'a')]);
    const insert = `insert into event_query.events (tenant, ts, insert_id, event_name, user_id, properties)
      values ('twins', 5, $1, 'a', 'u', '{}')`;
    const known = () => stores.events.append('twins', [event('2', 'a')]);
    expect(await behind(insert, ['2'], known)).toEqual({ duplicates: [0], overNames: [] });
    const judged = () => stores.events.append('twins', [event('3', 'a'), event('4', 'new')]);
    expect(await behind(insert, ['3'], judged)).toEqual({ duplicates: [0], overNames: [] });
    expect(await stores.events.count('twins', EVERYTHING)).toBe(4);
  });

  const credential: AdminCredential = {
    ...{ id: 'p', kind: 'session', hash: 'p', name: 'p', role: 'admin', tenantIds: null, viewedIds: [] },
    ...{ identity: null, invitation: null, createdAt: 1, expiresAt: 5, lastUsedAt: null },
  };

  it('a credential whose name has no text of its own keeps no other out', async () => {
    const admins = recordsIn(stores.control).admins;
    for (const name of ['a\ud83d', 'a\0']) {
      await admins.create({ ...credential, id: 'n', hash: 'a', name });
      expect((await admins.findByHash('a'))?.name).toBe(name);
      await admins.remove('n');
    }
    await admins.create(credential);
    await admins.create({ ...credential, id: 'q', hash: 'q', createdAt: 9, expiresAt: 10 });
    expect((await admins.list()).map(({ id }) => id)).toEqual(['q']);
  });

  it('changes of one tenant, and of one key, are made one after the other', async () => {
    const { keys, tenants } = recordsIn(stores.control);
    const tenant: Tenant = {
      ...{ id: 't', alias: 'shop', name: 'Shop', plan: 'free', limits: null, ingestion: null },
      ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 1 },
    };
    expect(await tenants.create(tenant)).toBe(true);
    const secrets = [{ hash: 'h1', createdAt: 1, expiresAt: null }];
    await keys.create(apiKey({ id: 'k', tenantId: 't', secrets }));
    // What another process commits meanwhile is a new version, to which the change is made again.
    const set = (id: string, fields: string) => `update event_query.documents
      set document = (document::jsonb || '${fields}')::json, version = version + 1 where id = '${id}'`;
    const changed = await behind(set('t', '{"name": "Other"}'), [], () =>
      tenants.update('t', { retentionDays: 7 }),
    );
    expect(changed).toMatchObject({ name: 'Other', retentionDays: 7 });
    const revoked = await behind(set('k', '{"lastUsedAt": 9}'), [], () => keys.revoke('k', 5));
    expect(revoked).toMatchObject({ revokedAt: 5, lastUsedAt: 9 });
    // A use that was read before the revocation does not undo it.
    await behind(set('k', '{"revokedAt": 4}'), [], () => keys.touch('k', 12));
    expect(await keys.findBySecretHash('h1')).toMatchObject({ revokedAt: 4, lastUsedAt: 9 });
  });

  it('a tenant that was dropped takes nothing, however a batch is judged', async () => {
    await stores.events.append('gone', [event('1', 'a')]);
    await stores.events.drop('gone');
    for (const batch of [[event('1', 'a')], [event('2', 'a'), event('2', 'b')], []]) {
      await expect(stores.events.append('gone', batch)).rejects.toMatchObject({ code: 'tenantNotFound' });
    }
  });
});

describe.runIf(HAS_POSTGRES)('connections of PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.stop());

  const pidOf = async (pool: pg.Pool) =>
    (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  const errorOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('go on after a refusal and after a mistake, which is no 503', async () => {
    const pool = await server.pool('mistakes', { max: 1 });
    const pid = await pidOf(pool);
    const mistakes = [
      await errorOf(guarded(() => pool.query('selec 1'))),
      await errorOf(transact(pool, (client) => client.query('select * from nowhere'))),
      await errorOf(transact(pool, () => Promise.reject(new Error('a defect')))),
    ];
    expect(mistakes.map((error) => isApiError(error) && error.status)).toEqual([false, false, 503]);
    // No space left, a limit of time, a serialization that failed, a server that shuts down.
    for (const code of ['53100', '57014', '40001', '57P01']) {
      const raised = `do $$ begin raise 'not now' using errcode = '${code}'; end $$`;
      const refused = await errorOf(guarded(() => pool.query(raised)));
      expect(refused).toMatchObject({ status: 503, cause: { message: 'not now' } });
    }
    // All but the one that was no answer of the server left the connection as it was.
    expect(await pidOf(pool)).not.toBe(pid);
    const second = await pidOf(pool);
    await errorOf(transact(pool, (client) => client.query('select 1/0')));
    expect(await pidOf(pool)).toBe(second);
    await pool.end();
  });

  it('that hang are given to nobody else', async () => {
    const pool = await server.pool('hanging', { max: 1, query_timeout: 5000 });
    const pid = await pidOf(pool);
    const hung = await errorOf(transact(pool, (client) => client.query('select pg_sleep(100)')));
    expect(hung).toMatchObject({ status: 503 });
    expect(await pidOf(pool)).not.toBe(pid);
    await pool.end();
  });

  it('that are cut while they are lent, between two statements, refuse the work', async () => {
    const pool = await server.pool('cut', { max: 1 });
    const beside = await server.pool('cut');
    let lent: EventEmitter | undefined;
    pool.on('acquire', (client) => (lent = client));
    let listeners = 0;
    const cut = transact(pool, async (client) => {
      const { rows } = await client.query('select pg_backend_pid() as pid');
      const own = [rows[0]!.pid];
      listeners = lent!.listenerCount('error');
      await beside.query('select pg_terminate_backend($1)', own);
      const left = 'select from pg_stat_activity where pid = $1';
      await vi.waitUntil(async () => (await beside.query(left, own)).rowCount === 0, WAIT);
      return client.query('select 1');
    });
    expect(await errorOf(cut)).toMatchObject({ status: 503 });
    // Where nobody listens the loss is an exception that nobody can catch.
    expect(listeners).toBe(1);
    expect(await errorOf(transact(pool, (client) => client.query('select 1')))).toMatchObject({
      rowCount: 1,
    });
    await pool.end();
    await beside.end();
  });

  it('of a reader answer questions, are asked whether they do, and stay when the stores close', async () => {
    const [pool, reader] = [await server.pool('main'), await server.pool('reader')];
    await postgresStores({ pool: await server.pool('reader'), resources: testResources({ runtime: clock }) });
    const stores = await postgresStores({ pool, resources: testResources({ runtime: clock }), reader });
    await stores.events.append('t', [event('1', 'a')]);
    expect([await stores.events.count('t', EVERYTHING), await stores.events.eventNames('t')]).toEqual([
      0,
      [],
    ]);
    const aborted = { aborted: true };
    await expect(stores.events.count('t', EVERYTHING, aborted)).rejects.toMatchObject({
      name: 'AbortError',
    });
    await stores.ready();
    await reader.end();
    await expect(stores.ready()).rejects.toMatchObject({ status: 503 });
    await stores.close();
    expect((await pool.query('select 1')).rowCount).toBe(1);
    const gone = await server.pool('main');
    const asking = await postgresStores({ pool: gone, resources: testResources({ runtime: clock }) });
    await gone.end();
    await expect(asking.ready()).rejects.toMatchObject({ status: 503 });
  });

  it('a later piece of a page comes in the order of the page, however the engine joins', async () => {
    // Without its index a join gives rows in the order in which they were stored.
    const options = '-c enable_nestloop=off -c enable_mergejoin=off -c enable_indexscan=off';
    const pool = await server.pool('pieces', { options });
    const stores = await postgresStores({ pool, resources: testResources({ runtime: clock }) });
    const propertiesJson = JSON.stringify({ text: 'x'.repeat(200_000) });
    const ids = Array.from({ length: 12 }, (_, i) => `id-${(i * 5) % 12}`);
    for (const [i, id] of ids.entries())
      await stores.events.append('t', [event(id, 'a', { eventTs: i, propertiesJson })]);
    const page = await stores.events.query('t', EVERYTHING, { offset: 0, size: 100 });
    const found: string[] = [];
    let pieces = 0;
    for await (const piece of page.pieces()) {
      pieces += 1;
      found.push(...piece.map(({ insertId }) => insertId));
    }
    expect(pieces).toBeGreaterThan(2);
    expect(found).toEqual(ids.toReversed());
  });
});

describe.runIf(HAS_POSTGRES)('the schema in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.stop());

  it('is made once, however many processes come at once, and not by an older version', async () => {
    const pools = await Promise.all(Array.from({ length: 6 }, () => server.pool('schema')));
    await Promise.all(
      pools.map((pool) => postgresStores({ pool, resources: testResources({ runtime: clock }) })),
    );
    const [pool] = pools;
    const versions = 'select version from event_query.schema_version';
    expect((await pool!.query(versions)).rows).toHaveLength(1);
    await postgresStores({ pool: await server.pool('schema'), resources: testResources({ runtime: clock }) });
    expect((await pool!.query(versions)).rows).toHaveLength(1);
    await pool!.query('update event_query.schema_version set version = version + 1');
    const other = await server.pool('schema');
    const newer = await postgresStores({ pool: other, resources: testResources({ runtime: clock }) }).catch(
      (error: unknown) => error,
    );
    expect(String((newer as Error).cause ?? newer)).toContain('was written by a newer event-query');
    await other.end();
  });

  it('has partitions for the months from two years ago to the next, and for no other', async () => {
    const pool = await server.pool('months');
    const stores = await postgresStores({ pool, resources: testResources({ runtime: clock }) });
    const at = (...date: [number, number]) => event('1', 'a', { eventTs: Date.UTC(...date) });
    await stores.events.append('t', [
      at(2025, 5),
      at(2025, 6),
      at(2025, 7),
      at(2023, 6),
      at(2023, 5),
      at(1969, 0),
    ]);
    // Another process makes one of them first.
    const second = await postgresStores({
      pool: await server.pool('months'),
      resources: testResources({ runtime: clock }),
    });
    await second.events.append('t', [at(2025, 5), at(2024, 0)]);
    const partitions = `select relname from pg_class join pg_inherits on inhrelid = oid
      where inhparent = 'event_query.events'::regclass order by relname`;
    const { rows } = await pool.query<{ relname: string }>(partitions);
    expect(rows.map(({ relname }) => relname)).toEqual([
      ...['events_2023_07', 'events_2024_01', 'events_2025_06', 'events_2025_07', 'events_other'],
    ]);
    // A month whose events lie in the common one already takes more of them.
    const later = await postgresStores({
      pool: await server.pool('months'),
      resources: testResources({ runtime: { now: () => Date.UTC(2025, 6, 15) } }),
    });
    await later.events.append('t', [event('2', 'a', { eventTs: Date.UTC(2025, 7, 2) })]);
    expect(await later.events.count('t', EVERYTHING)).toBe(8);
  });
});
