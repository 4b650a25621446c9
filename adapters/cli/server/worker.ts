import { messageOf, toEnding } from '../process/errors.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { listenForSignals } from '../process/signals.ts';
import { HEARTBEAT_MS, type WorkerMessage, type WorkerOrder } from './heartbeat.ts';
import { IDLE_MS, openMeter, serveStores } from './run-server.ts';
import { openTracing } from './tracing.ts';
import { createWorkerMetrics, createWorkerTenants, type MetricsOrder } from './worker-metrics.ts';

/** Serves as one of several processes that share a port and a file, until a signal or an order to close. */
export async function runWorker(options: ServerOptions): Promise<void> {
  const signals = listenForSignals();
  // A closed terminal sends SIGHUP to all processes; only the primary process acts on it.
  process.on('SIGHUP', () => undefined);
  const tell = (message: WorkerMessage) =>
    new Promise<void>((resolve) => process.send!(message, () => resolve()));
  const tenants = options.metricsTenants ? createWorkerTenants((message) => void tell(message)) : undefined;
  const meter = openMeter(options, tenants);
  const metrics = meter && createWorkerMetrics(meter.registry, (message) => void tell(message));
  const ordered = new Promise<WorkerOrder>((resolve) => {
    process.on('message', (message: WorkerOrder | MetricsOrder) => {
      if (typeof message === 'string') resolve(message);
      else if ('tenant' in message) tenants?.receive(message);
      else metrics?.receive(message);
    });
  });
  const report = async () => {
    if (metrics !== undefined) await tell(await metrics.report());
  };
  const beat = setInterval(() => {
    if (!process.connected) return;
    process.send!('alive');
    void report();
  }, HEARTBEAT_MS).unref();
  try {
    const tracing = await openTracing(options);
    await serveStores(options, { meter, metrics, tracing }, async ({ url, dashboardUrl, metricsUrl }) => {
      await tell({ url, dashboardUrl, metricsUrl });
      const stopped = (requests: number) => tell({ requests });
      return Promise.race([
        signals.received.then((signal) => ({
          ...{ fields: { signal }, stopped },
          drainMs: signal === 'SIGTERM' ? options.drain : 0,
        })),
        ordered.then((order) => ({
          ...{ fields: { order }, stopped },
          drainMs: order === 'drain' ? options.drain : 0,
          ...(order === 'give way' && { idleMs: IDLE_MS }),
        })),
      ]);
    });
  } catch (error) {
    await tell({ failed: messageOf(error), exitCode: toEnding(error).exitCode });
  } finally {
    clearInterval(beat);
    await tenants?.settled();
    await report();
    signals.forget();
    process.disconnect();
  }
}
