import { median, readFlags, report, type Measure, type Target } from './harness.ts';
import { startHost, type Host } from './store/host-protocol.ts';
import { QUESTIONS } from './store/questions.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 5000 : 1_000_000);
const ROUNDS = flags.small ? 2 : 7;
const SLICE_MS = flags.small ? 5 : 60;
const PEER = 'event-query, SQLite';
const SIZES = [ROWS, ROWS * 5];

const hosts: { rows: number; host: Host }[] = [];
for (const rows of SIZES) {
  const started = await startHost(PEER, rows);
  if (started !== undefined) hosts.push({ rows, host: started.host });
}

const measures: Measure[] = [];
const targets: Target[] = [];
for (const [question, { name }] of QUESTIONS.entries()) {
  const samples = hosts.map(() => [] as number[]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { host }] of hosts.entries()) {
      const { ns = NaN } = await host.call({ op: 'time', kind: 'count', question, sliceMs: SLICE_MS });
      // The first round builds the column.
      if (round > 0) samples[i]?.push(ns);
    }
  }
  const times = samples.map(median);
  hosts.forEach(({ rows }, i) => {
    const value = (times[i] ?? NaN) / 1e6;
    measures.push({
      question: `count, ${name}`,
      peer: `${rows.toLocaleString('en')} events`,
      unit: 'ms',
      value,
    });
  });
  const ratio = (times[1] ?? NaN) / (times[0] ?? NaN);
  targets.push({ what: `five times the events, ${name}`, ratio, bound: 'at most', target: 5.5 });
}
for (const { host } of hosts) await host.end();
report({
  bench: 'growth',
  settings: { peer: PEER, rounds: ROUNDS },
  measures,
  targets: flags.small ? [] : targets,
  notes: [],
});
