import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { nodeRuntime } from '../adapters/node-http/index.ts';
import { createAdmin } from '../src/index.ts';
import { sampleEvents } from './events.ts';
import { median, readFlags, report, type BenchResult, type Measure, type Target } from './harness.ts';
import { forkProgram } from './process.ts';
import { startServe } from './serve.ts';
import { fill, openSqlite, TENANT } from './store/own-peers.ts';
import { createClient, type Alias } from './streams/client.ts';

/** All events of a tenant in one stream, and one user of them erased, while others ask and send. */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 20_000 : 1_000_000);
const SEND_MS = flags.small ? 200 : 4000;
const ROUNDS = flags.small ? 1 : 3;
const PAUSE_MS = flags.small ? 200 : 2000;
/** For how long a server that has nothing to do has done nothing. */
const SETTLED_SECONDS = flags.small ? 1 : 5;
const SETTLING_SECONDS_MAX = 60;
const BATCH = 500;
/** The busiest user of the sample events. */
const USER = 'user_0';
const MIB = 2 ** 20;
/** A tenant beside the one that is streamed and erased from. */
const OTHER = 'c1c2a6de-2d3b-4a0e-8f4e-4f2b7b1f9e02';
const OTHER_ROWS = 1000;

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const file = join(folder, 'events.db');
const secrets = await prepare();
const env = { EVENT_QUERY_DB: file };
const server = await startServe({ args: ['--no-access-log'], env });
const client = createClient(server.origin, secrets);
const { countOf, send, startExport } = client;
const measures: Measure[] = [];

let result: BenchResult;
try {
  result = await measureAll();
} finally {
  await server.end();
  rmSync(folder, { recursive: true });
}
report(result);

async function measureAll(): Promise<BenchResult> {
  const growth = await streamWhole();
  const asleep = await leaveStreams();
  const kept = await sendMeanwhile();
  const { longest, longestOwn, erased, traces } = await eraseMeanwhile();
  const targets: Target[] = [
    {
      what: 'a stream of all events: growth of memory / 64 MiB',
      ratio: growth / (64 * MIB),
      bound: 'at most',
      target: 1,
    },
    { what: 'work for a client that does not read, cores', ratio: asleep, bound: 'at most', target: 0.1 },
    { what: 'events taken in during a stream / without it', ratio: kept, bound: 'at least', target: 0.8 },
    { what: 'one user erased: the longest wait / 50 ms', ratio: longest / 50, bound: 'at most', target: 1 },
    {
      what: 'one user erased: the longest wait of the tenant itself / 50 ms',
      ratio: longestOwn / 50,
      bound: 'at most',
      target: 1,
    },
  ];
  return {
    bench: 'streams',
    settings: { events: ROWS, erased, 'texts of the user left after compact': traces },
    measures,
    targets: flags.small ? [] : targets,
    notes: [],
  };
}

/** A file with a tenant of sample events and one beside it; the secret of a key for each. */
async function prepare(): Promise<Record<Alias, string>> {
  const stores = openSqlite(folder);
  await fill(stores, ROWS);
  const admin = createAdmin({ stores, runtime: nodeRuntime() });
  const create = async (id: string, alias: Alias) => {
    await stores.tenants.create({
      ...{ id, alias, name: alias, plan: 'custom', limits: null, ingestion: null },
      ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 0 },
    });
    return (await admin.createKey(alias, { name: 'bench', permissions: ['query'] })).secret;
  };
  await stores.events.append(OTHER, [...sampleEvents(OTHER_ROWS)]);
  const secrets = { bench: await create(TENANT, 'bench'), other: await create(OTHER, 'other') };
  await stores.close();
  return secrets;
}

/** Events of other users than those that are there, as their sender writes them. */
function freshEvents(count: number): string[] {
  return [...sampleEvents(count)].map(
    ({ eventName, userId, propertiesJson }) =>
      `{"eventName":${JSON.stringify(eventName)},"userId":"sent-${userId}","properties":${propertiesJson}}`,
  );
}

function note(question: string, unit: Measure['unit'], value: number): void {
  measures.push({ question, peer: 'serve', unit, value });
}

/** The memory that the server holds now. */
function residentBytes(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** The seconds of processor time that the server has taken, in ticks of 10 ms. */
function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Waits until the server has made what it makes in idle time. */
async function settle(): Promise<void> {
  for (let [quiet, waited] = [0, 0]; quiet < SETTLED_SECONDS && waited < SETTLING_SECONDS_MAX; waited++) {
    const before = cpuSeconds();
    await pause(1000);
    quiet = cpuSeconds() - before > 0.05 ? 0 : quiet + 1;
  }
}

/** Reads all; by how much the server's memory grew at most beyond what it has after a few questions. */
async function streamWhole(): Promise<number> {
  await countOf('bench', {});
  await client.ask('bench', '', { pagination: { size: 1000 } });
  await settle();
  const before = residentBytes();
  let most = before;
  let lines = 0;
  const start = performance.now();
  const watch = setInterval(() => (most = Math.max(most, residentBytes())), 20);
  for await (const chunk of await startExport())
    for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
  clearInterval(watch);
  if (lines !== ROWS) throw new Error(`a stream of ${lines} events`);
  note('a stream of all events', 'events/s', (lines / (performance.now() - start)) * 1000);
  note('growth of memory meanwhile', 'bytes', most - before);
  return most - before;
}

/** How many cores work for a client that has ceased to read, and for one that has left. */
async function leaveStreams(): Promise<number> {
  await settle();
  const stream = await startExport();
  await new Promise((resolve) => stream.once('readable', resolve));
  await pause(PAUSE_MS);
  const stalled = cpuSeconds();
  await pause(PAUSE_MS);
  const left = cpuSeconds();
  stream.destroy();
  await pause(PAUSE_MS);
  return Math.max(left - stalled, cpuSeconds() - left) / (PAUSE_MS / 1000);
}

/** How many events a second one client sends, and what of it is left while another reads a stream. */
async function sendMeanwhile(): Promise<number> {
  const rates: { readonly alone: number[]; readonly beside: number[] } = { alone: [], beside: [] };
  let sent = 0;
  const events = freshEvents(BATCH);
  const sendAll = async () => {
    const start = performance.now();
    let stored = 0;
    while (performance.now() - start < SEND_MS) {
      await send('bench', events);
      stored += BATCH;
    }
    sent += stored;
    return (stored / (performance.now() - start)) * 1000;
  };
  for (let round = 0; round < ROUNDS; round++) {
    rates.alone.push(await sendAll());
    const stream = await startExport();
    stream.resume();
    rates.beside.push(await sendAll());
    stream.destroy();
  }
  note('events taken in', 'events/s', median(rates.alone));
  note('events taken in during a stream', 'events/s', median(rates.beside));
  if ((await countOf('bench', {})) !== ROWS + sent) throw new Error('events were lost');
  return median(rates.beside) / median(rates.alone);
}

/** Erases one user while others count, probe and send; how long they waited at most, in milliseconds. */
async function eraseMeanwhile() {
  const body = { filterSet: [{ property: 'userId', comparison: 'EQUALS', value: USER }] };
  const erased = await countOf('bench', body);
  const late = monitorEventLoopDelay({ resolution: 2 });
  const before = await watch(body, () => pause(PAUSE_MS));
  late.enable();
  const during = await watch(body, async () => {
    await run('erase', 'bench', '--user', USER, '--yes');
    await pause(PAUSE_MS);
  });
  late.disable();
  if ([...during.seen].some((count) => count !== 0 && count !== erased))
    throw new Error('a reader saw some of them');
  await server.end();
  await run('compact');
  const traces = readFileSync(file).toString('latin1').split(`"${USER}"`).length - 1;
  for (const { kind, waits } of before.each) note(`the longest ${kind} before`, 'ms', Math.max(...waits));
  for (const { kind, waits } of during.each) {
    note(`the longest ${kind} while a user is erased`, 'ms', Math.max(...waits));
    note(`the middle ${kind} while a user is erased`, 'ms', median(waits));
  }
  note('what this client itself was late by, at most', 'ms', late.max / 1e6);
  const [own, ...others] = during.each.map(({ waits }) => Math.max(...waits));
  return { longest: Math.max(...others), longestOwn: own!, erased, traces };
}

/** How long each kind of request takes while some work is done, and which counts of a query were answered. */
async function watch(body: object, work: () => Promise<unknown>) {
  const seen = new Set<number>();
  const plans = { filterSet: [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] };
  const asks = {
    'count of the user': async () => seen.add(await countOf('bench', body)),
    probe: client.probe,
    batch: () => send('other', freshEvents(5)),
    "other tenant's count": () => countOf('other', plans),
  };
  let isDone = false;
  const each = Object.entries(asks).map(([kind, ask]) => ({ kind, ask, waits: [] as number[] }));
  const watching = each.map(async ({ ask, waits }) => {
    while (!isDone) {
      const start = performance.now();
      await ask();
      waits.push(performance.now() - start);
      await pause(2);
    }
  });
  await work();
  isDone = true;
  await Promise.all(watching);
  return { seen, each };
}

async function run(...args: string[]): Promise<void> {
  const child = forkProgram('../adapters/cli/main', import.meta.url, args, env);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${args[0]} ended with ${String(code)}`);
}
