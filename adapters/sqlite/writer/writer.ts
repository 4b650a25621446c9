import {
  overloaded,
  unavailable,
  type Reservation,
  type MemoryBudget,
  type Resources,
} from '../../../src/index.ts';
import { createFairQueue } from '../../../src/store-kit.ts';
import { toStoreError } from '../file/database.ts';
import { causeOf, isFull } from '../file/trouble.ts';
import type { TaskResult, Task } from './group.ts';
import { OPERATION_RULES, type Operations } from '../writes/operations.ts';

/** The owner and size of a task, by which the queue is bounded. */
export interface TaskSize {
  readonly owner: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The only path into the file: every write of the adapter is one of its operations. */
export interface Writer {
  /**
   * Writes after everything that the same owner requested before; resolves when it is committed. Rejects with
   * `overloaded` if there is no room for it to wait, with `unavailable` if it cannot be stored now, and with
   * any error of the operation.
   */
  run<N extends keyof Operations>(
    name: N,
    args: Parameters<Operations[N]>,
    size?: TaskSize,
  ): Promise<ReturnType<Operations[N]>>;
  /** Resolves when it can write; throws otherwise. */
  ready(): Promise<void>;
  /** Writes what is waiting, and closes its connection. Later requests are refused. */
  close(): Promise<void>;
}

/** Brings tasks to the connection, in this thread or in another. */
export interface WriterChannel {
  /** Sends tasks; calls `settle` with their results, in order, once they are committed or have failed. */
  carry(tasks: readonly Task[], settle: Settle): void;
  ready(): Promise<void>;
  /** Called when no task is in progress any more. */
  close(): Promise<void>;
}

/** Receives the results of the next tasks of a channel. */
export type Settle = (outcomes: readonly TaskResult[]) => void;

export interface WriterOptions {
  readonly channel: WriterChannel;
  /** The memory budget for waiting tasks. */
  readonly memory: MemoryBudget;
  /** Told how much is waiting. */
  readonly meter: Resources['meter'];
  /** Called when cached data of the file has changed, before any caller gets its answer. */
  readonly changed: () => void;
  /** Records an error of the engine, and returns it with an explanation. */
  readonly hear?: (error: unknown) => unknown;
  /** Releases the reserve for erasing; returns whether there was one. */
  readonly releaseRoom?: () => boolean;
}

/** The size of an operation without events: on keys, tenants, takes. */
export const SMALL: TaskSize = { owner: 'sqlite', rows: 1, bytes: 1024 };

/** How many bytes may wait without a reservation: a few small operations. */
const LITTLE_BYTES = 65_536;

/** How many bytes are in the channel at once: a new task waits for those, and then owners take turns. */
const CARRIED_BYTES_MAX = 4_194_304;
/** The overhead of writing a row, as the number of bytes that would take as long. */
const ROW_BYTES = 512;

const costOf = ({ rows, bytes }: Task) => bytes + rows * ROW_BYTES;

interface Waiting {
  readonly task: Task;
  readonly owner: string;
  /** The account that reserves its memory; undefined if it has no reservation. */
  readonly reservation: Reservation | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The error after the stores have closed. */
export const closed = () => unavailable(new Error('The stores are closed.'));

/**
 * How many consecutive single tasks are sent without waiting for others, before it checks again for others.
 */
const ALONE_MAX = 8;

/**
 * Creates the writer of a file. Tasks of one turn of the event loop are sent together. After a task that came
 * alone, the next few do not wait for the end of their turn, which would cost a tenth of the time of a small
 * batch. If more is waiting than is sent at once, the owner with the least written data is served next.
 */
export function createWriter({ channel, memory, meter, changed, ...options }: WriterOptions): Writer {
  const { hear = (error: unknown): unknown => error, releaseRoom = () => false } = options;
  const queue = createFairQueue<Waiting>();
  let gathering = false;
  /** How many consecutive tasks came alone; it restarts from zero after the maximum. */
  let alone = 0;
  let onTheWay = 0;
  let bytesOnTheWay = 0;
  let carried = 0;
  let closing = false;
  let drained: (() => void) | undefined;
  meter.gauge('event_query_writer_queue_batches', {}, () => onTheWay);
  meter.gauge('event_query_writer_queue_bytes', {}, () => bytesOnTheWay);

  function gather(): void {
    if (gathering) return;
    gathering = true;
    if (alone === 0) setImmediate(bring);
    else queueMicrotask(bring);
  }

  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    while (carried < CARRIED_BYTES_MAX) {
      const next = queue.next();
      if (next === undefined) break;
      queue.charge(next.owner, costOf(next.task));
      carried += costOf(next.task);
      batch.push(next);
    }
    return batch;
  }

  function bring(): void {
    gathering = false;
    const batch = takeBatch();
    if (batch.length === 0) return;
    alone = batch.length === 1 ? (alone + 1) % ALONE_MAX : 0;
    let settled = 0;
    channel.carry(
      batch.map(({ task }) => task),
      (outcomes) => {
        const waiting = batch.slice(settled, (settled += outcomes.length));
        if (waiting.some(({ task }) => OPERATION_RULES[task.name].remembered)) changed();
        waiting.forEach((each, i) => settle(each, outcomes[i]!));
        if (queue.length > 0) gather();
      },
    );
  }

  function settle({ task, reservation, resolve, reject }: Waiting, result: TaskResult): void {
    reservation?.release();
    onTheWay -= 1;
    bytesOnTheWay -= task.bytes;
    carried -= costOf(task);
    if ('error' in result) reject(toStoreError(hear(result.error)));
    else resolve(result.value as never);
    if (onTheWay === 0) drained?.();
  }

  const write: Writer['run'] = (name, args, { owner, rows, bytes } = SMALL) =>
    new Promise((resolve, reject) => {
      if (closing) throw closed();
      // While little is waiting there is no queue to bound: a batch is not refused because it exceeds all
      // memory.
      const reservation = bytesOnTheWay > LITTLE_BYTES ? memory.reservation(owner) : undefined;
      if (reservation?.reserve(bytes) === false) throw overloaded();
      bytesOnTheWay += bytes;
      onTheWay += 1;
      gather();
      queue.add(owner, { task: { name, args, rows, bytes }, owner, reservation, resolve, reject });
    });

  return {
    // An operation that frees space first needs some, in the write-ahead log.
    run: (name, args, size) =>
      OPERATION_RULES[name].frees
        ? write(name, args, size).catch((error: unknown) => {
            if (isFull(causeOf(error)) && releaseRoom()) return write(name, args, size);
            throw error;
          })
        : write(name, args, size),
    ready: () => channel.ready(),
    async close() {
      closing = true;
      if (onTheWay > 0) await new Promise<void>((resolve) => (drained = resolve));
      await channel.close();
    },
  };
}
