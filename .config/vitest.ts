import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';

/**
 * What `npm test` leaves out; each has a command of its own. A test that is added is in `npm test`, unless a
 * pattern here has it.
 */
const SLOW = {
  // Programs, pages and rules of style: they compile, bundle and run all that the pages show.
  sources: ['test/{readme,types,tidy,package}/**/*.test.ts', 'test/adapters/fetch/bundle.test.ts'],
  // Processes of the command line, terminals, shells and other programs.
  commands: [
    'test/adapters/cli/*.test.ts',
    'test/adapters/cli/{server,process,stores}/**/*.test.ts',
    'test/adapters/cli/commands/{backup-faults,check,compact,completion,config,copy}.test.ts',
    'test/adapters/cli/commands/{dashboard*,demo*,export-formats,health,received-at,serve-*}.test.ts',
    'test/adapters/sqlite/backup.test.ts',
  ],
  // Servers of several processes, and one whose log nobody reads.
  faults: ['test/faults/**/*.test.ts', 'test/adapters/cli/server/{workers,workers-*,log}.test.ts'],
  attack: ['test/attack/*.test.ts'],
  dashboard: ['test/dashboard/**/*.test.ts'],
  oidc: ['test/oidc/**/*.test.ts'],
  deploy: ['test/deploy/**/*.test.ts'],
  sdks: ['test/sdks/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  conformance: ['test/conformance/{variants,runner}.test.ts', 'test/core/columns/budget.test.ts'],
  services: [
    'test/adapters/{postgres,redis,clickhouse}/**/{stores,limits,server,servers,two-shards}.test.ts',
    'test/adapters/{postgres,clickhouse}/**/{cluster,copy,erasure,faults,replica}.test.ts',
    'test/adapters/{postgres,clickhouse}/**/{seams,shares,stepped,streams}.test.ts',
  ],
};
/** These files share a process, and load what they test once; any other has a process of its own. */
const PLAIN = [
  'test/{core,spec,fuzz}/**/*.test.ts',
  'test/adapters/**/*.test.ts',
  'test/conformance/{stores,cases}.test.ts',
];

/** These have a made-up next schema, so they have a process of their own. */
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

/** What none of the projects of `npm test` has. */
const LEFT_OUT = [...Object.values(SLOW).flat(), SMALL];

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
    // Most tests wait for servers and disks, so two run even where that is all that the machine has.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: [
      'default',
      [new URL('./counts-reporter.ts', import.meta.url).pathname, { leftOut: Object.keys(SLOW) }],
    ],
    projects: [
      project('plain', PLAIN, [...LEFT_OUT, OLDER], false),
      project('apart', ['test/**/*.test.ts'], [...PLAIN, ...LEFT_OUT], true),
      project('older', [OLDER], [], true),
      project('sources', SLOW.sources, [], true),
      project('commands', SLOW.commands, [...SLOW.faults, OLDER], false),
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
