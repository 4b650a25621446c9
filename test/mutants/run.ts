import { parseArgs } from 'node:util';
import { copySources, type SourceCopy } from '../support/source-copy.ts';
import { runTests, type TestRun } from '../support/test-run.ts';
import { MUTANTS } from './mutants.ts';
import type { Killer, Mutant } from './mutant.ts';

/**
 * Shows that the tests bite: brings each mutant into a copy of the sources, runs the tests that must notice
 * it, and fails when one survives or its place is not found exactly once. With words behind it, `npm run
 * mutants -- WORD ...` tries those that have one of them in their file or name, `--every 2` each second one.
 */
const JOBS = Number(process.env.EVENT_QUERY_JOBS ?? 2);
const RUN_MS_MAX = 45_000;
/** All tests that kill any mutant, one after the other. */
const WHOLE_MS_MAX = 900_000;

type Verdict = 'killed' | 'killed by time' | 'SURVIVED' | 'NOT FOUND ONCE' | 'DOES NOT LOAD';

function runKillers(folder: string, killers: readonly Killer[], msMax = RUN_MS_MAX): Promise<TestRun> {
  const patterns = killers.flatMap(({ tests }) => (tests === undefined ? [] : [`(${tests})`]));
  return runTests({
    folder,
    files: [...new Set(killers.map(({ file }) => file))],
    tests: patterns.length === killers.length ? patterns.join('|') : undefined,
    flags: ['--bail', '1'],
    // A fixed seed, and as many cases as `npm run conformance` tries: whether a mutant dies must not be a
    // matter of luck.
    env: { EVENT_QUERY_SEED: '42', EVENT_QUERY_RUNS: '100' },
    msMax,
  });
}

async function judge(copy: SourceCopy, { file, find, replace, killedBy }: Mutant): Promise<Verdict> {
  const undo = copy.edit(file, [[find, replace]]);
  if (undo === undefined) return 'NOT FOUND ONCE';
  try {
    const { passed, loaded, timedOut } = await runKillers(copy.folder, [killedBy]);
    if (timedOut) return 'killed by time';
    if (passed) return 'SURVIVED';
    return loaded ? 'killed' : 'DOES NOT LOAD';
  } finally {
    undo();
  }
}
/** Without this, tests that fail anyway would kill every mutant. */
async function checkUnchanged(folder: string, mutants: readonly Mutant[]): Promise<boolean> {
  const killers = mutants.map(({ killedBy }) => killedBy);
  const whole = await runKillers(
    folder,
    killers.filter(({ tests }) => tests === undefined),
    WHOLE_MS_MAX,
  );
  const some = await runKillers(
    folder,
    killers.filter(({ tests }) => tests !== undefined),
    WHOLE_MS_MAX,
  );
  for (const { passed, timedOut, output } of [whole, some]) {
    if (!passed) console.log(timedOut ? 'The tests took too long.' : '', output.slice(-4000));
  }
  return whole.passed && some.passed;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' } },
});
const isWanted = ({ name, file }: Mutant) =>
  wanted.length === 0 || wanted.some((word) => `${file} ${name}`.includes(word));
const mutants = MUTANTS.filter(isWanted).filter((_, i) => i % Number(flags.every) === 0);
const copies = Array.from({ length: JOBS }, copySources);
let bad = 0;
try {
  if (wanted.length === 0 && !(await checkUnchanged(copies[0]!.folder, mutants))) {
    throw new Error('The tests fail without a mutant: see above.');
  }
  const waiting = [...mutants];
  const work = async (copy: SourceCopy) => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const began = performance.now();
      const verdict = await judge(copy, mutant);
      if (!verdict.startsWith('killed')) bad += 1;
      const took = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(7);
      console.log(`${verdict.padEnd(15)}${took}  ${mutant.file}: ${mutant.name} (${mutant.killedBy.file})`);
    }
  };
  await Promise.all(copies.map(work));
} finally {
  for (const copy of copies) copy.remove();
}
console.log(`\n${mutants.length - bad} passed, ${bad} failed`);
process.exitCode = bad === 0 && mutants.length > 0 ? 0 : 1;
