import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copySources, ROOT, type SourceCopy } from '../support/source-copy.ts';
import { createTestHost, type TestHost, type TestRun } from '../support/test-host.ts';
import { MUTANTS, type Killer, type Mutant } from './mutants.ts';

/**
 * Shows that the tests notice faults: brings each mutant into a copy of the sources, runs the tests that must
 * notice it, and fails when one survives or its place is not found exactly once. `npm run mutants -- WORD`
 * tries those that have the word in their file or name, `npm run mutants -- --every 3` each third one.
 */
const JOBS = Number(process.env.EVENT_QUERY_JOBS ?? 2);
const RUN_MS_MAX = 45_000;
/** All tests that kill any mutant, one after the other. */
const WHOLE_MS_MAX = 900_000;

/** A copy of the sources, and who runs its tests. */
interface Place {
  readonly copy: SourceCopy;
  readonly host: TestHost;
}

type Verdict = 'killed' | 'killed by time' | 'SURVIVED' | 'NOT FOUND ONCE' | 'DOES NOT LOAD';

function runKillers(
  host: TestHost,
  killers: readonly Killer[],
  more: { readonly msMax: number; readonly edited?: readonly string[] },
): Promise<TestRun> {
  const patterns = killers.flatMap(({ tests }) => (tests === undefined ? [] : [`(${tests})`]));
  return host.run({
    files: [...new Set(killers.map(({ file }) => file))],
    tests: patterns.length === killers.length ? patterns.join('|') : undefined,
    ...more,
  });
}

async function judge({ copy, host }: Place, { file, find, replace, killedBy }: Mutant): Promise<Verdict> {
  const undo = copy.edit(file, [[find, replace]]);
  if (undo === undefined) return 'NOT FOUND ONCE';
  try {
    const { passed, loaded, timedOut } = await runKillers(host, [killedBy], {
      msMax: RUN_MS_MAX,
      edited: [file],
    });
    if (timedOut) return 'killed by time';
    if (passed) return 'SURVIVED';
    return loaded ? 'killed' : 'DOES NOT LOAD';
  } finally {
    undo();
  }
}

/** Without this, tests that fail anyway would kill every mutant. */
async function checkUnchanged({ host }: Place, mutants: readonly Mutant[]): Promise<boolean> {
  const killers = mutants.map(({ killedBy }) => killedBy);
  const [whole, some] = [
    killers.filter(({ tests }) => tests === undefined),
    killers.filter(({ tests }) => tests !== undefined),
  ];
  for (const each of [whole, some]) {
    if (each.length === 0) continue;
    const { passed, reasons } = await runKillers(host, each, { msMax: WHOLE_MS_MAX });
    if (!passed) console.log(reasons.join('\n').slice(0, 4000));
    if (!passed) return false;
  }
  return true;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' } },
});
const every = Number(values.every);
if (!(every >= 1)) throw new Error(`--every is a number of at least 1, not "${values.every}".`);
const isWanted = ({ name, file }: Mutant) =>
  wanted.length === 0 || wanted.some((word) => `${file} ${name}`.includes(word));
const mutants = MUTANTS.filter(isWanted).filter((_, i) => i % every === 0);
const places = Array.from({ length: JOBS }, createPlace);
let bad = 0;
try {
  if (!(await checkUnchanged(places[0]!, mutants))) {
    throw new Error('The tests fail without a mutant: see above.');
  }
  const waiting = [...mutants];
  const work = async (place: Place) => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const began = performance.now();
      const verdict = await judge(place, mutant);
      if (!verdict.startsWith('killed')) bad += 1;
      const took = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(7);
      console.log(`${verdict.padEnd(15)}${took}  ${mutant.file}: ${mutant.name} (${mutant.killedBy.file})`);
    }
  };
  await Promise.all(places.map(work));
} finally {
  for (const { copy, host } of places) {
    host.close();
    copy.remove();
  }
}
console.log(`\n${mutants.length - bad} passed, ${bad} failed`);
process.exitCode = bad === 0 && mutants.length > 0 ? 0 : 1;

function createPlace(): Place {
  const copy = copySources();
  // A fixed seed, and many cases: whether a mutant dies must not be a matter of luck.
  const seed = { EVENT_QUERY_SEED: '42', EVENT_QUERY_RUNS: '100' };
  // The dashboard's pages are those of the build, which no mutant changes.
  const env = { ...seed, EVENT_QUERY_DIST: join(ROOT, 'dist') };
  return { copy, host: createTestHost({ folder: copy.folder, env }) };
}
