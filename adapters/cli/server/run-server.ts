import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createApi, leasedLimiter, type Api } from '../../../src/index.ts';
import { joseTokenVerifier } from '../../jose/index.ts';
import { createNodeServer, nodeRuntime, nodeScheduler } from '../../node-http/index.ts';
import { failure, isBrokenPipe, messageOf } from '../errors.ts';
import { openLog } from './log.ts';
import { openMemory } from './memory.ts';
import { findExposure, openStores } from '../open-stores.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { note, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import { listenForSignals } from '../signals.ts';

/** A server that listens, before anything is said about it. */
export interface RunningServer extends Pick<Api, 'admin' | 'tenant'> {
  /** The address that it listens on. */
  readonly url: string;
  /** An address of this machine that reaches it, where it listens on all of them. */
  readonly localUrl: string;
}

/**
 * Serves until a signal comes: `announce` runs when the server listens. SIGINT and SIGTERM let it finish what
 * is in flight within 10 s and close the stores; a second one ends the process at once.
 */
export async function runServer(
  options: ServerOptions,
  announce: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const signals = listenForSignals();
  const runtime = nodeRuntime();
  const isNew = !existsSync(options.db);
  const memory = openMemory(options.memoryMax);
  const shared = { ledger: memory.ledger, scheduler: nodeScheduler() };
  const stores = await openStores(options.db, runtime, shared);
  const limits = leasedLimiter({ limits: stores.limits, clock: runtime, elapsed: () => performance.now() });
  const serverLog = openLog(options.logLevel);
  const { log } = serverLog;
  try {
    const settings = { ...shared, accessLog: options.accessLog };
    const api = createApi({
      ...{ runtime, log, ...settings },
      stores: { ...stores, limits },
      tokens: joseTokenVerifier(),
    });
    const server = createNodeServer({ handler: api.handler, log, ...shared });
    const { host, port } = await server.listen(options).catch((error: unknown) => {
      throw failure(`cannot listen on ${toUrl(options.host, options.port)}: ${describe(error)}`);
    });
    const urls = { url: toUrl(host, port), localUrl: toUrl(toLocalHost(host), port) };
    const exposure = findExposure(options.db);
    if (exposure !== undefined) note(`warning: ${exposure}`);
    try {
      // A server goes on when nobody reads what it says.
      await write(`serving ${printable(resolve(options.db))}${isNew ? ', a new file' : ''}\n`).catch(
        unlessBrokenPipe,
      );
      await announce({ ...api, ...urls }).catch(unlessBrokenPipe);
      const signal = await signals.received;
      log.info({ signal }, 'closing');
    } finally {
      await server.close();
    }
  } finally {
    await limits.handBack();
    await stores.close();
    await serverLog.close();
    memory.stop();
    signals.forget();
  }
}

function unlessBrokenPipe(error: unknown): void {
  if (!isBrokenPipe(error)) throw error;
}

function toUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function toLocalHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return /^[0:]+$/.test(host) ? '::1' : host;
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another with --port or PORT',
  EACCES: 'not permitted; choose a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be resolved',
};

function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return LISTEN_ERRORS[code] ?? messageOf(error);
}
