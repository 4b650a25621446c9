import { spawnSync } from 'node:child_process';
import { nodeResources } from '../adapters/node-http/index.ts';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import autocannon from 'autocannon';
import { createAdmin } from '../src/index.ts';
import { median, readFlags, report, type Measure, type Target } from './harness.ts';
import { forkProgram } from './process.ts';
import { startServe, type Serving } from './serve.ts';
import { openSqlite } from './store/own-peers.ts';

/** Small batches as browsers send them, to `serve` on a disk that answers at once and on a slow one. */
const flags = readFlags();
const ROUNDS = flags.small ? 1 : 5;
const SECONDS = flags.small ? 1 : 4;
const CONNECTIONS = 64;
const FAST = 'serve';
const SLOW = 'serve, each sync takes 3 ms';
const DROPPING = 'node:http, reads and drops the body';
// Without an identity of their own, all of them are new each time.
const BODY = JSON.stringify(
  [1, 2, 3, 4, 5].map((n) => ({
    eventName: `name-${n}`,
    userId: `user-${n}`,
    properties: { plan: 'pro', path: `/shop/${n}`, price: n },
  })),
);

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));

/** A library that slows the disk down; undefined where there is no compiler, or no preloading. */
function compileSlowSync(): string | undefined {
  const library = join(folder, 'slow-sync.so');
  const source = resolve('bench/writes/slow-sync.c');
  const { status } = spawnSync('cc', ['-O1', '-fPIC', '-shared', '-o', library, source, '-ldl']);
  return status === 0 && process.platform === 'linux' ? library : undefined;
}

interface Peer {
  readonly name: string;
  readonly origin: string;
  end(): Promise<unknown>;
  readonly rates: number[];
  /** How long `/healthz` took during each round's load, at the 99th percentile. */
  readonly health: number[];
}

async function startOwn(name: string, library?: string): Promise<Peer> {
  const own = join(folder, name);
  mkdirSync(own);
  const stores = openSqlite(own);
  const admin = createAdmin({ stores, runtime: nodeResources().runtime });
  await admin.createTenant({ alias: 'bench', plan: 'custom', ingestion: null });
  await stores.close();
  const env = library === undefined ? {} : { LD_PRELOAD: library };
  const args = ['--db', join(own, 'events.db'), '--no-access-log'];
  const serving: Serving = await startServe({ args, env });
  return { ...serving, name, rates: [], health: [] };
}

async function startDropping(): Promise<Peer> {
  const child = forkProgram('writes/dropping-server', import.meta.url);
  const [port] = (await once(child, 'message')) as [number];
  const end = () => Promise.resolve(child.kill());
  return { name: DROPPING, origin: `http://127.0.0.1:${port}`, end, rates: [], health: [] };
}

/** Requests a second, and how long another process waited meanwhile to hear that the server is up. */
async function load({ name, origin }: Peer, seconds: number) {
  const probe = forkProgram('writes/probe', import.meta.url, [origin, String(seconds)]);
  const probed = once(probe, 'message') as Promise<[number[]]>;
  const result = await autocannon({
    url: `${origin}/v1/events/bench/multi`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: BODY,
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx + result.errors > 0) throw new Error(`${name}: a batch was refused under load`);
  const times = (await probed)[0].sort((a, b) => a - b);
  return {
    rate: result.requests.total / result.duration,
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
  };
}

const library = compileSlowSync();
const peers = [await startOwn(FAST)];
if (library !== undefined) peers.push(await startOwn(SLOW, library));
peers.push(await startDropping());
for (const peer of peers) await load(peer, 1);
for (let round = 0; round < ROUNDS; round++) {
  for (const peer of round % 2 === 0 ? peers : [...peers].reverse()) {
    const { rate, p99 } = await load(peer, SECONDS);
    peer.rates.push(rate);
    peer.health.push(p99);
  }
}
for (const peer of peers) await peer.end();
rmSync(folder, { recursive: true, force: true });

const rateOf = (name: string) => median(peers.find((peer) => peer.name === name)?.rates ?? []);
const p99 = median(peers.find(({ name }) => name === SLOW)?.health ?? []);
const ratios: Target[] = [
  {
    what: 'with a sync of 3 ms / without',
    ratio: rateOf(SLOW) / rateOf(FAST),
    bound: 'at least',
    target: 0.7,
  },
  { what: '/healthz during that, p99 in ms', ratio: p99, bound: 'at most', target: 10 },
  { what: `serve / ${DROPPING}`, ratio: rateOf(FAST) / rateOf(DROPPING), bound: 'at least', target: 0.25 },
];
const measures: Measure[] = peers.flatMap(({ name, rates, health }) => [
  { question: 'batches of 5', peer: name, unit: 'requests/s' as const, value: median(rates) },
  { question: '/healthz meanwhile, p99', peer: name, unit: 'ms' as const, value: median(health) },
]);
report({
  bench: 'writes',
  settings: { rounds: ROUNDS, seconds: SECONDS, connections: CONNECTIONS },
  measures,
  targets: flags.small ? [] : ratios.filter(({ ratio }) => !Number.isNaN(ratio)),
  notes: library === undefined ? ['no C compiler, or no Linux: the slow disk is left out'] : [],
});
