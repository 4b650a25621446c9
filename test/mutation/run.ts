import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Measures which share of the faults that Stryker makes in a folder the folder's own tests notice:
 * `npm run mutation -- src/core/filter`. What it finds is kept in `.stryker`, so that the next run tries only
 * what has changed. Prints each mutant that survived, and one line of scores for each folder.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
const JOBS = Number(process.env.EVENT_QUERY_JOBS ?? 2);
/** `npm run validators` writes it from the schemas, so faults in it say nothing of what people wrote. */
const GENERATED = 'src/core/query/body-validators.ts';

/** The part of Stryker's report that is read here. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

function measure(folder: string): string {
  const work = mkdtempSync(join(tmpdir(), 'event-query-mutation-'));
  const report = join(work, 'report.json');
  const config = join(work, 'stryker.json');
  const options = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    mutate: [`${folder}/**/*.ts`, `!${GENERATED}`],
    vitest: { configFile: 'test/mutation/vitest.ts' },
    ignorePatterns: ['/dist', '/data'],
    reporters: ['clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
    // Vitest reads no types, and a comment in generated files would be taken for a change.
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: join(ROOT, '.stryker', `${folder.replaceAll('/', '-')}.json`),
    tempDirName: join(work, 'sandbox'),
    concurrency: JOBS,
  };
  writeFileSync(config, JSON.stringify(options));
  try {
    const stryker = join(ROOT, 'test/mutation/node_modules/.bin/stryker');
    const env = { ...process.env, EVENT_QUERY_MUTATED: folder };
    const { status } = spawnSync(stryker, ['run', config], { cwd: ROOT, env, stdio: 'inherit' });
    if (status !== 0) throw new Error(`Stryker ended with ${String(status)} for ${folder}.`);
    return scoreOf(JSON.parse(readFileSync(report, 'utf8')) as Report);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Mutants that do not compile or were left out say nothing of the tests. */
function scoreOf({ files }: Report): string {
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const noticed = statuses.filter((status) => status === 'Killed' || status === 'Timeout').length;
  const lived = statuses.filter((status) => status === 'Survived' || status === 'NoCoverage').length;
  const share = ((100 * noticed) / Math.max(1, noticed + lived)).toFixed(1);
  return `${noticed} of ${noticed + lived} noticed, ${share} %`;
}

const folders = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));
const missing = folders.filter((folder) => !existsSync(join(ROOT, folder)));
if (folders.length === 0 || missing.length > 0) {
  console.error(
    `Name folders of the library, as in: npm run mutation -- src/core/filter ${missing.join(' ')}`,
  );
  process.exit(2);
}
const scores = folders.map((folder) => `${folder}: ${measure(folder)}`);
console.log(scores.join('\n'));
