import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryRateLimiter } from '../adapters/memory/index.ts';
import { REQUEST_COST, requestWindows } from '../src/core/access/plan.ts';
import type { RateLimiter } from '../src/store-kit.ts';
import { loadPeer, readFlags, report, timeInTurnAsync, type Target } from './harness.ts';
import { openSqlite } from './store/own-peers.ts';

interface Flexible {
  consume(key: string): Promise<unknown>;
}
interface FlexibleModule {
  RateLimiterMemory: new (options: { points: number; duration: number; keyPrefix: string }) => Flexible;
  RateLimiterUnion: new (...limiters: Flexible[]) => Flexible;
}

const flags = readFlags();
const ROUNDS = flags.small ? 3 : 15;
const CALLS = flags.small ? 500 : 20_000;
/** Never reached, so that every take is allowed. */
const LIMIT = 100_000_000;
const KEYS = Array.from({ length: 1000 }, (_, i) => `key-${i}`);

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const stores = openSqlite(folder);
const ofTaker = (limiter: RateLimiter) => {
  let next = 0;
  const windows = requestWindows({ perMinute: LIMIT, perDay: LIMIT });
  return () => limiter.take(KEYS[next++ % KEYS.length]!, windows, REQUEST_COST);
};
const peers: Record<string, () => Promise<unknown>> = {
  'event-query, memory': ofTaker(memoryRateLimiter({ now: () => Date.now() })),
  'event-query, SQLite': ofTaker(stores.limits),
};

const flexible = await loadPeer<FlexibleModule>('rate-limiter-flexible');
if (flexible !== undefined) {
  const { RateLimiterMemory, RateLimiterUnion } = flexible;
  const createPair = (prefix: string) => [
    new RateLimiterMemory({ points: LIMIT, duration: 60, keyPrefix: `${prefix}-minute` }),
    new RateLimiterMemory({ points: LIMIT, duration: 86_400, keyPrefix: `${prefix}-day` }),
  ];
  const pair = createPair('pair');
  const union = new RateLimiterUnion(...createPair('union'));
  let next = 0;
  const key = () => KEYS[next++ % KEYS.length]!;
  peers['two RateLimiterMemory'] = () => {
    const taken = key();
    return Promise.all(pair.map((limiter) => limiter.consume(taken)));
  };
  peers.RateLimiterUnion = () => union.consume(key());
}

const times = await timeInTurnAsync(peers, { rounds: ROUNDS, calls: CALLS });
const of = (peer: string) => times.get(peer) ?? NaN;
const ratio = of('event-query, memory') / of('RateLimiterUnion');
const what = 'both buckets, memory / RateLimiterUnion';
const targets: Target[] =
  flags.small || Number.isNaN(ratio) ? [] : [{ what, ratio, bound: 'at most', target: 0.4 }];
await stores.close();
rmSync(folder, { recursive: true });
report({
  bench: 'limiter',
  settings: { keys: KEYS.length, rounds: ROUNDS },
  measures: [...times].map(([peer, value]) => ({
    question: 'one take of both buckets',
    peer,
    unit: 'ns',
    value,
  })),
  targets,
  notes: flexible === undefined ? ['rate-limiter-flexible is not installed: npm ci --prefix bench'] : [],
});
