import { checkAnswers, median, readFlags, report, type Measure, type Target } from './harness.ts';
import { GROUP_QUESTIONS } from './store/group-questions.ts';
import { startHost, type Host } from './store/host-protocol.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 20_000 : 1_000_000);
const ROUNDS = flags.small ? 2 : 5;
const SLICE_MS = flags.small ? 5 : 60;
const DUCKDB = 'DuckDB, typed columns';
const OWN = ['event-query, SQLite', 'event-query, memory'] as const;
const PEERS = [...OWN, DUCKDB, 'ClickHouse, JSON type'];

const measures: Measure[] = [];
const notes: string[] = [];
const hosts: Host[] = [];
for (const peer of PEERS) {
  const started = await startHost(peer, ROWS);
  if (started === undefined) notes.push(`${peer}: not installed; npm ci --prefix bench`);
  else hosts.push(started.host);
}
for (const [question, { name }] of GROUP_QUESTIONS.entries()) await measure(question, name);
for (const host of hosts) await host.end();
checkAnswers(measures);
report({
  bench: 'groups',
  settings: { events: ROWS, rounds: ROUNDS },
  measures,
  targets: flags.small ? [] : OWN.flatMap(toTargets),
  notes,
});

/** Asks each peer in turn, in the reverse order every other round. */
async function measure(question: number, name: string): Promise<void> {
  const samples = new Map(hosts.map(({ peer }) => [peer, [] as number[]]));
  const answers = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const host of round % 2 === 0 ? hosts : [...hosts].reverse()) {
      const call = { op: 'time', kind: 'groups', question, sliceMs: SLICE_MS } as const;
      const { ns = NaN, answers: hash = '' } = await host.call(call);
      samples.get(host.peer)?.push(ns);
      answers.set(host.peer, hash);
    }
  }
  for (const [peer, times] of samples) {
    const value = median(times) / 1e6;
    measures.push({ question: name, peer, unit: 'ms', value, answers: answers.get(peer) ?? '' });
  }
}

function toTargets(own: string): Target[] {
  const value = (name: string, peer: string) =>
    measures.find((each) => each.question === name && each.peer === peer)?.value ?? NaN;
  return GROUP_QUESTIONS.flatMap(({ name, distinct }): Target[] => {
    const ratio = value(name, own) / value(name, DUCKDB);
    const what = `${name}, ${own}: the ratio to DuckDB on typed columns`;
    return Number.isFinite(ratio) ? [{ what, ratio, bound: 'at most', target: distinct ? 1 : 0.5 }] : [];
  });
}
