import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, createApi, type Api, type ApiOptions, type Logger } from '../../../src/index.ts';
import { leasedLimiter } from '../../../src/store-kit.ts';
import { joseTokenVerifier } from '../../jose/index.ts';
import {
  prometheusMeter,
  type MetricsSource,
  type PrometheusMeter,
  type PrometheusMeterOptions,
} from '../../prometheus/index.ts';
import { eraseRegularly, storeCountsRegularly } from '../../serve/index.ts';
import { sdkProtocols } from '../../sdks/index.ts';
import { readLastBackup, type LastBackup } from '../files/last-backup.ts';
import { isBrokenPipe } from '../process/errors.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { remark, warn } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import { VERSION } from '../values/version.ts';
import { listenForSignals } from '../process/signals.ts';
import { orClose } from '../stores/openers.ts';
import { filesOf, nameOf, openStores } from '../stores/open-stores.ts';
import type { ConnectionUrls } from '../stores/places.ts';
import { findExposure, holdsAnything } from '../stores/sqlite-file.ts';
import type { StoreUrl } from '../stores/store-url.ts';
import { upgradeFiles } from '../stores/upgrade.ts';
import { createLifeLines } from './life-lines.ts';
import { openLog } from './log.ts';
import { openResources } from './memory.ts';
import { listenAt, type Listening } from './listening.ts';
import { createReload, type Reloadable } from './reload.ts';
import { openSignIn } from './sign-in.ts';
import { openTracing, type Tracing } from './tracing.ts';

/** A server that listens and has not been announced yet. */
export interface RunningServer extends Pick<Api, 'admin' | 'tenant'>, Listening {
  /** A URL that reaches it from this machine, also when it listens on all addresses. */
  readonly localUrl: string;
  /** The options that it can change while it runs. */
  readonly reloadable: Reloadable;
  readonly log: Logger;
}

/** How long idle connections stay open when a server closes: their clients may be about to send a request. */
export const IDLE_MS = 2_000;

/** Runs while the server listens. The server closes when it resolves, and logs the reason it resolves to. */
type Serving = (server: RunningServer) => Promise<Closing>;

/** Why a server closes. */
interface Closing {
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * How long `/readyz` answers 503 before the server closes, so that load balancers drop it; milliseconds.
   */
  readonly drainMs?: number | undefined;
  /** How long idle connections stay open for a request that is on its way, in milliseconds. */
  readonly idleMs?: number | undefined;
  /** Called with the number of requests that were answered, once the server has closed. */
  readonly stopped: (requests: number) => void | Promise<void>;
}

/**
 * Serves until a signal arrives; `announce` runs once the server listens. On SIGTERM, `/readyz` answers 503
 * for the drain time first. On SIGINT and SIGTERM the server finishes requests in flight within 10 s and
 * closes the stores; a second signal ends the process at once. On SIGHUP it applies the options of `reread`.
 */
export async function runServer(
  options: ServerOptions,
  announce: (server: RunningServer) => Promise<void>,
  reread: () => ServerOptions,
): Promise<void> {
  const signals = listenForSignals();
  let reload: () => void = () => undefined;
  const onHangUp = () => reload();
  process.on('SIGHUP', onHangUp);
  const sayServing = prepareServing(options.places);
  try {
    const meter = openMeter(options);
    meter?.gauge('event_query_workers', {}, () => 1);
    const tracing = await openTracing(options);
    await serveStores(options, { meter, metrics: meter?.registry, tracing }, async (server) => {
      await sayServing();
      await announce(server).catch(unlessBrokenPipe);
      const life = createLifeLines(options, server.log, { traces: tracing !== undefined });
      life.started(server);
      reload = createReload(options, { ...server, read: reread });
      const signal = await signals.received;
      const drainMs = signal === 'SIGTERM' ? options.drain : 0;
      return { fields: { signal }, drainMs, stopped: (requests) => life.stopped({ signal }, requests) };
    });
  } finally {
    process.off('SIGHUP', onHangUp);
    signals.forget();
  }
}

/** Makes the start message: where data is kept, and which files are new. Call it before the stores open. */
export function prepareServing(places: ConnectionUrls): () => Promise<void> {
  const isNew = new Set(filesOf(places).filter((file) => !holdsAnything(file)));
  const say = (place: StoreUrl) => {
    if (place.kind !== 'sqlite') return printable(nameOf(place));
    return `${printable(resolve(place.address))}${isNew.has(place.address) ? ', a new file' : ''}`;
  };
  return async () => {
    for (const exposure of filesOf(places).map(findExposure)) {
      if (exposure !== undefined) warn(exposure);
    }
    const { events, control, limits } = places;
    const parts = [say(events)];
    if (control !== events) parts.push(`tenants and keys: ${say(control)}`);
    if (limits !== control) parts.push(`limits: ${say(limits)}`);
    // A server goes on when its stdout is closed.
    await remark(`serving ${parts.join('; ')}\n`).catch(unlessBrokenPipe);
  };
}

/** What a server counts and traces with, and the metrics that its admin port answers with. */
interface Measuring {
  readonly meter: PrometheusMeter | undefined;
  readonly metrics: MetricsSource | undefined;
  readonly tracing: Tracing | undefined;
}

/** Opens the stores and serves them until `serving` resolves; then closes everything in order. */
export async function serveStores(
  options: ServerOptions,
  { meter, metrics, tracing }: Measuring,
  serving: Serving,
): Promise<void> {
  const signIn = options.oidc && (await openSignIn(options.oidc));
  const serverLog = openLog(options, meter);
  const { log } = serverLog;
  const memory = openResources({ ...options, log, meter, tracer: tracing?.tracer });
  const { resources } = memory;
  const stores = await orClose(
    async () => {
      await upgradeFiles(filesOf(options.places), options.backup);
      return openStores(options.places, resources, 'serve');
    },
    () => serverLog.close(),
  );
  const limits = leasedLimiter({
    limits: stores.limits,
    clock: resources.runtime,
    elapsed: () => performance.now(),
  });
  let isDraining = false;
  const ready = () => (isDraining ? Promise.reject(draining()) : stores.ready());
  try {
    const api = createApi({
      stores: { ...stores, limits, ready },
      ...{ resources, accessLog: toAccessLog(options), slowMs: options.logSlow },
      ...{ tokens: joseTokenVerifier(), signIn, dashboardOrigin: options.dashboardUrl },
      protocols: sdkProtocols(),
    });
    const server = await listenAt(options, api, metrics);
    const retention = eraseRegularly(api.eraseExpired, log, { acceptDate: options.acceptClock });
    const refusals = storeCountsRegularly(api);
    let closing: Closing | undefined;
    try {
      const { url, localUrl, dashboardUrl, metricsUrl } = server;
      const reloadable: Reloadable = {
        logLevel: ({ logLevel }) => serverLog.setLevel(logLevel),
        ...(signIn && { oidc: ({ oidc }) => oidc && signIn.replace(oidc) }),
      };
      closing = await serving({ ...api, url, localUrl, dashboardUrl, metricsUrl, reloadable, log });
      const { drainMs = 0 } = closing;
      if (drainMs > 0) {
        isDraining = true;
        log.info({ ...closing.fields, drainMs }, 'not ready any more');
        server.drain();
        await pause(drainMs);
      }
      log.info(closing.fields, 'closing');
    } finally {
      const stopped = retention.stop();
      const { drainMs = 0, idleMs = drainMs > 0 ? IDLE_MS : 0 } = closing ?? {};
      await server.close({ idleMs });
      await stopped;
      await refusals.stop();
    }
    await closing.stopped(server.requests());
  } finally {
    await limits.returnUnused();
    await stores.close();
    await tracing?.flush();
    await serverLog.close();
    memory.stop();
  }
}

function toAccessLog({
  accessLog,
  logSample,
  logAddresses,
}: ServerOptions): Exclude<ApiOptions['accessLog'], undefined> {
  return accessLog && { sample: logSample, addresses: logAddresses };
}

/** Makes the meter of a process that serves. Without an admin port nobody could read it, so there is none. */
export function openMeter(
  { adminPort, places, metricsTenants = false }: ServerOptions,
  tenants: PrometheusMeterOptions['tenants'] = metricsTenants,
): PrometheusMeter | undefined {
  if (adminPort === undefined) return undefined;
  const build = { version: VERSION, node: process.version, store: places.events.kind };
  const meter = prometheusMeter({ build, tenants });
  // What the command `backup` would copy: with two files it needs to be told which one.
  const [file, second] = filesOf(places);
  if (file === undefined || second !== undefined) return meter;
  const secondsOf = (name: keyof LastBackup) => () => {
    const last = readLastBackup(file);
    return last && last[name] / 1000;
  };
  meter.gauge('event_query_backup_last_success_timestamp_seconds', {}, secondsOf('endedAt'));
  meter.gauge('event_query_backup_duration_seconds', {}, secondsOf('durationMs'));
  return meter;
}

/** The 503 of `/readyz` while a server drains. It is not a fault, so it is not logged again. */
function draining(): ApiError {
  return new ApiError('unavailable', [], { headers: { 'Retry-After': '1' }, logged: true });
}

function unlessBrokenPipe(error: unknown): void {
  if (!isBrokenPipe(error)) throw error;
}
