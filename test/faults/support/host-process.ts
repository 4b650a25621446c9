import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startServer, type ServerProcess } from '../../support/server-process.ts';

/** A server of host.ts, which does what a test wishes. */
export interface HostProcess extends ServerProcess {
  /** Sends wishes; resolves when they hold. */
  wish(wishes: { nowMs?: number; hang?: 'query' | 'append' | null }): Promise<void>;
}

/** Starts a server whose clock and store the test moves. */
export async function startHost(db: string, args: readonly string[] = []): Promise<HostProcess> {
  const server = await startServer({ db, args, script: fileURLToPath(new URL('host.ts', import.meta.url)) });
  return {
    ...server,
    wish: async (wishes) => {
      const done = once(server.child.stdout!, 'data');
      server.child.stdin!.write(`${JSON.stringify(wishes)}\n`);
      await done;
    },
  };
}
