import { mkdtempSync, rmSync } from 'node:fs';
import { nodeResources } from '../adapters/node-http/index.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createAdmin } from '../src/index.ts';
import { sampleEvents } from './events.ts';
import { median, readFlags, report, type Target } from './harness.ts';
import { startServe, type Serving } from './serve.ts';
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
  const admin = createAdmin({ stores, runtime: nodeResources().runtime });
  const tenant = await admin.createTenant({ alias: 'bench', plan: 'custom' });
  await stores.events.append(tenant.id, [...sampleEvents(ROWS)]);
  const { secret } = await admin.createKey('bench', { name: 'bench', permissions: ['query'] });
  await stores.close();
  return secret;
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

const servers: (Serving & { readonly rates: number[] })[] = [];
for (const size of SIZES) {
  const args = ['--db', join(folder, 'events.db'), '--workers', String(size)];
  servers.push({ ...(await startServe({ args })), rates: [] });
}
for (const server of servers) await load(server, 1);
for (let round = 0; round < ROUNDS; round++) {
  for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
    server.rates.push(await load(server, SECONDS));
  }
}
for (const server of servers) await server.end();
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
