import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './source-copy.ts';

/** What a run of some tests came to. */
export interface TestRun {
  /** Whether tests ran, and all passed. */
  readonly passed: boolean;
  /** Whether every test file could be loaded. */
  readonly loaded: boolean;
  readonly timedOut: boolean;
  readonly output: string;
}

/** Which tests run, and where. */
export interface TestRunOptions {
  /** The project's folder, or a copy of it. */
  readonly folder: string;
  readonly files: readonly string[];
  /** A pattern of names of tests; all where there is none. */
  readonly tests?: string | undefined;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A fault may turn a loop into an endless one. */
  readonly msMax: number;
}

/** Runs tests in a process of their own, whose whole group ends with the run. */
export function runTests({ folder, files, tests, flags = [], env, msMax }: TestRunOptions): Promise<TestRun> {
  const some = tests === undefined ? [] : ['-t', tests];
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', '.config/vitest.ts', ...flags, ...some, ...files];
  // A group of its own: a fault may turn for ever in a worker, which has to end with the run.
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env, NO_COLOR: '1' },
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
  }, msMax);
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
