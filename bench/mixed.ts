import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags, report, type Measure, type Target } from './harness.ts';
import { startServer } from './http/protocol.ts';

/**
 * Requests of all kinds at once, on a schedule: a request's time counts from when it should have started, so
 * that a stall of the server is seen by all who would have asked during it.
 */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 5000 : 1_000_000);
const SECONDS = flags.small ? 1 : 20;
/** How many ask in turn to find out how many requests a second the server takes at most. */
const CLIENTS = 16;
/** How many of the hostile tenant ask at once, each again as soon as it has its answer. */
const HOSTILE_CLIENTS = 4;
const LOAD = 0.5;
const DEEP_OFFSET = Math.floor(ROWS / 20);

interface Ask {
  readonly path: string;
  readonly body: string;
  readonly secret: string;
}
type Kind = 'count' | 'first page' | 'deep page' | 'batch of 5';
const KINDS: readonly Kind[] = ['count', 'first page', 'deep page', 'batch of 5'];
/** Of twenty requests, twelve are counts. */
const MIX: readonly Kind[] = [
  ...Array.from({ length: 12 }, () => 'count' as const),
  ...Array.from({ length: 4 }, () => 'first page' as const),
  ...Array.from({ length: 2 }, () => 'deep page' as const),
  ...Array.from({ length: 2 }, () => 'batch of 5' as const),
];

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const server = (await startServer({ peer: 'event-query, two tenants', folder, rows: ROWS, constants: [] }))!;
const [secret, hostileSecret] = server.secret.split(' ') as [string, string];
const agent = new Agent({ keepAlive: true });
let sent = 0;

const where = (comparison: string, value: unknown) =>
  JSON.stringify({ filterSet: [{ property: 'properties.plan', comparison, value }] });
const BODIES: readonly string[] = ['pro', 'free', 'none'].map((plan) => where('EQUALS', plan));
const page = (offset: number) => JSON.stringify({ pagination: { size: 100, offset } });

function askOf(kind: Kind): Ask {
  const n = sent++;
  switch (kind) {
    case 'count':
      return { path: '/v1/api/query/count/bench', body: BODIES[n % BODIES.length]!, secret };
    case 'first page':
      return { path: '/v1/api/query/bench', body: page(0), secret };
    case 'deep page':
      return { path: '/v1/api/query/bench', body: page(DEEP_OFFSET), secret };
    case 'batch of 5': {
      const events = [0, 1, 2, 3, 4].map((i) => ({
        ...{ eventName: 'mixed', userId: `user-${(n + i) % 100}`, properties: { plan: 'pro', n } },
      }));
      return { path: '/v1/events/bench/multi', body: JSON.stringify(events), secret };
    }
  }
}

/** Resolves when the whole answer is there; rejects unless it is 200. */
function send({ path, body, secret: key }: Ask): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
    const sending = request(server.origin + path, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    });
    sending.once('error', reject);
    sending.end(body);
  });
}

/** Requests a second of clients that ask one after the other. */
async function measureCapacity(): Promise<number> {
  const start = performance.now();
  const end = start + (SECONDS * 1000) / 4;
  let answered = 0;
  const client = async () => {
    while (performance.now() < end) {
      await send(askOf(MIX[sent % MIX.length]!));
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (answered * 1000) / (performance.now() - start);
}

type Times = Record<Kind, number[]>;
/** How many requests of a phase were refused, because the server was overloaded all the same. */
const refused = new Map<Times, number>();
const refusedIn = (times: Times) => refused.get(times) ?? 0;

const noTimes = (): Times => ({ count: [], 'first page': [], 'deep page': [], 'batch of 5': [] });

/** One request at a time. */
async function askIdle(): Promise<Times> {
  const times = noTimes();
  for (const kind of KINDS) {
    for (let i = 0; i < (flags.small ? 20 : 300); i++) {
      const start = performance.now();
      await send(askOf(kind));
      times[kind].push(performance.now() - start);
    }
  }
  return times;
}

/** Requests at their times, whatever became of those before. */
async function askOnSchedule(perSecond: number): Promise<Times> {
  const times = noTimes();
  const start = performance.now();
  const count = Math.floor(perSecond * SECONDS);
  const all: Promise<void>[] = [];
  for (let i = 0; i < count;) {
    // A timer wakes at whole milliseconds at best: all that is due by now goes out.
    for (; i < count && start + (i * 1000) / perSecond <= performance.now(); i++) {
      const due = start + (i * 1000) / perSecond;
      const kind = MIX[i % MIX.length]!;
      const note = () => void times[kind].push(performance.now() - due);
      all.push(
        send(askOf(kind))
          .catch(() => void refused.set(times, refusedIn(times) + 1))
          .then(note),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(all);
  return times;
}

/** Another tenant that asks without pause what costs most: each time a text that no value has. */
function startHostile(): () => Promise<void> {
  let stopped = false;
  const client = async (i: number) => {
    for (let n = 0; !stopped; n++) {
      const body = JSON.stringify({
        filterSet: ['path', 'url', 'title', 'plan'].map((key) => ({
          ...{ property: `properties.${key}`, comparison: 'NOT_CONTAINS', value: `no such text ${i} ${n}` },
        })),
        pagination: { size: 1000, offset: Math.floor(ROWS / 2) },
      });
      // It may be refused; nobody minds.
      await send({ path: '/v1/api/query/hostile', body, secret: hostileSecret }).catch(() => undefined);
    }
  };
  const clients = Promise.all(Array.from({ length: HOSTILE_CLIENTS }, (_, i) => client(i)));
  return async () => {
    stopped = true;
    await clients;
  };
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

for (const kind of KINDS) for (let i = 0; i < 20; i++) await send(askOf(kind));
const idle = await askIdle();
const capacity = await measureCapacity();
const mixed = await askOnSchedule(capacity * LOAD);
const stopHostile = startHostile();
const attacked = await askOnSchedule(capacity * LOAD);
await stopHostile();
agent.destroy();
server.end();
rmSync(folder, { recursive: true, force: true });

const phases = { idle, 'half of capacity': mixed, 'with a hostile tenant': attacked };
const measures: Measure[] = KINDS.flatMap((kind) =>
  Object.entries(phases).flatMap(([phase, times]) => [
    { question: kind, peer: `${phase}, p50`, unit: 'ms' as const, value: quantile(times[kind], 0.5) },
    { question: kind, peer: `${phase}, p99`, unit: 'ms' as const, value: quantile(times[kind], 0.99) },
  ]),
);
const base = quantile(idle.count, 0.5);
const targets: Target[] = [
  { what: 'p99 of a count at half of capacity / p50 idle', of: mixed, target: 20 },
  { what: 'p99 of a count with a hostile tenant / p50 idle', of: attacked, target: 50 },
].map(({ what, of, target }) => ({
  ...{ what, ratio: quantile(of.count, 0.99) / base, bound: 'at most' as const, target },
}));
report({
  bench: 'mixed',
  settings: { events: ROWS, seconds: SECONDS, 'capacity, requests/s': Math.round(capacity), load: LOAD },
  measures,
  targets: flags.small ? [] : targets,
  notes: [`refused: ${refusedIn(mixed)} at half of capacity, ${refusedIn(attacked)} with a hostile tenant`],
});
