import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median, readFlags, report, type BenchResult, type Measure, type Target } from './harness.ts';
import { startServe } from './serve.ts';
import { createClient } from './streams/client.ts';
import { cpuSeconds, freshEvents, prepareFile, settle } from './streams/file.ts';

/** All events of a tenant in one stream, while others send. */
const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 20_000 : 1_000_000);
const SEND_MS = flags.small ? 200 : 4000;
const ROUNDS = flags.small ? 1 : 3;
const PAUSE_MS = flags.small ? 200 : 2000;
const BATCH = 500;
const MIB = 2 ** 20;

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const secrets = await prepareFile(folder, ROWS);
const env = { EVENT_QUERY_DB: join(folder, 'events.db') };
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
  const targets: Target[] = [
    {
      what: 'a stream of all events: growth of memory / 64 MiB',
      ratio: growth / (64 * MIB),
      bound: 'at most',
      target: 1,
    },
    { what: 'work for a client that does not read, cores', ratio: asleep, bound: 'at most', target: 0.1 },
    { what: 'events taken in during a stream / without it', ratio: kept, bound: 'at least', target: 0.8 },
  ];
  return {
    bench: 'streams',
    settings: { events: ROWS },
    measures,
    targets: flags.small ? [] : targets,
    notes: [],
  };
}

function note(question: string, unit: Measure['unit'], value: number): void {
  measures.push({ question, peer: 'serve', unit, value });
}

/** The memory that the server holds now. */
function residentBytes(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Reads all; by how much the server's memory grew at most beyond what it has after a few questions. */
async function streamWhole(): Promise<number> {
  await countOf('bench', {});
  await client.ask('bench', '', { pagination: { size: 1000 } });
  await settle(server.pid, flags.small);
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
  await settle(server.pid, flags.small);
  const stream = await startExport();
  await new Promise((resolve) => stream.once('readable', resolve));
  await pause(PAUSE_MS);
  const stalled = cpuSeconds(server.pid);
  await pause(PAUSE_MS);
  const left = cpuSeconds(server.pid);
  stream.destroy();
  await pause(PAUSE_MS);
  return Math.max(left - stalled, cpuSeconds(server.pid) - left) / (PAUSE_MS / 1000);
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
