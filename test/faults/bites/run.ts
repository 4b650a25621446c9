/**
 * Shows that the fault tests bite: breaks a copy of the sources in one way after another, builds it, and runs
 * the test that has to fail: `node --import tsx test/faults/bites/run.ts [NAME …]`. It prints what each test
 * said and ends with a line of counts; a break that no test notices counts as failed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BREAKS, type Break } from './breaks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'event-query-bites-'));
const wanted = process.argv.slice(2);
/** Enough rounds for a kill to hit the moment that a break leaves open. */
const ROUNDS = '12';

function build(): void {
  execFileSync(
    process.execPath,
    ['node_modules/tsup/dist/cli-default.js', '--config', '.config/tsup.ts', '--no-dts'],
    {
      cwd: copy,
      stdio: 'pipe',
    },
  );
}

/** The first reason that a test gives for its failure, or undefined when it passes. */
function run(test: string): string | undefined {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    '.config/vitest.ts',
    '--testTimeout',
    '20000',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, `test/faults/${test}.test.ts`], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', EVENT_QUERY_DIST: join(copy, 'dist'), FAULTS_ROUNDS: ROUNDS },
  });
  if (status === 0) return undefined;
  const reason = /^\s*(\w*Error: .*)$/m.exec(stdout + stderr)?.[1] ?? 'failed';
  return reason.slice(0, 200);
}

/** Puts a break in; returns how to take it out, or undefined where the sources have changed too much. */
function apply({ file, replace }: Break): (() => void) | undefined {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  let after = before;
  for (const [from, to] of replace) {
    if (after.split(from).length !== 2) return undefined;
    after = after.replace(from, () => to);
  }
  writeFileSync(path, after);
  return () => writeFileSync(path, before);
}

let passed = 0;
let failed = 0;
try {
  for (const name of ['src', 'adapters', 'test', '.config', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const each of BREAKS) {
    if (wanted.length > 0 && !wanted.includes(each.test)) continue;
    const undo = apply(each);
    if (undo !== undefined) build();
    const reason = undo === undefined ? undefined : run(each.test);
    undo?.();
    if (reason === undefined) failed += 1;
    else passed += 1;
    const said = undo === undefined ? 'the sources no longer hold what it breaks' : (reason ?? 'it passed');
    console.log(`${reason === undefined ? 'NOT NOTICED' : 'noticed'}  ${each.test}: ${each.what}: ${said}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
