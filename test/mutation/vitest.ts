import { defineConfig } from 'vitest/config';

const folder = process.env.EVENT_QUERY_MUTATED ?? 'src/core/filter';
const mirror = folder.replace(/^src\//, '');

/** The tests that stand beside the mutated folder; the suites of stores would take hours. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: [`test/${mirror}/**/*.test.ts`, 'test/conformance/cases.test.ts'],
    env: { EVENT_QUERY_RUNS: '20', EVENT_QUERY_SEED: '1' },
    setupFiles: [new URL('../../.config/fast-check.ts', import.meta.url).pathname],
    testTimeout: 60_000,
  },
});
