import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with the counts of its tests on a line of their own, which scripts can read. */
export default class CountsReporter implements Reporter {
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
    });
  }
}
