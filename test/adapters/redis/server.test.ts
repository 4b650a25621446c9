import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { askTenant } from '../../support/traffic.ts';
import { createPlace, type Place, type Server } from '../cli/command.ts';
import { HAS_REDIS, startRedis, type RedisServer } from './redis-server.ts';

if (!HAS_REDIS) {
  it('SERVERS WITH LIMITS IN REDIS WERE NOT TESTED: install redis-server', () => undefined);
}

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
    const key = await place.ok(['key', 'create', 'shop', '--name', 'k', '--permission', 'query', '--json']);
    ({ secret } = JSON.parse(key) as { secret: string });
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

  it('share them, say where they are, and go on without it', async () => {
    expect(servers[0]!.printed).toContain(`; limits: redis://127.0.0.1:${redis.port}\n`);
    const began = Date.now();
    const answers: number[] = [];
    for (let i = 0; i < 8; i++) for (const server of servers) answers.push(await ask(server));
    const refilled = Math.floor(((Date.now() - began) / 60_000) * PER_MINUTE);
    const admitted = answers.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(PER_MINUTE);
    expect(admitted).toBeLessThanOrEqual(PER_MINUTE + refilled);

    redis.signal('SIGKILL');
    // Each process has whole buckets of its own meanwhile.
    await vi.waitUntil(async () => (await ask(servers[0]!)) === 200, { timeout: 30_000 });
    expect(servers[0]!.log()).toContain('is away');
    await redis.restart();
    await vi.waitUntil(
      async () => {
        await ask(servers[0]!);
        return servers[0]!.log().includes('is back');
      },
      { timeout: 30_000, interval: 100 },
    );
  }, 120_000);
});
