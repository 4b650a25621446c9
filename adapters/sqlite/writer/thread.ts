import { Worker } from 'node:worker_threads';
import { unavailable } from '../../../src/index.ts';
import type { Task } from './group.ts';
import { fromPlain, type WriterMessage, type Report, type ThreadSettings } from './protocol.ts';
import type { WriterChannel, Settle } from './writer.ts';

/** What the writing thread works with: a thread cannot be given the `connect` of the stores. */
export interface ThreadOptions {
  /**
   * The driver that `connect` uses too, as `import` finds it: `better-sqlite3`, `node:sqlite`, or the address
   * of a module whose default export is a class of such databases. Two copies of SQLite in one process would
   * spoil each other's locks on the file.
   */
  readonly driver: string;
  /** The file, as its constructor takes it. */
  readonly file: string;
  /** The module that the thread runs. Only who bundles has to say: a copy of `event-query/sqlite-writer`. */
  readonly entry?: string | URL;
}

/** After a thread that could not begin, how long until another is tried: those who come earlier get a 503. */
const RETRY_MS = 1000;

/** Operations that a thread was sent and that have no answer yet. */
interface Sent {
  left: number;
  readonly settle: Settle;
}

/**
 * Brings operations to a thread, so that waiting for the disk or for a lock stops nobody here. When the
 * thread dies, what it was sent is answered with a 503, as it may be stored or not, and another one begins.
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

  // What is asked for meanwhile waits for it, so that nobody has to.
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
  // Flags of the process are not for it: with `--input-type`, which is for programs on the command line, no
  // thread begins that runs a file.
  const worker = new Worker(module, { workerData: settings, name, execArgv: [] });
  const sent: Sent[] = [];
  let isReady = false;
  let isClosing = false;
  let isResting = false;
  let cause: unknown;
  const post = (order: WriterMessage) => worker.postMessage(order);
  /** A thread that has nothing to do keeps no process from its end. */
  const rest = () => {
    const mayRest = isReady && !isClosing && sent.length === 0;
    // To say it costs as much as to send a batch.
    if (mayRest === isResting) return;
    isResting = mayRest;
    if (mayRest) worker.unref();
    else worker.ref();
  };

  let settleReady: ((error?: Error) => void) | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    settleReady = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Whoever asks is told; that nobody asked is no fault.
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
