import { createClient } from 'redis';
import { redisRateLimiter } from '../../../adapters/redis/index.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';

/** Takes many times at once from one id, and prints how many takes were admitted. */
const [port, id = '', count] = process.argv.slice(2);
const client = createClient({ url: `redis://127.0.0.1:${port ?? ''}`, disableOfflineQueue: true });
client.on('error', () => undefined);
await client.connect();
const limiter = redisRateLimiter({
  send: (args) => client.sendCommand(args),
  clock: { now: () => Date.now() },
  onFailure: 'closed',
  timeoutMs: 10_000,
});
const windows = requestWindows({ perMinute: 100, perDay: 2000 });
const states = await Promise.all(
  Array.from({ length: Number(count) }, () => limiter.take(id, windows, REQUEST_COST)),
);
process.send?.(states.filter(({ allowed }) => allowed).length);
client.destroy();
process.disconnect();
