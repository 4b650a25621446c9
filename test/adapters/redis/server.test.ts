import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { askTenant } from '../../support/traffic.ts';
import { createPlace, type Place, type Server } from '../cli/command.ts';
import { HAS_REDIS, startRedis, type RedisServer } from './redis-server.ts';

if (!HAS_REDIS) {
  it('SERVERS WITH LIMITS IN REDIS WERE NOT TESTED: install redis-server', () => undefined);
}

/** How long to wait for a state. */
const WAIT = { timeout: 60_000, interval: 50 };

describe.runIf(HAS_REDIS)('servers whose limits are in Redis', () => {
  const PER_MINUTE = 5;
  let redis: RedisServer;
  let place: Place;
  let servers: Server[];
  let secret: string;

  beforeAll(async () => {
    redis = await startRedis();
    place = createPlace();
    const plan = ['--plan', 'custom', '--per-minute', String(PER_MINUTE), '--per-day', '100000'];
    await place.ok(['tenant', 'create', 'shop', ...plan]);
    const serve = () => place.serve(['serve', '--limits', `redis://127.0.0.1:${redis.port}`]);
    servers = [await serve(), await serve()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    place.remove();
    await redis.stop();
  });

  const ask = async (server: Server) =>
    (await askTenant(server.url, { alias: 'shop', secret }, 'count')).status;

  /** How many messages about Redis the servers have printed so far. */
  const said = (words: string) =>
    servers.reduce((times, server) => times + server.log().split(words).length - 1, 0);
  /** Sends requests until each server has printed that Redis is back. */
  const untilBack = () =>
    vi.waitUntil(async () => {
      for (const server of servers) await ask(server);
      return said('is back') === said('is away');
    }, WAIT);

  /** Sends requests to the servers in turn with a new key; returns how many were admitted and refilled. */
  async function askAll() {
    const key = await place.ok(['key', 'create', 'shop', '--name', 'k', '--permission', 'query', '--json']);
    ({ secret } = JSON.parse(key) as { secret: string });
    const began = Date.now();
    const answers: number[] = [];
    for (let i = 0; i < 8; i++) for (const server of servers) answers.push(await ask(server));
    const refilled = Math.floor(((Date.now() - began) / 60_000) * PER_MINUTE);
    return { admitted: answers.filter((status) => status === 200).length, refilled };
  }

  it('share them, say where they are, and go on without Redis', async () => {
    expect(servers[0]!.printed).toContain(`; limits: redis://127.0.0.1:${redis.port}\n`);
    // After a timeout of 50 ms a server does not see what the other takes, and prints that Redis is away.
    let away = said('is away');
    for (;;) {
      const { admitted, refilled } = await askAll();
      expect(admitted).toBeGreaterThanOrEqual(PER_MINUTE);
      if (admitted <= PER_MINUTE + refilled) break;
      await vi.waitUntil(() => said('is away') > away, WAIT);
      await untilBack();
      away = said('is away');
    }

    await untilBack();
    away = said('is away');
    redis.signal('SIGKILL');
    // For a key that neither server has seen in Redis, each has a full bucket.
    const { admitted, refilled } = await askAll();
    expect(admitted).toBeGreaterThanOrEqual(2 * PER_MINUTE);
    expect(admitted).toBeLessThanOrEqual(2 * (PER_MINUTE + refilled));
    await vi.waitUntil(() => said('is away') > away, WAIT);
    await redis.restart();
    await untilBack();
  }, 120_000);
});
