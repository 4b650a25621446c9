/**
 * Uses the package as its users get it: packs it, installs the tarball into an empty folder, and tries every
 * entry point, the command and the examples there. Prints one line a check and the counts at the end; exits 1
 * when one failed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cleanEnv } from '../support/clean-env.ts';
import { EXAMPLES, installDriver, tryExample } from './examples.ts';
import { ENTRY_KB_MAX, sizeOf } from './sizes.ts';
import { COMPILERS, compileProgram, compileTests, installCompilers } from './types.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'event-query-package-'));
let passed = 0;
let failed = 0;

async function check(what: string, run: () => unknown): Promise<void> {
  try {
    await run();
    passed += 1;
    console.log(`ok      ${what}`);
  } catch (error) {
    failed += 1;
    console.log(`failed  ${what}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

function expectText(actual: string, pattern: RegExp): void {
  if (!pattern.test(actual)) throw new Error(`expected ${pattern}, got ${actual.slice(0, 2000)}`);
}

function run(file: string, ...args: string[]): string {
  return execFileSync(file, args, { cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs the installed command; resolves to what it printed and its exit code. */
function command(...args: string[]): { code: number; output: string } {
  try {
    return { code: 0, output: run(join(home, 'node_modules/.bin/event-query'), ...args) };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, output: `${stdout}${stderr}` };
  }
}

/** Installs the package; the tarball, and the files in it. */
function install(): { tarball: string; files: string[] } {
  // As `npm pack` does by its script, which is left out so that nothing is built again.
  execFileSync('npm', ['run', 'llms', '--silent'], { cwd: root });
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [{ filename: string; files: { path: string }[] }];
  writeFileSync(join(home, 'package.json'), '{"name":"user","private":true}');
  run('npm', 'install', '--no-audit', '--no-fund', join(home, packed.filename));
  return { tarball: join(home, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** Stores an event through a writing thread, by the ESM or the CommonJS build, and reads it again. */
function tryThread(kind: 'module' | 'commonjs'): void {
  const load = (name: string) => (kind === 'module' ? `await import('${name}')` : `require('${name}')`);
  const driver = kind === 'module' ? `(${load('better-sqlite3')}).default` : load('better-sqlite3');
  const file = join(home, `${kind}.db`);
  const script = `(async () => {
    const { sqliteStores } = ${load('event-query/sqlite')};
    const { createEngine } = ${load('event-query')};
    const { nodeResources } = ${load('event-query/node-http')};
    const Database = ${driver};
    const resources = nodeResources();
    const stores = sqliteStores({
      connect: () => new Database(${JSON.stringify(file)}),
      resources,
      writer: 'thread',
      thread: { driver: 'better-sqlite3', file: ${JSON.stringify(file)} },
    });
    await stores.ready();
    const events = createEngine({ events: stores.events, resources }).tenant('shop');
    const { accepted } = await events.append([{ eventName: 'sold', userId: 'ann' }]);
    const count = await events.count({});
    await stores.close();
    console.log(accepted + ' stored, ' + count + ' found');
  })();`;
  expectText(run('node', `--input-type=${kind}`, '-e', script).trim(), /^1 stored, 1 found$/);
}

/** Starts the demo on a free port and tries the three commands that it prints. */
async function tryDemo(node: string, driver: string): Promise<void> {
  const bin = join(home, 'node_modules/event-query/dist/cli.js');
  const args = [bin, 'demo', '--port', '0', '--db', join(home, `${driver.replace(':', '-')}.db`)];
  const server = spawn(node, args, { cwd: home, env: cleanEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve) => server.once('exit', resolve));
  let printed = '';
  for await (const line of createInterface({ input: server.stdout })) {
    printed += `${line}\n`;
    const curls = printed.match(/curl (?:[^\n]*\\\n)*[^\n]*/g) ?? [];
    if (curls.length < 3 || !printed.includes('listening on')) continue;
    for (const curl of curls) {
      const answer = execFileSync('bash', ['-c', `${curl} --silent --show-error --fail`], {
        encoding: 'utf8',
      });
      expectText(answer.trim(), /^(\[.+\]|\{"count":[1-9]\d*\})$/s);
    }
    break;
  }
  expectText(printed, /listening on http:\/\/127\.0\.0\.1:\d+/);
  expectText(printed, new RegExp(`^SQLite driver: ${driver}$`, 'm'));
  server.kill('SIGTERM');
  if ((await exit) !== 0) throw new Error('the demo did not exit with 0 after SIGTERM');
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>;
};
const entries = Object.keys(exports).filter((entry) => entry !== './package.json');

try {
  const { tarball, files } = install();
  await check('the package holds what was built, and no sources or tests', () => {
    const odd = files.filter(
      (path) => !/^(dist\/|package\.json|README\.md|LICENSE|CHANGELOG\.md)/.test(path),
    );
    if (odd.length > 0) throw new Error(odd.join(', '));
  });
  await check('it holds the pages for users, for people and programs that read', () => {
    const pages = readFileSync(join(home, 'node_modules/event-query/dist/llms-full.txt'), 'utf8');
    for (const path of ['README.md', 'adapters/client/README.md', 'src/core/http/README.md']) {
      if (!pages.includes(`<!-- ${path} -->`)) throw new Error(`${path} is not there`);
    }
  });
  await check('it holds the pages of the dashboard, with all that they load', () => {
    const folder = join(home, 'node_modules/event-query/dist/dashboard');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const named = texts.flatMap(
      (text) => text.match(/(?<="(\.|\/dashboard)\/)[\w-]+\.(js|css|svg)(?=")/g) ?? [],
    );
    for (const name of named) if (!existsSync(join(folder, name))) throw new Error(`${name} is not there`);
    if (new Set(named).size < 15) throw new Error(`only ${new Set(named).size} files are named`);
  });
  await check('it holds no source maps, which would double its size', () => {
    const maps = files.filter((path) => path.endsWith('.map'));
    if (maps.length > 0) throw new Error(maps.join(', '));
  });
  await check('no database driver came with it', () => {
    if (existsSync(join(home, 'node_modules/better-sqlite3'))) throw new Error('better-sqlite3 is there');
  });
  for (const entry of entries.filter((name) => name !== './conformance')) {
    const name = `event-query${entry.slice(1)}`;
    await check(`import ${name}`, () => run('node', '--input-type=module', '-e', `await import('${name}')`));
    await check(`require ${name}`, () => run('node', '-e', `require('${name}')`));
  }
  for (const [entry, most] of Object.entries(ENTRY_KB_MAX)) {
    await check(`${entry} is at most ${most} kB, minified and gzipped`, async () => {
      const size = await sizeOf(entry, home);
      if (size > most) throw new Error(`it is ${size.toFixed(1)} kB`);
    });
  }
  installCompilers(home);
  for (const [compiler, settings] of Object.entries(COMPILERS)) {
    for (const options of settings) {
      await check(`types of each entry point, by TypeScript ${compiler} with ${options.join(' ')}`, () =>
        compileProgram(home, { compiler, options, entries }),
      );
    }
    await check(`the tests of types, by TypeScript ${compiler}`, () => compileTests(home, compiler));
  }
  await check('an error of one build is an error of the other', () => {
    const script = `const a = require('event-query'); import('event-query').then((b) => {
      if (!b.isApiError(new a.ApiError('internal'))) process.exit(1); });`;
    run('node', '-e', script);
  });
  await check('event-query --version', () => {
    const { code, output } = command('--version');
    expectText(`${code} ${output.trim()}`, /^0 \d+\.\d+\.\d+\+(g|h)[0-9a-f]{12}$/);
  });
  await check('without a driver the command says what to install', () => {
    const hasOwn = Number(process.versions.node.split('.')[0]) >= 22;
    const { code, output } = command('tenant', 'create', 'shop', '--db', join(home, 'none.db'));
    if (!hasOwn || code !== 0) expectText(`${code} ${output}`, /^1 .*npm install better-sqlite3/s);
  });
  await check('without the package of a database the command says what to install', () => {
    for (const [url, name] of [
      ['postgres://127.0.0.1/none', 'pg'],
      ['clickhouse://127.0.0.1/none', '@clickhouse/client'],
    ]) {
      const { code, output } = command('config', 'check', '--events', url!);
      expectText(`${code} ${output}`, new RegExp(`^1 .*run "npm install ${name}"`, 's'));
    }
  });
  await check('without the package of identity providers the command says what to install', () => {
    const words = ['--dashboard', '--oidc-issuer', 'https://id.test', '--oidc-client-id', 'x', '--port', '0'];
    const secret = join(home, 'secret.txt');
    writeFileSync(secret, 'a secret of enough characters');
    const of = ['--oidc-client-secret-file', secret, '--oidc-role', 'a=admin', '--db', join(home, 'none.db')];
    const { code, output } = command('serve', ...words, ...of);
    expectText(`${code} ${output}`, /^1 .*run \\?"npm install openid-client/s);
  });
  await check('event-query demo on Node 22, without a driver', async () => {
    const prefix = join(home, 'node-22');
    run('npm', 'install', '--no-audit', '--no-fund', '--prefix', prefix, 'node@22');
    await tryDemo(join(prefix, 'node_modules/.bin/node'), 'node:sqlite');
  });
  installDriver(home);
  for (const kind of ['module', 'commonjs'] as const) {
    await check(`a writing thread, from ${kind}`, () => tryThread(kind));
  }
  await check('event-query demo, with its three commands', () => tryDemo(process.execPath, 'better-sqlite3'));
  for (const [i, example] of EXAMPLES.entries()) {
    await check(`the example ${example.folder}`, () =>
      tryExample(example, join(home, `example-${i}`), tarball),
    );
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
