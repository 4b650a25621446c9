import type { TaskResult } from './writer/group.ts';
import { closed, type WriterChannel } from './writer/writer.ts';
import type { ReadsAhead } from './log/event-log.ts';
import type { LogName } from './log/log-name.ts';
import type { RowOperations } from './log/row-operations.ts';

/** Has rows of logs read in other threads. */
export interface RowReader {
  /** Reads one log; rejects with what the thread has met, and with `unavailable` where there is none. */
  readonly of: (log: LogName) => ReadsAhead;
  /** Ends the threads that have begun. */
  close(): Promise<void>;
}

/** A thread, and how many answers it owes. */
interface ReaderThread {
  readonly channel: WriterChannel;
  owed: number;
}

/** Makes the reader of a file; a thread begins when something is read that the others have no time for. */
export function createRowReader(carry: () => WriterChannel, threadsMax: number): RowReader {
  const threads: ReaderThread[] = [];
  let isClosed = false;

  function leastBusy(): ReaderThread {
    const isFree = threads.some(({ owed }) => owed === 0);
    if (!isFree && threads.length < threadsMax) threads.push({ channel: carry(), owed: 0 });
    return threads.reduce((least, each) => (each.owed < least.owed ? each : least));
  }

  async function ask<N extends keyof RowOperations>(
    name: N,
    args: Parameters<RowOperations[N]>,
  ): Promise<ReturnType<RowOperations[N]>> {
    if (isClosed) throw closed();
    const thread = leastBusy();
    thread.owed += 1;
    const result = await new Promise<TaskResult>((resolve) =>
      thread.channel.carry([{ name, args, rows: 0, bytes: 0 }], ([only]) => resolve(only!)),
    );
    thread.owed -= 1;
    if ('error' in result) throw result.error;
    return result.value as never;
  }

  return {
    of: (log) => ({
      valuesAhead: (paths, from, to) => ask('codeRows', [log, paths, from, to]),
      sortedAhead: (from, to) => ask('sortRows', [log, from, to]),
    }),
    async close() {
      isClosed = true;
      await Promise.all(threads.map(({ channel }) => channel.close()));
    },
  };
}
