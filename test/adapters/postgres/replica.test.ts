import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../support/random.ts';
import { askTenant, count, createBatch, sendBatch, type Report } from '../../support/traffic.ts';
import { createPlace, type Place, type Server } from '../cli/command.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';

if (!HAS_POSTGRES) {
  it('A REPLICA OF POSTGRESQL WAS NOT TESTED: install postgresql', () => undefined);
}

/** How long is waited for a state. */
const WAIT = { timeout: 60_000, interval: 50 };

describe.runIf(HAS_POSTGRES)('a server whose questions a replica answers', () => {
  const random = createRandom(31);
  let main: PostgresServer;
  let replica: PostgresServer;
  let place: Place;
  let url: string;
  let server: Server;
  let tenant: { readonly alias: string; readonly secret: string };

  beforeAll(async () => {
    main = await startPostgres();
    place = createPlace();
    url = await main.url('replicated');
    await place.ok(['tenant', 'create', 'shop', '--plan', 'scale', '--events', url]);
    const key = ['key', 'create', 'shop', '--name', 'k', '--permission', 'query', '--json', '--events', url];
    tenant = { alias: 'shop', secret: (JSON.parse(await place.ok(key)) as { secret: string }).secret };
    replica = await main.replicate();
    server = await place.serve(['serve', '--events', `${url}?replica=127.0.0.1:${replica.port}`]);
  });
  afterAll(async () => {
    await server.stop();
    place.remove();
    await replica.stop();
    await main.stop();
  });

  const answersAll = (origin: string, events: number) =>
    vi.waitFor(async () => expect(await count(origin, tenant)).toBe(events), WAIT);

  it('answers what was stored as soon as the replica has it, and stores meanwhile', async () => {
    expect((await sendBatch(server.url, 'shop', createBatch(random, 'first', 30))).status).toBe(200);
    await answersAll(server.url, 30);
    // A replica that has stopped to take what the first server has: stored, and not yet in answers.
    const pool = await replica.pool('replicated');
    await pool.query('select pg_wal_replay_pause()');
    const { body } = await sendBatch(server.url, 'shop', createBatch(random, 'second', 20));
    expect((body as Report).accepted).toBe(20);
    expect(await count(server.url, tenant)).toBe(30);
    expect(await place.ok(['count', 'shop', '--events', url])).toBe('50\n');
    // Whoever copies or erases asks the first server.
    const lagging = `${url}?replica=127.0.0.1:${replica.port}`;
    const target = `sqlite:${place.folder}/copied.db`;
    const copied = await place.ok(['copy', 'shop', '--from', lagging, '--to', target]);
    expect(copied).toContain('holds all 50,');
    const erasure = ['erase', 'shop', '--after', '2000-01-01', '--dry-run', '--events', lagging];
    expect(await place.ok(erasure)).toBe('50 events match; nothing was erased\n');
    await pool.query('select pg_wal_replay_resume()');
    await pool.end();
    await answersAll(server.url, 50);
  });

  it('refuses with 503 what the one that is away should do, and no more', async () => {
    main.signal('SIGQUIT');
    const batch = createBatch(random, 'refused', 5);
    await vi.waitUntil(async () => (await sendBatch(server.url, 'shop', batch)).status === 503, WAIT);
    // Keys are asked for at the first server too, so that a revoked one is never let in.
    expect((await askTenant(server.url, tenant, 'count')).status).toBe(503);
    await main.restart();
    await vi.waitUntil(async () => (await askTenant(server.url, tenant, 'count')).status === 200, WAIT);
  });

  it('goes on with a promoted replica under its address: events, keys and repeats', async () => {
    const batch = createBatch(random, 'last', 25);
    await vi.waitUntil(async () => (await sendBatch(server.url, 'shop', batch)).status === 200, WAIT);
    const all = Number(await place.ok(['count', 'shop', '--events', url]));
    await answersAll(server.url, all);
    main.signal('SIGQUIT');
    replica.promote();
    const promoted = await replica.url('replicated');
    const second = await place.serve(['serve', '--events', promoted]);
    try {
      expect(await count(second.url, tenant)).toBe(all);
      const again = (await sendBatch(second.url, 'shop', batch)).body as Report;
      expect([again.accepted, again.duplicates]).toEqual([0, 25]);
      const fresh = (await sendBatch(second.url, 'shop', createBatch(random, 'fresh', 7))).body as Report;
      expect(fresh.accepted).toBe(7);
      expect(await count(second.url, tenant)).toBe(all + 7);
    } finally {
      await second.stop();
    }
  });
});
