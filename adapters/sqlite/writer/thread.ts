import { Worker } from 'node:worker_threads';
import { unavailable } from '../../../src/index.ts';
import type { Task } from './group.ts';
import { fromPlain, type WriterMessage, type Report, type ThreadSettings } from './protocol.ts';
import type { WriterChannel, Settle } from './writer.ts';

/** Options of the writing thread, which cannot receive the `connect` function of the stores. */
export interface ThreadOptions {
  /**
   * The driver that `connect` also uses, as an import specifier: `better-sqlite3`, `node:sqlite`, or the URL
   * of a module whose default export is a compatible database class. Two copies of SQLite in one process
   * would break each other's locks on the file.
   */
  readonly driver: string;
  /** The file, as the driver's constructor takes it. */
  readonly file: string;
  /** The module that the thread runs. Only needed with a bundler: a copy of `event-query/sqlite-writer`. */
  readonly entry?: string | URL;
}

/** After a thread failed to start, how long until the next attempt; earlier requests get a 503. */
const RETRY_MS = 1000;

/** Operations that were sent to a thread and have no result yet. */
interface Sent {
  left: number;
  readonly settle: Settle;
}

/**
 * Sends operations to a thread, so that waiting for the disk or for a lock does not block this one. If the
 * thread dies, its pending operations are answered with a 503, because they may or may not be stored, and
 * another thread starts.
 */
export function carryToThread(
  settings: ThreadSettings,
  entry: string | URL | undefined,
  name = 'event-query-writer',
): WriterChannel {
  const module = entry ?? new URL('./sqlite-writer.js', import.meta.url);
  let thread: Thread | undefined;
  let refusedUntil = -Infinity;
  let refusal: unknown;

  function current(): Thread {
    if (thread === undefined && performance.now() < refusedUntil) throw refusal;
    return (thread ??= startThread(module, settings, name, (error, wasReady) => {
      thread = undefined;
      refusal = error;
      if (!wasReady) refusedUntil = performance.now() + RETRY_MS;
    }));
  }

  // Start the thread at once; requests that arrive before it is ready wait for it.
  current();
  return {
    carry(tasks, settle) {
      try {
        current().send(tasks, settle);
      } catch (error) {
        settle(tasks.map(() => ({ error })));
      }
    },
    ready: async () => current().ready,
    close: () => thread?.close() ?? Promise.resolve(),
  };
}

interface Thread {
  readonly ready: Promise<void>;
  send(tasks: readonly Task[], settle: Settle): void;
  close(): Promise<void>;
}

function startThread(
  module: string | URL,
  settings: ThreadSettings,
  name: string,
  ended: (error: unknown, wasReady: boolean) => void,
): Thread {
  // The thread must not inherit process flags: with `--input-type`, which is for programs on the command
  // line, no thread can run a file.
  // In each thread Node 22 would warn that its driver is experimental, which the program chose to use.
  const execArgv = ['--disable-warning=ExperimentalWarning'];
  const worker = new Worker(module, { workerData: settings, name, execArgv });
  const sent: Sent[] = [];
  let isReady = false;
  let isClosing = false;
  let isResting = false;
  let cause: unknown;
  const post = (order: WriterMessage) => worker.postMessage(order);
  /** An idle thread does not keep the process alive. */
  const rest = () => {
    const mayRest = isReady && !isClosing && sent.length === 0;
    // The call costs as much as sending a batch.
    if (mayRest === isResting) return;
    isResting = mayRest;
    if (mayRest) worker.unref();
    else worker.ref();
  };

  let settleReady: ((error?: Error) => void) | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    settleReady = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Callers of `ready` get the error; without a caller it must not become an unhandled rejection.
  ready.catch(() => undefined);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  worker.on('message', (report: Report) => {
    if (report === 'ready') {
      isReady = true;
      settleReady?.();
    } else {
      const outcomes = report.map(fromPlain);
      while (outcomes.length > 0) {
        const first = sent[0]!;
        const own = outcomes.splice(0, first.left);
        first.left -= own.length;
        if (first.left === 0) sent.shift();
        first.settle(own);
      }
    }
    rest();
  });
  worker.on('error', (error) => (cause = error));
  void exited.then(() => {
    const error = unavailable(cause ?? new Error('The writing thread has ended.'));
    ended(error, isReady);
    settleReady?.(error);
    for (const { left, settle } of sent.splice(0)) settle(Array.from({ length: left }, () => ({ error })));
  });

  return {
    ready,
    send(tasks, settle) {
      post(tasks);
      sent.push({ left: tasks.length, settle });
      rest();
    },
    close() {
      isClosing = true;
      rest();
      post('close');
      return exited;
    },
  };
}
