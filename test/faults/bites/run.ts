/**
 * Shows that the fault tests bite: breaks a copy of the sources in one way after another, builds it, and runs
 * the test that has to fail: `node --import tsx test/faults/bites/run.ts [NAME …]`. It prints what each test
 * said and ends with a line of counts; a break that no test notices counts as failed.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { copySources, ROOT } from '../../support/source-copy.ts';
import { createTestHost } from '../../support/test-host.ts';
import { BREAKS } from './breaks.ts';

const copy = copySources();
const wanted = process.argv.slice(2);
/** Enough rounds for a kill to hit the moment that a break leaves open. */
const ROUNDS = '12';
const RUN_MS_MAX = 300_000;

function build(): void {
  const args = ['node_modules/tsup/dist/cli-default.js', '--config', '.config/tsup.ts'];
  execFileSync(process.execPath, args, { cwd: copy.folder, stdio: 'pipe' });
}

const host = createTestHost({
  folder: ROOT,
  env: { EVENT_QUERY_DIST: join(copy.folder, 'dist'), FAULTS_ROUNDS: ROUNDS },
  testTimeout: 20_000,
});

/** The first reason that a test gives for its failure, or undefined when it passes. */
async function run(test: string): Promise<string | undefined> {
  const files = [`test/faults/${test}.test.ts`];
  const { passed, reasons } = await host.run({ files, msMax: RUN_MS_MAX });
  return passed ? undefined : (reasons[0]?.split('\n')[0] ?? 'failed').slice(0, 200);
}

let passed = 0;
let failed = 0;
try {
  for (const { test, what, file, replace } of BREAKS) {
    if (wanted.length > 0 && !wanted.includes(test)) continue;
    const undo = copy.edit(file, replace);
    if (undo !== undefined) build();
    const reason = undo === undefined ? undefined : await run(test);
    undo?.();
    if (reason === undefined) failed += 1;
    else passed += 1;
    const said = undo === undefined ? 'the sources no longer hold what it breaks' : (reason ?? 'it passed');
    console.log(`${reason === undefined ? 'NOT NOTICED' : 'noticed'}  ${test}: ${what}: ${said}`);
  }
} finally {
  host.close();
  copy.remove();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
