import type { SqliteDatabase } from '../file/database.ts';
import { createGroupWriter } from './group.ts';
import type { OperationOptions } from '../writes/operations.ts';
import type { WriterChannel } from './writer.ts';

/** Writes in the calling thread, which blocks on the disk. */
export function carryInline(database: SqliteDatabase, options: OperationOptions): WriterChannel {
  const writer = createGroupWriter(database, options);
  return {
    carry(tasks, settle) {
      const left = [...tasks];
      while (left.length > 0) settle(writer.writeNext(left));
    },
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
