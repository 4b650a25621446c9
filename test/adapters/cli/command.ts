import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { isBuildStale } from '../../../.config/build-if-stale.ts';
import { runCli } from '../../../adapters/cli/program.ts';
import { bundlePages, bundleSources } from '../../support/bundle.ts';
import { cleanEnv } from '../../support/clean-env.ts';
import { ROOT } from '../../support/source-copy.ts';

/** The result of a command. */
export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The text on stdin. */
  readonly input?: string | Buffer;
  /** Variables in addition to the test's own; undefined unsets one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs a separate process; input and environment imply it, unless this is false. */
  readonly process?: boolean;
  /** Runs a separate process for which file permissions apply, which they do not for a superuser. */
  readonly withoutRights?: boolean;
  /** Runs in the test's process and pretends that stdout is a terminal. */
  readonly terminal?: boolean;
}

/** The command line as it is now, and its writing thread beside it, where it looks for that. */
function bundleCli(): string {
  const folder = bundleSources({
    cli: 'adapters/cli/main.ts',
    'sqlite-writer': 'adapters/sqlite/writer/sqlite-writer.ts',
  });
  bundlePages(folder);
  return join(folder, 'cli.js');
}

/** The arguments for `node` that run the command line: the build, or the sources where they are newer. */
export const NODE_ARGS: readonly string[] = [isBuildStale() ? bundleCli() : join(ROOT, 'dist', 'cli.js')];

/** Runs a command as a superuser without the capabilities that override the rights of files. */
const BOUND_BY_RIGHTS = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'];

/** A folder for one test file, with a database in it. */
export interface Place {
  readonly folder: string;
  readonly db: string;
  /**
   * Runs a command on the database, in the test's own process if possible, which is many times faster.
   */
  run(args: readonly string[], options?: RunOptions): Promise<Ending>;
  /** Runs a command that must succeed, and returns what it printed. */
  ok(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Writes a new file into the folder, whose name ends with `ending`, and returns its path. */
  readonly file: (content: string | Buffer, ending?: string) => string;
  /** Creates a tenant, and returns its alias. */
  readonly tenant: (alias: string) => Promise<string>;
  /** Imports events from a temporary file, and returns what was printed. */
  import(alias: string, content: string | Buffer, ...flags: string[]): Promise<string>;
  /** Starts a command that keeps running. */
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** Starts `serve` or `demo` on a free port; resolves when it has printed everything. */
  serve(args: readonly string[], until?: RegExp, env?: RunOptions['env']): Promise<Server>;
  /** Ends running commands and removes the folder. */
  remove(): void;
}

export interface Server {
  readonly url: string;
  readonly printed: string;
  /** The log so far. */
  log(): string;
  readonly child: ChildProcess;
  /** Sends a signal, and resolves to the result of the command. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function createPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-cli-'));
  const db = join(folder, 'data', 'events.db');
  const children = new Set<ChildProcess>();

  function start(args: readonly string[], { env = {}, withoutRights }: RunOptions = {}): ChildProcess {
    const bound = withoutRights === true && process.getuid?.() === 0 ? BOUND_BY_RIGHTS : [];
    const [command, ...own] = [...bound, process.execPath, ...NODE_ARGS, ...args];
    const child = spawn(command!, own, {
      cwd: folder,
      env: { ...cleanEnv(), EVENT_QUERY_DB: db, ...env },
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function run(args: readonly string[], options: RunOptions = {}): Promise<Ending> {
    const { terminal = false, process: apart = Object.keys(options).some((name) => name !== 'terminal') } =
      options;
    if (!apart) return runWithin(args, { EVENT_QUERY_DB: db, ...options.env }, terminal);
    const child = start(args, options);
    const ended = endOf(child);
    // A command that fails may end before it has read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    const [stdout, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
    return { code, stdout, stderr };
  }

  async function ok(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await run(args, options);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}`);
    return stdout;
  }

  function file(content: string | Buffer, ending = ''): string {
    const path = join(folder, `${randomUUID()}${ending}`);
    writeFileSync(path, content);
    return path;
  }

  async function tenant(alias: string): Promise<string> {
    await ok(['tenant', 'create', alias]);
    return alias;
  }

  const importContent = (alias: string, content: string | Buffer, ...flags: string[]): Promise<string> =>
    ok(['import', alias, file(content, '.ndjson'), ...flags]);

  function serve(
    args: readonly string[],
    until = /listening on (\S+)\n/,
    env: RunOptions['env'] = {},
  ): Promise<Server> {
    const child = start([...args, '--port', '0'], { env });
    // Only then is its log complete.
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    let printed = '';
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
    const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    };
    return new Promise((resolve, reject) => {
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        const url = /listening on (\S+)\n/.exec(printed)?.[1];
        if (url !== undefined && until.test(printed)) resolve({ url, printed, log: () => log, child, stop });
      });
      child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${String(code)}: ${log}`)));
    });
  }

  const remove = () => {
    for (const child of children) child.kill('SIGKILL');
    // What was killed may still write for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  return { folder, db, run, ok, file, tenant, import: importContent, start, serve, remove };
}

/** Runs a command in this process and captures its output. */
async function runWithin(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: boolean,
): Promise<Ending> {
  const printed = { stdout: '', stderr: '' };
  const catches = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text, taken?: unknown) => {
      printed[name] += String(text);
      if (typeof taken === 'function') (taken as () => void)();
      return true;
    }),
  );
  const { isTTY } = process.stdout;
  process.stdout.isTTY = terminal;
  for (const name of Object.keys(process.env))
    if (name.startsWith('EVENT_QUERY_')) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    const code = await runCli([process.execPath, 'event-query', ...args]);
    return { code, ...printed };
  } finally {
    process.stdout.isTTY = isTTY;
    vi.unstubAllEnvs();
    for (const caught of catches) caught.mockRestore();
  }
}

/** A command on a terminal, as a person has it: what it shows so far, and what is typed into it. */
export interface OnTerminal {
  readonly said: () => string;
  readonly type: (keys: string) => void;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs a command on a terminal of its own, until the test is over. */
export function runOnTerminal(args: readonly string[], env?: NodeJS.ProcessEnv): OnTerminal {
  // A shell that stays beside the command would take an interrupt too, and end by it.
  const command = ['exec', process.execPath, ...NODE_ARGS, ...args].join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: env ?? process.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  return { said: () => said, type: (keys) => void child.stdin.write(keys), ended: endOf(child) };
}

/** Resolves to the exit code of a command. */
export function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}
