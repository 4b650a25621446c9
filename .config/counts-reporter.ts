import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Ends a run with the counts of its tests on a line of their own, which scripts can read, and `npm test` with
 * what it left out.
 */
export default class CountsReporter implements Reporter {
  readonly #leftOut: readonly string[];
  #isWhole = false;

  constructor({ leftOut }: { readonly leftOut: readonly string[] }) {
    this.#leftOut = leftOut;
  }

  onInit({ projects }: Vitest): void {
    const names = projects.map(({ name }) => name);
    this.#isWhole = names.includes('apart') && !names.includes('commands');
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A module that failed to load has no tests that could fail.
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    const { passed, failed, skipped, pending } = counts;
    setImmediate(() => {
      console.log(`${passed} passed, ${failed + pending} failed, ${skipped} skipped`);
      if (this.#isWhole) {
        const names = this.#leftOut.join(', ');
        console.log(
          `Left out: ${names} (npm run NAME). "npm run test:all" adds sources, commands and conformance, ` +
            '"bash .ci/run" all.',
        );
      }
    });
  }
}
