import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clickhouseEvents, type ClickhouseEvents } from '../../../adapters/clickhouse/index.ts';
import { findFreePort } from '../../support/free-port.ts';
import { testResources } from '../../support/resources.ts';

const HOME = fileURLToPath(new URL('../../clickhouse', import.meta.url));

/**
 * Whether ClickHouse is installed beside the tests. Where `EVENT_QUERY_SERVICES` is `required`, it must
 * be.
 */
export const HAS_CLICKHOUSE =
  existsSync(join(HOME, 'node_modules/chdb')) || process.env.EVENT_QUERY_SERVICES === 'required';

/** A ClickHouse of a test's own. */
export interface ClickhouseServer {
  readonly url: string;
  /** A client, which is closed with the server. */
  connect(options?: { readonly request_timeout?: number }): ReturnType<typeof createClient>;
  signal(name: NodeJS.Signals): void;
  /** Starts it again on the same port after it has ended. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts ClickHouse on a free port of loopback, with a configuration of `test/clickhouse` if one is named.
 */
export async function startClickhouse(config?: string): Promise<ClickhouseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-clickhouse-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const clients: ReturnType<typeof createClient>[] = [];
  let child: ChildProcess;
  let ended: Promise<void>;
  const start = async () => {
    const args = ['--import', 'tsx', join(HOME, 'bridge.ts'), folder, String(port)];
    if (config !== undefined) args.push(join(HOME, config));
    child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    ended = new Promise((resolve) => child.once('exit', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('ClickHouse has ended')));
      child.stdout!.once('data', () => resolve());
    });
  };
  await start();
  return {
    url,
    connect(options) {
      const client = createClient({ url, log: { level: ClickHouseLogLevel.OFF }, ...options });
      clients.push(client);
      return client;
    },
    signal: (name) => void child.kill(name),
    async restart() {
      await ended;
      await start();
    },
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** A ClickHouse, and the events in it by two connections, as two servers beside each other have them. */
export interface SharedClickhouse {
  readonly server: ClickhouseServer;
  readonly ours: ClickhouseEvents;
  readonly theirs: ClickhouseEvents;
  readonly stop: () => Promise<void>;
}

/** Starts ClickHouse and connects to it twice. */
export async function shareClickhouse(): Promise<SharedClickhouse> {
  const server = await startClickhouse();
  const ours = await clickhouseEvents({ resources: testResources(), client: server.connect() });
  const theirs = await clickhouseEvents({ resources: testResources(), client: server.connect() });
  return { server, ours, theirs, stop: () => server.stop() };
}
