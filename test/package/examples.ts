import { execFileSync, spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { cleanEnv } from '../support/clean-env.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The driver of this checkout, which is compiled already, in the place where a user's own would be. */
export function installDriver(folder: string): void {
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  }
}

/** What answers the requests of an example. */
type Answers = (request: Request) => Promise<Response>;

/** How an example is tried after its packages are installed; what it throws says what is wrong. */
interface Example {
  readonly folder: string;
  readonly test: (folder: string) => Promise<void>;
  /** Packages that are not installed: they are heavy, or there already. */
  readonly without?: readonly string[];
  /** Packages that are installed instead. */
  readonly instead?: readonly string[];
}

/** Every example of the repository. */
export const EXAMPLES: readonly Example[] = [
  { folder: 'adapters/node-http/examples/express', test: tryServer },
  { folder: 'adapters/node-http/examples/fastify', test: tryServer },
  { folder: 'adapters/fetch/examples/hono', test: tryServer },
  { folder: 'adapters/fetch/examples/next', test: tryNext, without: ['next', 'react', 'react-dom'] },
  {
    folder: 'adapters/fetch/examples/workers',
    test: tryWorker,
    without: ['wrangler'],
    // The runtime of Wrangler without its tools, in the version that the tests of runtimes have.
    instead: ['miniflare'],
  },
  { folder: 'adapters/serve/examples/embed', test: tryProgram },
];

/** Copies an example to `folder`, installs the packed tarball and its other packages there, and tries it. */
export async function tryExample(example: Example, folder: string, tarball: string): Promise<void> {
  cpSync(join(root, example.folder), folder, { recursive: true });
  const file = join(folder, 'package.json');
  const { dependencies, devDependencies, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string> | undefined
  >;
  const ofRuntimes = JSON.parse(readFileSync(join(root, 'test/runtimes/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const left = ['better-sqlite3', ...(example.without ?? [])];
  const needed = Object.entries({ ...dependencies, ...devDependencies, 'event-query': `file:${tarball}` });
  const others = (example.instead ?? []).map((name) => [name, ofRuntimes.dependencies[name]] as const);
  const installed = [...needed.filter(([name]) => !left.includes(name)), ...others];
  writeFileSync(file, JSON.stringify({ ...rest, dependencies: Object.fromEntries(installed) }));
  run(folder, 'npm', 'install', '--no-audit', '--no-fund');
  installDriver(folder);
  await example.test(folder);
}

function run(cwd: string, file: string, ...args: string[]): string {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function expectSame(actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`expected ${wanted}, got ${found}`);
}

/** Sends an event, which is counted after it. */
async function send(url: string, answers: Answers): Promise<void> {
  const body = JSON.stringify([{ eventName: 'order_placed', userId: 'ada', properties: { total: 64 } }]);
  const headers = { 'Content-Type': 'application/json' };
  const answer = await answers(
    new Request(`${url}/analytics/v1/events/shop/multi`, { method: 'POST', headers, body }),
  );
  expectSame(await answer.json(), { accepted: 1, duplicates: 0, rejected: [] });
}

async function tryBoth(url: string): Promise<void> {
  await send(url, fetch);
  expectSame(await (await fetch(`${url}/orders`)).json(), { orders: 1 });
}

async function tryServer(folder: string): Promise<void> {
  const server = spawn(process.execPath, ['server.js'], {
    ...{ cwd: folder, env: { ...cleanEnv(), PORT: '0' } },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const url = /^listening on (http:\S+)$/.exec(line)?.[1];
      if (url !== undefined) return await tryBoth(url);
    }
    throw new Error('it ended before it listened');
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

/** Runs it twice: what it stores has an identity, so the second run adds nothing. */
function tryProgram(folder: string): Promise<void> {
  for (let time = 0; time < 2; time++)
    expectSame(run(folder, process.execPath, 'main.js').trim(), '1 order above 50');
  return Promise.resolve();
}

/** Calls the route handler as Next does, without Next, whose build takes longer than all other examples. */
async function tryNext(folder: string): Promise<void> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const route = pathToFileURL(join(folder, 'app/analytics/[...path]/route.js')).href;
    const { GET, POST } = (await import(route)) as { readonly GET: Answers; readonly POST: Answers };
    await send('http://127.0.0.1', POST);
    const answer = await GET(new Request('http://127.0.0.1/analytics/healthz'));
    expectSame(await answer.json(), { status: 'up' });
  } finally {
    process.chdir(before);
  }
}

/** What `miniflare` has of all that it exports. */
interface MiniflareModule {
  readonly Miniflare: new (options: object) => { readonly ready: Promise<URL>; dispose(): Promise<void> };
}

async function tryWorker(folder: string): Promise<void> {
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare') as MiniflareModule;
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'worker.js')],
    ...{ bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' },
  });
  const settings = readFileSync(join(folder, 'wrangler.toml'), 'utf8');
  const compatibilityDate = /^compatibility_date = "(.+)"$/m.exec(settings)?.[1];
  const options = { modules: true, script: outputFiles[0]!.text, host: '127.0.0.1', port: 0 };
  const worker = new Miniflare({ ...options, compatibilityDate, telemetry: { enabled: false } });
  try {
    await tryBoth((await worker.ready).origin);
  } finally {
    await worker.dispose();
  }
}
