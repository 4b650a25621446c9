import { overloaded, unavailable, type Account, type Ledger } from '../../../src/index.ts';
import { createFairQueue } from '../../../src/store-kit.ts';
import { toStoreError } from '../database.ts';
import { causeOf, isFull } from '../trouble.ts';
import type { TaskResult, Task } from './group.ts';
import { OPERATION_RULES, type Operations } from '../writes/operations.ts';

/** Who writes, and how much: what the queue is bounded by. */
export interface TaskSize {
  readonly owner: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The one way into the file: everything that the adapter writes is one of its operations. */
export interface Writer {
  /**
   * Writes, after everything that its owner asked for before; resolves when it is committed. Rejects with
   * `overloaded` where there is no room for it to wait, with `unavailable` where it cannot be stored now, and
   * with what the operation throws.
   */
  run<N extends keyof Operations>(
    name: N,
    args: Parameters<Operations[N]>,
    size?: TaskSize,
  ): Promise<ReturnType<Operations[N]>>;
  /** Resolves when it can write; throws otherwise. */
  ready(): Promise<void>;
  /** Writes what waits, and closes its connection. What is asked for from now on is refused. */
  close(): Promise<void>;
}

/** What brings tasks to the connection: in this thread or to another. */
export interface WriterChannel {
  /** Brings tasks; `settle` is told of each, in order, when it is committed or has failed. */
  carry(tasks: readonly Task[], settle: Settle): void;
  ready(): Promise<void>;
  /** Called when nothing is on its way any more. */
  close(): Promise<void>;
}

/** Takes what became of the next tasks that a channel was given. */
export type Settle = (outcomes: readonly TaskResult[]) => void;

export interface WriterOptions {
  readonly channel: WriterChannel;
  /** Where what waits is booked. */
  readonly ledger: Ledger;
  /** Told when what is remembered of the file has changed, before anybody has an answer. */
  readonly changed: () => void;
  /** Takes note of an error of the engine, and gives it in words. */
  readonly hear?: (error: unknown) => unknown;
  /** Lets room go that is kept for erasing; whether there was any. */
  readonly releaseRoom?: () => boolean;
}

/** What an operation takes that holds no event: keys, tenants, takes. */
export const SMALL: TaskSize = { owner: 'sqlite', rows: 1, bytes: 1024 };

/** What may wait without being booked: a few small operations. */
const LITTLE_BYTES = 65_536;

/** How much is with the channel at once: whoever comes waits for that, and then owners take turns. */
const CARRIED_BYTES_MAX = 4_194_304;
/** What a row takes to be written beside its bytes, in bytes that would take as long. */
const ROW_BYTES = 512;

const costOf = ({ rows, bytes }: Task) => bytes + rows * ROW_BYTES;

interface Waiting {
  readonly task: Task;
  readonly owner: string;
  /** Where it is booked; undefined where it is not. */
  readonly account: Account | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Why nothing is written any more. */
export const closed = () => unavailable(new Error('The stores are closed.'));

/** How often in a row one that came alone waits for no others before it is seen again whether any come. */
const ALONE_MAX = 8;

/**
 * Makes the writer of a file. What comes within one turn of the event loop is brought together; but where
 * one at a time has come, the next few do not wait for the end of their turn, which costs a tenth of a small
 * batch. Where more waits than is brought at once, the next is of the owner of whom least was written.
 */
export function createWriter({ channel, ledger, changed, ...options }: WriterOptions): Writer {
  const { hear = (error: unknown): unknown => error, releaseRoom = () => false } = options;
  const queue = createFairQueue<Waiting>();
  let gathering = false;
  /** How often in a row one came alone, from none to that maximum again and again. */
  let alone = 0;
  let onTheWay = 0;
  let bytesOnTheWay = 0;
  let carried = 0;
  let closing = false;
  let drained: (() => void) | undefined;

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

  function settle({ task, account, resolve, reject }: Waiting, result: TaskResult): void {
    account?.release();
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
      // Where little waits, no queue grows: a batch is not refused because it is larger than all memory.
      const account = bytesOnTheWay > LITTLE_BYTES ? ledger.account(owner) : undefined;
      if (account?.book(bytes) === false) throw overloaded();
      bytesOnTheWay += bytes;
      onTheWay += 1;
      gather();
      queue.add(owner, { task: { name, args, rows, bytes }, owner, account, resolve, reject });
    });

  return {
    // What makes room takes some first, in the write-ahead log.
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
