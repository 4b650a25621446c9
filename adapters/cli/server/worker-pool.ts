import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { PrometheusMeter } from '../../prometheus/index.ts';
import { CliError, failure } from '../process/errors.ts';
import type { Listening } from './listening.ts';
import type { ServerLog } from './log.ts';
import { HEARTBEAT_MS, type WorkerMessage, type WorkerOrder } from './heartbeat.ts';
import { createMetricsOfAll } from './worker-metrics.ts';

/** The worker processes of a server. */
export interface WorkerPool {
  /** How many requests the workers that have closed have answered; of one that was killed, it is unknown. */
  requests(): number;
  /** Starts the workers and resolves to where they listen. Throws the error of the first worker. */
  start(): Promise<Listening>;
  /** Replaces the workers one by one: each new one is ready before the old one closes. */
  renew(): Promise<void>;
  /** Lets the workers finish requests in flight, and waits until they have ended. */
  stop(order: 'drain' | 'end'): Promise<void>;
}

export interface WorkerPoolOptions {
  readonly size: number;
  /** The command-line arguments of a worker. */
  readonly args: readonly string[];
  readonly serverLog: ServerLog;
  /** How often a worker sends a heartbeat, in milliseconds. Default `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number;
  /** Counts the workers, and holds what this process measures beside them. Default: nothing is measured. */
  readonly meter?: PrometheusMeter | undefined;
}

/** One slot of the pool: its current worker, which is replaced when it dies. */
interface WorkerSlot {
  worker: Worker;
  since: number;
  /** How many workers in a row died early or did not start. */
  failures: number;
}

/**
 * How many heartbeats a worker may miss before it counts as hung. This process counts them by its own timer:
 * when it, or the whole machine, was suspended, no worker is killed for that.
 */
const MISSED_MAX = 6;

/** A worker that ran for this long did not fail at its start. */
const MIN_UPTIME_MS = 10_000;
const BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 30_000;

/** How long to wait before a dead worker is replaced, after this many early deaths in a row. */
export function backoffAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** failures);
}

/** Makes a worker pool of `node:cluster` processes, which share the server's port. */
export function createWorkerPool({
  size,
  args,
  serverLog,
  heartbeatMs = HEARTBEAT_MS,
  meter,
}: WorkerPoolOptions): WorkerPool {
  const { log } = serverLog;
  const slots: WorkerSlot[] = [];
  const alive = new Set<Worker>();
  const leaving = new Set<Worker>();
  /** How many heartbeats in a row each serving worker has missed. */
  const missed = new Map<Worker, number>();
  const metrics = meter && createMetricsOfAll({ own: meter.registry, workers: alive });
  const watch = setInterval(checkHearts, heartbeatMs).unref();
  const end = new AbortController();
  const stopping = () => end.signal.aborted;
  let renewing: Promise<void> | undefined;
  let requests = 0;
  const serving = () => slots.filter(({ worker }) => alive.has(worker)).length;
  meter?.gauge('event_query_workers', {}, serving);
  cluster.setupPrimary({ args: [...args], silent: true });

  /** Starts a worker and resolves when it listens. */
  function launch(): Promise<Listening & { readonly worker: Worker }> {
    const worker = cluster.fork();
    alive.add(worker);
    const { stdout, stderr } = worker.process;
    stdout!.resume();
    createInterface({ input: stderr! }).on('line', (line) => serverLog.pass(line, worker.process));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message === 'alive') missed.set(worker, 0);
        else if ('url' in message) resolve({ worker, ...message });
        else if ('wants' in message || 'measured' in message || 'tenant' in message)
          metrics?.receive(worker, message);
        else if ('requests' in message) requests += message.requests;
        else reject(new CliError(message.exitCode, message.failed));
      });
      worker.once('disconnect', () => metrics?.leave(worker));
      worker.once('exit', (code: number | null, signal: string | null) => {
        alive.delete(worker);
        missed.delete(worker);
        reject(failure(`a worker ended before it served (${signal ?? code})`));
      });
    });
  }

  /** Kills workers that hang; their exit handler replaces them. */
  function checkHearts(): void {
    for (const [worker, beats] of missed) {
      missed.set(worker, beats + 1);
      if (beats < MISSED_MAX) continue;
      log.error({ worker: worker.process.pid }, 'a worker hangs, and is ended');
      worker.process.kill('SIGKILL');
    }
  }

  function assign(slot: WorkerSlot, worker: Worker): void {
    slot.worker = worker;
    missed.set(worker, 0);
    slot.since = performance.now();
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (stopping() || leaving.delete(worker)) return;
      log.error({ worker: worker.process.pid, code, signal }, 'a worker ended');
      void replace(slot);
    });
    // The worker may have died since it said that it listens.
    if (worker.isDead()) void replace(slot);
  }

  /** Starts a new worker for a slot: at once if the last one ran for a while, else after a backoff. */
  async function replace(slot: WorkerSlot): Promise<void> {
    slot.failures = performance.now() - slot.since > MIN_UPTIME_MS ? 0 : slot.failures + 1;
    for (; ; slot.failures += 1) {
      await pause(backoffAfter(slot.failures), undefined, end).catch(() => undefined);
      if (stopping()) return;
      try {
        const { worker } = await launch();
        assign(slot, worker);
        meter?.count('event_query_worker_restarts_total', {});
        log.info({ worker: worker.process.pid }, 'a worker took its place');
        return;
      } catch (err) {
        log.error({ err }, 'a worker did not start');
      }
    }
  }

  async function renewAll(): Promise<void> {
    for (const slot of slots) {
      const old = slot.worker;
      // A worker that has just died is being replaced already.
      if (stopping() || old.isDead()) continue;
      const { worker } = await launch();
      if (old.isDead()) {
        // The old worker died meanwhile and is being replaced, so this one is not needed.
        await stopWorker(worker, 'end');
        continue;
      }
      leaving.add(old);
      assign(slot, worker);
      await stopWorker(old, 'give way');
    }
    log.info({ workers: size }, 'all workers were renewed');
  }

  async function stopWorker(worker: Worker, order: WorkerOrder): Promise<void> {
    if (!alive.has(worker)) return;
    // What it has said last is heard before it is disconnected.
    const heard = worker.isConnected() ? once(worker, 'disconnect') : undefined;
    const ended = Promise.all([once(worker, 'exit'), heard]);
    // It may have disconnected already, or be about to exit by itself.
    if (worker.isConnected()) worker.send(order, () => undefined);
    await ended;
  }

  return {
    requests: () => requests,
    async start() {
      // The first worker starts alone: it creates the file, and a wrong setting is reported only once.
      const first = await launch();
      const others = await Promise.all(Array.from({ length: size - 1 }, launch));
      for (const { worker } of [first, ...others]) {
        const slot: WorkerSlot = { worker, since: 0, failures: 0 };
        slots.push(slot);
        assign(slot, worker);
      }
      return first;
    },
    async renew() {
      renewing ??= renewAll()
        .catch((err: unknown) => log.error({ err }, 'the workers were not renewed'))
        .finally(() => (renewing = undefined));
      await renewing;
    },
    async stop(order) {
      end.abort();
      await Promise.all([...alive].map((worker) => stopWorker(worker, order)));
      clearInterval(watch);
    },
  };
}
