import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTANTS, type Killer, type Mutant } from './mutants.ts';

/**
 * Shows that the tests bite: brings each mutant into a copy of the sources, runs the tests that must notice
 * it, and fails when one survives or its place is not found exactly once. With a word behind it, `npm run
 * mutants -- WORD` tries those that have it in their name.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src', 'adapters', 'test', '.config', 'package.json', 'tsconfig.json', 'README.md'];
const JOBS = 2;
/** A mutant may turn a loop into an endless one. */
const RUN_MS_MAX = 120_000;

type Verdict = 'killed' | 'killed by time' | 'SURVIVED' | 'NOT FOUND ONCE' | 'DOES NOT LOAD';

/** A copy of the sources that shares the installed packages. */
function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-mutants-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

interface TestRun {
  readonly passed: boolean;
  readonly loaded: boolean;
  readonly timedOut: boolean;
  readonly output: string;
}

function runTests(folder: string, killers: readonly Killer[]): Promise<TestRun> {
  const patterns = killers.flatMap(({ tests }) => (tests === undefined ? [] : [`(${tests})`]));
  const some = patterns.length === killers.length ? ['-t', patterns.join('|')] : [];
  const files = [...new Set(killers.map(({ file }) => file))];
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', '.config/vitest.ts', '--bail', '1', ...some, ...files];
  // A fixed seed: whether a mutant dies must not be a matter of luck.
  const env = { ...process.env, EVENT_QUERY_SEED: '42', NO_COLOR: '1' };
  // A group of its own: a mutant may turn for ever in a worker, which has to end with the run.
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const killGroup = () => process.kill(-child.pid!, 'SIGKILL');
  process.once('exit', killGroup);
  let output = '';
  let timedOut = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup();
  }, RUN_MS_MAX);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('exit', killGroup);
      const ran = / ([1-9]\d*) (passed|failed)/.test(output);
      resolve({
        passed: code === 0 && ran,
        loaded: ran && !output.includes('Failed Suites'),
        timedOut,
        output,
      });
    });
  });
}

async function judge(folder: string, { file, find, replace, killedBy }: Mutant): Promise<Verdict> {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) return 'NOT FOUND ONCE';
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    const { passed, loaded, timedOut } = await runTests(folder, [killedBy]);
    if (timedOut) return 'killed by time';
    if (passed) return 'SURVIVED';
    return loaded ? 'killed' : 'DOES NOT LOAD';
  } finally {
    writeFileSync(path, source);
  }
}

/** Without this, tests that fail anyway would kill every mutant. */
async function checkUnchanged(folder: string, mutants: readonly Mutant[]): Promise<boolean> {
  const killers = mutants.map(({ killedBy }) => killedBy);
  const whole = await runTests(
    folder,
    killers.filter(({ tests }) => tests === undefined),
  );
  const some = await runTests(
    folder,
    killers.filter(({ tests }) => tests !== undefined),
  );
  for (const { passed, output } of [whole, some]) if (!passed) console.log(output.slice(-4000));
  return whole.passed && some.passed;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const wanted = process.argv[2] ?? '';
const mutants = MUTANTS.filter(({ name, file }) => `${file} ${name}`.includes(wanted));
const folders = Array.from({ length: JOBS }, copySources);
let bad = 0;
try {
  if (wanted === '' && !(await checkUnchanged(folders[0]!, mutants))) {
    throw new Error('The tests fail without a mutant: see above.');
  }
  const waiting = [...mutants];
  const work = async (folder: string) => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const verdict = await judge(folder, mutant);
      if (!verdict.startsWith('killed')) bad += 1;
      console.log(`${verdict.padEnd(15)} ${mutant.file}: ${mutant.name} (${mutant.killedBy.file})`);
    }
  };
  await Promise.all(folders.map(work));
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${mutants.length - bad} passed, ${bad} failed`);
process.exitCode = bad === 0 && mutants.length > 0 ? 0 : 1;
