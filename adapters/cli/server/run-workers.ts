import { createServer, type AddressInfo } from 'node:net';
import { prometheusMeter } from '../../prometheus/index.ts';
import { failure, isBrokenPipe } from '../process/errors.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { listenForSignals } from '../process/signals.ts';
import { openTracing } from './tracing.ts';
import { createWorkerPool } from './worker-pool.ts';
import type { Listening } from './listening.ts';
import { createLifeLines } from './life-lines.ts';
import { openLog } from './log.ts';
import { makeRoomFor } from './unix-socket.ts';
import { prepareServing } from './run-server.ts';
import { describeListenError, toUrl } from '../values/urls.ts';

/**
 * Serves with several worker processes until a signal arrives. They share the port, the file and the log.
 * SIGHUP replaces them one after the other, and a worker that dies is restarted. Each worker has its own
 * memory; keys, limits and the detection of duplicates live in the file.
 */
export async function runWorkers(
  options: ServerOptions,
  announce: (server: Listening) => Promise<void>,
): Promise<void> {
  const signals = listenForSignals();
  // Without a listener, a SIGHUP would end this process, also before there is a worker to renew.
  let sayStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    sayStarted = resolve;
  });
  const renew = () => void started.then(() => workers.renew());
  process.on('SIGHUP', renew);
  const sayServing = prepareServing(options.places);
  const { socket } = options;
  const port = options.port === 0 && socket === undefined ? await findPort(options) : options.port;
  if (socket !== undefined) await makeRoomFor(socket);
  const adminPort = options.adminPort === 0 ? await findPort({ host: options.adminHost }) : options.adminPort;
  const meter = adminPort === undefined ? undefined : prometheusMeter({ processMetrics: false });
  const serverLog = openLog(options, meter);
  const { log } = serverLog;
  // Pass the drain time: the default depends on the terminal, and the streams of a worker are pipes.
  const drain = options.drain ?? 0;
  const ofWorkers = ['--drain', `${drain / 1000}s`, '--log-format', 'json'];
  if (socket === undefined) ofWorkers.push('--port', String(port));
  const args = [...process.argv.slice(2), ...ofWorkers];
  if (adminPort !== undefined) args.push('--admin-port', String(adminPort));
  const workers = createWorkerPool({ size: options.workers!, args, serverLog, meter });
  try {
    const { url, dashboardUrl, metricsUrl } = await workers.start();
    sayStarted();
    await sayServing();
    await announce({ url, dashboardUrl, metricsUrl }).catch((error: unknown) => {
      if (!isBrokenPipe(error)) throw error;
    });
    // The workers load what this process has loaded.
    const life = createLifeLines(options, log, { traces: (await openTracing(options)) !== undefined });
    life.started({ url, dashboardUrl, metricsUrl });
    const signal = await signals.received;
    log.info({ signal }, 'closing');
    await workers.stop(signal === 'SIGTERM' ? 'drain' : 'end');
    life.stopped({ signal }, workers.requests());
  } finally {
    await workers.stop('end');
    process.off('SIGHUP', renew);
    await serverLog.close();
    signals.forget();
  }
}

/** Finds a free port, so that all workers, later ones too, listen on the same one. */
function findPort({ host }: Pick<ServerOptions, 'host'>): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) =>
      reject(failure(`cannot listen on ${toUrl(host, 0)}: ${describeListenError(error)}`)),
    );
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
