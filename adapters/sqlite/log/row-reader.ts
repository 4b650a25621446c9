import type { CodedRows, Path } from '../../../src/index.ts';
import { toStoreError } from '../database.ts';
import { closed, type Carrier } from '../writer/writer.ts';
import type { LogName } from './log-name.ts';

/** Reads rows in another thread. */
export interface RowReader {
  /** As `EventLog.valuesAhead`. */
  codeRows(log: LogName, paths: readonly Path[], from: number, to: number): Promise<readonly CodedRows[]>;
  /** Ends the thread, where one has begun. */
  close(): Promise<void>;
}

/** Makes the reader of a file; its thread begins when something is first read. */
export function createRowReader(carry: () => Carrier): RowReader {
  let carrier: Carrier | undefined;
  let isClosed = false;
  return {
    codeRows: (...args) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw closed();
        carrier ??= carry();
        carrier.carry([{ name: 'codeRows', args, rows: 0, bytes: 0 }], ([outcome]) => {
          if ('error' in outcome!) reject(toStoreError(outcome.error));
          else resolve(outcome!.value as readonly CodedRows[]);
        });
      }),
    async close() {
      isClosed = true;
      await carrier?.close();
    },
  };
}
