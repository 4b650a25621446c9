import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SOURCES } from '../test/adapters/import/sources.ts';
import {
  checkAnswers,
  hashOf,
  median,
  now,
  readFlags,
  report,
  type Measure,
  type Target,
} from './harness.ts';
import { findProgram } from './process.ts';

/**
 * Exports of other tools, and the same events in our own format, are imported in turn into new files. The
 * start of the command counts for both.
 */
const flags = readFlags();
const EVENTS = flags.rows ?? (flags.small ? 500 : 100_000);
const ROUNDS = flags.small ? 1 : 3;
const OUTPUT_BYTES_MAX = 2 ** 30;
const TENANT = 'shop';
const THEIRS = "the tool's export";
const OWN = 'the same events in our own format';
const PEERS = [THEIRS, OWN] as const;

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const measures: Measure[] = [];
const targets: Target[] = [];
try {
  for (const tool of Object.keys(SOURCES)) measureTool(tool);
} finally {
  rmSync(folder, { recursive: true });
}
checkAnswers(measures);
report({
  bench: 'imports',
  settings: { events: EVENTS, rounds: ROUNDS },
  measures,
  targets: flags.small ? [] : targets,
  notes: [],
});

function measureTool(tool: string): void {
  const files = { [THEIRS]: join(folder, tool), [OWN]: join(folder, `${tool}.ndjson.gz`) };
  writeFileSync(files[THEIRS], SOURCES[tool]!.fileOf(0, EVENTS));
  const rates = new Map(PEERS.map((peer) => [peer, [] as number[]]));
  const answers = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    // The first import of all makes the file in our own format.
    for (const peer of round % 2 === 0 ? PEERS : [...PEERS].reverse()) {
      const { seconds, exported } = importInto(join(folder, `${tool}-${peer}-${round}.db`), files[peer]);
      rates.get(peer)!.push(EVENTS / seconds);
      answers.set(peer, hashOf(exported));
      if (!answers.has(OWN)) writeFileSync(files[OWN], gzipSync(exported));
    }
  }
  for (const peer of PEERS) {
    measures.push({
      ...{ question: `import, ${tool}`, peer, unit: 'events/s' },
      ...{ value: median(rates.get(peer)!), answers: answers.get(peer)! },
    });
  }
  const ratio = median(rates.get(THEIRS)!) / median(rates.get(OWN)!);
  targets.push({ what: `${tool} / our own format`, ratio, bound: 'at least', target: 0.5 });
}

/** Imports a file into a new database by the command; the seconds that it took, and all that is stored. */
function importInto(db: string, file: string): { seconds: number; exported: string } {
  command(['tenant', 'create', TENANT, '--db', db]);
  const start = now();
  command(['import', TENANT, file, '--db', db]);
  const seconds = (now() - start) / 1e9;
  return { seconds, exported: command(['export', TENANT, '--db', db]) };
}

function command(args: readonly string[]): string {
  const { path, flags: ofNode } = findProgram('../adapters/cli/main', import.meta.url);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...ofNode, path, ...args], {
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return stdout;
}
