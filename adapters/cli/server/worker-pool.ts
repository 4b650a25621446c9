import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError, failure } from '../errors.ts';
import type { Listening } from './listening.ts';
import type { ServerLog } from './log.ts';
import { HEARTBEAT_MS, type WorkerMessage, type WorkerOrder } from './heartbeat.ts';

/** The workers of a server. */
export interface WorkerPool {
  /** Starts them; resolves to the address that they listen on. Throws what the first says it cannot do. */
  start(): Promise<Listening>;
  /** Puts another in the place of each in turn: the new one is ready before the old one closes. */
  renew(): Promise<void>;
  /** Lets them finish what is in flight, and waits until they have ended. */
  stop(order: 'drain' | 'end'): Promise<void>;
}

export interface WorkerPoolOptions {
  readonly size: number;
  /** The command line of a worker. */
  readonly args: readonly string[];
  readonly serverLog: ServerLog;
  /** How often a worker says that it is alive; default `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number;
}

/** Where a worker stands, and who takes its place when it dies. */
interface WorkerSlot {
  worker: Worker;
  since: number;
  /** How often in a row one died young or did not start. */
  failures: number;
}

/**
 * How many heartbeats a worker may leave out before it is taken for one that hangs. They are counted by this
 * process' own timer, so that nobody is taken for dead where this process, or the whole machine, stood still.
 */
const MISSED_MAX = 6;

/** A worker that lived so long did not die of its start. */
const MIN_UPTIME_MS = 10_000;
const BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 30_000;

/** How long nobody takes the place of one that died, after so many in a row that died young. */
export function backoffAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** failures);
}

/** Makes the workers of a server: processes of `node:cluster`, which share its port. */
export function createWorkerPool({
  size,
  args,
  serverLog,
  heartbeatMs = HEARTBEAT_MS,
}: WorkerPoolOptions): WorkerPool {
  const { log } = serverLog;
  const slots: WorkerSlot[] = [];
  const alive = new Set<Worker>();
  const leaving = new Set<Worker>();
  /** How many heartbeats in a row each that serves has left out. */
  const missed = new Map<Worker, number>();
  const watch = setInterval(checkHearts, heartbeatMs).unref();
  const end = new AbortController();
  const stopping = () => end.signal.aborted;
  let renewing: Promise<void> | undefined;
  cluster.setupPrimary({ args: [...args], silent: true });

  /** Starts a worker; resolves when it listens. */
  function launch(): Promise<Listening & { readonly worker: Worker }> {
    const worker = cluster.fork();
    alive.add(worker);
    const { stdout, stderr } = worker.process;
    stdout!.resume();
    createInterface({ input: stderr! }).on('line', (line) => serverLog.pass(line));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message === 'alive') missed.set(worker, 0);
        else if ('url' in message) resolve({ worker, ...message });
        else reject(new CliError(message.exitCode, message.failed));
      });
      worker.once('exit', (code: number | null, signal: string | null) => {
        alive.delete(worker);
        missed.delete(worker);
        reject(failure(`a worker ended before it served (${signal ?? code})`));
      });
    });
  }

  /** Ends those who hang; whoever ends is replaced. */
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
    // It may have ended between its word and this.
    if (worker.isDead()) void replace(slot);
  }

  /** Starts another in a place, at once where the last one had worked for a while, else after a pause. */
  async function replace(slot: WorkerSlot): Promise<void> {
    slot.failures = performance.now() - slot.since > MIN_UPTIME_MS ? 0 : slot.failures + 1;
    for (; ; slot.failures += 1) {
      await pause(backoffAfter(slot.failures), undefined, end).catch(() => undefined);
      if (stopping()) return;
      try {
        const { worker } = await launch();
        assign(slot, worker);
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
      // Where one has just died, another is on its way.
      if (stopping() || old.isDead()) continue;
      const { worker } = await launch();
      if (old.isDead()) {
        // It died meanwhile, so that another is on its way for it too.
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
    const ended = once(worker, 'exit');
    // It may be gone already, or about to go by itself.
    if (worker.isConnected()) worker.send(order, () => undefined);
    await ended;
  }

  return {
    async start() {
      // The first shows what is wrong, once; and it makes the file.
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
