import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { findFreePort } from '../../support/free-port.ts';
import type { SendCommand } from '../../../adapters/redis/index.ts';

/** Whether Redis is installed. It must be when `EVENT_QUERY_SERVICES` is `required`. */
export const HAS_REDIS =
  spawnSync('redis-server', ['--version']).status === 0 || process.env.EVENT_QUERY_SERVICES === 'required';

/** A Redis server for one test. */
export interface RedisServer {
  readonly port: number;
  /** Connects a client that fails at once while the server is down. */
  connect(): Promise<{ readonly send: SendCommand; readonly close: () => void }>;
  signal(name: NodeJS.Signals): void;
  /** Starts the server again on the same port after it has ended. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Redis on a free port of loopback, without persistence. */
export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-redis-'));
  const port = await findFreePort();
  let child: ChildProcess;
  const start = async () => {
    const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('Redis has ended')));
      child.stdout!.on('data', (text: Buffer) => {
        if (text.includes('Ready to accept connections')) resolve();
      });
    });
  };
  const ended = () => new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await start();
  return {
    port,
    async connect() {
      const client = createClient({
        url: `redis://127.0.0.1:${port}`,
        disableOfflineQueue: true,
        socket: { reconnectStrategy: 20 },
      });
      client.on('error', () => undefined);
      await client.connect();
      return { send: (args) => client.sendCommand(args), close: () => client.destroy() };
    },
    signal: (name) => void child.kill(name),
    async restart() {
      if (child.exitCode === null && child.signalCode === null) await ended();
      await start();
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const end = ended();
        child.kill('SIGKILL');
        await end;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
