import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vitest/config';

/** What needs minutes or servers of the system; each has a command of its own. */
const SLOW = {
  // Servers of several processes, and one whose log nobody reads.
  faults: ['test/faults/**/*.test.ts', 'test/adapters/cli/server/{workers,workers-*,log}.test.ts'],
  attack: ['test/attack/*.test.ts'],
  dashboard: ['test/dashboard/**/*.test.ts'],
  oidc: ['test/oidc/**/*.test.ts'],
  deploy: ['test/deploy/**/*.test.ts'],
  sdks: ['test/sdks/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  conformance: ['test/conformance/{variants,runner}.test.ts'],
  services: [
    'test/adapters/{postgres,redis,clickhouse}/**/{stores,limits,server,servers,two-shards}.test.ts',
    'test/adapters/{postgres,clickhouse}/**/{cluster,copy,erasure,faults,replica}.test.ts',
    'test/adapters/{postgres,clickhouse}/**/{seams,shares,stepped}.test.ts',
  ],
};
/** These files share a process, and load what they test once; any other has a process of its own. */
const PLAIN = [
  'test/{core,spec,types,tidy,fuzz,package}/**/*.test.ts',
  'test/adapters/**/*.test.ts',
  'test/conformance/{stores,cases}.test.ts',
];

/** They have a made-up next schema, so they have a process of their own. */
const OLDER = 'test/**/older-schema.test.ts';

/** Chunks of 8 rows, so that logs of some hundred events cross every boundary of the column index. */
const SMALL = 'test/**/small-chunks.test.ts';
const SMALL_SIZES: Plugin = {
  name: 'small-sizes',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('/src/core/columns/log/sizes.ts')
      ? readFileSync(new URL('../test/support/small-sizes.ts', import.meta.url), 'utf8')
      : undefined,
};

/** Whole folders that are run in one way. */
function project(name: string, include: readonly string[], exclude: readonly string[], isolate: boolean) {
  // What a part has installed for itself is not the project's.
  const left = ['**/node_modules/**', ...exclude];
  return { extends: true as const, test: { name, include: [...include], exclude: left, isolate } };
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // Real servers, child processes and fast-check runs share two cores in CI, so a test gets time; none
    // measures it.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    env: {
      // Cases of each rule of stores; `npm run conformance` tries more.
      EVENT_QUERY_RUNS: process.env.EVENT_QUERY_RUNS ?? '10',
      // Whether a change passes is no matter of luck; who looks for new cases names another seed.
      EVENT_QUERY_SEED: process.env.EVENT_QUERY_SEED ?? '1',
    },
    setupFiles: [new URL('./fast-check.ts', import.meta.url).pathname],
    reporters: ['default', new URL('./counts-reporter.ts', import.meta.url).pathname],
    projects: [
      project('plain', PLAIN, [...SLOW.services, ...SLOW.faults, SMALL, OLDER], false),
      project('apart', ['test/**/*.test.ts'], [...PLAIN, ...Object.values(SLOW).flat(), SMALL], true),
      project('older', [OLDER], [], true),
      { ...project('small', [SMALL], [], true), plugins: [SMALL_SIZES] },
      project('faults', SLOW.faults, [], true),
      project('attack', SLOW.attack, [], true),
      project('dashboard', SLOW.dashboard, [], true),
      project('oidc', SLOW.oidc, [], true),
      project('deploy', SLOW.deploy, [], true),
      project('sdks', SLOW.sdks, [], true),
      project('browser', SLOW.browser, [], true),
      project('conformance', SLOW.conformance, [], true),
      project('services', SLOW.services, [], true),
    ],
  },
});
