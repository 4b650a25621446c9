import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mountTmpfs, type SmallDisk } from '../../faults/support/small-disk.ts';
import { createFolder } from '../../support/file.ts';
import { createRandom } from '../../support/random.ts';
import {
  askTenant,
  count,
  createBatch,
  sendBatch,
  type Report,
  type SentEvent,
} from '../../support/traffic.ts';
import { createPlace, type Place, type Server } from '../cli/command.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';

if (!HAS_POSTGRES) {
  it('FAULTS OF POSTGRESQL WERE NOT TRIED: install postgresql', () => undefined);
}

/** How long is waited for a state. */
const WAIT = { timeout: 100_000, interval: 50 };
/** How many batches must be refused before the disk is believed to be full. */
const REFUSALS = 5;
const DISK_MIB = 64;

describe.runIf(HAS_POSTGRES)('a server over PostgreSQL', () => {
  const random = createRandom(37);
  const folder = createFolder();
  const disk: SmallDisk | undefined = HAS_POSTGRES ? mountTmpfs(folder, DISK_MIB) : undefined;
  let postgres: PostgresServer;
  let place: Place;

  beforeAll(async () => {
    postgres = await startPostgres();
    place = createPlace();
  });
  afterAll(async () => {
    place.remove();
    await postgres.stop();
    disk?.remove();
    folder.remove();
  });

  /** A server on a database of its own, with a tenant and a key. */
  async function begin(database: string, parameters: string) {
    const url = `${await postgres.url(database)}?${parameters}`;
    await place.ok(['tenant', 'create', 'shop', '--plan', 'scale', '--events', url]);
    const key = ['key', 'create', 'shop', '--name', 'k', '--permission', 'query', '--json', '--events', url];
    const { secret } = JSON.parse(await place.ok(key)) as { secret: string };
    return { server: await place.serve(['serve', '--events', url]), tenant: { alias: 'shop', secret } };
  }

  const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

  it('whose connections hang answers 503 in bounded time, and goes on when they do', async () => {
    // The limit is the default one but for its length, which no other statement comes near.
    const { server, tenant } = await begin('hanging', 'query_timeout=6000');
    const batch = createBatch(random, 'first', 20);
    expect(await statusOf(sendBatch(server.url, 'shop', batch))).toBe(200);
    postgres.signalAll('SIGSTOP');
    try {
      const began = performance.now();
      const asked = [
        ...Array.from({ length: 20 }, () => statusOf(askTenant(server.url, tenant, 'count'))),
        ...Array.from({ length: 20 }, (_, i) =>
          statusOf(sendBatch(server.url, 'shop', createBatch(random, `new-${i}`, 3))),
        ),
      ];
      expect(new Set(await Promise.all(asked))).toEqual(new Set([503]));
      // Without a limit none of them would ever be answered.
      console.log(`40 requests were refused after ${Math.round(performance.now() - began)} ms`);
    } finally {
      postgres.signalAll('SIGCONT');
    }
    await vi.waitUntil(async () => (await sendBatch(server.url, 'shop', batch)).status === 200, WAIT);
    await vi.waitFor(async () => expect(await count(server.url, tenant)).toBeGreaterThanOrEqual(20), WAIT);
    await server.stop();
  }, 240_000);

  it.runIf(disk !== undefined)(
    'on a full disk refuses events, goes on answering, and takes events again when there is space',
    async () => {
      postgres.own(folder.path);
      postgres.own(disk!.path);
      const pool = await postgres.pool();
      await pool.query(`create tablespace small location '${disk!.path}'`);
      await pool.end();
      const { server, tenant } = await begin('small_disk', 'options=-c%20default_tablespace%3Dsmall');
      try {
        await fillAndFree(server, tenant, disk!);
      } finally {
        await server.stop();
      }
    },
    240_000,
  );

  async function fillAndFree(server: Server, tenant: { alias: string; secret: string }, small: SmallDisk) {
    let acknowledged = 0;
    const refused: SentEvent[][] = [];
    const send = async (label: string) => {
      const batch = createBatch(random, label, 500);
      const { status } = await sendBatch(server.url, 'shop', batch);
      expect([200, 503]).toContain(status);
      if (status === 200) acknowledged += batch.length;
      else refused.push(batch);
    };
    await send('before');
    expect(acknowledged).toBe(500);
    small.fill(0);
    for (let i = 0; refused.length < REFUSALS; i++) await send(`full-${i}`);
    expect(await count(server.url, tenant)).toBe(acknowledged);
    small.free(0);
    for (const batch of refused) {
      const { status, body } = await sendBatch(server.url, 'shop', batch);
      expect([status, (body as Report).accepted]).toEqual([200, batch.length]);
      acknowledged += batch.length;
    }
    expect(await count(server.url, tenant)).toBe(acknowledged);
  }

  if (disk === undefined) {
    it('A FULL DISK WAS NOT TRIED: this process may not mount a tmpfs', () => undefined);
  }
});
