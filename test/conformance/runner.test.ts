import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./suite-in-node-test.ts', import.meta.url));

function runSuite(seed: string, ...args: string[]) {
  // A runner in a runner: without this, node:test would report to the outer one in a form of its own.
  const env: NodeJS.ProcessEnv = { ...process.env, EVENT_QUERY_SEED: seed };
  delete env.NODE_TEST_CONTEXT;
  const command = ['--import', 'tsx', '--test-reporter', 'tap', script, ...args];
  return spawnSync(process.execPath, command, { env, encoding: 'utf8' });
}

describe('the suites with another test runner', () => {
  it('pass with node:test on stores that are right', () => {
    const { status, stdout } = runSuite('');
    expect(stdout).toMatch(/event store: memory \(EVENT_QUERY_SEED=\d+\)/);
    expect(stdout).toContain('# fail 0');
    expect(status).toBe(0);
  });

  it('fail on a store that is wrong, and fail the same way again with the seed that they print', () => {
    const [first, second] = [runSuite('20', 'broken'), runSuite('20', 'broken')];
    expect(first.status).toBe(1);
    expect(first.stdout).toContain('event store: broken (EVENT_QUERY_SEED=20)');
    const failuresOf = (output: string) => output.match(/Property failed after \d+ tests/g);
    expect(failuresOf(first.stdout)?.length).toBeGreaterThan(0);
    expect(failuresOf(second.stdout)).toEqual(failuresOf(first.stdout));
  });
});
