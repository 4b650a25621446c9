import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { checkAnswers, hashOf, median, readFlags, report, type Measure, type Target } from './harness.ts';
import { startServer, type Constant, type Fetch, type Server } from './http/protocol.ts';

const flags = readFlags();
const ROWS = flags.rows ?? 5000;
const ROUNDS = flags.small ? 1 : 3;
const SECONDS = flags.small ? 1 : 3;
const CONNECTIONS = 32;
const OWN = 'event-query';
const RAW = 'node:http, constant';
const BY_HAND = 'node:http, select + parse + stringify';
const FREE = 'event-query, plan without limits';
/** A part of the service: the server and the rings, over stores that know the count. */
const RINGS = 'event-query, constant stores';
const CONSTANT_PEERS = [
  RINGS,
  'event-query, transport',
  RAW,
  'Fastify, constant',
  'Hono, constant',
  'Express, constant',
];

const FETCHES: readonly Fetch[] = [
  {
    name: 'count',
    path: '/v1/api/query/count/bench',
    body: '{"filterSet":[{"property":"properties.plan","comparison":"EQUALS","value":"pro"}]}',
  },
  { name: 'page of 100', path: '/v1/api/query/bench', body: '{"pagination":{"size":100}}' },
  { name: 'page of 1000', path: '/v1/api/query/bench', body: '{"pagination":{"size":1000}}' },
];

/** Headers that each server sets by itself. */
const OF_THE_SERVER = ['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'];

/** Headers with each of the keys of a server. */
function headersFor({ secret }: Server): [Record<string, string>, ...Record<string, string>[]] {
  const [first = '', ...others] = secret.split(' ');
  const toHeaders = (key: string) => ({ 'Content-Type': 'application/json', 'X-API-Key': key });
  return [toHeaders(first), ...others.map(toHeaders)];
}

/** What event-query answers, for the peers that send it from a constant. */
async function takeConstants(server: Server): Promise<Constant[]> {
  return Promise.all(
    FETCHES.map(async (asked) => {
      const response = await post(server, asked);
      const headers = [...response.headers].filter(([name]) => !OF_THE_SERVER.includes(name));
      return { ...asked, headers: Object.fromEntries(headers), answer: await response.text() };
    }),
  );
}

function post(server: Server, { path, body }: Fetch): Promise<Response> {
  return fetch(server.origin + path, { method: 'POST', headers: headersFor(server)[0], body });
}

/** Requests a second; throws when one of them was refused. */
async function load(server: Server, { path, body }: Fetch, seconds: number): Promise<number> {
  const result = await autocannon({
    url: server.origin + path,
    method: 'POST',
    body,
    // Each connection uses one key after the other.
    requests: headersFor(server).map((headers) => ({ headers })),
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx + result.errors > 0) throw new Error(`${server.peer}: ${path} was refused under load`);
  return result.requests.total / result.duration;
}

async function measure(servers: readonly Server[], asked: Fetch): Promise<Measure[]> {
  const samples = new Map(servers.map(({ peer }) => [peer, [] as number[]]));
  const answers = new Map<string, string>();
  for (const server of servers) {
    const response = await post(server, asked);
    answers.set(server.peer, hashOf(await response.text()));
    await load(server, asked, 1);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
      samples.get(server.peer)?.push(await load(server, asked, SECONDS));
    }
  }
  return servers.map(({ peer }) => ({
    question: asked.name,
    peer,
    unit: 'requests/s' as const,
    value: median(samples.get(peer) ?? []),
    answers: answers.get(peer) ?? '',
  }));
}

const folders: string[] = [];
const notes: string[] = [];
async function start(peer: string, constants: readonly Constant[]): Promise<Server[]> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
  folders.push(folder);
  const server = await startServer({ peer, folder, rows: ROWS, constants });
  if (server === undefined) notes.push(`${peer}: not installed; npm ci --prefix bench`);
  return server === undefined ? [] : [server];
}

const [own] = await start(OWN, []);
const [free] = await start(FREE, []);
// Those without the headers of limits, which raw servers would send for nothing.
const constants = await takeConstants(free!);
const servers = [own!, free!];
for (const peer of CONSTANT_PEERS) servers.push(...(await start(peer, constants)));
const byHand = await start(BY_HAND, constants);

const measures: Measure[] = [];
for (const asked of FETCHES) {
  const asking = asked.name === 'count' ? servers : servers.filter(({ peer }) => peer !== RINGS);
  measures.push(...(await measure(asked.name === 'page of 1000' ? [...asking, ...byHand] : asking, asked)));
}
for (const server of [...servers, ...byHand]) server.end();
for (const folder of folders) rmSync(folder, { recursive: true, force: true });
checkAnswers(measures);

const targets: Target[] = [];
function addTarget(question: string, peer: string, target: number, own = OWN): void {
  const of = (name: string) =>
    measures.find((measure) => measure.question === question && measure.peer === name)?.value ?? NaN;
  const ratio = of(own) / of(peer);
  if (!Number.isNaN(ratio))
    targets.push({ what: `${question}: ${own} / ${peer}`, ratio, bound: 'at least', target });
}
for (const question of ['count', 'page of 100']) {
  addTarget(question, RAW, 0.9);
  addTarget(question, 'Fastify, constant', 1);
}
addTarget('count', FREE, 0.95);
addTarget('count', RAW, 0.85, FREE);
addTarget('page of 1000', BY_HAND, 2);
report({
  bench: 'http',
  settings: { events: ROWS, rounds: ROUNDS, seconds: SECONDS, connections: CONNECTIONS },
  measures,
  targets: flags.small ? [] : targets,
  notes,
});
