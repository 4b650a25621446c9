import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    // Real servers, child processes and fast-check runs share two cores in CI, so a test gets time; none
    // measures it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', new URL('./counts-reporter.ts', import.meta.url).pathname],
  },
});
