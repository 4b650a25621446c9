import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { builtCli } from './built.ts';
import { cleanEnv } from './clean-env.ts';

/** One line of the server's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ending>;
  /** What it wrote to its log so far. Lines that are not JSON have level 60. */
  readonly log: readonly LogLine[];
  /** What it printed so far. */
  readonly printed: readonly string[];
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** How a server is started. */
export interface ServerProcessOptions {
  readonly db: string;
  /** A command that runs the server, such as `['setpriv', '…']`; the server's own command follows it. */
  readonly before?: readonly string[];
  /** A script to run instead of the built command. */
  readonly script?: string;
  /** The command that serves; `serve` unless told. */
  readonly command?: 'serve' | 'demo';
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether nobody reads its log, which then stays empty. */
  readonly unread?: boolean;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server on a free port of the loopback; resolves when it listens, rejects when it ends before. */
export async function startServer(options: ServerProcessOptions): Promise<ServerProcess> {
  const { child, ended, log } = spawnServer(options);
  const printed: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      printed.push(line);
      const found = /^listening on http:\/\/.*:(\d+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    void ended.then((ending) =>
      reject(new Error(`the server did not start: ${JSON.stringify(ending)} ${JSON.stringify(log)}`)),
    );
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid!,
    child,
    ended,
    log,
    printed,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts a server that is not expected to listen; how it ended and what it said. */
export async function runServerToItsEnd(
  options: ServerProcessOptions,
): Promise<Ending & { readonly log: readonly LogLine[] }> {
  const { ended, log } = spawnServer(options);
  return { ...(await ended), log };
}

function spawnServer(options: ServerProcessOptions) {
  const { db, before = [], script, command = 'serve', args = [], env = {}, unread = false } = options;
  const own = script === undefined ? [builtCli(), command] : ['--import', 'tsx', script];
  const line = [...before, process.execPath, ...own, '--db', db, '--port', '0', ...args];
  const child = spawn(line[0]!, line.slice(1), {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A script finds the build by a variable of the tests; of such the command would warn.
    env: { ...(script === undefined ? {} : process.env), ...cleanEnv(), ...env },
  });
  running.add(child);
  const log: LogLine[] = [];
  if (!unread) createInterface({ input: child.stderr }).on('line', (text) => log.push(toLogLine(text)));
  const ended = new Promise<Ending>((resolve) => {
    // `close` comes when its streams have ended too, so that the log is complete.
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
    child.once('error', (error) => {
      log.push({ level: 60, msg: String(error) });
      resolve({ code: null, signal: null });
    });
  });
  return { child, ended, log };
}

function toLogLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 60, msg: text };
  }
}

/** The lines of a log that tell of a defect: answers of 500, and whatever is no log line at all. */
export function defectsIn(log: readonly LogLine[]): LogLine[] {
  return log.filter(({ level, status }) => level >= 60 || status === 500);
}
