/** The process of a test host: one vitest that is asked for one run after the other. */
import { resolve } from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';
import type { TestRequest, TestRun } from './test-host.ts';

const vitest = await createVitest('test', {
  config: '.config/vitest.ts',
  watch: false,
  bail: 1,
  testTimeout: Number(process.argv[2]),
  // Nobody reads what it would print.
  reporters: [{}],
});

/** Files that were edited in the last run, and are not any more. */
let restored: readonly string[] = [];

async function run({ files, tests, edited = [] }: TestRequest): Promise<Omit<TestRun, 'timedOut'>> {
  for (const file of [...restored, ...edited]) vitest.invalidateFile(resolve(file));
  restored = edited;
  if (tests === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(tests);
  const specifications = await vitest.globTestSpecifications([...files]);
  const ids = new Set(specifications.map(({ moduleId }) => moduleId));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const modules = testModules.filter(({ moduleId }) => ids.has(moduleId));
  const states = modules.flatMap((each) => [...each.children.allTests()].map((test) => test.result().state));
  const ran = states.some((state) => state !== 'skipped');
  const reasons = [...modules.flatMap(reasonsOf), ...unhandledErrors.map(toReason)];
  return {
    passed: ran && unhandledErrors.length === 0 && modules.every((each) => each.ok()),
    // A test that failed was loaded, whatever the cleaning up behind it came to.
    loaded: states.includes('failed') || (ran && modules.every((each) => each.errors().length === 0)),
    reasons,
  };
}

function reasonsOf(testModule: TestModule): string[] {
  const failed = [...testModule.children.allTests('failed')];
  const errors = [...testModule.errors(), ...failed.flatMap((test) => test.result().errors ?? [])];
  return errors.map(toReason);
}

/** An error that crossed a process is a plain object, which may have no way to become a text. */
function toReason(error: unknown): string {
  const { name = 'Error', message = 'of no words' } = error as Partial<Error>;
  return `${name}: ${message}`;
}

process.on('message', (request: TestRequest) => {
  run(request).then(
    (found) => process.send!({ ...found, timedOut: false } satisfies TestRun),
    (error: unknown) =>
      process.send!({
        passed: false,
        loaded: false,
        timedOut: false,
        reasons: [String(error)],
      } satisfies TestRun),
  );
});
