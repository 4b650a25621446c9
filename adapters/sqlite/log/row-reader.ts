import { toStoreError } from '../database.ts';
import { closed, type Carrier } from '../writer/writer.ts';
import type { RowOperations } from './row-operations.ts';

/** Reads rows in another thread. */
export interface RowReader {
  /** Has rows read; rejects with what the thread has met, and with `unavailable` where there is none. */
  ask<N extends keyof RowOperations>(
    name: N,
    ...args: Parameters<RowOperations[N]>
  ): Promise<ReturnType<RowOperations[N]>>;
  /** Ends the thread, where one has begun. */
  close(): Promise<void>;
}

/** Makes the reader of a file; its thread begins when something is first read. */
export function createRowReader(carry: () => Carrier): RowReader {
  let carrier: Carrier | undefined;
  let isClosed = false;
  return {
    ask: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw closed();
        carrier ??= carry();
        carrier.carry([{ name, args, rows: 0, bytes: 0 }], ([outcome]) => {
          if ('error' in outcome!) reject(toStoreError(outcome.error));
          else resolve(outcome!.value as never);
        });
      }),
    async close() {
      isClosed = true;
      await carrier?.close();
    },
  };
}
