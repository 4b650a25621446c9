/**
 * Runs the fault tests in their long form, on the build in `dist` or in the folder that `EVENT_QUERY_DIST`
 * names: `npm run faults -- [--rounds 100] [--power 500] [--seed N] [--short] [NAME …]`. A NAME picks test
 * files, such as `sigkill`; `--short` is for CI.
 * It ends with a line of counts; the exit code is vitest's.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '100' },
    power: { type: 'string', default: '500' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    '.config/vitest.ts',
    '--project',
    'faults',
    ...positionals,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      FAULTS_LONG: values.short ? '0' : '1',
      FAULTS_ROUNDS: values.rounds,
      FAULTS_POWER: values.power,
      ...(values.seed === undefined ? {} : { FAULTS_SEED: values.seed }),
    },
  },
);
process.exitCode = status ?? 1;
