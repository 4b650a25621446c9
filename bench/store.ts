import { checkAnswers, median, readFlags, report, type Measure, type Target } from './harness.ts';
import { startHost, type Host, type Kind } from './store/host-protocol.ts';
import { QUESTIONS } from './store/questions.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 20_000 : 1_000_000);
const ROUNDS = flags.small ? 2 : 5;
const SLICE_MS = flags.small ? 5 : 60;
const MAIN = 'event-query, SQLite';
const PEERS = [
  MAIN,
  'event-query, memory',
  'DuckDB, typed columns',
  'DuckDB, JSON',
  'ClickHouse, JSON type',
  'ClickHouse, String',
  'SQLite by hand, JSONB',
  'SQLite by hand, JSON text',
  'array, hand-written',
];
const WEIGHED: readonly string[] = [MAIN, 'event-query, memory', 'array, hand-written'];

interface Task {
  readonly kind: Kind;
  readonly question: number;
  readonly name: string;
}
const KINDS = ['count', 'first page', 'page at 50,000'] as const;
const TASKS: readonly Task[] = [
  ...KINDS.flatMap((kind) =>
    QUESTIONS.map(({ name }, question) => ({ kind, question, name: `${kind}, ${name}` })),
  ),
  { kind: 'names', question: -1, name: 'count, names' },
];

/** Hosts are filled one after the other; then each is idle but for its turns. */
async function startHosts(measures: Measure[], notes: string[]): Promise<Host[]> {
  const hosts: Host[] = [];
  const { peers = [''] } = flags;
  for (const peer of PEERS.filter((name) => peers.some((part) => name.includes(part)))) {
    const started = await startHost(peer, ROWS);
    if (started === undefined) {
      notes.push(`${peer}: not installed; npm ci --prefix bench`);
      continue;
    }
    hosts.push(started.host);
    const bytes = (started.opened.bytes ?? 0) / ROWS;
    if (bytes > 0) measures.push({ question: 'bytes per event on disk', peer, unit: 'bytes', value: bytes });
  }
  return hosts;
}

/** The first answers of all, before anything is warm: what a process pays once. */
async function askCold(hosts: readonly Host[], measures: Measure[]): Promise<void> {
  for (const [question, { name }] of QUESTIONS.entries()) {
    for (const host of hosts) {
      const { ns = NaN } = await host.call({ op: 'cold', question });
      measures.push({ question: `first ever count, ${name}`, peer: host.peer, unit: 'ms', value: ns / 1e6 });
    }
  }
}

async function askWarm(hosts: readonly Host[], measures: Measure[]): Promise<void> {
  for (const { kind, question, name } of TASKS) {
    const samples = new Map(hosts.map(({ peer }) => [peer, [] as number[]]));
    const answers = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const host of round % 2 === 0 ? hosts : [...hosts].reverse()) {
        const { ns = NaN, answers: hash = '' } = await host.call({
          op: 'time',
          kind,
          question,
          sliceMs: SLICE_MS,
        });
        samples.get(host.peer)?.push(ns);
        answers.set(host.peer, hash);
      }
    }
    for (const [peer, times] of samples) {
      const value = median(times) / 1e6;
      measures.push({ question: name, peer, unit: 'ms', value, answers: answers.get(peer) ?? '' });
    }
  }
}

async function weigh(hosts: readonly Host[], measures: Measure[], question: string): Promise<void> {
  // What the engines in C++ allocate is not JavaScript's to weigh.
  for (const host of hosts.filter(({ peer }) => WEIGHED.includes(peer))) {
    const { bytes = NaN } = await host.call({ op: 'memory' });
    measures.push({ question, peer: host.peer, unit: 'bytes', value: bytes / ROWS });
  }
}

function toTargets(measures: readonly Measure[]): Target[] {
  const value = (question: string, peer: string) =>
    measures.find((measure) => measure.question === question && measure.peer === peer)?.value ?? NaN;
  const ratios = (kind: string, peer: string) =>
    TASKS.filter(({ name }) => name.startsWith(kind)).map(
      ({ name }) => value(name, MAIN) / value(name, peer),
    );
  const targets: Target[] = [];
  const add = (what: string, found: readonly number[], of: (found: number[]) => number, target: number) => {
    const ratio = of(found.filter((number) => !Number.isNaN(number)));
    if (Number.isFinite(ratio)) targets.push({ what, ratio, bound: 'at most', target });
  };
  const worst = (found: number[]) => Math.max(...found);
  add(
    'counts, the worst ratio to DuckDB on typed columns',
    ratios('count', 'DuckDB, typed columns'),
    worst,
    0.5,
  );
  add(
    'counts, the median ratio to DuckDB on typed columns',
    ratios('count', 'DuckDB, typed columns'),
    median,
    0.25,
  );
  add('counts, the worst ratio to ClickHouse', ratios('count', 'ClickHouse, JSON type'), worst, 0.3);
  add('first pages, the worst ratio to DuckDB', ratios('first page', 'DuckDB, typed columns'), worst, 0.3);
  add('pages at 50,000, the worst ratio to DuckDB', ratios('page at', 'DuckDB, typed columns'), worst, 0.3);
  return targets;
}

const measures: Measure[] = [];
const notes: string[] = [];
const hosts = await startHosts(measures, notes);
await weigh(hosts, measures, 'bytes per event in memory, filled');
await askCold(hosts, measures);
await askWarm(hosts, measures);
await weigh(hosts, measures, 'bytes per event in memory, after all');
for (const host of hosts) await host.end();
checkAnswers(measures);
report({
  bench: 'store',
  settings: { events: ROWS, rounds: ROUNDS, pageSize: 100 },
  measures,
  targets: flags.small ? [] : toTargets(measures),
  notes,
});
