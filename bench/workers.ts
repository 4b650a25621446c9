import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createAdmin } from '../src/index.ts';
import { nodeRuntime } from '../adapters/node-http/index.ts';
import { sampleEvents } from './events.ts';
import { median, readFlags, report, type Target } from './harness.ts';
import { forkProgram } from './process.ts';
import { openSqlite } from './store/own-peers.ts';

/** Counts over HTTP by `serve` with one worker and with two, on one file, in turn. */
const flags = readFlags();
const ROWS = flags.rows ?? 5000;
const ROUNDS = flags.small ? 1 : 7;
const SECONDS = flags.small ? 1 : 3;
const CONNECTIONS = 64;
const SIZES = [1, 2];
const BODY = '{"filterSet":[{"property":"properties.plan","comparison":"EQUALS","value":"pro"}]}';

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));

/** Fills the file; the secret of its tenant. */
async function prepare(): Promise<string> {
  const stores = openSqlite(folder);
  const admin = createAdmin({ stores, runtime: nodeRuntime() });
  const tenant = await admin.createTenant({ alias: 'bench', plan: 'custom' });
  await stores.events.append(tenant.id, [...sampleEvents(ROWS)]);
  const { secret } = await admin.createKey('bench', { name: 'bench', permissions: ['query'] });
  await stores.close();
  return secret;
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

interface Serving {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly rates: number[];
}

async function serve(workers: number): Promise<Serving> {
  const port = await findPort();
  const args = ['serve', '--db', join(folder, 'events.db'), '--port', String(port), '--log-level', 'silent'];
  const child = forkProgram('../adapters/cli/main', import.meta.url, [...args, '--workers', String(workers)]);
  const origin = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${origin}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error('The server has ended.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, origin, rates: [] };
}

const secret = await prepare();
async function load({ origin }: Serving, seconds: number): Promise<number> {
  const result = await autocannon({
    url: `${origin}/v1/api/query/count/bench`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body: BODY,
    connections: CONNECTIONS,
    // One process that asks could not keep two that answer busy.
    workers: 2,
    duration: seconds,
  });
  if (result.non2xx + result.errors > 0) throw new Error('a count was refused under load');
  return result.requests.total / result.duration;
}

const servers: Serving[] = [];
for (const size of SIZES) servers.push(await serve(size));
for (const server of servers) await load(server, 1);
for (let round = 0; round < ROUNDS; round++) {
  for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
    server.rates.push(await load(server, SECONDS));
  }
}
for (const { child } of servers) {
  child.kill();
  await new Promise((resolve) => child.once('exit', resolve));
}
rmSync(folder, { recursive: true, force: true });

const rates = servers.map((server) => median(server.rates));
const ratio = (rates[1] ?? NaN) / (rates[0] ?? NaN);
const targets: Target[] = [{ what: 'two workers / one, counts', ratio, bound: 'at least', target: 1.5 }];
report({
  bench: 'workers',
  settings: { events: ROWS, rounds: ROUNDS, seconds: SECONDS, connections: CONNECTIONS },
  measures: SIZES.map((size, i) => ({
    ...{ question: 'count', peer: `--workers ${size}`, unit: 'requests/s' as const },
    value: rates[i] ?? NaN,
  })),
  targets: flags.small ? [] : targets,
  notes: [],
});
