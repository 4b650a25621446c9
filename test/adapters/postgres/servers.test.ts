import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
  it('SERVERS OVER POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

/** How long is waited for a state. */
const WAIT = { timeout: 60_000, interval: 20 };

interface Created {
  readonly id: string;
  readonly secret: string;
}

describe.runIf(HAS_POSTGRES)('two servers over one PostgreSQL', () => {
  const random = createRandom(11);
  let postgres: PostgresServer;
  let place: Place;
  let url: string;
  let servers: readonly [Server, Server];

  beforeAll(async () => {
    postgres = await startPostgres();
    place = createPlace();
    url = await postgres.url('shared');
    await place.ok(['tenant', 'create', 'shop', '--plan', 'growth', '--events', url]);
    const serve = () => place.serve(['serve', '--events', url]);
    servers = [await serve(), await serve()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    place.remove();
    await postgres.stop();
  });

  const create = async (...flags: string[]) =>
    JSON.parse(
      await place.ok(['key', 'create', 'shop', '--permission', 'query', '--json', '--events', url, ...flags]),
    ) as Created;
  const statuses = ({ secret }: Created) =>
    Promise.all(
      servers.map(async (server) => (await askTenant(server.url, { alias: 'shop', secret }, 'count')).status),
    );

  it('says where everything is, without a password', async () => {
    const { stdout } = await place.run(['config', 'check'], {
      env: { EVENT_QUERY_EVENTS: url.replace('postgres@', 'postgres:hidden@') },
    });
    expect(stdout).toBe(['events', 'control', 'limits'].map((kept) => `${kept}\t${url}\n`).join(''));
    expect(servers[0].printed).toContain(`serving ${url}\n`);
  });

  it('answers alike, whichever took the events', async () => {
    const key = await create('--name', 'reader');
    const tenant = { alias: 'shop', secret: key.secret };
    const batch = createBatch(random, 'alike', 40);
    const reports: Report[] = [];
    for (const server of servers) reports.push((await sendBatch(server.url, 'shop', batch)).body as Report);
    expect(reports.map(({ accepted, duplicates }) => [accepted, duplicates])).toEqual([
      [40, 0],
      [0, 40],
    ]);
    for (const server of servers) expect(await count(server.url, tenant)).toBe(40);
    expect(await place.ok(['count', 'shop', '--events', url])).toBe('40\n');
  });

  it('stores once what both take at the same moment', async () => {
    const { secret } = await create('--name', 'reader of twins');
    const batches = Array.from({ length: 10 }, (_, i) => createBatch(random, `twin-${i}`, 20));
    const before = await count(servers[0].url, { alias: 'shop', secret });
    const sent = batches.flatMap((batch) => servers.map((server) => sendBatch(server.url, 'shop', batch)));
    const reports = (await Promise.all(sent)).map(({ body }) => body as Report);
    const sum = (name: 'accepted' | 'duplicates') => reports.reduce((all, report) => all + report[name], 0);
    expect([sum('accepted'), sum('duplicates')]).toEqual([200, 200]);
    for (const server of servers) {
      expect(await count(server.url, { alias: 'shop', secret })).toBe(before + 200);
    }
  });

  it('knows a key from the request after it was made, rotated or revoked', async () => {
    const key = await create('--name', 'first');
    expect(await statuses(key)).toEqual([200, 200]);
    const rotated = JSON.parse(
      await place.ok(['key', 'rotate', 'shop', key.id, '--overlap', '0', '--json', '--events', url]),
    ) as Created;
    expect(await statuses(key)).toEqual([401, 401]);
    expect(await statuses(rotated)).toEqual([200, 200]);
    await place.ok(['key', 'revoke', 'shop', rotated.id, '--events', url]);
    expect(await statuses(rotated)).toEqual([401, 401]);
  });

  it('counts one limit', async () => {
    const flags = ['--plan', 'custom', '--per-minute', '6', '--per-day', '1000', '--events', url];
    await place.ok(['tenant', 'create', 'limited', ...flags]);
    const made = await place.ok([
      ...['key', 'create', 'limited', '--name', 'k', '--permission', 'query', '--json', '--events', url],
    ]);
    const tenant = { alias: 'limited', secret: (JSON.parse(made) as Created).secret };
    const began = Date.now();
    const answers: number[] = [];
    for (let i = 0; i < 10; i++)
      for (const server of servers) answers.push((await askTenant(server.url, tenant, 'count')).status);
    const refilled = Math.floor((Date.now() - began) / 10_000);
    const admitted = answers.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(6);
    expect(admitted).toBeLessThanOrEqual(6 + refilled);
    expect(new Set(answers)).toEqual(new Set([200, 429]));
  });

  it('loses nothing acknowledged when the database dies under load, and goes on with it', async () => {
    await place.ok(['tenant', 'create', 'loaded', '--plan', 'growth', '--events', url]);
    const made = await place.ok([
      ...['key', 'create', 'loaded', '--name', 'k', '--permission', 'query', '--json', '--events', url],
    ]);
    const tenant = { alias: 'loaded', secret: (JSON.parse(made) as Created).secret };
    const statuses: number[] = [];
    const unanswered: SentEvent[][] = [];
    let acknowledged = 0;
    let isOver = false;
    const send = async (server: Server, client: number) => {
      for (let i = 0; !isOver; i++) {
        const batch = createBatch(random, `${client}-${i}`, 20);
        const { status } = await sendBatch(server.url, 'loaded', batch);
        statuses.push(status);
        if (status === 200) acknowledged += batch.length;
        else unanswered.push(batch);
      }
    };
    const clients = [0, 1, 2, 3].map((client) => send(servers[client % 2]!, client));
    await vi.waitUntil(() => statuses.filter((status) => status === 200).length >= 20, WAIT);
    postgres.signal('SIGQUIT');
    await vi.waitUntil(() => statuses.includes(503), WAIT);
    await postgres.restart();
    const before = acknowledged;
    await vi.waitUntil(() => acknowledged > before + 200, WAIT);
    isOver = true;
    await Promise.all(clients);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    for (const batch of unanswered) {
      let answer = await sendBatch(servers[0].url, 'loaded', batch);
      // Each of its connections learns by itself that the one before was cut.
      while (answer.status === 503) answer = await sendBatch(servers[0].url, 'loaded', batch);
      const { accepted, duplicates } = answer.body as Report;
      // All of a batch was stored, or nothing of it.
      expect([0, batch.length]).toContain(accepted);
      expect(accepted + duplicates).toBe(batch.length);
      acknowledged += batch.length;
    }
    for (const { url: at } of servers)
      await vi.waitFor(async () => expect(await count(at, tenant)).toBe(acknowledged), WAIT);
  }, 180_000);
});
