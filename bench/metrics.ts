import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { nodeResources } from '../adapters/node-http/index.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createAdmin } from '../src/index.ts';
import { sampleEvents } from './events.ts';
import { median, readFlags, report, type Measure, type Target } from './harness.ts';
import { startServe, type Serving } from './serve.ts';
import { openSqlite } from './store/own-peers.ts';
import { cpuSeconds } from './streams/file.ts';

/** What metrics and the log cost: counts over HTTP by `serve` without them, with metrics, and with both. */
const flags = readFlags();
const ROWS = flags.rows ?? 5000;
const ROUNDS = flags.small ? 1 : 12;
/** Requests of a round, and before the first one, until all that answers is compiled. */
const AMOUNT = flags.small ? 200 : 4000;
const WARM_UP = AMOUNT * 4;
const CONNECTIONS = 32;
const BODY = '{"filterSet":[{"property":"properties.plan","comparison":"EQUALS","value":"pro"}]}';
/** A key of limits: each request is counted by both windows, and none is refused. */
const LIMITS = { perMinute: 1_000_000, perDay: 100_000_000 };

const METRICS = ['--admin-port', '0'];
const PEERS = {
  neither: ['--no-access-log'],
  metrics: ['--no-access-log', ...METRICS],
  'metrics and log': [...METRICS],
};

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));

/** Fills the file; the secret of its tenant. */
async function prepare(): Promise<string> {
  const stores = openSqlite(folder);
  const admin = createAdmin({ stores, runtime: nodeResources().runtime });
  const tenant = await admin.createTenant({ alias: 'bench', plan: 'custom', limits: LIMITS });
  await stores.events.append(tenant.id, [...sampleEvents(ROWS)]);
  const { secret } = await admin.createKey('bench', { name: 'bench', permissions: ['query'] });
  await stores.close();
  return secret;
}

interface Load {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const secret = await prepare();

/** Sends counts; how long they took, and how much processor time of the server. */
async function load({ origin, pid }: Serving, amount: number): Promise<Load> {
  const before = cpuSeconds(pid);
  const result = await autocannon({
    url: `${origin}/v1/api/query/count/bench`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body: BODY,
    connections: CONNECTIONS,
    workers: 1,
    amount,
  });
  if (result.non2xx + result.errors > 0) throw new Error('a count was refused under load');
  return { seconds: result.duration, cpuSeconds: cpuSeconds(pid) - before };
}

const log = openSync(join(folder, 'log'), 'w');
const servers = await Promise.all(
  Object.entries(PEERS).map(async ([peer, more]) => {
    const args = ['--db', join(folder, 'events.db'), '--log-level', 'info', ...more];
    return { peer, ...(await startServe({ args, stderr: log })), loads: [] as Load[] };
  }),
);
for (const server of servers) await load(server, WARM_UP);
for (let round = 0; round < ROUNDS; round++) {
  for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
    server.loads.push(await load(server, AMOUNT));
  }
}
for (const server of servers) await server.end();
closeSync(log);
rmSync(folder, { recursive: true, force: true });

// The hundredths of a round are few, so all rounds are one.
const found = servers.map(({ peer, loads }) => {
  const cpu = loads.reduce((sum, each) => sum + each.cpuSeconds, 0);
  return {
    peer,
    each: median(loads.map(({ seconds }) => AMOUNT / seconds)),
    ofCpu: (AMOUNT * loads.length) / cpu,
  };
});
const measures = found.flatMap(({ peer, each, ofCpu }): Measure[] => [
  { question: 'counts', peer, unit: 'requests/s', value: each },
  { question: 'counts in a second of processor time', peer, unit: 'requests/s', value: ofCpu },
]);
const targets = found.slice(1).map(({ peer, ofCpu }, i): Target => {
  const before = found[i]!;
  const what = `${peer} / ${before.peer}, counts in a second of processor time`;
  return { what, ratio: ofCpu / before.ofCpu, bound: 'at least', target: 0.97 };
});
report({
  bench: 'metrics',
  settings: { events: ROWS, rounds: ROUNDS, counts: AMOUNT, connections: CONNECTIONS },
  measures,
  targets: flags.small ? [] : targets,
  notes: [],
});
