import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { forkProgram } from './process.ts';

/** The command `serve` in a process of its own. */
export interface Serving {
  readonly origin: string;
  readonly pid: number;
  /** Resolves when it has ended. */
  end(): Promise<void>;
}

export interface ServeOptions {
  /** Its flags beside the port. */
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The open file of its log. Default: that of the bench. */
  readonly stderr?: number;
}

/** No flags of Node: how much of the heap V8 lets stand uncollected hangs on the limit that it has. */
const AS_USERS_DO: readonly string[] = [];

/** Starts `serve`; resolves when it answers. */
export async function startServe({ args, env, stderr }: ServeOptions): Promise<Serving> {
  const port = await findPort();
  const all = ['serve', '--port', String(port), '--log-level', 'silent', ...args];
  // No balancer has to notice that it ends.
  const ownEnv = { EVENT_QUERY_DRAIN: '0', ...env };
  const child = forkProgram('../adapters/cli/main', import.meta.url, all, ownEnv, AS_USERS_DO, stderr);
  const origin = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${origin}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error('The server has ended.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { origin, pid: child.pid!, end: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await new Promise((resolve) => child.once('exit', resolve));
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
