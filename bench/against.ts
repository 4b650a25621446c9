import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { operationsOf, type Operation } from './against/operations.ts';
import { keep, median, now, readFlags, report, type Measure, type Target } from './harness.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 20_000 : 500_000);
const ROUNDS = flags.small ? 2 : 25;
const SLICE_MS = flags.small ? 5 : 40;
/** Both builds are warmed up in turn: the one that is warmed up last is ahead by up to two times for long. */
const WARM_ROUNDS = flags.small ? 1 : 15;
/** By how much an operation may have become slower. */
const RATIO_MAX = 1.05;

const PEERS = ['before', 'now'] as const;
type Peer = (typeof PEERS)[number];
const builds = { before: resolve(flags.against ?? '.'), now: resolve('.') };

/** What one call took: on the clock, and of all processors, which other work on the machine disturbs less. */
interface Took {
  readonly wallNs: number;
  readonly cpuNs: number;
}

const KINDS = [
  ['cpuNs', 'processor'],
  ['wallNs', 'clock'],
] as const;

async function time({ run }: Operation, calls: number): Promise<Took> {
  const cpu = process.cpuUsage();
  const start = now();
  for (let i = 0; i < calls; i++) keep(await run());
  const wallNs = (now() - start) / calls;
  const { user, system } = process.cpuUsage(cpu);
  return { wallNs, cpuNs: ((user + system) * 1000) / calls };
}

/** Finds how often an operation runs in a slice. */
async function calibrate(operation: Operation): Promise<number> {
  // The first question about a path makes its column.
  await operation.run();
  for (let calls = 1; ; calls *= 2) {
    const { wallNs } = await time(operation, calls);
    if (wallNs * calls > SLICE_MS * 1e6) return Math.ceil((SLICE_MS * 1e6) / wallNs);
  }
}

async function compare(
  operations: Readonly<Record<Peer, Operation>>,
): Promise<Record<keyof Took, Record<Peer, number>>> {
  await calibrate(operations.before);
  const calls = await calibrate(operations.now);
  const samples: Record<Peer, Took[]> = { before: [], now: [] };
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    for (const peer of round % 2 === 0 ? PEERS : [...PEERS].reverse()) {
      const took = await time(operations[peer], calls);
      if (round >= 0) samples[peer].push(took);
    }
  }
  const of = (kind: keyof Took) => ({
    before: median(samples.before.map((took) => took[kind])),
    now: median(samples.now.map((took) => took[kind])),
  });
  return { wallNs: of('wallNs'), cpuNs: of('cpuNs') };
}

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const opened = {} as Record<Peer, Awaited<ReturnType<typeof operationsOf>>>;
for (const peer of PEERS) {
  const own = join(folder, peer);
  mkdirSync(own);
  opened[peer] = await operationsOf(builds[peer], own, ROWS);
}
const measures: Measure[] = [];
const targets: Target[] = [];
for (const name of opened.now.operations.keys()) {
  if (flags.only !== undefined && !flags.only.some((part) => name.includes(part))) continue;
  const both = { before: opened.before.operations.get(name)!, now: opened.now.operations.get(name)! };
  const took = await compare(both);
  for (const [kind, words] of KINDS) {
    for (const peer of PEERS) {
      measures.push({ question: name, peer: `${peer}, ${words}`, unit: 'ms', value: took[kind][peer] / 1e6 });
    }
    const ratio = took[kind].now / took[kind].before;
    targets.push({ what: `${name}, ${words}`, ratio, bound: 'at most', target: RATIO_MAX });
  }
}
for (const peer of PEERS) await opened[peer].close();
rmSync(folder, { recursive: true });
report({
  bench: 'against',
  settings: { before: builds.before, events: ROWS, rounds: ROUNDS },
  measures,
  targets: flags.small ? [] : targets,
  notes: [],
});
