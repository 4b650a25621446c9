/**
 * Serves a file with the build in newer versions of Node than the one that runs the tests, each with its own
 * driver of SQLite: stores, counts, exports, pipelines, and stops as it should.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../support/source-copy.ts';
import { ZONED_EVENTS, ZONED_QUESTIONS } from './cases.ts';

/** What was found: how many checks held, and what a version did otherwise. */
export interface NodesReport {
  readonly passed: number;
  readonly failures: readonly string[];
}

const VERSIONS = ['node-22', 'node-24', 'node-26'];
const CLI = join(ROOT, 'dist', 'cli.js');
const EVENTS = 900;
/** More than a connection may send at once. */
const SURPLUS = 200;
/** A version that hangs is a failure, and the others are tried. */
const MS_MAX = 60_000;

const here = createRequire(import.meta.url);

/** The binary of a version; undefined where there is none for this system. */
function binaryOf(version: string): string | undefined {
  try {
    return join(dirname(here.resolve(`${version}/package.json`)), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/** Tries the build in each version, with its files below `home`; `zoned` are the answers by clocks. */
export async function runNodes(home: string, zoned: readonly string[]): Promise<NodesReport> {
  if (!existsSync(CLI)) throw new Error('there is no build to try in other versions of Node: npm run build');
  const failures: string[] = [];
  let passed = 0;
  for (const version of VERSIONS) {
    const binary = binaryOf(version);
    if (binary === undefined) {
      console.log(`LEFT OUT  ${version}: there is no binary for ${process.platform} ${process.arch}`);
      continue;
    }
    const checks = await tryOut(binary, join(home, version), zoned).catch((error: unknown) => [
      [String(error), false] as const,
    ]);
    const failed = checks.filter(([, holds]) => !holds).map(([what]) => `${version}: ${what}`);
    failures.push(...failed);
    passed += checks.length - failed.length;
    const name = `${version} ${execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim()}`;
    console.log(`${failed.length === 0 ? 'ok    ' : 'failed'}  ${name}: ${checks.length} checks`);
    for (const failure of failed) console.log('  ', failure);
  }
  return { passed, failures };
}

type Check = readonly [what: string, holds: boolean];

async function tryOut(binary: string, folder: string, zoned: readonly string[]): Promise<Check[]> {
  mkdirSync(folder);
  const env = { PATH: process.env.PATH, EVENT_QUERY_DB: join(folder, 'events.db') };
  const checks: Check[] = [];
  const run = (...args: string[]) =>
    execFileSync(binary, [CLI, '--quiet', ...args], { cwd: folder, env, encoding: 'utf8', timeout: MS_MAX });
  run('tenant', 'create', 'shop');
  const key = run('key', 'create', 'shop', '--name', 'k', '--permission', 'query').trim();
  const args = [CLI, 'serve', '--port', '0', '--log-format', 'json', '--drain', '0s'];
  const child = spawn(binary, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), MS_MAX);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  try {
    const port = await portOf(createInterface({ input: child.stdout }));
    checks.push(...(await ask(`http://127.0.0.1:${port}`, key, zoned)));
    checks.push(['pipelined requests are answered in order', (await pipeline(port, 10, key)) === 10]);
    const answered = await pipeline(port, SURPLUS, key);
    checks.push([`of ${SURPLUS} requests at once few are answered: ${answered}`, answered < SURPLUS]);
    child.kill('SIGTERM');
    const [code] = await ended;
    checks.push([`a stop ends with ${String(code)}`, code === 0]);
    const words = log.filter((line) => !line.startsWith('{'));
    checks.push([`a log without other words: ${words.join(' ')}`, words.length === 0]);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
  // It exits with 1, and so throws, where the file is damaged.
  run('check');
  checks.push(['a command counts the same', run('count', 'shop', '--event', 'a').trim() === String(EVENTS)]);
  return checks;
}

async function portOf(lines: AsyncIterable<string>): Promise<number> {
  for await (const line of lines) {
    const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('it did not listen');
}

/** Stores events, counts and exports them. */
async function ask(origin: string, key: string, zoned: readonly string[]): Promise<Check[]> {
  const events = Array.from({ length: EVENTS }, (_, i) => ({
    ...{ eventName: 'a', userId: `u${i % 7}`, eventTs: 1.7e12 + i, insertId: `i${i}` },
    properties: { n: i },
  }));
  const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key, ...more },
    });
  const stored = (await (await post('/v1/events/shop/multi', events)).json()) as { accepted: number };
  const filterSet = [{ property: 'properties.n', comparison: 'LESS_THAN', value: 300 }];
  const counted = (await (await post('/v1/api/query/count/shop', { filterSet })).json()) as { count: number };
  const exported = await post(
    '/v1/api/query/export/shop',
    {},
    { Accept: 'application/x-ndjson; end=present' },
  );
  const lines = (await exported.text()).trimEnd().split('\n');
  await post('/v1/events/shop/multi', ZONED_EVENTS);
  const answers: string[] = [];
  for (const { path, body } of ZONED_QUESTIONS) answers.push(await (await post(path, body)).text());
  return [
    ...ZONED_QUESTIONS.map(({ body }, i): Check => [
      `by clocks: ${JSON.stringify(body)}: ${answers[i]}`,
      answers[i] === zoned[i],
    ]),
    [`a batch is stored: ${stored.accepted}`, stored.accepted === EVENTS],
    [`a filter counts: ${counted.count}`, counted.count === 300],
    [`an export is whole: ${lines.length}`, lines.length === EVENTS + 1 && lines.at(-1) === '{"end":true}'],
  ];
}

/** Sends requests at once over one connection; resolves to how many have a right answer, in order. */
async function pipeline(port: number, count: number, key: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const body = (i: number) =>
    JSON.stringify({ filterSet: [{ property: 'properties.n', comparison: 'LESS_THAN', value: i }] });
  const requests = Array.from({ length: count }, (_, i) => {
    const head = `POST /v1/api/query/count/shop HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n`;
    const last = i === count - 1 ? 'Connection: close\r\n' : '';
    const text = body(i);
    return `${head}${last}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  });
  socket.write(requests.join(''));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  const counts = [...text.matchAll(/\{"count":(\d+)\}/g)].map(([, found]) => Number(found));
  return counts.every((found, i) => found === i) ? counts.length : -1;
}
