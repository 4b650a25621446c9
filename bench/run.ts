import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { describeResult, readFlags, type BenchResult } from './harness.ts';
import { buildBenches, forkProgram, removeBuild } from './process.ts';
import { writeReport, type Results } from './report.ts';

/** Every bench, each a file of its own that also runs by itself: `node --import tsx bench/predicate.ts`. */
const BENCHES = [
  'predicate',
  'limiter',
  'ingest',
  'imports',
  'restart',
  'ahead',
  'first',
  'http',
  'writes',
  'workers',
  'metrics',
  'mixed',
  'store',
  'groups',
  'tables',
  'streams',
  'erasing',
  'growth',
  'large',
  'local',
  'sql',
] as const;
const RESULTS = new URL('results.json', import.meta.url);

const flags = readFlags();
// Beside another build to compare with, nothing else is measured, and `--only` names its operations.
const benches: readonly string[] = flags.against === undefined ? BENCHES : ['against'];
const asked = flags.against === undefined ? (flags.only ?? benches) : benches;
const unknown = asked.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}; use --only ${benches.join(',')}`);
  process.exit(2);
}

if (!existsSync(new URL('node_modules', import.meta.url))) {
  console.log('Only the peers of the root are installed; for the others run: npm ci --prefix bench\n');
}

const built = buildBenches();
const results: Record<string, BenchResult> = {};
let failed = false;
for (const name of benches.filter((bench) => asked.includes(bench))) {
  const result = await runBench(name);
  if (result === undefined) failed = true;
  else {
    results[name] = result;
    console.log(`${describeResult(result)}\n`);
  }
}
removeBuild();

// A small run or a part of one proves that the benches work; its figures mean nothing and are kept nowhere.
if (!flags.small && [flags.rows, flags.peers, flags.against].every((flag) => flag === undefined)) {
  const before = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : undefined;
  const merged: Results = { machine: describeMachine(), benches: { ...before?.benches, ...results } };
  writeFileSync(RESULTS, `${JSON.stringify(merged, undefined, 2)}\n`);
  writeReport(merged);
}
process.exitCode = failed ? 1 : 0;

/** Runs a bench in a fresh process, so that none inherits the heap or the inline caches of another. */
function runBench(name: string): Promise<BenchResult | undefined> {
  const child = forkProgram(name, built, process.argv.slice(2));
  let result: BenchResult | undefined;
  child.on('message', (message) => {
    result = message as BenchResult;
  });
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code === 0 ? result : undefined));
  });
}

function describeMachine(): Results['machine'] {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    node: process.version,
  };
}
