import { toStoreError } from '../database.ts';
import type { Outcome } from '../writer/group.ts';
import { closed, type Carrier } from '../writer/writer.ts';
import type { ReadsAhead } from './event-log.ts';
import type { LogName } from './log-name.ts';
import type { RowOperations } from './row-operations.ts';

/** Has rows of logs read in another thread. */
export interface RowReader {
  /** Reads one log; rejects with what the thread has met, and with `unavailable` where there is none. */
  readonly of: (log: LogName) => ReadsAhead;
  /** Ends the thread, where one has begun. */
  close(): Promise<void>;
}

/** Makes the reader of a file; its thread begins when something is first read. */
export function createRowReader(carry: () => Carrier): RowReader {
  let carrier: Carrier | undefined;
  let isClosed = false;

  async function ask<N extends keyof RowOperations>(
    name: N,
    args: Parameters<RowOperations[N]>,
  ): Promise<ReturnType<RowOperations[N]>> {
    if (isClosed) throw closed();
    const own = (carrier ??= carry());
    const outcome = await new Promise<Outcome>((resolve) =>
      own.carry([{ name, args, rows: 0, bytes: 0 }], ([only]) => resolve(only!)),
    );
    if ('error' in outcome) throw toStoreError(outcome.error);
    return outcome.value as never;
  }

  return {
    of: (log) => ({
      valuesAhead: (paths, from, to) => ask('codeRows', [log, paths, from, to]),
      sortedAhead: (from, to) => ask('sortRows', [log, from, to]),
    }),
    async close() {
      isClosed = true;
      await carrier?.close();
    },
  };
}
